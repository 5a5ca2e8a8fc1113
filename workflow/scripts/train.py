"""Train one method on one data set under one selection, all variants and repetitions."""

import logging
import time
from pathlib import Path

import pandas as pd

from fwsvm.analysis.records import write_runs
from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.storage import open_prepared
from fwsvm.experiments.config import Study
from fwsvm.experiments.job import job, provenance, read_json, write_json
from fwsvm.experiments.plan import Job
from fwsvm.experiments.progress import progress
from fwsvm.experiments.training import run_job

with job(snakemake.log[0]):
    started, settings = time.perf_counter(), snakemake.params.settings
    prepared = open_prepared(Path(snakemake.input.data).parent)
    rows = run_job(prepared, read_json(snakemake.input.parameters), Job(**snakemake.wildcards), settings)
    record = provenance(settings, prepared.meta) | {"wall_s": time.perf_counter() - started}
    write_json(record, snakemake.output.provenance)
    write_runs(pd.DataFrame(rows), snakemake.output.runs)
    study = Study(snakemake.config, load_catalogue(snakemake.config["catalogue"]))
    logging.getLogger("fwsvm").info(progress(study, f"results/{snakemake.config['profile']}"))
