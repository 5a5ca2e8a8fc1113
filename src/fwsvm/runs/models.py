"""From settings to estimators: the one place where training, tuning and cross-validation build their models."""

import numpy as np

from fwsvm.base.parameters import PARAMETERS
from fwsvm.estimators.machine import KernelMachine
from fwsvm.solvers.settings import Selection


def build_model(settings, method, seed, **parameters):
    """A machine that is not fitted yet.

    Parameters
    ----------
    settings : dict
        Of a job: selection (a name, or the fields of a `Selection`), kernel, init, stop, eps, cache_mb, max_iterations,
        time_limit and, where the method has it, inner_tolerance, inner_fixed, inner_steps, clipped_gain.
    method : str
    seed : int
    **parameters
        Further parameters of the machine, such as sigma2, C or patience; they come before the settings.

    Returns
    -------
    KernelMachine
        `FrankWolfeSVC` without scikit-learn, whose import takes as long as many a job.
    """
    taken = {name: value for name, value in settings.items() if name in PARAMETERS and name != "max_iterations"}
    taken["max_iter"] = settings["max_iterations"]
    selection = settings["selection"]
    if isinstance(selection, dict):
        selection = Selection("sampled", True, **selection)
    return KernelMachine(**{**taken, "method": method, "selection": selection, "random_state": seed, **parameters})


def accuracies_on_the_way(matrix, labels, trace, X_test, y_test):
    """Test accuracies of the intermediate models of a traced run, h(x) = sum_i a_i y_i (k(x_i, x) + 1).

    Parameters
    ----------
    matrix : KernelMatrix
        Of the training points.
    labels : ndarray of shape (m,)
        -1 and +1.
    trace : Trace
        With iterates.
    X_test, y_test
        Test points, and their labels -1 and +1.

    Returns
    -------
    list of float
        Per cent, one for each record.
    """
    union = np.unique(np.concatenate([indices for indices, _ in trace.iterates]))
    weights = np.zeros((len(union), len(trace.iterates)))
    for place, (indices, values) in enumerate(trace.iterates):
        weights[np.searchsorted(union, indices), place] = values * labels[indices]
    decisions = matrix.weighted_sums(union, weights, X_test) + weights.sum(axis=0)
    return (100 * np.mean((decisions > 0) == (y_test > 0)[:, None], axis=0)).tolist()
