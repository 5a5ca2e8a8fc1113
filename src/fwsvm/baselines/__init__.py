"""Train SVMs by other methods for comparison: `fit_baseline(name, X, y, kernel, C) -> BaselineModel`."""

from fwsvm.baselines.model import BaselineModel
from fwsvm.baselines.registry import BASELINES, fit_baseline

__all__ = ["BASELINES", "BaselineModel", "fit_baseline"]
