"""Runs on several kinds of processors: named where their times are shown."""

import json
from pathlib import Path

import pytest

from fwsvm.pipeline.artefacts import render
from fwsvm.pipeline.inputs import read_inputs, released_inputs

RELEASED = Path(__file__).parents[2] / "results/released"


def test_kinds_are_read_from_the_provenance_of_all_jobs_and_of_single_processes(tmp_path):
    jobs = {"a": {"cpu": "Xeon"}, "b": {"cpu": "EPYC"}, "c": {"cpu": "Xeon"}}
    (tmp_path / "all.json").write_text(json.dumps({"config_hash": "", "jobs": jobs}))
    (tmp_path / "one.json").write_text(json.dumps({"d": {"cpu": "Xeon"}}))
    assert read_inputs({"provenance": tmp_path / "all.json"}) == {"processors": ["EPYC", "Xeon"]}
    assert read_inputs({"provenance": [tmp_path / "one.json"]}) == {"processors": ["Xeon"]}


@pytest.mark.parametrize("kinds", [["Xeon"], ["EPYC", "Xeon"]])
def test_caption_of_what_shows_times_names_several_kinds(kinds):
    inputs = read_inputs(released_inputs(RELEASED))
    assert len(inputs["processors"]) == 1
    named = "2 kinds of processors (EPYC; Xeon)"
    assert (named in render("frandi2013-table2", inputs | {"processors": kinds}).caption) == (len(kinds) == 2)
    assert named not in render("frandi2013-table1", inputs | {"processors": kinds}).caption
