"""Write the pages of a run, and the gallery of its figures."""

from pathlib import Path

from fwsvm_papers.pipeline.scripts import logging_to
from fwsvm_papers.site.build import write_gallery, write_site

with logging_to(snakemake.log[0]):
    results, figures = Path(snakemake.output.site).parents[1], Path(snakemake.output.gallery).parent
    write_gallery(figures)
    write_site(results, figures, results / "site")
