"""Write a description (sizes, classes, average squared distance, sources) and a picture of each
prepared data set that is not in the benchmark's list `leave_out`.
"""

from pathlib import Path

from fwsvm_papers.datasets.describe import describe
from fwsvm_papers.pipeline.scripts import logging_to, open_or_prepare
from fwsvm_papers.reporting.dataset_picture import save_picture
from fwsvm_papers.result_files import write_json

# Data sets with more features are not drawn, since principal components are dense vectors.
MOST_FEATURES = 100_000
DPI = 110

with logging_to(snakemake.log[0]):
    # The folder must exist even if there are no data sets.
    Path(snakemake.output[0]).mkdir(parents=True, exist_ok=True)
    for path in map(Path, snakemake.input):
        name = path.parent.name
        prepared = open_or_prepare(snakemake.config, name, path.parent)
        description = describe(prepared)
        description["differs"] = snakemake.params.differs[name]
        description["title"] = snakemake.params.titles[name]
        write_json(description, Path(snakemake.output[0]) / f"{name}.json")
        if description["n"] <= MOST_FEATURES:
            save_picture(prepared, Path(snakemake.output[0]) / f"{name}.png", dpi=DPI)
