"""The study of Tsang et al. 2005 (core vector machines). It has series of growing training sets,
and one-class SVMs.
"""

from collections.abc import Sequence

from fwsvm_papers.reporting.artefact import figure
from fwsvm_papers.runs.jobs import Experiment, Job, own_datasets, section_of
from fwsvm_papers.runs.protocols import CVM_PROTOCOL, FULL_PROTOCOL, NO_PROTOCOL

EXPERIMENT = "tsang2005"
ONE_CLASS = "one_class"
DRAWS = "draws"
SERIES = ("checkerboard", "forest", "adult")
# maps each of our own methods to its selection, which says which points a step searches
SELECTIONS = {"cvm": "sampled_libcvm", "oneclass_swap": "full", "auto": "full"}
LIBSVM = ("libsvm_l1", "libsvm_l2")
TRAINERS = (*LIBSVM, "lsvm_lowrank", "rsvm", "simple_svm")  # solvers in `fwsvm_papers.baselines`


def jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    """Return a list of jobs. Each part of the study has its own methods and data sets. There is a
    job for each pair of a method and a data set of the same part, if the data set is in `datasets`.

    The parts are the series of training sets and the one-class SVMs.
    """
    section = config[EXPERIMENT]
    return [
        Job(EXPERIMENT, protocol_of(method), dataset, method)
        for name in (*SERIES, ONE_CLASS)
        for dataset in section[name]["datasets"]
        if dataset in datasets
        for method in section[name]["methods"]
    ]


def protocol_of(method: str) -> str:
    """Return the protocol of a method.

    CVM has LibCVM's protocol. For `auto` and our one-class SVM, it is the protocol that searches
    all points. For all other methods, it is "none".
    """
    if method == "cvm":
        return CVM_PROTOCOL
    return FULL_PROTOCOL if method in SELECTIONS else NO_PROTOCOL


def settings(config: dict, job: Job) -> dict:
    """Return the settings of a job. Among them are the settings of the job's part of the study, and
    those settings of its method that not all methods have.

    The setting `runs` is the number of runs of the job if no run reaches a limit.
    """
    section = section_of(config, job._replace(experiment=EXPERIMENT))
    name = next(
        name
        for name in (*SERIES, ONE_CLASS)
        if job.dataset in section[name]["datasets"] and job.method in section[name]["methods"]
    )
    part = {"beta": "average"} | ({} if name == ONE_CLASS else {"C": section["C"]}) | section[name]
    del part["datasets"], part["methods"]
    part = {key: sorted(value) if isinstance(value, list) else value for key, value in part.items()}
    problems = part.get("inliers", 1)
    for key in ("gamma_factors", "nu", "C", "sizes", "shares"):
        problems *= len(part.get(key, [None]))
    return {
        **part,
        **{key: section[key] for key in ("repetitions", "seed", "timing")},
        **_of_method(job.method, section),
        "part": name,
        "kernel": "rbf",
        "selection": SELECTIONS.get(job.method, NO_PROTOCOL),
        "runs": problems * section["repetitions"],
    }


def _of_method(method: str, section: dict) -> dict:
    """Return those settings of a method that not all methods have."""
    if method == "auto":
        return {
            "stop": "relative",
            "eps": section["auto"]["relative_gap"],
            "cache_mb": section["auto"]["cache_mb"],
            "max_iterations": section["max_iterations"],
        }
    names: tuple[str, ...] = ()
    if method in SELECTIONS:
        names += ("init", "stop", "eps", "max_iterations", "cache_mb")
    if method == "cvm":
        names += ("inner_tolerance",)
    if method in TRAINERS:
        names += ("memory_limit_mb",)
    chosen = {name: section[name] for name in names}
    if method in (*LIBSVM, "oneclass_libsvm"):
        chosen["cache_mb"] = section["libsvm_cache_mb"]
    if method == "rsvm":
        chosen["share"] = section["rsvm_share"]
    return chosen


def draws_jobs(config: dict, datasets: Sequence[str]) -> list[Job]:
    """Return the jobs of the experiment `draws`. The methods and data sets are among those of the
    experiment `tsang2005`.
    """
    study = config[EXPERIMENT]["checkerboard"]
    names = [name for name in own_datasets(config, DRAWS, datasets) if name in study["datasets"]]
    methods = [
        name
        for name in config[DRAWS]["methods"]
        if name in study["methods"] and _sizes(config, name)
    ]
    return [Job(DRAWS, protocol_of(method), name, method) for name in names for method in methods]


def draws_settings(config: dict, job: Job) -> dict:
    """Return the settings of a job of the experiment `draws`.

    The settings are those of the experiment `tsang2005`, except that the training sets are new
    random ones with at most `most_points` points.
    """
    draws, large = config[DRAWS]["draws"], config[DRAWS]["large"]
    of_study, sizes = settings(config, job), _sizes(config, job.method)
    sets = sum(min(draws, large["draws"]) if size > large["above"] else draws for size in sizes)
    runs = sets * len(of_study["C"]) * len(of_study["gamma_factors"])
    own = {"sizes": sizes, "repetitions": 1, "draws": draws, "large": large, "runs": runs}
    return of_study | own


def _sizes(config: dict, method: str) -> list[int]:
    most = config[DRAWS]["most_points"]
    sizes = sorted(config[EXPERIMENT]["checkerboard"]["sizes"])
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
    "tsang2005-fig4": figure(_SERIES, "fig4", "runs tsang2005"),
    "tsang2005-oneclass": figure(_SERIES, "oneclass", "runs tsang2005"),
}

PRINTED = {"text": "Tsang et al. 2005, Core Vector Machines, sec. 5.1 (a sentence, no table)"}
