"""The recipes of the README and docs/extending.md: a data set, a kernel, a method, a study, a figure."""

import re
import subprocess
import sys

import pytest
import yaml

from fwsvm.cli import main

pytestmark = pytest.mark.workflow


def in_the_copy(copy, *arguments):
    """Output of Python in the working copy, with its sources."""
    _, settings = copy.command()
    settings["env"] |= {"PYTHONPATH": str(copy / "src")}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout


TRAIN_HELP = "from fwsvm.cli import main; main(['train', '--help'])"


def test_a_method_is_a_file(fresh):
    methods = fresh / "src/fwsvm/solvers/methods"
    text = (methods / "pfw.py").read_text()
    (methods / "mine.py").write_text(text.replace('"pfw", "PFW"', '"mine", "MINE"').replace('"""PFW', '"""MINE'))
    label, help_text = in_the_copy(
        fresh, "-c", f"from fwsvm.solvers.settings import METHODS; print(METHODS['mine'].label); {TRAIN_HELP}"
    ).split("\n", 1)
    assert label == "MINE" and "mine," in help_text
    config = yaml.safe_load((fresh / "config/smoke.yaml").read_text())
    config["benchmark"]["methods"] = ["mine"]
    fresh.configure("config/smoke.yaml", config)
    done = fresh.plan("--configfile", "config/smoke.yaml", env={"PYTHONPATH": str(fresh / "src")})
    assert ("train", "results/smoke/runs/benchmark/iris.tsv") in done.jobs

    (methods / "mine.py").write_text("METHOD = None\n")  # a bad declaration is no other method's step
    with pytest.raises(AssertionError, match="must declare METHOD"):
        in_the_copy(fresh, "-c", "import fwsvm.solvers.settings")


POINTS = {
    "mine.txt": "".join(f"{(-1) ** k} 3:{k / 40} 20:1\n" for k in range(40)),
    "my-table.csv": "id;class;colour;size\n"
    + "".join(f"{k};{'ab'[k % 2]};{'red' if k % 3 else 'blue'};{k}\n" for k in range(40)),
}


def test_a_data_set_is_an_entry(fresh, monkeypatch, capsys):
    blocks = re.findall(r"(?:^    .*\n)+", (fresh / "docs/extending.md").read_text(), re.MULTILINE)
    entries = [yaml.safe_load(block) for block in blocks if "source:" in block and "path: ~/" in block]
    text = yaml.safe_dump(entries[0] | entries[1]).replace("~/", f"{fresh.folder}/")
    for file, content in POINTS.items():
        (fresh / file).write_text(content)
    with (fresh / "config/datasets.yaml").open("a") as catalogue:
        catalogue.write(f"\n{text}")
    monkeypatch.chdir(fresh.folder)
    for (name,) in entries:
        assert main(["datasets", "describe", name, "--catalogue", "config/datasets.yaml"]) == 0
        assert "30" in capsys.readouterr().out  # a quarter of 40 points is the test part
    config = yaml.safe_load((fresh / "config/smoke.yaml").read_text())
    fresh.configure("mine.yaml", config | {"datasets": [*config["datasets"], name]})
    jobs = fresh.plan("--configfile", "mine.yaml").jobs
    assert {rule for rule, file in jobs if f"/{name}" in file} == {"prepare", "tune", "train"}


STUDY = {
    "__init__.py": """
from fwsvm.reporting.artefact import figure, table
from fwsvm.runs.jobs import Experiment, Job, own_datasets, training_settings


def jobs(config, datasets):
    return [Job("mine", "all_points", dataset, "fw") for dataset in own_datasets(config, "mine", datasets)]


def settings(config, job):
    return training_settings(config, job, {"default": 10}, [{"repetitions": 1}])


EXPERIMENTS = {
    "mine": Experiment(jobs, settings, "fwsvm.studies.benchmark.training", tuned="params"),
}
ARTEFACTS = {
    "mine-table1": table("fwsvm.studies.mine.artefacts", "steps_table", "runs"),
    "mine-fig1": figure("fwsvm.studies.mine.artefacts", "steps_chart", "runs"),
}
""",
    "artefacts.py": """
from matplotlib.figure import Figure

from fwsvm.reporting.figures import Chart
from fwsvm.reporting.artefact import NotDrawableError
from fwsvm.reporting.tables import Cell, Section, Table


def _steps(runs):
    if runs.empty:
        raise NotDrawableError("needs runs")
    return runs.groupby("dataset", as_index=False)["iterations"].median()


def steps_table(runs):
    frame = _steps(runs)
    rows = tuple((Cell(name), Cell(f"{steps:.0f}")) for name, steps in frame.itertuples(index=False))
    return Table(frame, (("", "data set"), ("", "steps")), (Section(None, rows),), notes="Steps.")


def steps_chart(runs):
    frame, figure = _steps(runs), Figure()
    figure.subplots().plot(frame["iterations"])
    return Chart(figure, frame, "Steps, drawn.")
""",
}
SECTION = """
  mine:
    type: object
    properties:
      datasets: {$ref: "#/$defs/datasets"}
"""


def test_a_study_with_a_table_and_a_figure_is_a_folder_a_name_and_a_section(fresh):
    (fresh / "src/fwsvm/studies/mine").mkdir()
    for name, text in STUDY.items():
        (fresh / "src/fwsvm/studies/mine" / name).write_text(f'"""Mine."""\n{text}')
    registry = fresh / "src/fwsvm/studies/registry.py"
    registry.write_text(registry.read_text().replace('"peers",', '"peers", "mine",', 1))
    schema = fresh / "workflow/schemas/config.schema.yaml"
    text = (
        schema.read_text()
        .replace("peers, gamma,", "peers, mine, gamma,")
        .replace("peers, timing,", "peers, mine, timing,")
    )
    schema.write_text(text.replace("\n  stopping:\n", f"{SECTION}  stopping:\n", 1))
    config = yaml.safe_load((fresh / "config/smoke.yaml").read_text())
    fresh.configure("mine.yaml", config | {"experiments": ["mine"], "mine": {"datasets": ["iris"]}})
    jobs = fresh.plan("--configfile", "mine.yaml", "--", "mine", env={"PYTHONPATH": str(fresh / "src")}).jobs
    assert ("train", "results/smoke/runs/mine/iris.tsv") in jobs
    assert ("render", "results/smoke/artefacts/mine.json") in jobs

    code = """
from fwsvm.pipeline.artefacts import write
from fwsvm.runs.records import read_runs
inputs = {"runs": read_runs("results/released/runs.tsv.gz")}
for name in ("mine-table1", "mine-fig1"):
    print(*write(name, inputs, "results/x", "figures/x", ["svg"]))
"""
    drawn = in_the_copy(fresh, "-c", code).split()
    assert {"results/x/tables/mine-table1.md", "figures/x/mine-fig1.svg"} <= set(drawn)
    assert "| w8a |" in (fresh / "results/x/tables/mine-table1.md").read_text()


def test_a_kernel_is_a_branch_of_one_file(fresh):
    """The inhomogeneous polynomial (1 + gamma x'z)^degree."""
    kinds = fresh / "src/fwsvm/kernels/kinds.py"
    text = kinds.read_text().replace("    LINEAR = 2\n", "    LINEAR = 2\n    SHIFTED = 3\n", 1)
    branch = "        for r in range(values.shape[0]):\n            values[r] = (1 + scale * values[r]) ** degree\n"
    old = "    elif kind == Kind.POLY:\n"
    kinds.write_text(text.replace(old, f"    elif kind == Kind.SHIFTED:\n{branch}{old}", 1))
    code = """
import numpy as np
from sklearn.metrics.pairwise import polynomial_kernel
from fwsvm.kernels import Kernel, KernelMatrix
X = np.random.default_rng(0).normal(size=(40, 3))
K = np.empty((40, 40))
KernelMatrix(X, Kernel("shifted", 0.5, 3)).gram(K)
np.testing.assert_allclose(K, polynomial_kernel(X, degree=3, gamma=0.5, coef0=1), rtol=1e-9)
"""
    assert "shifted" in in_the_copy(fresh, "-c", code + TRAIN_HELP)
