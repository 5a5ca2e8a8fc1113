# Tables and figures from the runs.


def render_inputs(wildcards):
    """Files an artefact is drawn from."""
    files = {
        "runs": f"{RESULTS}/runs.tsv",
        "tests": f"{RESULTS}/tests.tsv",
        "descriptions": expand(RESULTS + "/describe/{dataset}.json", dataset=study.datasets),
    }
    return {name: files[name] for name in ARTEFACTS[wildcards.artefact].needs}


rule table:
    input:
        unpack(render_inputs),
    output:
        report(
            RESULTS + "/tables/{artefact}.csv",
            caption="../report/artefact.rst",
            category="Tables",
            labels={"artefact": "{artefact}"},
        ),
        RESULTS + "/tables/{artefact}.md",
        RESULTS + "/tables/{artefact}.tex",
    params:
        code=RENDER_CODE,
        caption=lambda wildcards: ARTEFACTS[wildcards.artefact].caption,
        results=RESULTS,
        figures=FIGURES,
    log:
        LOGS + "/render/{artefact}.log",
    script:
        "../scripts/render.py"


rule figure:
    input:
        unpack(render_inputs),
    output:
        report(
            FIGURES + "/{artefact}.svg",
            caption="../report/artefact.rst",
            category="Figures",
            labels={"artefact": "{artefact}"},
        ),
        FIGURES + "/{artefact}.pdf",
        FIGURES + "/{artefact}.png",
        FIGURES + "/{artefact}.md",
    params:
        code=RENDER_CODE,
        caption=lambda wildcards: ARTEFACTS[wildcards.artefact].caption,
        results=RESULTS,
        figures=FIGURES,
    log:
        LOGS + "/render/{artefact}.log",
    script:
        "../scripts/render.py"
