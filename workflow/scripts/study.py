"""Run one job of a study: its rows of the runs table, and whatever else it shows."""

import logging
import time
from pathlib import Path

import pandas as pd

from fwsvm.analysis.records import write_runs
from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.storage import open_prepared
from fwsvm.experiments.config import Study
from fwsvm.experiments.job import job, provenance, write_json
from fwsvm.experiments.plan import Job
from fwsvm.experiments.progress import progress
from fwsvm.experiments.registry import STUDIES

with job(snakemake.log[0]):
    started, settings = time.perf_counter(), snakemake.params.settings
    prepared = open_prepared(Path(snakemake.input.data).parent)
    rows, details = STUDIES[snakemake.wildcards.experiment].run(prepared, Job(**snakemake.wildcards), settings)
    record = provenance(settings, prepared.meta) | {"wall_s": time.perf_counter() - started}
    write_json(details, snakemake.output.details)
    write_json(record, snakemake.output.provenance)
    write_runs(pd.DataFrame(rows), snakemake.output.runs)
    study = Study(snakemake.config, load_catalogue(snakemake.config["catalogue"]))
    logging.getLogger("fwsvm").info(progress(study, f"results/{snakemake.config['profile']}"))
