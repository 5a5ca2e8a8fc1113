"""The significance tests of the papers, under every selection."""

from fwsvm.analysis.records import read_runs
from fwsvm.analysis.significance import test_selections
from fwsvm.experiments.job import job, write_text

with job(snakemake.log[0]):
    table = test_selections(read_runs(snakemake.input[0]))
    write_text(table.to_csv(sep="\t", index=False), snakemake.output[0])
