"""Train models with every storage and with most methods on one CPU model. Write their results to a
file, which `test_kinds_agree.py` compares with the files of other CPU models.
"""

import json
import os
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_iris

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, Kernel, KernelMatrix

EPS = {"fw": 1e-2, "mfw_sparse": 1e-3}


def classes(m, features, seed):
    """Return (X, y) of overlapping classes. The models are trained on the points with even indices,
    and predict the classes of the other points.
    """
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, features)) / np.sqrt(features / 4)
    return X, (X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=m) > 0).astype(int)


def outcome(model, X):
    """Return the numbers of a fitted model that are compared.

    The certified gaps bound the distance of the objective from its smallest possible value.
    """
    solutions = model.pair_solutions_
    return {
        "objective": sum(solution.objective for solution in solutions),
        "gap": sum(solution.gap for solution in solutions),
        "stop_reason": model.stop_reason_,
        "kernel_path": solutions[0].kernel_path,
        "predictions": model.predict(X).tolist(),
    }


def trained():
    """Return a dict that maps names to the outcomes of small models. Every storage occurs, and
    every method except `fcfw` and `auto`.
    """
    models = {}

    def add(name, X, y, X_test, **settings):
        method = settings.setdefault("method", "swap")
        settings = {
            "C": 10.0,
            "stop": "relative",
            "eps": EPS.get(method, 1e-4),
            "random_state": 0,
        } | settings
        models[name] = outcome(FrankWolfeSVC(**settings).fit(X, y), X_test)

    X, y = classes(600, 12, 0)
    for method in ("fw", "mfw", "swap", "swap2o", "pfw", "cvm"):
        add(f"dense {method}", X[::2], y[::2], X[1::2], method=method)
    add(
        "dense mfw_sparse",
        X[::2],
        y[::2],
        X[1::2],
        method="mfw_sparse",
        init="random_point",
        max_iter=20_000,
    )
    for method in ("swap", "cvm"):
        add(
            f"sampled {method}",
            X[::2],
            y[::2],
            X[1::2],
            method=method,
            selection="sampled_text",
            stop="meb",
        )
    wide, labels = classes(400, 64, 1)
    add("gram", wide[::2], labels[::2], wide[1::2])
    add("poly", wide[::2], labels[::2], wide[1::2], kernel="poly")
    thin = sparse.csr_matrix(np.where(np.abs(wide) > 0.4, wide, 0.0))
    add("sparse", thin[::2], labels[::2], thin[1::2])
    K = np.empty((400, 400), np.float32)
    KernelMatrix(wide, Kernel("rbf", 0.1)).gram(K)
    add("precomputed", K[::2, ::2], labels[::2], K[1::2, ::2], kernel="precomputed", method="cvm")
    flowers, species = load_iris(return_X_y=True)
    add("classes", flowers[::2], species[::2], flowers[1::2])
    one = FrankWolfeOneClass(C=0.1, random_state=0).fit(X[::2])
    one.pair_solutions_ = [one.solution_]
    models["one class"] = outcome(one, X[1::2])
    return models


def test_models():
    """Test that all models converge on this kind, and that they compute kernel values in all ways.
    Write their results.
    """
    models = trained()
    assert {model["kernel_path"] for model in models.values()} >= {
        "dense-loop",
        "dense-gram",
        "sparse-scatter",
    }
    assert {model["kernel_path"] for model in models.values()} >= {"precomputed", "class-blocks"}
    for name, model in models.items():
        assert model["stop_reason"] in ("converged", "no_violation_in_samples"), name
    Path(os.environ["FWSVM_KIND_RESULTS"]).write_text(json.dumps({"models": models}))
