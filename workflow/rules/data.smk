# Raw files, prepared arrays, descriptions.


rule fetch:
    output:
        f"{RAW}/{{file}}",
    log:
        f"{LOGS}/fetch/{{file}}.log",
    conda:
        "../../environment.yml"
    params:
        sha256=lambda wildcards: study.raw_file(wildcards.file).sha256,
    script:
        "../scripts/fetch.py"


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
    script:
        "../scripts/describe.py"
