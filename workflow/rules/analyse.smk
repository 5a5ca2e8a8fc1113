# Rules that make the table of all runs, the significance tests, and the details of the studies.


rule collect:
    input:
        lambda wildcards: files.batch_files(),
    output:
        runs=f"{RESULTS}/runs.tsv",
        provenance=f"{RESULTS}/provenance.json",
        tests=f"{RESULTS}/tests.tsv",
    log:
        f"{LOGS}/collect.log",
    params:
        code=lambda wildcards: code_hash(
            "fwsvm_papers.runs.job_results",
            "fwsvm_papers.runs.records",
            "fwsvm_papers.studies.benchmark.significance",
        ),
        config=hash_of_settings(config),
        cores=files.cores if config["timing"] == "separate" else None,
    script:
        "../scripts/collect.py"


rule details:
    input:
        lambda wildcards: files.batch_files(wildcards.study),
    output:
        f"{RESULTS}/{{study}}.json",
    log:
        f"{LOGS}/details/{{study}}.log",
    wildcard_constraints:
        study="|".join(WITH_DETAILS),
    script:
        "../scripts/details.py"
