# Kernel width and C of every data set.


# Compile once before jobs run side by side: concurrent cold compilations slow each other down.
rule warm_up:
    output:
        RESULTS + "/warm_up.txt",
    params:
        code=SOLVER_CODE,
    log:
        LOGS + "/warm_up.log",
    script:
        "../scripts/warm_up.py"


rule tune:
    input:
        data=prepared,
        compiled=ancient(RESULTS + "/warm_up.txt"),
    output:
        RESULTS + "/params/{dataset}.json",
    params:
        settings=study.tuning_settings(),
        code=SOLVER_CODE,
    log:
        LOGS + "/tune/{dataset}.log",
    script:
        "../scripts/tune.py"
