# Raw files, prepared arrays, descriptions.


rule fetch:
    output:
        f"{RESULTS}/fetch/{{dataset}}.json",
    log:
        f"{LOGS}/fetch/{{dataset}}.log",
    params:
        sums=lambda wildcards: study.sums(wildcards.dataset),
        missing=config["missing"],
    script:
        "../scripts/fetch.py"


# What could be had decides which jobs follow.
checkpoint inventory:
    input:
        expand(f"{RESULTS}/fetch/{{dataset}}.json", dataset=study.remote),
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
        prepared("{dataset}"),
    log:
        f"{LOGS}/prepare/{{dataset}}.log",
    priority: first_larger_first
    params:
        digest=lambda wildcards: study.digest(wildcards.dataset),
        code=DATA_CODE,
        subset=study.subset,
    script:
        "../scripts/prepare.py"


rule describe:
    input:
        lambda wildcards: [
            prepared(name)[0] for name in benchmark_datasets(config, present())
        ],
    output:
        directory(f"{RESULTS}/describe"),
    log:
        f"{LOGS}/describe.log",
    params:
        code=DATA_CODE,
        differs={name: study.catalogue[name].differs for name in study.datasets},
    script:
        "../scripts/describe.py"
