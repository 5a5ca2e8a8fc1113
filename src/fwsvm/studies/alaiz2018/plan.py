"""The models that alaiz2018 compares, the jobs of the study, and what each job needs of the configuration."""

from fwsvm.runs.jobs import Job, capped
from fwsvm.runs.protocols import CERTIFIED_PROTOCOL

EXPERIMENT = "alaiz2018"
MODELS = {"svm": "pfw", "mfw": "mfw_sparse", "mfw_fixed": "mfw_sparse"}
"""The paper's three models -> the method that trains them; the C of the last is fixed beforehand."""

RECORDED = (
    "folds", "tuning_points", "tuning_iterations", "gamma_exponents", "C_exponents", "stop", "eps", "cache_mb",
    "max_iterations",
)  # fmt: skip


def jobs(config, datasets):
    """One job for each of these data sets that is in the study; it trains both methods."""
    section = config[EXPERIMENT]
    lists = (section["datasets"], section["c_path"]["datasets"], section["largest"]["datasets"])
    names = dict.fromkeys(name for names in lists for name in names)
    return [Job(EXPERIMENT, CERTIFIED_PROTOCOL, name, "mfw_sparse") for name in names if name in datasets]


def settings(config, job):
    """The study's settings, and those of the parts (`comparison`, `c_path`, `largest`) that the data set has."""
    section = config[EXPERIMENT]
    chosen = {key: section[key] for key in RECORDED}
    chosen |= {"fixed_C": float(section["fixed_C"]), "seed": config["seed"], "timing": config["timing"]}
    chosen["time_limit"] = capped(section["time_limit"], config, job.dataset, "time_limit", job.method)
    kernels, partitions = section["kernels"], capped(section["partitions"], config, job.dataset, "repetitions")
    drawn = {"kernels": kernels, "partitions": partitions}
    runs = 0
    if job.dataset in section["c_path"]["datasets"]:
        chosen["c_path"] = drawn | {key: section["c_path"][key] for key in ("train_points", "test_points")}
        runs += 2 * len(kernels) * partitions * len(section["C_exponents"])
    elif job.dataset in section["datasets"]:
        kernel, most = section["starts"]["kernel"], section["starts"]["most"]
        starts = {"kernel": kernel, "most": most.get(job.dataset, most["default"])}
        chosen["comparison"] = drawn | {key: section[key] for key in ("train_points", "test_points")}
        chosen["comparison"]["starts"] = starts
        runs += len(MODELS) * len(kernels) * partitions + starts["most"]
    if job.dataset in section["largest"]["datasets"]:
        chosen["largest"] = {key: value for key, value in section["largest"].items() if key != "datasets"}
        runs += len(MODELS)
    return {**chosen, "runs": runs}
