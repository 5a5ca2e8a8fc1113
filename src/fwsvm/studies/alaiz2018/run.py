"""alaiz2018: M-FW's sparse machines beside the plain SVM, on random partitions.

Three models: the SVM (pairwise Frank-Wolfe on all points), the SVM of M-FW, and that of M-FW with a C fixed beforehand.
A data set has one of two parts, or none, and beside it may have the third:

* ``comparison``: all three models at cross-validated parameters on every partition (tables 3 and 4), and M-FW from many
  starting points on the first (table 5);
* ``c_path``: the SVM and M-FW for every C of the grid (fig. 3), of which table 2 takes the cross-validated ones;
* ``largest``: intermediate models of all three against iterations (fig. 4).
"""

import logging

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.runs import measure
from fwsvm.runs.models import accuracies_on_the_way
from fwsvm.runs.rows import outcome_columns, setting_columns
from fwsvm.solvers.solve import solve
from fwsvm.studies.alaiz2018.partitions import KernelOfPartition, draw, pool, tune
from fwsvm.studies.alaiz2018.plan import _KEPT
from fwsvm.studies.alaiz2018.sparsity import EACH_POINT, EXPERIMENT, MODELS, support_overlap

_LOG = logging.getLogger(__name__)


def run(prepared, job, settings):
    """Train, test and measure, on partitions drawn from the training and test points together.

    Returns
    -------
    rows : list of dict
        Rows of the runs table. ``gap`` and ``relative_gap`` are over all training points, also where M-FW stopped on
        those of its subsample; ``coreset_size`` is the number of points that M-FW activated; ``start_index`` counts in
        the training part. Runs of ``largest`` have no partition.
    details : dict
        ``features``, ``points``, ``majority`` (per cent of the larger class), ``sizes`` (points of the catalogue's
        split), ``settings``, and for each part that the data set has: its sizes ``train`` and ``test`` and ``tuned``
        (kernel -> `partitions.tune`, with C of every model); ``starts``; ``curves`` (model -> iteration, accuracy in
        per cent, support_vectors, stop_reason).

    Raises
    ------
    DataError
        If there are more classes than two.
    """
    X, y = pool(prepared)
    of_set = _OfSet(job, prepared.meta, X, y, settings)
    details = {
        "features": X.shape[1],
        "points": len(y),
        "majority": 100 * float(max(np.mean(y == 1), np.mean(y == -1))),
        "sizes": [prepared.meta["m"], prepared.meta["t"]],
        "settings": {key: settings[key] for key in (*_KEPT, "fixed_C")},
    }
    rows = []
    for part, own in (("comparison", of_set.comparison), ("c_path", of_set.c_path), ("largest", of_set.largest)):
        if part in settings:
            new, found = own(settings[part])
            rows, details = rows + new, details | found
    return rows, details


class _OfSet:
    """The runs on one data set."""

    def __init__(self, job, meta, X, y, settings):
        self.job, self.meta, self.X, self.y, self.settings = job, meta, X, y, settings

    def seed(self, *parts):
        return measure.derive_seed(self.settings["seed"], EXPERIMENT, self.meta["name"], *parts)

    def sizes(self, section):
        return min(self.meta["m"], section["train_points"]), min(self.meta["t"], section["test_points"])

    def comparison(self, section):
        """The three models on every partition, and M-FW from many starting points on the first."""
        fixed = self.settings["fixed_C"]
        rows, tuned = self.partitions(section, lambda method, C: {C[m] for m in MODELS if MODELS[m] == method}, fixed)
        train, test = self.sizes(section)
        found = {"comparison": {"train": train, "test": test, "tuned": tuned}}
        if section["starts"]["kernel"] in tuned:
            more, found["starts"] = self.starts(section, tuned[section["starts"]["kernel"]])
            rows += more
        return rows, found

    def c_path(self, section):
        """The SVM and M-FW for every C on every partition."""
        Cs = {2.0**k for k in self.settings["C_exponents"]}
        rows, tuned = self.partitions(section, lambda method, C: Cs)
        train, test = self.sizes(section)
        return rows, {"c_path": {"train": train, "test": test, "tuned": tuned}}

    def partitions(self, section, values_of, fixed_C=None):
        """Rows of all partitions; the parameters are tuned on the training part of the first."""
        train, test = self.sizes(section)
        rows, tuned = [], {}
        for partition in range(section["partitions"]):
            seed = self.seed("partition", partition)
            part = draw(self.X, self.y, train, test, seed)
            start = int(np.random.default_rng(seed).integers(train))
            for kernel in section["kernels"]:
                if kernel not in tuned:
                    tuned[kernel] = self.tuned(part, kernel, fixed_C)
                models = KernelOfPartition(part, kernel, tuned[kernel]["gamma"], self.settings)
                for method in dict.fromkeys(MODELS.values()):
                    Cs = sorted(values_of(method, tuned[kernel]["C"]))
                    rows += [
                        self.row(kernel, tuned[kernel], one, outcome, train, start, seed) | {"partition": partition}
                        for one, outcome in models.fit(method, Cs, start)
                    ]
            _LOG.info("%s: partition %d of %d", self.meta["name"], partition + 1, section["partitions"])
        return rows, tuned

    def tuned(self, part, kernel, fixed_C=None):
        found = tune(self.meta["name"], part.X, part.y, kernel, self.settings, self.seed("folds"))
        if fixed_C is not None:
            found["C"]["mfw_fixed"] = fixed_C
        return found

    def row(self, kernel, tuned, model, outcome, train, start, seed, init="random_point"):
        """A row of the runs table."""
        return self.described(model.method, kernel, tuned, model.C, train, start, seed) | {"init": init, **outcome}

    def described(self, method, kernel, tuned, C, train, start, seed):
        """What a row says of what was asked for."""
        rule = f"{tuned['folds']}-fold cross-validation" if kernel == "rbf" else None
        columns = setting_columns(
            self.job._replace(method=method), self.meta, self.settings, gamma=tuned["gamma"], C=C, kernel=kernel,
            selection="full", task_size=train,
        )  # fmt: skip
        return columns | {
            "init": "random_point",
            "stop_rule": self.settings["stop"],
            "eps": self.settings["eps"],
            "gamma_rule": rule,
            "sigma2": None,  # the paper's widths are values of gamma
            "start_index": start,
            "seed": seed,
        }

    def starts(self, section, tuned):
        """M-FW on the first partition from every point, or from as many random ones as the section allows."""
        train, test = self.sizes(section)
        seed = self.seed("partition", 0)
        part = draw(self.X, self.y, train, test, seed)
        order = np.random.default_rng(self.seed("starts")).permutation(train)
        kernel = section["starts"]["kernel"]
        models = KernelOfPartition(part, kernel, tuned["gamma"], self.settings)
        rows, supports = [], []
        for start in sorted(order[: section["starts"]["most"]].tolist()):
            ((model, outcome),) = models.fit("mfw_sparse", [tuned["C"]["mfw"]], start)
            row = self.row(kernel, tuned, model, outcome, train, start, seed, init=EACH_POINT)
            rows.append({**row, "partition": 0})
            supports.append(model.support_)
        return rows, {"kernel": kernel, "points": train, "overlap": support_overlap(supports)}

    def largest(self, section):
        """Intermediate models against iterations: accuracy and support vectors."""
        train, test = self.sizes(section)
        seed = self.seed("largest")
        part = draw(self.X, self.y, train, test, seed)
        start = int(np.random.default_rng(seed).integers(train))
        kernel = section["kernel"]
        tuned = self.tuned(part, kernel, self.settings["fixed_C"])
        matrix = KernelMatrix(part.X, Kernel(kernel, tuned["gamma"] or 1.0))
        rows, curves = {}, {}
        for model, C in tuned["C"].items():
            solution = solve(
                KernelProblem(matrix, part.y, C),
                MODELS[model],
                init=start,
                max_iterations=section["iterations"],
                trace_iterates=True,
                trace_every=section["every"],
                **{key: self.settings[key] for key in ("stop", "eps", "cache_mb", "time_limit")},
            )
            curves[model] = curve(matrix, part, solution)
            row = self.described(MODELS[model], kernel, tuned, C, train, start, seed) | outcome_columns(solution)
            # Models that share C and method share a run.
            rows[MODELS[model], C] = row | {
                "compile_excluded": False,
                "test_accuracy": curves[model]["accuracy"][-1] / 100,
            }
            _LOG.info("%s: %s, %d iterations (%s)", self.meta["name"], model, solution.iterations, solution.stop_reason)
        found = {"train": train, "test": test, "tuned": {kernel: tuned}, **section, "curves": curves}
        return list(rows.values()), {"largest": found}


def curve(matrix, part, solution):
    """Test accuracy (per cent) and support vectors of the intermediate models of a traced run.

    Parameters
    ----------
    matrix : KernelMatrix
        Of the training points.
    part : Partition
    solution : Solution
        With traced iterates.

    Returns
    -------
    dict
        ``iteration``, ``accuracy``, ``support_vectors`` (lists), ``stop_reason``.
    """
    trace = solution.trace
    return {
        "iteration": list(map(int, trace.iteration)),
        "accuracy": accuracies_on_the_way(matrix, part.y, trace, part.X_test, part.y_test),
        "support_vectors": [len(indices) for indices, _ in trace.iterates],
        "stop_reason": solution.stop_reason,
    }
