"""Prepare one data set. Write its arrays, which jobs map into memory, and then meta.json."""

from pathlib import Path

from fwsvm_papers.datasets.catalogue import load_catalogue
from fwsvm_papers.datasets.prepare import prepare
from fwsvm_papers.pipeline.scripts import logging_to

with logging_to(snakemake.log[0]):
    config, params = snakemake.config, snakemake.params
    catalogue = load_catalogue(config["catalogue"])
    entry = catalogue[snakemake.wildcards.dataset]
    folder = Path(snakemake.output[0]).parent
    prepare(entry, catalogue, f"{config['data_dir']}/raw", folder, config["mirror"], params.subset)
