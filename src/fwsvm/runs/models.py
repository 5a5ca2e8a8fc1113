"""From settings to estimators: the one place where training, tuning and cross-validation build their models."""

import warnings

from sklearn.exceptions import ConvergenceWarning

from fwsvm.estimators.svc import FrankWolfeSVC
from fwsvm.solvers.settings import Selection

_SAME_NAME = (
    "kernel", "init", "stop", "eps", "inner_tolerance", "inner_fixed", "inner_steps", "clipped_gain", "cache_mb",
    "time_limit",
)  # fmt: skip


def build_model(settings, method, seed, **parameters):
    """An estimator that is not fitted yet.

    Parameters
    ----------
    settings : dict
        Of a job: selection (a name, or the fields of a `Selection`), kernel, init, stop, eps, cache_mb, max_iterations,
        time_limit and, where the method has it, inner_tolerance, inner_fixed, inner_steps, clipped_gain.
    method : str
    seed : int
    **parameters
        Further parameters of the estimator, such as sigma2, C or patience; they come before the settings.

    Returns
    -------
    FrankWolfeSVC
    """
    taken = {name: settings[name] for name in _SAME_NAME if name in settings}
    taken["max_iter"] = settings["max_iterations"]
    selection = settings["selection"]
    if isinstance(selection, dict):
        selection = Selection("sampled", True, **selection)
    return FrankWolfeSVC(**{"method": method, "selection": selection, "random_state": seed, **taken, **parameters})


def fit_quietly(fit, *arguments):
    """Call `fit` without the warnings of runs that end at a limit: their stop reason is recorded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(*arguments)
