"""Write the lists of the available and of the missing data sets."""

from fwsvm_papers.pipeline.data import inventory
from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.result_files import read_whole_json, write_json

with logging_to(snakemake.log[0]):
    write_json(inventory([read_whole_json(path) for path in snakemake.input]), snakemake.output[0])
