"""From settings to estimators: the one place where training, tuning and cross-validation build their models."""

import warnings

from sklearn.exceptions import ConvergenceWarning

from fwsvm.estimators.svc import FrankWolfeSVC

_SAME_NAME = ("kernel", "init", "stop", "eps", "inner_tolerance", "cache_mb", "time_limit")


def build_model(settings, method, selection, seed, **parameters):
    """An estimator that is not fitted yet.

    Parameters
    ----------
    settings : dict
        Of a job: kernel, init, stop, eps, cache_mb, max_iterations, time_limit and, for CVM, inner_tolerance.
    method, selection : str
    seed : int
    **parameters
        Further parameters of the estimator, such as sigma2, C or patience; they come before the settings.

    Returns
    -------
    FrankWolfeSVC
    """
    taken = {name: settings[name] for name in _SAME_NAME if name in settings}
    taken["max_iter"] = settings["max_iterations"]
    return FrankWolfeSVC(**{"method": method, "selection": selection, "random_state": seed, **taken, **parameters})


def fit_quietly(fit, *arguments):
    """Call `fit` without the warnings of runs that end at a limit: their stop reason is recorded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return fit(*arguments)
