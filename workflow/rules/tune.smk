# Kernel width and C of every data set.


# Compile once before jobs run side by side: concurrent cold compilations slow each other down.
# (Its file must not be `ancient` to the jobs after it: Snakemake would then overlook their own changed parameters.)
rule warm_up:
    output:
        f"{RESULTS}/warm_up.txt",
    log:
        f"{LOGS}/warm_up.log",
    conda:
        "../../environment.yml"
    params:
        code=SOLVER_CODE,
    script:
        "../scripts/warm_up.py"


rule tune:
    input:
        data=prepared,
        compiled=f"{RESULTS}/warm_up.txt",
    output:
        f"{RESULTS}/params/{{dataset}}.json",
    log:
        f"{LOGS}/tune/{{dataset}}.log",
    conda:
        "../../environment.yml"
    params:
        settings=study.tuning_settings(),
        code=SOLVER_CODE,
    script:
        "../scripts/tune.py"
