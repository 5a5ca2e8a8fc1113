"""Fetch one raw file: mirror first, then upstream; checked and decompressed."""

from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.fetch import fetch
from fwsvm.experiments.config import Study
from fwsvm.experiments.job import job

with job(snakemake.log[0]):
    config = snakemake.config
    study = Study(config, load_catalogue(config["catalogue"]))
    fetch(study.raw_file(snakemake.wildcards.file), f"{config['data_dir']}/raw", config["mirror"])
