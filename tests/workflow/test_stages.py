"""The lines that show how far the pipeline is."""

import inspect
import re
from pathlib import Path

import pytest
from snakemake.scheduling.job_scheduler import JobScheduler

from snakemake_logger_plugin_fwsvm.stages import STAGES, Stages


class Clock:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def start(clock, in_place):
    stages = Stages(clock, in_place)
    stages.plan({"prepare": 2, "describe": 1, "train": 4, "total": 7})
    return stages


def begin(stages, *rules):
    """Jobs of these rules start; their numbers are 0, 1, ..."""
    for job_id, rule in enumerate(rules):
        stages.started(job_id, rule, [f"results/p/{rule}"])


def test_a_line_for_each_stage_that_has_ended(clock):
    stages = start(clock, in_place=False)
    begin(stages, "prepare", "prepare", "train")
    stages.finished(0)
    assert stages.lines() == ""
    clock.now = 5.2
    stages.finished(1)
    assert stages.lines() == "preparing data         2 of 2, 5 s\n"
    assert stages.lines() == ""


def test_progress_with_the_time_left(clock):
    stages = start(clock, in_place=True)
    begin(stages, "train", "train")
    stages.finished(0)
    clock.now = 10.0
    assert stages.refresh() == "\rtraining               1 of 4, about 30 s left"
    runs = {"done": 10, "left": 50, "seconds": 20.0}
    assert stages.refresh(runs).rstrip() == "\rtraining               1 of 4, 10 of 60 runs, about 20 s left"
    assert "about 50 s left" in stages.refresh(runs | {"seconds": 900.0})
    assert "about 50 s left" in stages.refresh(runs | {"seconds": None})


def test_what_was_done_before_is_no_measure_of_the_pace(clock):
    stages = start(clock, in_place=True)
    begin(stages, "train", "train")
    runs = {"done": 900, "left": 100, "seconds": 4000.0}
    clock.now = 10.0
    assert stages.refresh(runs).rstrip() == "\rtraining               0 of 4, 900 of 1000 runs"
    clock.now = 20.0
    assert "about 33 min left" in stages.refresh(runs | {"done": 901, "left": 99})


def test_fewer_runs_done_than_before_give_no_negative_time(clock):
    stages = start(clock, in_place=True)
    begin(stages, "train", "train")
    clock.now = 10.0
    stages.refresh({"done": 900, "left": 100, "seconds": 4000.0})
    clock.now = 20.0
    assert "left" not in stages.refresh({"done": 10, "left": 50, "seconds": 400.0})


def test_open_line_is_taken_back_before_other_output(clock):
    stages = start(clock, in_place=True)
    begin(stages, "train")
    length = len(stages.refresh()) - 1
    assert stages.interrupt() == "\r" + " " * length + "\r"
    assert stages.interrupt() == ""


def test_without_a_terminal_a_line_is_not_repeated(clock):
    stages = start(clock, in_place=False)
    begin(stages, "train")
    assert stages.refresh() == "training               0 of 4\n"
    assert stages.refresh() == ""


def test_results_folder_is_that_of_the_first_output(clock):
    stages = start(clock, in_place=False)
    stages.started(0, "prepare", ["data/prepared/x"])
    assert stages.results is None
    stages.started(1, "tune", ["results/p/params/x.json"])
    assert stages.results == "results/p"


def test_jobs_that_a_checkpoint_brings_are_counted(clock):
    stages = Stages(clock, in_place=False)
    stages.plan({"inventory": 1})
    begin(stages, "inventory", "prepare")
    stages.finished(0)
    stages.plan({"inventory": 1, "prepare": 3, "train": 5})
    assert stages.lines() == "fetching data          1 of 1, 0 s\n"
    assert stages.refresh() == "preparing data         0 of 3\n"
    stages.finished(1)
    assert stages.refresh() == ""
    stages.started(2, "train", [])
    assert stages.refresh() == "training               0 of 5\n"


def test_jobs_before_a_checkpoint_are_counted_when_snakemake_no_longer_does(clock):
    stages = Stages(clock, in_place=False)
    stages.plan({"fetch": 2, "inventory": 1})
    begin(stages, "fetch", "fetch", "inventory")
    for job_id in range(3):
        stages.finished(job_id)
    stages.plan({"train": 5})
    assert stages.lines() == "fetching data          3 of 3, 0 s\n"


def test_snakemake_has_the_limiter_that_is_taken_from_it():
    """Without a limit on how fast jobs start nobody looks at all ready jobs every second (see the Snakefile)."""
    assert "self.job_rate_limiter = (" in inspect.getsource(JobScheduler.__init__)


def test_every_rule_has_a_stage():
    texts = [path.read_text() for path in (Path(__file__).parents[2] / "workflow/rules").glob("*.smk")]
    assert {name for text in texts for name in re.findall(r"^(?:rule|checkpoint) (\w+):", text, re.MULTILINE)} == set(
        STAGES
    )
