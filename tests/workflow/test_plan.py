"""What Snakemake plans in a fresh clone, for each configuration and target; nothing is run."""

import pytest
import yaml

from fwsvm.datasets import load_catalogue
from fwsvm.datasets.entries import required_files
from fwsvm.render.registry import ARTEFACTS

pytestmark = pytest.mark.workflow


@pytest.fixture(scope="module")
def default_plan(pristine):
    """Dry run of plain `snakemake` in a fresh clone."""
    return pristine.plan("--cores", 4)


@pytest.fixture(scope="module")
def whole_plan(pristine):
    """The same for data that need no fetching, so that all jobs are known beforehand."""
    return pristine.plan("--cores", 4, "--config", "datasets=[iris, checkerboard]")


@pytest.fixture(scope="module")
def demo_plan(pristine):
    """Dry run of the demo in a fresh clone."""
    return pristine.plan("--cores", 4, "--configfile", "config/demo.yaml")


def artefacts_of(done):
    return {file.rsplit("/", 1)[1].rsplit(".", 1)[0] for rule, file in done.jobs if rule in ("table", "figure")}


def datasets_of(done):
    return {file.split("/")[-2] for rule, file in done.jobs if rule == "train"}


def test_fresh_clone_fetches_every_data_set(default_plan, checkout):
    catalogue = load_catalogue(checkout / "config/datasets.yaml")
    names = yaml.safe_load((checkout / "config/paper.yaml").read_text())["datasets"]
    files = {name: required_files(catalogue[name], catalogue).values() for name in names}
    remote = {name for name in names if any(file.path is None for file in files[name])}
    fetched = {file for rule, file in default_plan.jobs if rule == "fetch"}
    assert fetched == {f"results/paper/fetch/{name}.json" for name in remote}


def test_no_rule_writes_a_committed_file(whole_plan, demo_plan, committed):
    outputs = whole_plan.outputs | demo_plan.outputs
    assert "results/paper/runs.tsv" in outputs
    assert outputs.isdisjoint(committed)


def test_training_takes_every_core_where_timing_is_exclusive(whole_plan, demo_plan):
    assert set(whole_plan.threads("train")) == {4}
    assert set(whole_plan.threads("tune")) == {1}
    assert set(demo_plan.threads("train")) == {1}


def test_large_sets_are_trained_before_small_ones(whole_plan):
    tuned, trained = (
        {file: n for file, n in whole_plan.priorities.items() if part in file} for part in ("params", "runs")
    )
    assert min(tuned.values()) > max(trained.values())
    small, large = ({n for file, n in trained.items() if f"/{name}/" in file} for name in ("iris", "checkerboard"))
    assert max(small) < min(large)


@pytest.mark.parametrize("paper", ["frandi2013", "nanculef2014"])
def test_target_of_a_paper_draws_its_artefacts_only(pristine, paper):
    done = pristine.plan(paper, "--configfile", "config/smoke.yaml")
    assert artefacts_of(done) == {name for name in ARTEFACTS if name.startswith(paper)}


def test_overlay_replaces_lists_and_merges_mappings(demo_plan, checkout):
    demo, paper = (yaml.safe_load((checkout / f"config/{name}.yaml").read_text()) for name in ("demo", "paper"))
    of_demo, of_paper = (set(config["datasets"]) - set(config["benchmark"]["leave_out"]) for config in (demo, paper))
    assert datasets_of(demo_plan) == of_demo
    assert of_demo.isdisjoint(of_paper)
    trained = {file.rsplit("/", 1)[1] for rule, file in demo_plan.jobs if rule == "train"}
    assert trained == {f"{method}.tsv" for method in paper["benchmark"]["methods"]}


@pytest.mark.parametrize("paper", ["tsang2005", "singh", "alaiz2018"])
def test_artefacts_of_a_study_wait_for_no_other_experiment(pristine, paper):
    done = pristine.plan("--cores", 4, "--configfile", "config/demo.yaml", "--", paper)
    trained = {file.split("/")[3] for rule, file in done.jobs if rule == "study"}
    assert trained == {paper}
    assert done.rules.isdisjoint({"train", "tune", "collect", "tests"})
