# Rules that compile all code, and that tune the kernel width and C for every data set.


# Compile all code once before other jobs start, since parallel compilations slow each other down.
# The output of this rule must not be an `ancient` input of other jobs. Otherwise, Snakemake would
# not notice changed parameters of those jobs.
rule warm_up:
    output:
        f"{RESULTS}/warm_up/{{part}}.txt",
    log:
        f"{LOGS}/warm_up/{{part}}.log",
    priority: 1_000_000_000
    resources:
        mem_mb=lambda wildcards, attempt: memory(attempt * 1500),
        runtime=lambda wildcards, attempt: attempt * 20,
    params:
        code=lambda wildcards: code_hash("fwsvm_papers.pipeline.warm_up"),
    script:
        "../scripts/warm_up.py"


# Tuning jobs can run at the same time even if training jobs must run alone, since the times of
# tuning jobs are not reported.
rule tune:
    input:
        data=lambda wildcards: files.prepared_files(wildcards.dataset),
        compiled=files.compiled,
    output:
        f"{RESULTS}/{{parameters}}/{{dataset}}.json",
    log:
        f"{LOGS}/tune/{{parameters}}/{{dataset}}.log",
    priority: lambda wildcards: configuration.priority("tune", wildcards.dataset)
    resources:
        mem_mb=lambda names, input, attempt: memory(
            attempt * resources.tuning_mb(configuration, *names, input.size_mb)
        ),
        runtime=lambda names, attempt: attempt
        * resources.tuning_minutes(configuration, *names),
    params:
        settings=lambda names: configuration.tuning_settings(
            names.parameters, names.dataset
        ),
        code=lambda wildcards: code_hash("fwsvm_papers.studies.benchmark.tune"),
    script:
        "../scripts/tune.py"
