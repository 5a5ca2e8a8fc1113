"""The settings and results of a fitted estimator, as columns of a record."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from fwsvm.inputs.parameters import of_method

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fwsvm.solvers.solution import Solution

TOTALS = (
    "iterations",
    "away_steps",
    "drop_steps",
    "kernel_evaluations",
    "requested_evaluations",
    "coreset_size",
)


def model_columns(model: Any, solutions: Sequence[Solution]) -> dict[str, Any]:
    """Return a dict with a fitted estimator's settings and results, without training times. The
    keys are names of columns.

    The columns in `TOTALS` and the time of the certificates are sums over `solutions`. The columns
    `column_dtype` and `kernel_path` are those of the first solution.
    """
    settings, sampling = model.settings, ("sample_size", "patience", "alternate", "replacement")
    chosen = settings.selection
    own = model.get_params() if hasattr(model, "get_params") else vars(settings)
    return {
        "method": settings.method,
        "selection": chosen.name,
        **{name: getattr(chosen, name) if chosen.sampled else None for name in sampling},
        "init": settings.init,
        "stop_rule": settings.stop,
        "eps": settings.eps,
        **{name: own[name] for name in of_method(settings.method) if name in own},
        "kernel": model.kernel,
        "gamma": model.gamma_,
        "degree": model.degree if model.kernel == "poly" else None,
        "C": model.C,
        "cache_mb": settings.cache_mb,
        "column_dtype": solutions[0].column_dtype,
        "kernel_path": solutions[0].kernel_path,
        "certify_cpu_s": sum(solution.certify_cpu_s for solution in solutions),
        **{
            name: int(np.sum([getattr(solution, name) for solution in solutions]))
            for name in TOTALS
        },
        "support_vectors": len(model.support_),
        "objective": model.objective_,
        "gap": model.gap_,
        "relative_gap": model.relative_gap_,
        "stop_reason": model.stop_reason_,
        "compile_excluded": True,
        "threads": 1,
    }
