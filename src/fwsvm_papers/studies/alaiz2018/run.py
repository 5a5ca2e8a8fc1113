"""Training of M-FW's sparse models and of the plain SVM on random partitions of a data set
(alaiz2018).
"""

import logging
from collections.abc import Collection

import numpy as np

from fwsvm.kernels.functions import Kernel
from fwsvm.kernels.matrix import KernelMatrix
from fwsvm.problems.dual import KernelProblem
from fwsvm.solvers.solve import solve
from fwsvm_papers.datasets.storage import Prepared
from fwsvm_papers.runs import measure
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.rows import accuracies_on_the_way, outcome_columns, setting_columns
from fwsvm_papers.studies.alaiz2018.partitions import (
    KernelOfPartition,
    Partition,
    draw,
    pool,
    support_overlap,
    tune,
)

_LOG = logging.getLogger(__name__)


def run(prepared: Prepared, job: Job, settings: dict) -> tuple[list[dict], dict]:
    """Train and test all models of a job.

    Return the rows of the table of runs, and the details. Partitions are drawn from the training
    and test points together.
    """
    of_set = _OfSet(prepared, job, settings)
    y = of_set.y
    details = {
        "features": of_set.X.shape[1],
        "points": len(y),
        "majority": 100 * float(max(np.mean(y == 1), np.mean(y == -1))),
        "sizes": [prepared.meta["m"], prepared.meta["t"]],
        "settings": {"fixed_C": settings["fixed_C"]},
    }
    for part in ("comparison", "c_path", "largest"):
        if part in settings:
            details |= getattr(of_set, part)(settings[part])
    return of_set.rows, details


class _OfSet:
    """The runs on one data set.

    For each part of the study, this class has a method, which adds rows to `rows` and returns
    details.
    """

    def __init__(self, prepared: Prepared, job: Job, settings: dict) -> None:
        self.job, self.meta, self.settings = job, prepared.meta, settings
        self.X, self.y = pool(prepared)
        self.rows: list[dict] = []

    def seed(self, *parts: object) -> int:
        return measure.derive_seed(
            self.settings["seed"], self.job.experiment, self.meta["name"], *parts
        )

    def sizes(self, section: dict) -> dict[str, int]:
        return {
            key: min(self.meta[own], section[f"{key}_points"])
            for key, own in (("train", "m"), ("test", "t"))
        }

    def drawn(self, section: dict, *name: object) -> tuple[Partition, int, int]:
        """Draw a partition, and a random training point as the start.

        Return the partition, the index of the point, and the seed from which both are drawn.
        """
        seed, sizes = self.seed(*name), self.sizes(section)
        start = int(np.random.default_rng(seed).integers(sizes["train"]))
        return draw(self.X, self.y, **sizes, seed=seed), start, seed

    def tuned(self, part: Partition, kernel: str, fixed_C: float | None = None) -> dict:
        found = tune(self.meta["name"], part.X, part.y, kernel, self.settings, self.seed("folds"))
        if fixed_C is not None:
            found["C"]["mfw_fixed"] = fixed_C
        return found

    def comparison(self, section: dict) -> dict:
        tuned = self.partitions(section, fixed_C=self.settings["fixed_C"])
        found = {"comparison": self.sizes(section) | {"tuned": tuned}}
        if section["starts"]["kernel"] in tuned:
            found["starts"] = self.starts(section, tuned[section["starts"]["kernel"]])
        return found

    def c_path(self, section: dict) -> dict:
        tuned = self.partitions(section, Cs={2.0**k for k in self.settings["C_exponents"]})
        return {"c_path": self.sizes(section) | {"tuned": tuned}}

    def partitions(
        self, section: dict, Cs: Collection[float] | None = None, fixed_C: float | None = None
    ) -> dict:
        """Train PFW and M-FW on every partition, and return the tuned parameters of each kernel.

        Both methods are trained for each C in `Cs`. Without `Cs`, each method is trained for the C
        that is tuned for it on the first partition, and M-FW also for `fixed_C`.
        """
        tuned = {}
        for partition in range(section["partitions"]):
            part, start, seed = self.drawn(section, "partition", partition)
            for kernel in section["kernels"]:
                if kernel not in tuned:
                    tuned[kernel] = self.tuned(part, kernel, fixed_C)
                models = KernelOfPartition(part, kernel, tuned[kernel]["gamma"], self.settings)
                method_of = self.settings["models"]
                for method in dict.fromkeys(method_of.values()):
                    chosen = Cs or {
                        tuned[kernel]["C"][model]
                        for model in method_of
                        if method_of[model] == method
                    }
                    for one, outcome in models.fit(method, sorted(chosen), start):
                        asked = self.asked(method, kernel, tuned[kernel], one.C, part, start, seed)
                        self.rows.append(asked | outcome | {"partition": partition})
            _LOG.info(
                "%s: partition %d of %d", self.meta["name"], partition + 1, section["partitions"]
            )
        return tuned

    def asked(
        self,
        method: str,
        kernel: str,
        tuned: dict,
        C: float,
        part: Partition,
        start: int,
        seed: int,
    ) -> dict:
        """Return a dict with the settings of a run. The keys are columns of the table of runs."""
        columns = setting_columns(
            self.job._replace(method=method),
            self.meta,
            self.settings,
            gamma=tuned["gamma"],
            C=C,
            kernel=kernel,
            selection="full",
            task_size=len(part.y),
        )
        return columns | {
            "init": "random_point",
            "stop_rule": self.settings["stop"],
            "eps": self.settings["eps"],
            "gamma_rule": f"{tuned['folds']}-fold cross-validation" if kernel == "rbf" else None,
            "sigma2": None,  # the paper uses gamma and not sigma^2
            "start_index": start,
            "seed": seed,
        }

    def starts(self, section: dict, tuned: dict) -> dict:
        """Train M-FW on the first partition once for each start. Every training point is a start.

        If `section` limits the number of starts, only that many randomly chosen points are starts.
        """
        part, _, seed = self.drawn(section, "partition", 0)
        kernel, most = section["starts"]["kernel"], section["starts"]["most"]
        order = np.random.default_rng(self.seed("starts")).permutation(len(part.y))
        models = KernelOfPartition(part, kernel, tuned["gamma"], self.settings)
        supports = []
        for start in sorted(order[:most].tolist()):
            ((model, outcome),) = models.fit("mfw_sparse", [tuned["C"]["mfw"]], start)
            asked = self.asked("mfw_sparse", kernel, tuned, model.C, part, start, seed)
            self.rows.append(asked | outcome | {"init": "each_point", "partition": 0})
            supports.append(model.support_)
        return {"kernel": kernel, "points": len(part.y), "overlap": support_overlap(supports)}

    def largest(self, section: dict) -> dict:
        """Train each model once, and record the accuracy and the model size during training.

        The column `partition` of these runs is empty.
        """
        part, start, seed = self.drawn(section, "largest")
        kernel = section["kernel"]
        tuned = self.tuned(part, kernel, self.settings["fixed_C"])
        matrix = KernelMatrix(part.X, Kernel(kernel, tuned["gamma"] or 1.0))
        rows, curves = {}, {}
        for model, C in tuned["C"].items():
            method = self.settings["models"][model]
            solution = solve(
                KernelProblem(matrix, part.y, C),
                method,
                init=start,
                max_iterations=section["iterations"],
                trace_iterates=True,
                trace_every=section["every"],
                **{key: self.settings[key] for key in ("stop", "eps", "cache_mb", "time_limit")},
            )
            trace = solution.trace
            assert trace is not None
            accuracies = accuracies_on_the_way(matrix, part.y, trace, part.X_test, part.y_test)
            curves[model] = {
                "iteration": list(map(int, trace.iteration)),
                "accuracy": accuracies,
                "support_vectors": [len(indices) for indices, _ in trace.iterates],
                "stop_reason": solution.stop_reason,
            }
            asked = self.asked(method, kernel, tuned, C, part, start, seed)
            last = {"compile_excluded": False, "test_accuracy": accuracies[-1] / 100}
            # models with the same method and the same C are trained once, and share a row
            rows[method, C] = asked | outcome_columns(solution) | last
            _LOG.info(
                "%s: %s, %d iterations (%s)",
                self.meta["name"],
                model,
                solution.iterations,
                solution.stop_reason,
            )
        self.rows += rows.values()
        return {
            "largest": self.sizes(section) | {"tuned": {kernel: tuned}, **section, "curves": curves}
        }
