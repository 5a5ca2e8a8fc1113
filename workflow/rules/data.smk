# Raw files, prepared arrays, descriptions.


rule fetch:
    output:
        RAW + "/{file}",
    params:
        sha256=lambda wildcards: study.raw_file(wildcards.file).sha256,
        mirror=config["mirror"],
    log:
        LOGS + "/fetch/{file}.log",
    script:
        "../scripts/fetch.py"


def raw_files(wildcards):
    """Files a data set is made of: fetched ones below the raw folder, the user's own where they are."""
    return [str(entry.location(RAW)) for entry in study.raw_files(wildcards.dataset).values()]


rule prepare:
    input:
        raw_files,
    output:
        PREPARED + "/{dataset}/meta.json",
    params:
        digest=lambda wildcards: study.digest(wildcards.dataset),
        code=DATA_CODE,
        subset=study.subset,
    log:
        LOGS + "/prepare/{dataset}.log",
    script:
        "../scripts/prepare.py"


rule describe:
    input:
        prepared,
    output:
        RESULTS + "/describe/{dataset}.json",
    params:
        code=DATA_CODE,
    log:
        LOGS + "/describe/{dataset}.log",
    script:
        "../scripts/describe.py"
