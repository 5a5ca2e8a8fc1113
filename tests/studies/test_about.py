"""Test that about.yaml describes every paper, table and figure, and nothing else."""

import re

import pytest

from fwsvm_papers.studies.about import BEYOND, artefacts, papers, questions

OF_PAPERS = {name: entry for name, entry in artefacts().items() if entry.paper != BEYOND}


@pytest.mark.parametrize("name", OF_PAPERS)
def test_every_artefact_of_a_paper_is_introduced(name):
    entry = OF_PAPERS[name]
    assert entry.questions and set(entry.questions) <= set(questions())
    assert not re.search(
        r"[a-z]+\d{4}-|_", entry.title + entry.printed
    ) and not entry.title.endswith(".")
    assert entry.printed[0].isupper() and entry.printed.endswith(".")


def test_every_paper_is_introduced():
    assert set(papers()) == {entry.paper for entry in OF_PAPERS.values()}
    for paper in papers().values():
        assert {"title", "authors", "year", "short", "summary"} == set(paper)


def test_every_question_is_asked():
    assert {key for entry in artefacts().values() for key in entry.questions} == set(questions())
