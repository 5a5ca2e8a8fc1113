# The table of all runs, and the significance tests on it.


def job_files(ending):
    """Files of all training jobs."""
    return [
        f"{RESULTS}/runs/benchmark/{selection}/{dataset}/{method}.{ending}"
        for selection, dataset, method in study.jobs()
    ]


rule collect:
    input:
        runs=job_files("tsv"),
        provenance=job_files("json"),
    output:
        runs=RESULTS + "/runs.tsv",
        provenance=RESULTS + "/provenance.json",
    params:
        code=ANALYSIS_CODE,
        config=hash_of_settings(config),
    log:
        LOGS + "/collect.log",
    script:
        "../scripts/collect.py"


rule tests:
    input:
        RESULTS + "/runs.tsv",
    output:
        RESULTS + "/tests.tsv",
    params:
        code=ANALYSIS_CODE,
    log:
        LOGS + "/tests.log",
    script:
        "../scripts/tests.py"
