"""List the available and the missing data sets."""

from fwsvm.base.result_files import read_whole_json
from fwsvm.pipeline.data import inventory
from fwsvm.pipeline.job import job, write_json

with job(snakemake.log[0]):
    write_json(inventory([read_whole_json(path) for path in snakemake.input]), snakemake.output[0])
