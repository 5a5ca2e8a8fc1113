# Reproduction of Frank-Wolfe kernel SVM training: data -> tuning -> training -> tests -> tables and figures.
# `snakemake --cores 8` runs everything in config/paper.yaml; `--configfile config/demo.yaml` needs no network.


configfile: "config/paper.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/data.smk"
include: "workflow/rules/tune.smk"
include: "workflow/rules/train.smk"
include: "workflow/rules/analyse.smk"
include: "workflow/rules/render.smk"


rule all:
    default_target: True
    input:
        artefact_files(),
        f"{RESULTS}/provenance.json",


# All tables and figures of one paper, by its name.
rule frandi2013:
    input:
        artefact_files("frandi2013"),


rule nanculef2014:
    input:
        artefact_files("nanculef2014"),


rule singh:
    input:
        artefact_files("singh"),


rule tsang2005:
    input:
        artefact_files("tsang2005"),


rule alaiz2018:
    input:
        artefact_files("alaiz2018"),


# The papers' statements in numbers, judged on the runs.
rule claims:
    input:
        artefact_files("claims"),


# Those that no paper has.
rule beyond:
    input:
        artefact_files("beyond"),
