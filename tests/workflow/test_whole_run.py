"""Test a complete run: it makes every artefact and the report, and no job remains."""

import re
import subprocess

import pytest
from working_copy import HANGS_S

from fwsvm_papers.pipeline.artefacts import ARTEFACTS, output_paths
from fwsvm_papers.reporting.tables import read_artefact_data
from fwsvm_papers.runs.records import read_runs
from fwsvm_papers.studies.registry import EXPERIMENTS

pytestmark = pytest.mark.workflow


def listed(copy):
    """Return the set of artefacts that were drawn, and a dict from each skipped artefact to the
    reason, for all papers.
    """
    folders = (copy / "results/smoke/tables", copy / "figures/smoke")
    reasons = {
        path.stem: read_artefact_data(path).skipped
        for folder in folders
        for path in folder.glob("*.json")
    }
    skipped = {name: reason for name, reason in reasons.items() if reason}
    return set(reasons) - set(skipped), skipped


def test_every_artefact_exists_in_every_format_and_skipped_ones_have_a_reason(smoke_run):
    copy, done = smoke_run
    assert done.code == 0, done.text
    assert not list(copy.folder.rglob("*.part"))
    drawn, skipped = listed(copy)
    variants = {name.partition("--")[2] for name in drawn | set(skipped) if "--" in name}
    assert variants == {"as_printed"}  # `as_printed` is the second protocol of the configuration
    assert {name for name in ARTEFACTS if "--" not in name} <= drawn | set(skipped)
    assert {"summary", "claims", "frandi2013-table2", "singh-fig1", "alaiz2018-table3"} <= drawn
    assert all(reason.startswith("needs ") for reason in skipped.values())
    for name in drawn | set(skipped):
        paths = output_paths(name, copy / "results/smoke", copy / "figures/smoke", ["svg"])
        assert all(path.stat().st_size > 0 for path in paths), name


def test_only_what_is_missing_is_drawn_again(smoke):
    picture = smoke / "figures/smoke/singh-fig1.svg"
    before = picture.read_bytes()
    picture.unlink()
    assert smoke.plan().rules == {"singh", "report"}
    assert smoke.run().rules == {"singh", "report"}
    assert picture.read_bytes() == before
    assert smoke.plan().jobs == []


def test_every_experiment_has_runs(smoke_run):
    copy, _ = smoke_run
    runs = read_runs(copy / "results/smoke/runs.tsv")
    assert set(runs["experiment"]) == set(EXPERIMENTS) - {"race"}
    rules = set(runs["gamma_rule"].dropna())
    assert any(rule.startswith("3-fold cross-validation over gamma") for rule in rules)
    assert {
        "1/(2 sigma2), sigma2 = average squared distance",
        "1/sigma2, sigma2 = average squared distance",
    } <= rules


def test_default_profile_shows_a_line_for_each_stage(smoke):
    (smoke / "results/smoke/tables/summary.json").unlink()
    command, settings = smoke.command("--cores", 2, listing=False)
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANGS_S, **settings
    )
    assert done.returncode == 0, done.stdout
    stages, _, end = done.stdout.partition("\n\n")
    shown = [re.sub(r"\d+ s of work$", "N s of work", line) for line in stages.splitlines()]
    assert {f"{stage:22} 1 of 1, N s of work" for stage in ("tables and figures", "pages")} <= set(
        shown
    )
    assert len([line for line in shown if " of " in line]) < 12
    assert re.search(r"^continuing: (\d+) of \1 training jobs have", stages, re.MULTILINE)
    assert re.search(r"^browse +file:///\S+/results/smoke/site/index.html$", end, re.MULTILINE)


def test_report_and_gallery_are_part_of_the_run(smoke_run):
    copy, _ = smoke_run
    pages = {path.stem for path in (copy / "results/smoke/site").glob("*.html")}
    assert {name for name in listed(copy)[0] if "--" not in name} <= pages and "index" in pages
    assert "Figure 1" in (copy / "figures/smoke/README.md").read_text()
