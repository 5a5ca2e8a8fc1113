# One job per data set, method and selection; its repetitions run inside.


rule train:
    input:
        data=prepared,
        parameters=RESULTS + "/params/{dataset}.json",
        compiled=ancient(RESULTS + "/warm_up.txt"),
    output:
        runs=RESULTS + "/runs/benchmark/{selection}/{dataset}/{method}.tsv",
        provenance=RESULTS + "/runs/benchmark/{selection}/{dataset}/{method}.json",
    params:
        settings=lambda wildcards: study.job_settings(wildcards.selection, wildcards.method),
        code=SOLVER_CODE,
    log:
        LOGS + "/train/{selection}/{dataset}/{method}.log",
    threads: training_threads
    script:
        "../scripts/train.py"
