# One job per data set, method and selection; its repetitions run inside.


rule train:
    input:
        data=prepared,
        parameters=f"{RESULTS}/params/{{dataset}}.json",
        compiled=f"{RESULTS}/warm_up.txt",
    output:
        runs=f"{RESULTS}/runs/benchmark/{{selection}}/{{dataset}}/{{method}}.tsv",
        provenance=f"{RESULTS}/runs/benchmark/{{selection}}/{{dataset}}/{{method}}.json",
    log:
        f"{LOGS}/train/{{selection}}/{{dataset}}/{{method}}.log",
    conda:
        "../../environment.yml"
    threads: training_threads
    params:
        settings=lambda names: study.job_settings(names.selection, names.method),
        code=SOLVER_CODE,
    script:
        "../scripts/train.py"
