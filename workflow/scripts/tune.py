"""Tune sigma^2 and C for one data set.

If an earlier run with the same data, settings and code has saved its result, use that result.
"""

from pathlib import Path

from fwsvm_papers.pipeline.scripts import logging_to, open_or_prepare
from fwsvm_papers.result_files import write_json
from fwsvm_papers.runs.job_results import tune_or_keep
from fwsvm_papers.studies.benchmark.tune import tune

with logging_to(snakemake.log[0]):
    output, params = Path(snakemake.output[0]), snakemake.params
    prepared = open_or_prepare(
        snakemake.config, snakemake.wildcards.dataset, Path(snakemake.input.data[0]).parent
    )
    kept = f"results/{snakemake.config['profile']}/cells/{output.parent.name}/{output.name}"
    write_json(tune_or_keep(tune, prepared, params.settings, params.code, kept), output)
