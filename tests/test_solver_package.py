"""Test `fwsvm` in an environment with only the six packages that it needs. The tests are about what
it imports, what works, and what its command says about missing packages.
"""

import json
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from sklearn.datasets import dump_svmlight_file, load_iris

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
SIX = {"numpy", "scipy", "scikit-learn", "joblib", "numba", "threadpoolctl"}


def required(names):
    """Return these distributions and all distributions that they require, without extras."""
    found, left = set(), set(names)
    while left:
        name = canonicalize_name(left.pop())
        found.add(name)
        lines = map(Requirement, metadata.requires(name) or ())
        left |= {
            line.name
            for line in lines
            if line.marker is None or line.marker.evaluate({"extra": ""})
        } - found
    return found


def top_files(name):
    """Return the files and folders that a distribution has in site-packages."""
    distribution = metadata.distribution(name)
    parts = {
        file.parts[0] for file in distribution.files if file.parts[0] not in ("..", "__pycache__")
    }
    return [Path(distribution.locate_file(part)) for part in sorted(parts)]


@pytest.fixture(scope="session")
def clean(tmp_path_factory):
    """Return the Python interpreter of an environment with the wheel, and with links to the
    packages that it requires.

    No network is needed.
    """
    folder = tmp_path_factory.mktemp("clean")
    wheel = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
    ]
    subprocess.run([*wheel, "--wheel-dir", folder, ROOT], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "env"], check=True)
    python = folder / "env/bin/python"
    show = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.check_output([python, "-c", show], text=True).strip())
    for name in required(Requirement(line).name for line in PROJECT["dependencies"]):
        for path in top_files(name):
            (packages / path.name).symlink_to(path)
    (file,) = folder.glob("*.whl")
    install = [
        sys.executable,
        "-m",
        "pip",
        "--python",
        python,
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        file,
    ]
    subprocess.run(install, check=True)
    return python


def test_six_packages_are_required():
    assert {Requirement(line).name for line in PROJECT["dependencies"]} == SIX
    assert required(SIX).isdisjoint({"pandas", "pooch", "ruamel-yaml", "pydantic", "snakemake"})


FIT = """
import pickle, sys
import numpy as np
import fwsvm
from fwsvm.estimators.model_files import load_model, save_model

X = np.random.default_rng(0).normal(size=(80, 3))
y = X[:, 0] > 0
model = fwsvm.FrankWolfeSVC(C=10).fit(X, y)
path = save_model(model, "model")
assert (load_model(path).predict(X) == model.predict(X)).all()
assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()
assert all(getattr(fwsvm, name) is not None for name in fwsvm.__all__)
print(model.relative_gap_, *{name.partition(".")[0] for name in sys.modules})
"""


def test_fit_predict_save_and_load(clean, tmp_path):
    printed = subprocess.check_output([clean, "-I", "-c", FIT], cwd=tmp_path, text=True).split()
    assert float(printed[0]) <= 1e-3 and "fwsvm_papers" not in printed and "numba" in printed


def fwsvm(clean, folder, *arguments):
    # -I ignores PYTHONPATH, which can point to a checkout with both packages
    command = [clean, "-I", clean.with_name("fwsvm"), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


def test_the_command_trains_and_predicts_on_a_file(clean, tmp_path):
    dump_svmlight_file(*load_iris(return_X_y=True), str(tmp_path / "iris"), zero_based=False)
    done = fwsvm(clean, tmp_path, "train", "iris", "--C", "16", "-o", "model.npz", "--json")
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    done = fwsvm(clean, tmp_path, "predict", "model.npz", "iris", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["test_accuracy"] == record["train_accuracy"] > 0.95


def test_the_command_says_how_to_get_the_others(clean, tmp_path):
    text = fwsvm(clean, tmp_path, "--help").stdout
    assert (
        "train" in text
        and "budget" not in text
        and "fwsvm[papers] @ file:///" in " ".join(text.split())
    )
    done = fwsvm(clean, tmp_path, "datasets", "list")
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert "-m pip install 'fwsvm[papers] @ file:///" in done.stderr
    done = fwsvm(clean, tmp_path, "train", "a1a")
    assert (
        done.returncode == 2
        and "'a1a' is not a file" in done.stderr
        and done.stderr.count("\n") == 1
    )
