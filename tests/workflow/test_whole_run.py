"""A whole run: every artefact, nothing to do afterwards, the report."""

import zipfile

import pytest

from fwsvm.render.registry import ARTEFACTS, output_paths

pytestmark = pytest.mark.workflow


def test_smoke_run_succeeds(smoke_run):
    _, done = smoke_run
    assert done.code == 0, done.text


@pytest.mark.parametrize("artefact", ARTEFACTS)
def test_artefact_exists_in_every_format(smoke_run, artefact):
    copy, _ = smoke_run
    for path in output_paths(artefact, copy / "results/smoke", copy / "figures/smoke"):
        assert path.is_file(), path
        assert path.stat().st_size > 0, path


def test_nothing_is_left_under_a_temporary_name(smoke_run):
    copy, _ = smoke_run
    assert copy.temporary_files() == []


def test_second_run_has_nothing_to_do(smoke):
    done = smoke.run()
    assert "Nothing to be done" in done.text
    assert done.jobs == []


@pytest.mark.parametrize("ending", ["html", "zip"])
def test_report_shows_every_artefact(smoke, ending):
    done = smoke.snakemake("--report", f"report.{ending}")
    assert done.code == 0, done.text
    text = (smoke / "report.html").read_text() if ending == "html" else _content_of(smoke / "report.zip")
    for artefact in ARTEFACTS:
        assert artefact in text, artefact
    assert ARTEFACTS["frandi2013-fig3"].caption in text


def _content_of(archive):
    with zipfile.ZipFile(archive) as files:
        texts = [files.read(name).decode(errors="replace") for name in files.namelist()]
    return "\n".join([*files.namelist(), *texts])
