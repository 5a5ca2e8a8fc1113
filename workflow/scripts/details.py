"""Put what the jobs of a study show besides their runs into one file."""

from fwsvm.experiments.job import job, read_json, write_json

with job(snakemake.log[0]):
    paths = list(snakemake.input)
    names = [path.removesuffix(".json").split("/")[-3:] for path in paths]
    jobs = [dict(zip(("selection", "dataset", "method"), name, strict=True)) for name in names]
    write_json([names | read_json(path) for names, path in zip(jobs, paths, strict=True)], snakemake.output[0])
