"""Test which jobs run again after a change, and which do not."""

import pytest
import yaml

from fwsvm_papers.code_hash import PACKAGES, closure
from fwsvm_papers.pipeline.artefacts import papers

pytestmark = pytest.mark.workflow

OF_ONE_STUDY = {"tsang2005", "singh", "alaiz2018"}
"""Papers whose tables and figures show only the runs of their own study."""
ANALYSIS = {"collect", "report", *papers()} - OF_ONE_STUDY
"""Rules that run again after any change of the runs."""


def edit(copy, path, text="\n\nCHANGED = True\n"):
    source = copy / path
    source.write_text(source.read_text() + text)


def test_new_data_set_runs_its_own_jobs_and_the_aggregates(smoke):
    catalogue = smoke / "config/datasets.yaml"
    entry = "mine:\n  source: {sklearn: wine}\n  split: {fraction: 0.3, seed: 1}\n"
    catalogue.write_text(f"{catalogue.read_text()}\n{entry}")
    config = yaml.safe_load((smoke / "config/smoke.yaml").read_text())
    config["datasets"].append("mine")
    smoke.configure("config/smoke.yaml", config)
    done = smoke.plan()
    # `tsang2005` reads the descriptions of the data sets
    aggregates = {"describe", "tsang2005", *ANALYSIS}
    own = [(rule, file) for rule, file in done.jobs if rule not in aggregates]
    assert {rule for rule, _ in own} == {"prepare", "tune", "train"}
    assert all("mine" in file for _, file in own)
    assert done.batches == {("benchmark", "mine"), ("ladder", "mine"), ("peers", "mine")}
    assert done.rules >= ANALYSIS


def test_changed_setting_of_one_method_trains_only_that(smoke):
    """All jobs of an experiment on a data set share a process. The process must not run the jobs
    for which nothing has changed.
    """
    config = yaml.safe_load((smoke / "config/smoke.yaml").read_text())
    config["benchmark"]["time_limit"] = {"cvm": 500}
    smoke.configure("config/smoke.yaml", config)
    done = smoke.plan()
    assert done.rules == {"train"} | ANALYSIS
    assert {experiment for experiment, _ in done.batches} == {"benchmark"}
    before = {
        path: path.stat().st_mtime_ns for path in (smoke / "results/smoke/cells").rglob("*.json")
    }
    smoke.run("results/smoke/runs/benchmark/iris.json")
    changed = {path.name for path, moment in before.items() if path.stat().st_mtime_ns != moment}
    assert changed == {"as_run-cvm.json", "as_printed-cvm.json"}


def test_changed_experiments_train_only_theirs(smoke):
    """One experiment has a changed setting, and another has changed code. A change of the mirror
    must not cause downloads.
    """
    config = yaml.safe_load((smoke / "config/smoke.yaml").read_text())
    config["c_path"]["C_exponents"] = [0, 2]
    smoke.configure("config/smoke.yaml", config | {"mirror": "elsewhere"})
    edit(smoke, "src/fwsvm_papers/studies/singh/run.py")
    done = smoke.plan(env=smoke.own_sources)
    assert {experiment for experiment, _ in done.batches} == {"c_path", "singh"}
    assert done.rules == {"train", "details", "singh"} | ANALYSIS


def test_changed_solver_trains_again(smoke):
    edit(smoke, "src/fwsvm/solvers/methods/swap.py")  # this module is imported by its name
    done = smoke.plan(env=smoke.own_sources)
    assert (
        done.rules == {"warm_up", "tune", "train", "details", "sketches"} | ANALYSIS | OF_ONE_STUDY
    )


def test_changed_drawing_only_redraws_and_what_decides_nothing_reruns_nothing(smoke):
    edit(smoke, "src/fwsvm_papers/reporting/tables.py")
    edit(smoke, "src/fwsvm/solvers/steps.py", "\n\n# A comment.\n")
    edit(smoke, "src/fwsvm_papers/datasets/prepare.py", "\n\n\n")
    edit(smoke, "src/fwsvm_papers/studies/singh/run.py", '\n"""A docstring."""\n')
    unused = ("fwsvm/cli.py", "fwsvm_papers/pipeline/config.py")  # no rule uses this code
    for path in unused:
        edit(smoke, f"src/{path}")
    assert smoke.plan(env=smoke.own_sources).rules == {"report", *papers()}
    source = PACKAGES[0].parent
    assert {source / path for path in unused}.isdisjoint(closure("fwsvm_papers.pipeline.artefacts"))
