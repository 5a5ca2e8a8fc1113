# Make tables and figures from the runs, and the pages that show them.


# Make all artefacts of a paper that have data. The listing names them, and gives the reason why
# others are skipped.
rule render:
    input:
        unpack(lambda wildcards: files.paper_inputs(wildcards.paper)),
    output:
        files.listings("{paper}"),
    log:
        f"{LOGS}/render/{{paper}}.log",
    resources:
        mem_mb=lambda wildcards, attempt: memory(attempt * 1500),
        runtime=lambda wildcards, attempt: attempt * 10,
    params:
        code=lambda wildcards: code_of_paper(wildcards.paper),
        folders=[RESULTS, FIGURES],
        formats=config["figure_formats"],
    script:
        "../scripts/render.py"


rule report:
    input:
        files.listings(),
        runs=f"{RESULTS}/runs.tsv",
        provenance=f"{RESULTS}/provenance.json",
        descriptions=f"{RESULTS}/describe",
    output:
        site=f"{RESULTS}/site/index.html",
        gallery=f"{FIGURES}/README.md",
    log:
        f"{LOGS}/report.log",
    params:
        code=code_hash("fwsvm_papers.site.build"),
    script:
        "../scripts/report.py"
