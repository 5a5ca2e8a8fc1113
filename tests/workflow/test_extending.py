"""Follow the instructions in docs/extending.md: add a data set, a kernel, a method, a study, a
figure and a race (a comparison of packages).
"""

import re
import subprocess
import sys
import textwrap

import pandas as pd
import pytest
import yaml
from working_copy import CHECKOUT

from fwsvm.cli import main
from fwsvm_papers.reporting.style import method_label
from fwsvm_papers.runs.records import read_runs

pytestmark = pytest.mark.workflow


def in_the_copy(copy, *arguments):
    """Run Python in the working copy, with the sources of the copy. Return the output."""
    _, settings = copy.command()
    settings["env"] |= {"PYTHONPATH": str(copy / "src")}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout


TRAIN_HELP = "from fwsvm.cli import main; main(['train', '--help'])"


def test_a_method_is_a_file(fresh):
    methods = fresh / "src/fwsvm/solvers/methods"
    text = (methods / "pfw.py").read_text()
    (methods / "mine.py").write_text(
        text.replace('"pfw"', '"mine"').replace('"PFW"', '"MINE"').replace('"""PFW', '"""MINE')
    )
    label, help_text = in_the_copy(
        fresh,
        "-c",
        f"from fwsvm.solvers.settings import METHODS; print(METHODS['mine'].label); {TRAIN_HELP}",
    ).split("\n", 1)
    assert label == "MINE" and "mine," in help_text
    config = yaml.safe_load((fresh / "config/smoke.yaml").read_text())
    config["benchmark"]["methods"] = ["mine"]
    fresh.configure("config/smoke.yaml", config)
    done = fresh.plan("--configfile", "config/smoke.yaml", env={"PYTHONPATH": str(fresh / "src")})
    assert ("train", "results/smoke/runs/benchmark/iris.json") in done.jobs

    # a wrong declaration must not be taken for that of another method
    (methods / "mine.py").write_text("METHOD = None\n")
    with pytest.raises(AssertionError, match="must declare METHOD"):
        in_the_copy(fresh, "-c", "import fwsvm.solvers.settings")


@pytest.mark.parametrize(("name", "label"), [("rand", "RAND"), ("mine2o", "MINE-2o")])
def test_the_rule_of_labels_is_the_one_that_tables_and_figures_follow(name, label):
    text = (CHECKOUT / "docs/extending.md").read_text()
    assert "Only a final `2o` stays as it is, and gets a dash before it." in text
    assert method_label(name) == label


def test_a_figure_is_a_function_a_declaration_and_texts(fresh):
    """The example is that of the docs, and no block of it is changed. The code hash of training
    must not include the module of the example, because training would then be repeated.
    """
    blocks = re.findall(
        r"(?:^    .*\n|^\n(?=    |\n    ))+",
        (fresh / "docs/extending.md").read_text(),
        re.MULTILINE,
    )
    module, declaration, texts = (textwrap.dedent(block) for block in blocks if "steps" in block)
    study = fresh / "src/fwsvm_papers/studies/cost"
    (study / "steps.py").write_text(module.lstrip())
    package = study / "__init__.py"
    before = package.read_text().replace("import table", "import figure, table")
    package.write_text(before.replace("ARTEFACTS = {", f"ARTEFACTS = {{{declaration.strip()} ", 1))
    about = study / "about.yaml"
    about.write_text(
        about.read_text().rstrip() + "\n" + textwrap.indent(texts.strip("\n"), "  ") + "\n"
    )
    code = """
from fwsvm_papers.code_hash import closure
from fwsvm_papers.pipeline.artefacts import papers, write
from fwsvm_papers.runs.records import read_runs
assert "beyond-median-steps" in papers()["beyond"]
inputs = {"runs": read_runs("results/released/runs.tsv.gz")}
assert write("beyond-median-steps", inputs, "results/x", "figures/x", ["svg"]) == ""
trains = closure("fwsvm_papers.studies.benchmark.training")
print([path.name for path in trains if path.name == "steps.py" and "cost" in str(path)])
"""
    assert in_the_copy(fresh, "-c", code).split() == ["[]"]
    assert (fresh / "figures/x/beyond-median-steps.svg").is_file()
    assert "Median number of steps" in (fresh / "figures/x/beyond-median-steps.md").read_text()
    frame = pd.read_csv(fresh / "figures/x/beyond-median-steps.csv").set_index(
        ["dataset", "method"]
    )["iterations"]
    runs = read_runs(fresh / "results/released/runs.tsv.gz")
    own = runs[
        (runs["experiment"] == "benchmark") & (runs["dataset"] == "a1a") & (runs["method"] == "fw")
    ]
    assert frame["a1a", "fw"] == pytest.approx(own["iterations"].median())


POINTS = {
    "mine.txt": "".join(f"{(-1) ** k} 3:{k / 40} 20:1\n" for k in range(40)),
    "my-table.csv": (
        "id;class;colour;size\n"
        + "".join(f"{k};{'ab'[k % 2]};{'red' if k % 3 else 'blue'};{k}\n" for k in range(40))
    ),
}


def test_a_data_set_is_an_entry(fresh, monkeypatch, capsys):
    blocks = re.findall(r"(?:^    .*\n)+", (fresh / "docs/extending.md").read_text(), re.MULTILINE)
    entries = [
        yaml.safe_load(block) for block in blocks if "source:" in block and "path: ~/" in block
    ]
    text = yaml.safe_dump(entries[0] | entries[1]).replace("~/", f"{fresh.folder}/")
    for file, content in POINTS.items():
        (fresh / file).write_text(content)
    with (fresh / "config/datasets.yaml").open("a") as catalogue:
        catalogue.write(f"\n{text}")
    monkeypatch.chdir(fresh.folder)
    for (name,) in entries:
        assert main(["datasets", "describe", name, "--catalogue", "config/datasets.yaml"]) == 0
        # the test part is a quarter of 40 points, so 30 points remain
        assert "30" in capsys.readouterr().out
    config = yaml.safe_load((fresh / "config/smoke.yaml").read_text())
    fresh.configure("mine.yaml", config | {"datasets": [*config["datasets"], name]})
    jobs = fresh.plan("--configfile", "mine.yaml").jobs
    assert {rule for rule, file in jobs if f"/{name}" in file} == {"prepare", "tune", "train"}


STUDY = {
    "__init__.py": (
        """
from fwsvm_papers.reporting.artefact import figure, table
from fwsvm_papers.runs.jobs import Experiment, Job, own_datasets, training_settings


def jobs(config, datasets):
    chosen = own_datasets(config, "mine", datasets)
    return [Job("mine", "all_points", dataset, "fw") for dataset in chosen]


def settings(config, job):
    return training_settings(config, job, [{"repetitions": 1}])


EXPERIMENTS = {
    "mine": Experiment(jobs, settings, "fwsvm_papers.studies.benchmark.training", tuned="params"),
}
ARTEFACTS = {
    "mine-table1": table("fwsvm_papers.studies.mine.artefacts", "steps_table", "runs"),
    "mine-fig1": figure("fwsvm_papers.studies.mine.artefacts", "steps_chart", "runs"),
}
"""
    ),
    "artefacts.py": (
        """
from matplotlib.figure import Figure

from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.artefact import NotDrawableError
from fwsvm_papers.reporting.tables import Cell, Section, Table


def _steps(runs):
    if runs.empty:
        raise NotDrawableError("needs runs")
    return runs.groupby("dataset", as_index=False)["iterations"].median()


def steps_table(runs):
    frame = _steps(runs)
    pairs = frame.itertuples(index=False)
    rows = tuple((Cell(name), Cell(f"{steps:.0f}")) for name, steps in pairs)
    return Table(frame, (("", "data set"), ("", "steps")), (Section(None, rows),), notes="Steps.")


def steps_chart(runs):
    frame, figure = _steps(runs), Figure()
    figure.subplots().plot(frame["iterations"])
    return Chart(figure, frame, "Steps, drawn.")
"""
    ),
}
SECTION = """
  mine:
    type: object
    properties:
      datasets: {$ref: "#/$defs/datasets"}
"""


def test_a_study_with_a_table_and_a_figure_is_a_folder_a_name_and_a_section(fresh):
    (fresh / "src/fwsvm_papers/studies/mine").mkdir()
    for name, text in STUDY.items():
        (fresh / "src/fwsvm_papers/studies/mine" / name).write_text(f'"""Mine."""\n{text}')
    registry = fresh / "src/fwsvm_papers/studies/registry.py"
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
    jobs = fresh.plan(
        "--configfile", "mine.yaml", "--", "mine", env={"PYTHONPATH": str(fresh / "src")}
    ).jobs
    assert ("train", "results/smoke/runs/mine/iris.json") in jobs
    assert ("mine", "results/smoke/tables/mine-table1.json") in jobs

    code = """
from fwsvm_papers.pipeline.artefacts import write
from fwsvm_papers.runs.records import read_runs
inputs = {"runs": read_runs("results/released/runs.tsv.gz")}
for name in ("mine-table1", "mine-fig1"):
    assert write(name, inputs, "results/x", "figures/x", ["svg"]) == ""
"""
    in_the_copy(fresh, "-c", code)
    assert (fresh / "figures/x/mine-fig1.svg").is_file()
    assert "| w8a |" in (fresh / "results/x/tables/mine-table1.md").read_text()


def test_the_race_of_the_page(fresh):
    page = (fresh / "docs/extending.md").read_text().partition("### Compare packages")[2]
    config = yaml.safe_load(textwrap.dedent(re.search(r"(?:^    .*\n)+", page, re.M)[0]))
    config["datasets"] = config["race"]["datasets"] = ["iris"]
    fresh.configure("my-race.yaml", config)
    jobs = fresh.plan("--configfile", "my-race.yaml").jobs
    assert ("train", "results/my-race/runs/race/iris.json") in jobs


def test_the_kernel_of_the_page(fresh):
    """The kernel is the Cauchy kernel, with the three edits that the page shows."""
    page = (fresh / "docs/extending.md").read_text().partition("## A kernel")[2]
    member, branch, isotropic = re.findall(r"^        .*(?:\n        .*)*", page, re.M)[:3]
    kinds = fresh / "src/fwsvm/kernels/kinds.py"
    text = kinds.read_text()
    for old, new in (
        (
            "    LINEAR = 2\n",
            f"    LINEAR = 2\n{textwrap.indent(textwrap.dedent(member), '    ')}\n",
        ),
        (
            "    elif kind == Kind.POLY:\n",
            f"{textwrap.indent(textwrap.dedent(branch), '    ')}\n    elif kind == Kind.POLY:\n",
        ),
        ("    return kind == Kind.RBF\n", f"    {isotropic.strip()}\n"),
    ):
        assert text.count(old) == 1
        text = text.replace(old, new)
    kinds.write_text(text)
    code = """
import numpy as np, pytest
from sklearn.metrics import pairwise_distances
from fwsvm import FrankWolfeSVC
from fwsvm.kernels import Kernel, KernelMatrix
rng = np.random.default_rng(0)
X = rng.normal(size=(150, 3))
y = np.where(rng.normal(size=150) > 0, 1, -1)
exact = 1 / (1 + 0.5 * pairwise_distances(X) ** 2)
K = np.empty((150, 150))
KernelMatrix(X, Kernel("cauchy", 0.5)).gram(K)
np.testing.assert_allclose(K, exact, rtol=1e-9)
mine = FrankWolfeSVC(kernel="cauchy", gamma=0.5, certify=False, eps=1e-4).fit(X, y)
given = FrankWolfeSVC(kernel="precomputed", eps=1e-6).fit(exact, y)
assert np.isnan(mine.relative_gap_)
assert 0 <= mine.objective_ / given.objective_ - 1 + 1e-6 < 2e-4
with pytest.raises(ValueError, match="kernel 'cauchy' cannot be certified"):
    FrankWolfeSVC(kernel="cauchy", gamma=0.5).fit(X, y)
"""
    assert "cauchy" in in_the_copy(fresh, "-c", code + TRAIN_HELP)


def test_an_experiment_of_ones_own_can_use_another_kernel(fresh):
    """The settings of a study name the kernel, and the study's runs must use it."""
    code = """
from types import SimpleNamespace
import numpy as np
from fwsvm_papers.pipeline.config import load_config
from fwsvm_papers.runs.jobs import Job, training_settings
from fwsvm_papers.studies.benchmark.training import run
job = Job("mine", "all_points", "made", "swap")
config = load_config("config/smoke.yaml") | {"mine": {}}
chosen = training_settings(config, job, [{"repetitions": 1}], kernel="linear")
rng = np.random.default_rng(0)
X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
sizes = {"m": 40, "t": 40, "n": 3, "K": 2}
meta = {"name": "made", **sizes, "classes": [0, 1], "scaling": {"method": "none"}}
prepared = SimpleNamespace(X_train=X, y_train=y, X_test=X, y_test=y, meta=meta)
params = {"gamma": 0.5, "sigma2": 1.0, "C": 2.0, "C_rule": "", "gamma_rule": ""}
rows = run(prepared, params, job, chosen)
print([row["kernel"] for row in rows])
"""
    assert "['linear']" in in_the_copy(fresh, "-c", code)
