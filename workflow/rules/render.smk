# Tables and figures from the runs.


rule table:
    input:
        unpack(render_inputs),
    output:
        report(
            f"{RESULTS}/tables/{{artefact}}.csv",
            caption="../report/artefact.rst",
            category="Tables",
            labels={"artefact": "{artefact}"},
        ),
        f"{RESULTS}/tables/{{artefact}}.md",
        f"{RESULTS}/tables/{{artefact}}.tex",
    log:
        f"{LOGS}/render/{{artefact}}.log",
    conda:
        "../../environment.yml"
    params:
        code=RENDER_CODE,
        caption=lambda wildcards: ARTEFACTS[wildcards.artefact].caption,
        folders=[RESULTS, FIGURES],
    script:
        "../scripts/render.py"


rule figure:
    input:
        unpack(render_inputs),
    output:
        report(
            f"{FIGURES}/{{artefact}}.svg",
            caption="../report/artefact.rst",
            category="Figures",
            labels={"artefact": "{artefact}"},
        ),
        f"{FIGURES}/{{artefact}}.pdf",
        f"{FIGURES}/{{artefact}}.png",
        f"{FIGURES}/{{artefact}}.md",
    log:
        f"{LOGS}/render/{{artefact}}.log",
    conda:
        "../../environment.yml"
    params:
        code=RENDER_CODE,
        caption=lambda wildcards: ARTEFACTS[wildcards.artefact].caption,
        folders=[RESULTS, FIGURES],
    script:
        "../scripts/render.py"
