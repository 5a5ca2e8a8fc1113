# For each experiment and data set, one job of Snakemake runs all methods, variants and repetitions.
# It saves results in the folder `cells`. Snakemake deletes the outputs of an interrupted job, so
# this folder is not an output. Therefore, when the job is started again, it continues with the
# saved results.


rule train:
    input:
        unpack(lambda names: files.training_inputs(names.experiment, names.dataset)),
        compiled=files.compiled,
    output:
        f"{RESULTS}/runs/{{experiment}}/{{dataset}}.json",
    log:
        f"{LOGS}/train/{{experiment}}/{{dataset}}.log",
    priority: lambda wildcards: configuration.priority("train", wildcards.dataset)
    threads: training_threads
    resources:
        mem_mb=lambda names, input, attempt: memory(
            attempt * resources.training_mb(configuration, *names, input.size_mb)
        ),
        runtime=lambda names, attempt: attempt
        * resources.training_minutes(configuration, *names),
        slurm_extra=lambda wildcards: ("--exclusive" if is_exclusive(wildcards) else ""),
    params:
        jobs=lambda wildcards: configuration.batch_settings(*wildcards),
        code=lambda wildcards: EXPERIMENTS[wildcards.experiment].code,
    script:
        "../scripts/train.py"


# Solve the small problems that the papers' sketches show.
rule sketches:
    input:
        files.compiled,
    output:
        f"{RESULTS}/sketches.json",
    log:
        f"{LOGS}/sketches.log",
    resources:
        mem_mb=lambda wildcards, attempt: memory(attempt * 1500),
        runtime=lambda wildcards, attempt: attempt * 20,
    params:
        code=lambda wildcards: code_of_sketches(),
    script:
        "../scripts/sketches.py"
