"""What a change reruns, and what it leaves alone."""

import pytest
import yaml

pytestmark = pytest.mark.workflow

ANALYSIS = {"collect", "tests", "table", "figure"}
"""Rules that follow any change of the runs."""


@pytest.fixture
def own_sources(smoke):
    """Environment in which the sources of the working copy are imported."""
    return {"PYTHONPATH": str(smoke / "src")}


def set_benchmark(copy, **settings):
    config = yaml.safe_load((copy / "config/smoke.yaml").read_text())
    config["benchmark"] |= settings
    copy.configure("config/smoke.yaml", config)


def edit(copy, path):
    source = copy / path
    source.write_text(source.read_text() + "\n\n# A change.\n")


def test_new_data_set_runs_its_own_jobs_and_the_aggregates(smoke):
    catalogue = smoke / "config/datasets.yaml"
    entry = "mine:\n  source: {sklearn: wine}\n  split: {fraction: 0.3, seed: 1}\n"
    catalogue.write_text(f"{catalogue.read_text()}\n{entry}")
    config = yaml.safe_load((smoke / "config/smoke.yaml").read_text())
    config["datasets"].append("mine")
    smoke.configure("config/smoke.yaml", config)
    done = smoke.plan()
    own = [(rule, file) for rule, file in done.jobs if rule not in ANALYSIS]
    assert {rule for rule, _ in own} == {"prepare", "describe", "tune", "train"}
    assert all("mine" in file for _, file in own)
    assert len([rule for rule, _ in own if rule == "train"]) == 6
    assert done.rules >= ANALYSIS


def test_removed_data_set_only_redraws(smoke):
    config = yaml.safe_load((smoke / "config/smoke.yaml").read_text())
    smoke.configure("config/smoke.yaml", config | {"datasets": ["iris"]})
    assert smoke.plan().rules == {"details"} | ANALYSIS


def test_changed_eps_tunes_and_trains_again(smoke):
    set_benchmark(smoke, eps=1e-5)
    done = smoke.plan()
    assert done.rules == {"tune", "train", "study"} | ANALYSIS
    assert not any("frandi2013-table1" in file for _, file in done.jobs)


def test_changed_setting_of_one_method_trains_only_that(smoke):
    set_benchmark(smoke, time_limit={"cvm": 500})
    done = smoke.plan()
    assert done.rules == {"train"} | ANALYSIS
    assert all(file.endswith("/cvm.tsv") for rule, file in done.jobs if rule == "train")


def test_changed_setting_of_one_experiment_trains_only_that(smoke):
    config = yaml.safe_load((smoke / "config/smoke.yaml").read_text())
    config["c_path"]["C_exponents"] = [0, 2]
    smoke.configure("config/smoke.yaml", config)
    trained = [file for rule, file in smoke.plan().jobs if rule == "train"]
    assert trained
    assert all(file.startswith("results/smoke/runs/c_path/") for file in trained)


def test_removed_experiment_only_redraws(smoke):
    config = yaml.safe_load((smoke / "config/smoke.yaml").read_text())
    smoke.configure("config/smoke.yaml", config | {"experiments": ["benchmark"]})
    assert smoke.plan().rules == {"details"} | ANALYSIS


def test_another_mirror_fetches_and_trains_nothing(smoke):
    config = yaml.safe_load((smoke / "config/smoke.yaml").read_text())
    smoke.configure("config/smoke.yaml", config | {"mirror": "elsewhere"})
    assert smoke.plan().rules <= ANALYSIS


def test_changed_solver_trains_again(smoke, own_sources):
    edit(smoke, "src/fwsvm/solvers/steps.py")
    assert smoke.plan(env=own_sources).rules == {"warm_up", "tune", "train", "study", "details", "sketches"} | ANALYSIS


def test_changed_drawing_only_redraws(smoke, own_sources):
    edit(smoke, "src/fwsvm/render/tables.py")
    assert smoke.plan(env=own_sources).rules == {"table", "figure"}


def test_changed_command_line_reruns_nothing(smoke, own_sources):
    edit(smoke, "src/fwsvm/cli.py")
    edit(smoke, "src/fwsvm/experiments/config.py")
    assert smoke.plan(env=own_sources).jobs == []
