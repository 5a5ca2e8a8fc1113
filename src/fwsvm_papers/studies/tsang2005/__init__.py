"""Declare the study of Tsang et al. 2005 (core vector machines): growing training sets, and
one-class SVMs.
"""

from fwsvm_papers.reporting.artefact import figure
from fwsvm_papers.runs.jobs import Experiment, Job, capped, own_datasets
from fwsvm_papers.runs.protocols import CVM_PROTOCOL, FULL_PROTOCOL, NO_PROTOCOL

ONE_CLASS = "one_class"
DRAWS = "draws"
SERIES = ("checkerboard", "forest", "adult")
# how each of our methods selects vertices
SELECTIONS = {"cvm": "sampled_libcvm", "oneclass_swap": "full"}
LIBSVM = ("libsvm_l1", "libsvm_l2")
TRAINERS = (*LIBSVM, "lsvm_lowrank", "rsvm", "simple_svm")  # solvers in `fwsvm_papers.baselines`


def jobs(config, datasets):
    """List a job for every method and data set of each part (series or one-class SVMs), if the
    set is in `datasets`.
    """
    section = config["tsang2005"]
    return [
        Job("tsang2005", protocol_of(method), dataset, method)
        for name in (*SERIES, ONE_CLASS)
        for dataset in section[name]["datasets"]
        if dataset in datasets
        for method in section[name]["methods"]
    ]


def protocol_of(method):
    """Return the protocol: LibCVM's for CVM, the search of all points for our one-class SVM, and
    "none" for others.
    """
    return {"cvm": CVM_PROTOCOL, "oneclass_swap": FULL_PROTOCOL}.get(method, NO_PROTOCOL)


def settings(config, job):
    """Collect the settings of a job.

    The setting `runs` is the number of runs if no run reaches a limit.
    """
    section = config["tsang2005"]
    name = next(
        name
        for name in (*SERIES, ONE_CLASS)
        if job.dataset in section[name]["datasets"] and job.method in section[name]["methods"]
    )
    part = section[name]
    limit = part["time_limit"].get(job.method, part["time_limit"]["default"])
    repetitions = capped(section["repetitions"], config, job.dataset, "repetitions")
    chosen = {
        "part": name,
        "kernel": "rbf",
        "selection": SELECTIONS.get(job.method, NO_PROTOCOL),
        "beta": part.get("beta", "average"),
        "gamma_factors": sorted(part["gamma_factors"]),
        "repetitions": repetitions,
        "time_limit": capped(limit, config, job.dataset, "time_limit", job.method),
        "seed": config["seed"],
        "timing": config["timing"],
    }
    if name == ONE_CLASS:
        chosen |= {"nu": sorted(part["nu"]), "inliers": part["inliers"]}
        sets = part["inliers"] * len(part["nu"])
    else:
        values = {"C": section["C"], **part}
        chosen |= {key: sorted(values[key]) for key in ("C", "sizes", "shares") if key in values}
        sets = len(part.get("sizes", part.get("shares", [1]))) * len(chosen["C"])
    if job.method in SELECTIONS:
        chosen |= {
            key: section[key] for key in ("init", "stop", "eps", "max_iterations", "cache_mb")
        }
    if job.method == "cvm":
        chosen["inner_tolerance"] = section["inner_tolerance"]
    if job.method in TRAINERS:
        chosen["memory_limit_mb"] = section["memory_limit_mb"]
    if job.method in LIBSVM or job.method == "oneclass_libsvm":
        chosen["cache_mb"] = section["libsvm_cache_mb"]
    if job.method == "rsvm":
        chosen["share"] = section["rsvm_share"]
    return chosen | {"runs": sets * len(chosen["gamma_factors"]) * repetitions}


def draws_jobs(config, datasets):
    """List the jobs of the experiment `draws`, with only those methods and data sets that
    tsang2005 also has.
    """
    study = config["tsang2005"]["checkerboard"]
    names = [name for name in own_datasets(config, DRAWS, datasets) if name in study["datasets"]]
    methods = [
        name
        for name in config[DRAWS]["methods"]
        if name in study["methods"] and _sizes(config, name)
    ]
    return [Job(DRAWS, protocol_of(method), name, method) for name in names for method in methods]


def draws_settings(config, job):
    """Collect the settings of tsang2005 for a job, but with new draws of at most `most_points`
    training points.
    """
    section, sizes = config[DRAWS], _sizes(config, job.method)
    of_study, large = settings(config, job), section["large"]
    sets = sum(
        min(section["draws"], large["draws"]) if size > large["above"] else section["draws"]
        for size in sizes
    )
    runs = sets * len(of_study["C"]) * len(of_study["gamma_factors"])
    return of_study | {
        "sizes": sizes,
        "repetitions": 1,
        "draws": section["draws"],
        "large": large,
        "runs": runs,
    }


def _sizes(config, method):
    most = config[DRAWS]["most_points"]
    sizes = sorted(config["tsang2005"]["checkerboard"]["sizes"])
    return [size for size in sizes if size <= most.get(method, most["default"])]


EXPERIMENTS = {
    "tsang2005": Experiment(jobs, settings, f"{__name__}.run", has_details=True),
    "draws": Experiment(draws_jobs, draws_settings, f"{__name__}.run"),
}

_SERIES = f"{__name__}.series_figures"

ARTEFACTS = {
    "tsang2005-fig1": figure(
        "fwsvm_papers.studies.benchmark.sketch_figures", "core_set_chart", "sketches"
    ),
    "tsang2005-fig2": figure(_SERIES, "fig2", "runs tsang2005"),
    "tsang2005-fig3": figure(_SERIES, "fig3", "runs tsang2005"),
    "tsang2005-fig4": figure(_SERIES, "fig4", "runs tsang2005 descriptions"),
    "tsang2005-oneclass": figure(_SERIES, "oneclass", "runs tsang2005"),
}

PRINTED = {"text": "Tsang et al. 2005, Core Vector Machines, sec. 5.1 (a sentence, no table)"}
