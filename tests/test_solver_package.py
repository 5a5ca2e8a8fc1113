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

from fwsvm import __all__ as public_names

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


RIGHT_USE = """
import numpy as np

import fwsvm
from fwsvm.solvers.settings import Selection

X = np.ones((4, 2))
y = ["a", "b", "a", "b"]
model = fwsvm.FrankWolfeSVC("fw", C=np.float64(3.0), gamma=None, class_weight={"a": 2.0})
gap: float = model.fit(X, y, sample_weight=[1, 2, 3, 4]).gap_
sampled = fwsvm.FrankWolfeOneClass(selection=Selection("mine", True, sample_size=9)).fit(X)
steps: list[int] = [path.n_iter_.sum() for path in fwsvm.fit_c_path(model, X, y, [1, 10])]
ball = fwsvm.minimum_enclosing_ball(X, fwsvm.Kernel("rbf", 0.5), time_limit=2.0)
reason: str = ball.solution.stop_reason
problem = fwsvm.KernelProblem(fwsvm.KernelMatrix(X, fwsvm.Kernel()), [1, -1, 1, -1], C=10)
solution: fwsvm.Solution = fwsvm.solve(problem, "swap", random_state=None, eps=1e-3)
solution = fwsvm.solve(fwsvm.MatrixProblem(np.eye(3)), callback=lambda driver: False)
"""
# Each of these lines is an error.
WRONG_USES = [
    'fwsvm.FrankWolfeSVC(C="a")',
    "fwsvm.FrankWolfeSVC(nonsense=3)",
    "fwsvm.FrankWolfeOneClass(certify=[])",
    "fwsvm.FrankWolfeOneClass(n_jobs=1)",
    "gap_text: str = fwsvm.FrankWolfeSVC().gap_",
    "fwsvm.fit_c_path(fwsvm.FrankWolfeSVC(), X, y)",
    'fwsvm.minimum_enclosing_ball(X, eps="small")',
    "fwsvm.solve(X)",
    "fwsvm.Kernel(width=1.0)",
    "fwsvm.FrankWolfeSCV()",
    *(f"of_{name}: bytes = fwsvm.{name}" for name in public_names),
]


def test_type_checkers_know_the_types_of_the_public_names(clean, tmp_path):
    pytest.importorskip("mypy", reason="needs mypy")
    script = tmp_path / "script.py"
    first = RIGHT_USE.count("\n") + 1
    script.write_text(RIGHT_USE + "\n".join(WRONG_USES) + "\n")
    command = [sys.executable, "-m", "mypy", "--strict", "--python-executable", clean, script.name]
    printed = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True).stdout
    found = {
        int(line.split(":")[1]) for line in printed.splitlines() if line.startswith("script.py:")
    }
    assert found == set(range(first, first + len(WRONG_USES))), printed


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
    for word, advice in (
        ("predcit", "did you mean 'predict'?"),
        ("qwerty", "the installed commands are train, predict"),
    ):
        done = fwsvm(clean, tmp_path, word, "a1a")
        assert done.returncode == 2
        assert done.stderr == f"fwsvm {word}: error: there is no command {word!r}; {advice}\n"
    done = fwsvm(clean, tmp_path, "train", "a1a")
    assert (
        done.returncode == 2
        and "'a1a' is not a file" in done.stderr
        and done.stderr.count("\n") == 1
    )
