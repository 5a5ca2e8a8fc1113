# One job per experiment and data set: its methods, selections, variants and repetitions run inside.


rule train:
    input:
        unpack(training_inputs),
        compiled=COMPILED,
    output:
        runs=f"{RESULTS}/runs/{{experiment}}/{{dataset}}.tsv",
        provenance=f"{RESULTS}/runs/{{experiment}}/{{dataset}}.json",
        details=f"{RESULTS}/details/{{experiment}}/{{dataset}}.json",
    log:
        f"{LOGS}/train/{{experiment}}/{{dataset}}.log",
    priority: larger_first
    threads: training_threads
    params:
        jobs=training_settings,
        code=lambda wildcards: EXPERIMENTS[wildcards.experiment].code,
    script:
        "../scripts/train.py"


# The small runs behind the papers' sketches.
rule sketches:
    input:
        COMPILED,
    output:
        f"{RESULTS}/sketches.json",
    log:
        f"{LOGS}/sketches.log",
    params:
        code=SKETCH_CODE,
    script:
        "../scripts/sketches.py"
