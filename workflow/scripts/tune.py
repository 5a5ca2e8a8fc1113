"""Tune sigma^2 and C of one data set."""

import time
from pathlib import Path

from fwsvm.pipeline.healing import open_or_prepare
from fwsvm.pipeline.job import job, write_json
from fwsvm.studies.benchmark.tune import tune

with job(snakemake.log[0]):
    started = time.perf_counter()
    prepared = open_or_prepare(snakemake.config, snakemake.wildcards.dataset, Path(snakemake.input.data[0]).parent)
    tuned = tune(prepared, snakemake.params.settings)
    write_json({**tuned, "wall_s": time.perf_counter() - started}, snakemake.output[0])
