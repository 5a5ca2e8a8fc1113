"""Fetch the files of one data set from the mirror or from their source, and check them."""

from fwsvm_papers.datasets.catalogue import load_catalogue
from fwsvm_papers.pipeline.config import Configuration
from fwsvm_papers.pipeline.data import fetch_dataset
from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.result_files import write_json

with logging_to(snakemake.log[0]):
    config = snakemake.config
    configuration = Configuration(config, load_catalogue(config["catalogue"]))
    record = fetch_dataset(
        configuration, snakemake.wildcards.dataset, f"{config['data_dir']}/raw", config["mirror"]
    )
    write_json(record, snakemake.output[0])
