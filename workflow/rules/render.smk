# Tables and figures from the runs.


# All artefacts of a paper that the configuration has data for; the listing says which, and why not the others.
rule render:
    input:
        unpack(lambda wildcards: files.paper_inputs(wildcards.paper)),
    output:
        files.listing("{paper}"),
    log:
        f"{LOGS}/render/{{paper}}.log",
    group:
        "render"
    resources:
        mem_mb=lambda wildcards, attempt: memory(attempt * 1500),
        runtime=lambda wildcards, attempt: attempt * 10,
    params:
        code=lambda wildcards: code_of_paper(wildcards.paper),
        folders=[RESULTS, FIGURES],
        formats=config["figure_formats"],
    script:
        "../scripts/render.py"


# A single table or figure again, where one of its files is gone.
rule table:
    input:
        unpack(redraw_inputs),
    output:
        f"{RESULTS}/tables/{{artefact}}.csv",
        f"{RESULTS}/tables/{{artefact}}.md",
        f"{RESULTS}/tables/{{artefact}}.tex",
    log:
        f"{LOGS}/redraw/{{artefact}}.log",
    group:
        "render"
    resources:
        mem_mb=lambda wildcards, attempt: memory(attempt * 1500),
        runtime=lambda wildcards, attempt: attempt * 10,
    params:
        folders=[RESULTS, FIGURES],
        formats=config["figure_formats"],
    script:
        "../scripts/redraw.py"


rule figure:
    input:
        unpack(redraw_inputs),
    output:
        *(f"{FIGURES}/{{artefact}}.{ending}" for ending in config["figure_formats"]),
        f"{FIGURES}/{{artefact}}.csv",
        f"{FIGURES}/{{artefact}}.md",
    log:
        f"{LOGS}/redraw/{{artefact}}.log",
    group:
        "render"
    resources:
        mem_mb=lambda wildcards, attempt: memory(attempt * 1500),
        runtime=lambda wildcards, attempt: attempt * 10,
    params:
        folders=[RESULTS, FIGURES],
        formats=config["figure_formats"],
    script:
        "../scripts/redraw.py"
