# The table of all runs, and the significance tests on it.


rule collect:
    input:
        runs=job_files("tsv"),
        provenance=job_files("json"),
    output:
        runs=f"{RESULTS}/runs.tsv",
        provenance=f"{RESULTS}/provenance.json",
    log:
        f"{LOGS}/collect.log",
    conda:
        "../../environment.yml"
    params:
        code=ANALYSIS_CODE,
        config=hash_of_settings(config),
    script:
        "../scripts/collect.py"


# What the jobs of a study show besides their runs.
rule details:
    input:
        detail_files,
    output:
        f"{RESULTS}/{{study}}.json",
    log:
        f"{LOGS}/details/{{study}}.log",
    conda:
        "../../environment.yml"
    script:
        "../scripts/details.py"


rule tests:
    input:
        f"{RESULTS}/runs.tsv",
    output:
        f"{RESULTS}/tests.tsv",
    log:
        f"{LOGS}/tests.log",
    conda:
        "../../environment.yml"
    params:
        code=ANALYSIS_CODE,
    script:
        "../scripts/tests.py"
