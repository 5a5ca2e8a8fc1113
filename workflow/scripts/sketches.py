"""The small runs behind the papers' sketches."""

from fwsvm.pipeline.job import job, write_json
from fwsvm.pipeline.sketches import compute

with job(snakemake.log[0]):
    write_json(compute(), snakemake.output[0])
