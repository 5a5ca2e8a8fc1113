# Raw files, prepared arrays, descriptions.


rule fetch:
    output:
        f"{RESULTS}/fetch/{{dataset}}.json",
    log:
        f"{LOGS}/fetch/{{dataset}}.log",
    conda:
        "../../environment.yml"
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
    conda:
        "../../environment.yml"
    script:
        "../scripts/inventory.py"


rule prepare:
    input:
        raw_files,
    output:
        f"{PREPARED}/{{dataset}}/meta.json",
    log:
        f"{LOGS}/prepare/{{dataset}}.log",
    conda:
        "../../environment.yml"
    params:
        digest=lambda wildcards: study.digest(wildcards.dataset),
        code=DATA_CODE,
        subset=study.subset,
    script:
        "../scripts/prepare.py"


rule describe:
    input:
        prepared,
    output:
        f"{RESULTS}/describe/{{dataset}}.json",
    log:
        f"{LOGS}/describe/{{dataset}}.log",
    conda:
        "../../environment.yml"
    params:
        code=DATA_CODE,
        differs=lambda wildcards: study.catalogue[wildcards.dataset].differs,
    script:
        "../scripts/describe.py"
