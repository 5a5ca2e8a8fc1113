"""Test protocols: the settings of every method that a protocol of the configuration defines, and
the runs that are shown under each protocol.
"""

import numpy as np
import pytest
from synthetic_runs import make_runs

from fwsvm.inputs.errors import ConfigError
from fwsvm_papers.runs.comparison import comparison
from fwsvm_papers.runs.jobs import Job
from fwsvm_papers.runs.protocols import protocol_words, solver_settings, tuning_rule
from fwsvm_papers.runs.table import of_method, one_protocol, protocols_of, summarise


def test_as_run_is_what_the_papers_program_does(load_config):
    block = load_config()["protocols"]["as_run"]
    of_cvm, of_fw, of_swap = (solver_settings(block, method) for method in ("cvm", "fw", "swap"))
    sample = {"sample_size": 60, "patience": 1, "replacement": True, "start_alternates": True}
    assert of_cvm.pop("selection") == {**sample, "alternate": True}
    assert of_fw.pop("selection") == of_swap.pop("selection") == {**sample, "alternate": False}
    assert of_cvm == {"inner_tolerance": 1e-7, "inner_fixed": True, "inner_steps": 7500}
    assert (of_fw, of_swap) == ({}, {"clipped_gain": True})


@pytest.mark.parametrize(
    ("protocol", "preset"), [("as_printed", "sampled_text"), ("libcvm", "sampled_libcvm")]
)
def test_the_presets_of_the_solver_are_protocols(load_config, protocol, preset):
    from fwsvm.solvers.settings import SELECTIONS

    chosen, block = SELECTIONS[preset], load_config()["protocols"][protocol]
    found = solver_settings(block, "fw")["selection"]
    names = ("sample_size", "patience", "alternate", "replacement")
    assert {name: found.get(name, False) for name in names} == {
        name: getattr(chosen, name) for name in names
    }
    assert solver_settings(load_config()["protocols"]["all_points"], "fw") == {"selection": "full"}


def test_words_of_a_block_reach_the_methods_they_name():
    block = {
        "selection": "sampled",
        "sample_size": 5,
        "patience": 2,
        "alternate": "all",
        "cooling": "all",
    }
    assert solver_settings(block, "fw")["selection"] == {
        "sample_size": 5,
        "patience": 2,
        "alternate": True,
        "cooling": True,
    }
    assert "cooling" not in solver_settings(block, "cvm")["selection"]
    assert (
        solver_settings({**block, "reject_members": "none"}, "cvm")["selection"]["reject_members"]
        is False
    )


def test_one_C_for_a_series_and_a_tuned_one_elsewhere(load_config):
    config = load_config()
    assert [
        tuning_rule(config, "as_run", name).get("C") for name in ("a1a", "a9a", "w8a", "letter")
    ] == [2, 2, 4, None]
    assert tuning_rule(config, "as_run", "letter") == {"width_factor": 2, "ties": "largest"}
    assert tuning_rule(config, "as_printed", "a1a") == {"width_factor": 0.5, "ties": "smallest"}


def test_a_users_own_protocol_is_run_and_unknown_ones_are_refused(load_study):
    mine = {"selection": "sampled", "sample_size": 9, "patience": 1, "width_factor": 1}
    benchmark = {"methods": ["cvm", "fw"], "protocols": ["mine"]}
    study = load_study(
        datasets=["a1a"], experiments=["benchmark"], protocols={"mine": mine}, benchmark=benchmark
    )
    assert study.jobs() == [
        Job("benchmark", "mine", "a1a", "cvm"),
        Job("benchmark", "mine", "a1a", "fw"),
    ]
    assert study.job_settings(study.jobs()[1])["selection"] == {
        "sample_size": 9,
        "patience": 1,
        "alternate": False,
    }
    assert study.tuning_settings("params", "a1a")["protocols"] == {
        "mine": {"width_factor": 1, "ties": "smallest"}
    }
    assert protocol_words("my_own") == "my own"
    with pytest.raises(ConfigError, match=r"benchmark\.protocols \(value 1\): 'as_runn'"):
        load_study(benchmark={"protocols": ["as_runn"]})
    with pytest.raises(ConfigError, match=r"protocols\.mine"):
        load_study(protocols={"mine": {"selection": "sampled"}})


@pytest.mark.parametrize("lacking", ["as_run", "mine"])
def test_a_protocol_without_cvm_has_no_speed_up(lacking):
    """One of the two protocols is in the default configuration. A user added the other one."""
    runs = make_runs(datasets=("a1a",), protocols=("libcvm", "all_points"), methods=("cvm", "fw"))
    runs = runs.assign(protocol=runs["protocol"].replace({"all_points": lacking}))
    runs = runs[(runs["protocol"] == "libcvm") | (runs["method"] == "fw")]
    assert set(protocols_of(runs)) == {"libcvm", lacking}
    assert of_method(summarise(runs), lacking, "cvm").empty
    speedups = comparison(runs).query("method == 'fw'").set_index("protocol")["speedup"]
    assert speedups["libcvm"] > 0 and np.isnan(speedups[lacking])


def test_an_artefact_of_one_protocol_has_only_its_runs():
    runs = make_runs(
        datasets=("a1a",), protocols=("as_printed", "libcvm", "all_points"), methods=("cvm", "fw")
    )
    assert set(one_protocol(runs)["protocol"]) == {"as_printed"}
    assert set(one_protocol(runs, "libcvm")["protocol"]) == {"libcvm"}
    assert one_protocol(runs, "as_printed").empty
