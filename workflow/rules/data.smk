# Rules that make raw files, prepared arrays and descriptions.


rule fetch:
    output:
        f"{RESULTS}/fetch/{{dataset}}.json",
    log:
        f"{LOGS}/fetch/{{dataset}}.log",
    params:
        files=lambda wildcards: configuration.fetch_settings(wildcards.dataset),
        missing=config["missing"],
    script:
        "../scripts/fetch.py"


# This is a checkpoint, since the next jobs depend on which data sets are available.
checkpoint inventory:
    input:
        expand(f"{RESULTS}/fetch/{{dataset}}.json", dataset=configuration.remote),
    output:
        f"{RESULTS}/inventory.json",
    log:
        f"{LOGS}/inventory.log",
    script:
        "../scripts/inventory.py"


rule prepare:
    input:
        raw_files,
    output:
        files.prepared_files("{dataset}"),
    log:
        f"{LOGS}/prepare/{{dataset}}.log",
    priority: lambda wildcards: configuration.priority("prepare", wildcards.dataset)
    resources:
        mem_mb=lambda wildcards, attempt: memory(
            attempt * resources.preparing_mb(configuration, wildcards.dataset)
        ),
        runtime=lambda wildcards, attempt: attempt * 20,
    params:
        digest=lambda wildcards: configuration.digest(wildcards.dataset),
        code=lambda wildcards: code_hash("fwsvm_papers.datasets.prepare"),
        subset=configuration.subset,
        stand_in=lambda wildcards: is_stand_in(wildcards.dataset),
    script:
        "../scripts/prepare.py"


rule describe:
    input:
        lambda wildcards: [
            files.prepared_files(name)[0]
            for name in benchmark_datasets(config, present())
        ],
    output:
        directory(f"{RESULTS}/describe"),
    log:
        f"{LOGS}/describe.log",
    resources:
        mem_mb=lambda wildcards, attempt: memory(attempt * 4000),
        runtime=lambda wildcards, attempt: attempt * 20,
    params:
        code=lambda wildcards: code_hash(
            "fwsvm_papers.datasets.prepare",
            "fwsvm_papers.datasets.describe",
            "fwsvm_papers.reporting.dataset_picture",
        ),
        differs={
            name: configuration.catalogue[name].differs
            for name in configuration.datasets
        },
        titles={
            name: configuration.catalogue[name].title
            for name in configuration.datasets
        },
    script:
        "../scripts/describe.py"
