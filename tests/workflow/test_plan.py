"""Test the jobs that Snakemake plans in a new clone, for each configuration and target. No job is
run.
"""

import pytest
import yaml
from working_copy import CHECKOUT

from fwsvm_papers.datasets import load_catalogue
from fwsvm_papers.datasets.entries import required_files
from fwsvm_papers.pipeline.data import Layout
from fwsvm_papers.studies.registry import STUDIES

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def default_plan(pristine):
    """Return a dry run of plain `snakemake` in a new clone."""
    return pristine.plan("--cores", 4)


@pytest.fixture(scope="module")
def whole_plan(pristine):
    """Return a dry run for data that need no download. All its jobs are known beforehand."""
    return pristine.plan("--cores", 4, "--config", "datasets=[iris, checkerboard]")


@pytest.fixture(scope="module")
def demo_plan(pristine):
    """Return a dry run of the demo in a new clone."""
    return pristine.plan("--cores", 4, "--configfile", "config/demo.yaml")


def test_fresh_clone_fetches_every_data_set_the_package_has_not(default_plan):
    catalogue = load_catalogue(CHECKOUT / "config/datasets.yaml")
    names = yaml.safe_load((CHECKOUT / "config/paper.yaml").read_text())["datasets"]
    files = {name: required_files(catalogue[name], catalogue).values() for name in names}
    remote = {name for name in names if any(file.is_remote for file in files[name])}
    assert {"w1a", "a6a"} <= remote
    assert "a1a" not in remote
    fetched = {file for rule, file in default_plan.jobs if rule == "fetch"}
    assert fetched == {f"results/paper/fetch/{name}.json" for name in remote}


def test_data_sets_that_no_experiment_uses_are_named(pristine):
    settings = "--config", "datasets=[iris, heart, sonar]", "experiments=[ladder]"
    done = pristine.plan("results/paper/describe", *settings)
    line = "warning: no experiment of the configuration uses heart, sonar. "
    assert done.text.count(line) == 1


def test_no_rule_writes_a_committed_file(whole_plan, demo_plan, committed):
    outputs = whole_plan.outputs | demo_plan.outputs
    assert "results/paper/runs.tsv" in outputs
    assert outputs.isdisjoint(committed)


def test_training_takes_every_core_where_timing_is_exclusive_and_the_demo_few_processes(
    whole_plan, demo_plan
):
    assert set(whole_plan.threads("train")) == {4}
    assert set(whole_plan.threads("tune")) == {1}
    assert set(demo_plan.threads("train")) == {1}

    assert "fetch" not in demo_plan.rules and len(demo_plan.jobs) < 60


def test_options_come_before_files_whose_numbers_need_no_decimal_point(tiny):
    text = (tiny / "tiny.yaml").read_text()
    tiny.configure(
        "tiny.yaml", text.replace("max_iterations: 2000", "max_iterations: 2000\n  eps: 1e-3")
    )
    plan = tiny.plan("--cores", 1, "--config", "profile=other")
    assert "results/other/runs.tsv" in plan.outputs


def test_artefacts_of_a_study_wait_for_no_other_experiment(pristine):
    done = pristine.plan("--cores", 4, "--configfile", "config/demo.yaml", "--", "tsang2005")
    assert {experiment for experiment, _ in done.batches} == {"tsang2005", "draws"}
    assert done.rules.isdisjoint({"tune", "collect"})


@pytest.mark.parametrize("paper", ["tsang2005", "singh", "alaiz2018"])
def test_artefacts_of_a_study_are_drawn_from_its_own_runs(load_study, paper):
    study, own = load_study("demo"), STUDIES[paper].EXPERIMENTS
    inputs = Layout(study, lambda: study.datasets).paper_inputs(paper)
    assert inputs["runs"] == [
        f"results/demo/runs/{name}/{dataset}.json"
        for name, dataset in study.batches()
        if name in own
    ]
    assert "results/demo/tests.tsv" not in inputs.values()
    assert not any(experiment.tuned for experiment in own.values())
