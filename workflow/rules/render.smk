# Tables and figures from the runs.


# All artefacts of a paper that the configuration has data for; the listing says which, and why not the others.
rule render:
    input:
        unpack(lambda wildcards: inputs_of_paper(wildcards.paper)),
    output:
        f"{RESULTS}/artefacts/{{paper}}.json",
    log:
        f"{LOGS}/render/{{paper}}.log",
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
        report(
            f"{RESULTS}/tables/{{artefact}}.csv",
            caption="../report/artefact.rst",
            category=lambda wildcards: paper_of(wildcards.artefact),
            labels={"artefact": "{artefact}"},
        ),
        f"{RESULTS}/tables/{{artefact}}.md",
        f"{RESULTS}/tables/{{artefact}}.tex",
    log:
        f"{LOGS}/redraw/{{artefact}}.log",
    params:
        caption=lambda wildcards: ARTEFACTS[wildcards.artefact].caption,
        folders=[RESULTS, FIGURES],
        formats=config["figure_formats"],
    script:
        "../scripts/redraw.py"


rule figure:
    input:
        unpack(redraw_inputs),
    output:
        report(
            f"{FIGURES}/{{artefact}}.{config['figure_formats'][0]}",
            caption="../report/artefact.rst",
            category=lambda wildcards: paper_of(wildcards.artefact),
            labels={"artefact": "{artefact}"},
        ),
        *(f"{FIGURES}/{{artefact}}.{ending}" for ending in config["figure_formats"][1:]),
        f"{FIGURES}/{{artefact}}.csv",
        f"{FIGURES}/{{artefact}}.md",
    log:
        f"{LOGS}/redraw/{{artefact}}.log",
    params:
        caption=lambda wildcards: ARTEFACTS[wildcards.artefact].caption,
        folders=[RESULTS, FIGURES],
        formats=config["figure_formats"],
    script:
        "../scripts/redraw.py"
