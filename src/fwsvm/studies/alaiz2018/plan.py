"""The jobs of the study, and what each needs of the configuration."""

from fwsvm.runs.jobs import Job, capped
from fwsvm.runs.protocols import CERTIFIED_PROTOCOL
from fwsvm.studies.alaiz2018.models import EXPERIMENT, MODELS

_KEPT = (
    "folds", "tuning_points", "tuning_iterations", "gamma_exponents", "C_exponents", "stop", "eps", "cache_mb",
    "max_iterations",
)  # fmt: skip


def jobs(config, datasets):
    """One job for each data set of the study that is among these; its rows are of both methods."""
    section = config[EXPERIMENT]
    lists = (section["datasets"], section["c_path"]["datasets"], section["largest"]["datasets"])
    names = dict.fromkeys(name for names in lists for name in names)
    return [Job(EXPERIMENT, CERTIFIED_PROTOCOL, name, "mfw_sparse") for name in names if name in datasets]


def settings(config, job):
    """Settings of one of them: the study's, and those of the parts that the data set has (see the module)."""
    section = config[EXPERIMENT]
    chosen = {key: section[key] for key in _KEPT}
    chosen |= {"fixed_C": float(section["fixed_C"]), "seed": config["seed"], "timing": config["timing"]}
    chosen["time_limit"] = capped(section["time_limit"], config, job.dataset, "time_limit", job.method)
    partitions = capped(section["partitions"], config, job.dataset, "repetitions")
    kernels, runs = len(section["kernels"]), 0
    if job.dataset in section["c_path"]["datasets"]:
        sizes = {key: section["c_path"][key] for key in ("train_points", "test_points")}
        chosen["c_path"] = {"kernels": section["kernels"], "partitions": partitions, **sizes}
        runs += 2 * kernels * partitions * len(section["C_exponents"])
    elif job.dataset in section["datasets"]:
        starts = section["starts"]
        chosen["comparison"] = {
            "kernels": section["kernels"],
            "partitions": partitions,
            "train_points": section["train_points"],
            "test_points": section["test_points"],
            "starts": {"kernel": starts["kernel"], "most": starts["most"].get(job.dataset, starts["most"]["default"])},
        }
        runs += len(MODELS) * kernels * partitions + chosen["comparison"]["starts"]["most"]
    if job.dataset in section["largest"]["datasets"]:
        chosen["largest"] = {key: value for key, value in section["largest"].items() if key != "datasets"}
        runs += len(MODELS)
    return {**chosen, "runs": runs}
