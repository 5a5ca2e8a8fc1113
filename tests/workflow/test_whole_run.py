"""A whole run: every artefact, nothing to do afterwards, the report."""

import subprocess
import sys

import pytest

from fwsvm.analysis.records import read_runs
from fwsvm.experiments.registry import EXPERIMENTS
from fwsvm.render.registry import ARTEFACTS, output_paths

pytestmark = pytest.mark.workflow


def test_smoke_run_succeeds(smoke_run):
    _, done = smoke_run
    assert done.code == 0, done.text


def test_every_artefact_exists_in_every_format(smoke_run):
    copy, _ = smoke_run
    paths = [path for name in ARTEFACTS for path in output_paths(name, copy / "results/smoke", copy / "figures/smoke")]
    assert [str(path) for path in paths if not path.is_file() or path.stat().st_size == 0] == []


def test_nothing_is_left_under_a_temporary_name(smoke_run):
    copy, _ = smoke_run
    assert copy.temporary_files() == []


def test_second_run_has_nothing_to_do(smoke):
    done = smoke.run()
    assert "Nothing to be done" in done.text
    assert done.jobs == []


def test_every_experiment_has_runs(smoke_run):
    copy, _ = smoke_run
    runs = read_runs(copy / "results/smoke/runs.tsv")
    assert set(runs["experiment"]) == set(EXPERIMENTS)
    rules = set(runs["gamma_rule"])
    assert any(rule.startswith("3-fold cross-validation over gamma") for rule in rules)
    assert {"1/(2 sigma2), sigma2 = average squared distance", "1/sigma2, sigma2 = average squared distance"} <= rules


def test_every_training_job_says_how_far_the_run_is(smoke_run):
    _, done = smoke_run
    assert done.text.count("training runs: ") == sum(rule in ("train", "study") for rule, _ in done.jobs)
    assert "0 left" in done.text


def test_release_is_enough_to_draw_everything_again(smoke):
    def call(*arguments):
        command = [sys.executable, "-m", "fwsvm.cli", *arguments]
        subprocess.run(command, cwd=smoke.folder, check=True, capture_output=True, text=True)

    def released():
        paths = [path for kind in ("results", "figures") for path in (smoke / kind / "released").rglob("*.*")]
        return {path.relative_to(smoke.folder): path.read_bytes() for path in paths}

    call("release", "--profile", "smoke")
    before = released()
    names = {path.name.split(".")[0] for path in before}
    assert names >= set(ARTEFACTS)
    drawn = [path for path in before if path.name.split(".")[0] in ARTEFACTS]
    for path in drawn:
        (smoke / path).unlink()
    call("render")
    assert released() == before


def test_report_shows_every_artefact(smoke):
    done = smoke.snakemake("--report", "report.html")
    assert done.code == 0, done.text
    text = (smoke / "report.html").read_text()
    assert [name for name in ARTEFACTS if name not in text] == []
    assert ARTEFACTS["frandi2013-fig3"].caption in text
