"""From settings to estimators: the one place where training, tuning and cross-validation build their models."""

import numpy as np

from fwsvm.base.parameters import PARAMETERS
from fwsvm.estimators.machine import KernelMachine
from fwsvm.solvers.settings import SETTING_NAMES, Selection, Settings


def build_model(settings, method, seed, **parameters):
    """A `KernelMachine` from a job's settings, a mapping with more keys than it needs.

    Further parameters of the machine or its settings, such as sigma2, C or patience, come before those of the job.
    """
    given = {name: value for name, value in settings.items() if name in PARAMETERS} | parameters
    solver = {name: given.pop(name) for name in SETTING_NAMES if name in given} | {"method": method}
    if isinstance(solver.get("selection"), dict):
        solver["selection"] = Selection("sampled", True, **solver["selection"])
    return KernelMachine(Settings(**solver), random_state=seed, **given)


def accuracies_on_the_way(matrix, labels, trace, X_test, y_test):
    """Test accuracies in per cent of the models at the records of a trace with iterates; labels are -1 and +1.

    h(x) = sum_i a_i y_i (k(x_i, x) + 1), with the `KernelMatrix` of the training points.
    """
    union = np.unique(np.concatenate([indices for indices, _ in trace.iterates]))
    weights = np.zeros((len(union), len(trace.iterates)))
    for place, (indices, values) in enumerate(trace.iterates):
        weights[np.searchsorted(union, indices), place] = values * labels[indices]
    decisions = matrix.weighted_sums(union, weights, X_test) + weights.sum(axis=0)
    return (100 * np.mean((decisions > 0) == (y_test > 0)[:, None], axis=0)).tolist()
