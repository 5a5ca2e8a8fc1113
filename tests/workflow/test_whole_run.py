"""A whole run: every artefact, nothing to do afterwards, the report."""

import re
import subprocess

import pytest
from working_copy import HANGS_S

from fwsvm_papers.pipeline.artefacts import ARTEFACTS, output_paths
from fwsvm_papers.result_files import read_whole_json
from fwsvm_papers.runs.records import read_runs
from fwsvm_papers.studies.registry import EXPERIMENTS

pytestmark = pytest.mark.workflow


def listed(copy):
    """(artefact -> files, artefact -> why it was skipped) of all papers."""
    written, skipped = {}, {}
    for path in (copy / "results/smoke/artefacts").glob("*.json"):
        listing = read_whole_json(path)
        written |= listing["written"]
        skipped |= listing["skipped"]
    return written, skipped


def test_every_artefact_exists_in_every_format_or_is_skipped_with_a_reason(smoke_run):
    copy, done = smoke_run
    assert done.code == 0, done.text
    assert not list(copy.folder.rglob("*.part"))
    written, skipped = listed(copy)
    assert set(written) | set(skipped) == {name for name in ARTEFACTS if "--" not in name}
    assert {"summary", "claims", "frandi2013-table2", "singh-fig1", "alaiz2018-table3"} <= set(
        written
    )
    assert all(reason.startswith("needs ") for reason in skipped.values())
    for name in ARTEFACTS:
        paths = output_paths(name, copy / "results/smoke", copy / "figures/smoke", ["svg"])
        whole = [path.is_file() and path.stat().st_size > 0 for path in paths]
        assert all(whole) if name in written else not any(whole), name


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
    (smoke / "results/smoke/artefacts/summary.json").unlink()
    (smoke / "results/smoke/skipped.json").unlink()
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
    assert re.search(r"^browse +file:///\S+/results/smoke/site/index.html$", end, re.MULTILINE)
    assert set(read_whole_json(smoke / "results/smoke/skipped.json")) == set(listed(smoke)[1])


def test_report_and_gallery_are_part_of_the_run(smoke_run):
    copy, _ = smoke_run
    pages = {path.stem for path in (copy / "results/smoke/site").glob("*.html")}
    assert set(listed(copy)[0]) <= pages and "index" in pages
    assert "Figure 1" in (copy / "figures/smoke/README.md").read_text()
