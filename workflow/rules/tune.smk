# Kernel width and C of every data set.


# Compile once before jobs run side by side: concurrent cold compilations slow each other down.
# (Its file must not be `ancient` to the jobs after it: Snakemake would then overlook their own changed parameters.)
rule warm_up:
    output:
        f"{RESULTS}/warm_up/{{part}}.txt",
    log:
        f"{LOGS}/warm_up/{{part}}.log",
    priority: 1_000_000_000
    params:
        code=WARM_UP_CODE,
    script:
        "../scripts/warm_up.py"


# Jobs may run side by side even where training may not: no time of theirs is reported. All come before training.
rule tune:
    input:
        data=lambda wildcards: prepared(wildcards.dataset),
        compiled=COMPILED,
    output:
        f"{RESULTS}/{{parameters}}/{{dataset}}.json",
    log:
        f"{LOGS}/tune/{{parameters}}/{{dataset}}.log",
    priority: before_training_larger_first
    params:
        settings=lambda names: study.tuning_settings(names.parameters, names.dataset),
        code=TUNING_CODE,
    script:
        "../scripts/tune.py"
