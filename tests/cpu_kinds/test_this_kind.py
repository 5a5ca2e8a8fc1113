"""On one kind of processor: models of every storage and method, and the demo's tuning, written down for comparison."""

import json
import os
from pathlib import Path

import numpy as np
from scipy import sparse
from sklearn.datasets import load_iris

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, Kernel, KernelMatrix
from fwsvm.datasets import load_catalogue
from fwsvm.datasets.prepare import prepare
from fwsvm.pipeline.config import load_config
from fwsvm.studies.benchmark.tune import tune
from fwsvm.studies.benchmark.tuning_plan import tuning_settings

CHECKOUT = Path(__file__).parents[2]
TUNED = ("breast_cancer", "a1a")  # by cross-validation, and by the rule with a validation part
CROSS_VALIDATION = {
    "datasets": ["breast_cancer"],
    "folds": 5,
    "width_exponents": [-11, -9, -7, -5, -3, -1],
    "C_exponents": [-1, 1, 3, 5, 7, 9],
}
# A part of that grid, with fits whose gap is certified instead of sampled ones.
CERTIFIED = {"selection": "full", "stop": "relative", "eps": 1e-6}
PART = {"width_exponents": [-9, -5, -1], "C_exponents": [-1, 3, 7]}
EPS = {"fw": 1e-2, "mfw_sparse": 1e-3}


def classes(m, features, seed):
    """Overlapping classes (X, y), the first half for training, the second for predictions."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(m, features)) / np.sqrt(features / 4)
    return X, (X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=m) > 0).astype(int)


def outcome(model, X):
    """Numbers of a fitted model that are compared; the certified gaps bound how far its objective is from the least."""
    solutions = model.pair_solutions_
    return {
        "objective": sum(solution.objective for solution in solutions),
        "gap": sum(solution.gap for solution in solutions),
        "stop_reason": model.stop_reason_,
        "kernel_path": solutions[0].kernel_path,
        "predictions": model.predict(X).tolist(),
    }


def trained():
    """Name -> outcome of small models: every storage once, every method once."""
    models = {}

    def add(name, X, y, X_test, **settings):
        method = settings.setdefault("method", "swap")
        settings = {"C": 10.0, "stop": "relative", "eps": EPS.get(method, 1e-4), "random_state": 0} | settings
        models[name] = outcome(FrankWolfeSVC(**settings).fit(X, y), X_test)

    X, y = classes(600, 12, 0)
    for method in ("fw", "mfw", "swap", "swap2o", "pfw", "cvm"):
        add(f"dense {method}", X[::2], y[::2], X[1::2], method=method)
    add("dense mfw_sparse", X[::2], y[::2], X[1::2], method="mfw_sparse", init="random_point", max_iter=20_000)
    for method in ("swap", "cvm"):
        add(f"sampled {method}", X[::2], y[::2], X[1::2], method=method, selection="sampled_text", stop="meb")
    wide, labels = classes(400, 30, 1)
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


def tuned(folder):
    """Name -> what tuning finds with the settings of the demo."""
    config, catalogue = load_config("config/demo.yaml"), load_catalogue("config/datasets.yaml")
    config["tuning"]["cross_validation"] |= CROSS_VALIDATION
    results = {}
    for name in TUNED:
        prepared = prepare(catalogue[name], catalogue, folder / "raw", folder / name)
        settings = {**tuning_settings(config, "params", name), "time_limit": 1e9}  # a clock is not compared
        results[name] = accuracies(prepared, settings)
        if "cross_validation" in settings:
            part = {"cross_validation": settings["cross_validation"] | PART}
            results[f"{name}, certified"] = accuracies(prepared, settings | CERTIFIED | part)
    return results


def accuracies(prepared, settings):
    """What tuning finds: accuracies over the grid, the number of points they are shares of, and the choice."""
    found = tune(prepared, settings)
    return {
        "accuracies": [row.get("accuracy", row.get("validation_accuracy")) for row in found["grid"]],
        "points": int(found.get("validation_points", len(prepared.y_train))),
        "C": found["C"],
        "gamma": found["gamma"],
    }


def test_models_and_tuning(tmp_path, monkeypatch):
    """Every model keeps its promise here; how the kinds compare is looked at in `test_kinds_agree.py`."""
    monkeypatch.chdir(CHECKOUT)
    models = trained()
    assert {model["kernel_path"] for model in models.values()} >= {"dense-loop", "dense-gram", "sparse-scatter"}
    assert {model["kernel_path"] for model in models.values()} >= {"precomputed", "class-blocks"}
    for name, model in models.items():
        assert model["stop_reason"] in ("converged", "no_violation_in_samples"), name
    results = {"models": models, "tuned": tuned(tmp_path)}
    best = {name: max(tuning["accuracies"]) for name, tuning in results["tuned"].items()}
    assert best["breast_cancer"] > 0.95 and best["a1a"] > 0.8
    Path(os.environ["FWSVM_KIND_RESULTS"]).write_text(json.dumps(results))
