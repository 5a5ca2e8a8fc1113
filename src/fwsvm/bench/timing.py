"""CPU seconds of one thread, competitors in turn, medians over repeats."""

import time
import warnings
from dataclasses import dataclass
from itertools import count

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.svm import SVC

from fwsvm.estimators.svc import FrankWolfeSVC

SVC_CACHE_MB = 1000
# A competitor that has used this many seconds on one case is not repeated.
ENOUGH_S = 10.0


@dataclass(frozen=True)
class Timing:
    """What came of one competitor: its times in CPU seconds and its last result."""

    times: tuple[float, ...]
    result: object

    @property
    def median_s(self):
        """Median over the repeats."""
        return float(np.median(self.times))


def clocked(task):
    """A task for `side_by_side` that times `task()` from outside."""

    def run():
        start = time.thread_time()
        result = task()
        return time.thread_time() - start, result

    return run


def side_by_side(tasks, repeats, enough_s=ENOUGH_S):
    """Run competitors in turn, round by round, so that a slow spell of the machine hits all of them.

    Parameters
    ----------
    tasks : dict of str to callable
        Each returns (CPU seconds, result).
    repeats : int
        Rounds; a competitor that has used `enough_s` seconds or more sits out the rest.
    enough_s : float

    Returns
    -------
    dict of str to Timing
    """
    times = {name: [] for name in tasks}
    results = {}
    for _ in range(repeats):
        for name, task in tasks.items():
            if sum(times[name]) < enough_s:
                seconds, results[name] = task()
                times[name].append(seconds)
    return {name: Timing(tuple(times[name]), results[name]) for name in tasks}


def svc_task(data, C, gamma):
    """Training of scikit-learn's SVC (an L1-SVM, cache 1000 MB)."""
    return clocked(lambda: SVC(C=C, gamma=gamma, cache_size=SVC_CACHE_MB).fit(data.X_train, data.y_train))


def frank_wolfe_task(data, **parameters):
    """Training of FrankWolfeSVC, from another random start in every round; its certificate has a clock of its own."""
    seeds = count()

    def run():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ConvergenceWarning)
            model = FrankWolfeSVC(random_state=next(seeds), **parameters).fit(data.X_train, data.y_train)
        return model.fit_cpu_s_, model

    return run


def facts_of(model):
    """What a table says of a trained FrankWolfeSVC beside its time."""
    solutions = model.pair_solutions_
    return {
        "certify_s": model.certify_cpu_s_,
        "support_vectors": len(model.support_),
        "steps": int(model.n_iter_),
        "relative_gap": float(model.relative_gap_),
        "stop_reason": model.stop_reason_,
        "kernel_path": solutions[0].kernel_path,
        "column_dtype": solutions[0].column_dtype,
    }


def ratio(peer_s, own_s):
    """How many times faster than the peer; None where one of the times is missing."""
    return None if not peer_s or not own_s else peer_s / own_s
