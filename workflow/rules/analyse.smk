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
