# One job per experiment, selection, data set and method; its variants and repetitions run inside.


rule train:
    input:
        data=prepared,
        parameters=tuned_parameters,
        compiled=f"{RESULTS}/warm_up.txt",
    output:
        runs=f"{RESULTS}/runs/{JOB}.tsv",
        provenance=f"{RESULTS}/runs/{JOB}.json",
    log:
        f"{LOGS}/train/{JOB}.log",
    wildcard_constraints:
        experiment="|".join(set(EXPERIMENTS) - set(STUDIES)),
    priority: larger_first
    conda:
        "../../environment.yml"
    threads: training_threads
    params:
        settings=lambda names: study.job_settings(Job(**names)),
        code=SOLVER_CODE,
    script:
        "../scripts/train.py"


# The same for experiments with a protocol of their own.
rule study:
    input:
        data=prepared,
        compiled=f"{RESULTS}/warm_up.txt",
    output:
        runs=f"{RESULTS}/runs/{JOB}.tsv",
        provenance=f"{RESULTS}/runs/{JOB}.json",
        details=f"{DETAILS}/{JOB}.json",
    log:
        f"{LOGS}/study/{JOB}.log",
    wildcard_constraints:
        experiment="|".join(STUDIES),
    priority: larger_first
    conda:
        "../../environment.yml"
    threads: training_threads
    params:
        settings=lambda names: study.job_settings(Job(**names)),
        code=lambda names: [SOLVER_CODE, STUDY_CODE[names.experiment]],
    script:
        "../scripts/study.py"


# The small runs behind the papers' sketches.
rule sketches:
    input:
        f"{RESULTS}/warm_up.txt",
    output:
        f"{RESULTS}/sketches.json",
    log:
        f"{LOGS}/sketches.log",
    conda:
        "../../environment.yml"
    params:
        code=[SOLVER_CODE, SKETCH_CODE],
    script:
        "../scripts/sketches.py"
