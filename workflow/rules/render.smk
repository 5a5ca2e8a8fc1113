# Rules that make tables and figures from the runs, and the pages that show the tables and figures.


rule report:
    input:
        files.artefact_files(),
        runs=f"{RESULTS}/runs.tsv",
        provenance=f"{RESULTS}/provenance.json",
        descriptions=f"{RESULTS}/describe",
    output:
        site=f"{RESULTS}/site/index.html",
        gallery=f"{FIGURES}/README.md",
    log:
        f"{LOGS}/report.log",
    params:
        code=code_of_report(),
    script:
        "../scripts/report.py"


refuse_names_of_rules()

# Make a rule for the tables and figures of each paper. `claims`, `summary` and `beyond`, which are
# not from a paper, also have rules. All files of the tables and figures are outputs. If the run has
# no data for a table or figure, its files say so.
for paper in papers():

    rule:
        name:
            paper
        input:
            unpack(lambda wildcards, paper=paper: files.paper_inputs(paper)),
        output:
            files.artefact_files(paper),
        log:
            f"{LOGS}/render/{paper}.log",
        resources:
            mem_mb=lambda wildcards, attempt: memory(attempt * 1500),
            runtime=lambda wildcards, attempt: attempt * 10,
        params:
            code=code_of_paper(paper),
            artefacts=files.artefacts(paper),
            folders=[RESULTS, FIGURES],
            formats=config["figure_formats"],
        script:
            "../scripts/render.py"
