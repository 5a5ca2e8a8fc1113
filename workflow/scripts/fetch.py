"""Fetch the files of one data set from the mirror or upstream, decompress them and check them."""

from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.pipeline.config import Configuration
from fwsvm.pipeline.data import fetch_dataset
from fwsvm.pipeline.job import job, write_json

with job(snakemake.log[0]):
    config = snakemake.config
    configuration = Configuration(config, load_catalogue(config["catalogue"]))
    record = fetch_dataset(configuration, snakemake.wildcards.dataset, f"{config['data_dir']}/raw", config["mirror"])
    write_json(record, snakemake.output[0])
