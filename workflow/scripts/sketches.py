"""Solve the small problems that the papers' sketches show."""

from fwsvm_papers.pipeline.artefacts import compute_sketches
from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.result_files import write_json

with logging_to(snakemake.log[0]):
    write_json(compute_sketches(), snakemake.output[0])
