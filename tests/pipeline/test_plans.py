"""Test which jobs a configuration defines, and which settings belong to which job."""

import dataclasses
import json
from pathlib import Path

import pytest

from fwsvm_papers.runs.jobs import KERNELS, Job, number_of_runs
from fwsvm_papers.studies.registry import EXPERIMENTS

SETTINGS = json.loads(Path(__file__).with_name("settings_of_demo.json").read_text())
ALL_PROTOCOLS = ["as_printed", "libcvm", "all_points"]
SWAP = Job("benchmark", "all_points", "a1a", "swap")
CVM = Job("benchmark", "all_points", "a1a", "cvm")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_experiment_has_jobs_with_settings_and_asks_for_no_run_twice(load_study, name):
    study, runs = load_study(experiments=[name]), []
    assert {job.experiment for job in study.jobs()} == {name}
    assert EXPERIMENTS[name].tuned in {None, *KERNELS}
    for job in study.jobs():
        settings = study.job_settings(job)
        assert number_of_runs(settings) >= 1 and settings["time_limit"] > 0
        if EXPERIMENTS[name].tuned:
            assert settings["kernel"] == KERNELS[EXPERIMENTS[name].tuned]
            for variant in settings.get("variants", [{}]):
                runs.append(
                    (
                        *job,
                        *sorted(
                            (key, str(variant[key])) for key in variant if key != "repetitions"
                        ),
                    )
                )
        if "variants" in settings:
            assert ("inner_tolerance" in settings) == (job.method == "cvm")
    assert len(runs) == len(set(runs))


def test_benchmark_is_every_method_on_every_data_set(load_study):
    study = load_study(
        datasets=["a1a", "w1a"], benchmark={"methods": ["cvm", "fw"], "protocols": ALL_PROTOCOLS}
    )
    assert {job[1:] for job in study.jobs() if job.experiment == "benchmark"} == {
        (protocol, dataset, method)
        for dataset in ("a1a", "w1a")
        for method in ("cvm", "fw")
        for protocol in ALL_PROTOCOLS
    }


def test_a_cap_of_a_data_set_holds_in_every_experiment(load_study):
    caps = {"w1a": {"repetitions": 2, "time_limit": {"cvm": 20, "default": 7}}}
    study, without_caps = load_study(caps=caps), load_study()
    for job in study.jobs(["w1a", "w4a"]):
        settings, uncapped = study.job_settings(job), without_caps.job_settings(job)
        if job.dataset == "w4a":
            assert settings == uncapped
        else:
            assert settings["time_limit"] == min(
                20 if job.method in ("cvm", "svc") else 7, uncapped["time_limit"]
            )
            assert (
                max((variant["repetitions"] for variant in settings.get("variants", [])), default=1)
                <= 2
            )
    assert study.tuning_settings("params", "w1a")["time_limit"] == 20


@pytest.mark.parametrize("name", SETTINGS)
def test_demo_jobs_have_the_settings_of_their_sections(load_study, name):
    """The expected settings were copied by hand from config/demo.yaml and config/paper.yaml."""
    study = load_study("demo")
    job = Job(*name.split("/"))
    assert job in study.jobs()
    assert study.job_settings(job) == SETTINGS[name]


def test_settings_of_every_experiment_are_written_down():
    assert {name.split("/")[0] for name in SETTINGS} == set(EXPERIMENTS) - {"race"}


@pytest.mark.parametrize(
    ("caps", "job", "runs", "time_limit"),
    [
        (
            {"two-circles": {"repetitions": 4, "time_limit": {"default": 9}}},
            Job("singh", "all_points", "two-circles", "mfw"),
            4,
            9,
        ),
        (  # 3 models times 2 kernels times 4 partitions, and 200 starting points
            {"heart": {"repetitions": 4, "time_limit": {"default": 9}}},
            Job("alaiz2018", "all_points", "heart", "mfw_sparse"),
            224,
            9,
        ),
        (  # 3 values of C, and the time limit of a part of the study
            {"a1a": {"time_limit": {"cvm": 40, "default": 2}}},
            Job("tsang2005", "none", "a1a", "rsvm"),
            3,
            2,
        ),
        (
            {"pendigits": {"time_limit": {"cvm": 33, "default": 9}}},
            Job("peers", "none", "pendigits", "libsvm_l2"),
            1,
            33,
        ),
    ],
)
def test_a_cap_holds_for_what_a_section_calls_by_its_own_name(
    load_study, caps, job, runs, time_limit
):
    settings = load_study(caps=caps).job_settings(job)
    assert number_of_runs(settings) == runs and settings["time_limit"] == time_limit


@pytest.mark.parametrize(
    ("job", "concerned", "changes"),
    [
        (SWAP, False, {"mirror": "elsewhere"}),
        (SWAP, False, {"experiments": ["benchmark"]}),
        (SWAP, False, {"caps": {"a2a": {"repetitions": 1}}}),
        (SWAP, False, {"benchmark": {"methods": ["swap"]}}),
        (SWAP, False, {"stopping": {"time_limit": {"default": 1}}}),
        (CVM, True, {"seed": 1}),
        (CVM, True, {"caps": {"a1a": {"time_limit": {"default": 1}}}}),
        (CVM, True, {"benchmark": {"eps": 1e-3}}),
        (CVM, True, {"benchmark": {"inner_tolerance": 0.5}}),
        (CVM, True, {"benchmark": {"time_limit": {"cvm": 1}}}),
        (CVM, True, {"benchmark": {"repetitions": {"all_points": 9}}}),
    ],
)
def test_settings_of_a_job_are_those_that_concern_it(load_study, job, concerned, changes):
    assert (load_study(**changes).job_settings(job) != load_study().job_settings(job)) == concerned


@pytest.mark.parametrize(
    ("key", "section"),
    [("protocols", "benchmark"), ("protocol", "c_path"), ("protocol", "peers")],
)
def test_tuning_has_the_rule_of_every_protocol_of_a_job(load_study, key, section):
    """Some sections name several protocols, and others name only one. The jobs of `peers` have no
    protocol of their own, but use the tuned parameters of one.
    """
    rule = {"width_factor": 3, "ties": "largest"}
    mine = {"selection": "sampled", "sample_size": 9, "patience": 1, **rule}
    named = ["as_printed", "mine"] if key == "protocols" else "mine"
    study = load_study(
        datasets=["shuttle"],
        experiments=[section],
        protocols={"mine": mine},
        **{section: {key: named}},
    )
    assert study.tuning_settings("params", "shuttle")["protocols"] == {"mine": rule}


def test_tuning_covers_protocols_that_are_only_in_the_jobs(load_study, monkeypatch):
    """A study can name its protocols under any key of its section. Therefore, the protocols of its
    jobs say which rules are needed.
    """
    job = Job("convergence", "as_run", "a1a", "fw")
    own = dataclasses.replace(EXPERIMENTS["convergence"], jobs=lambda *_: [job])
    monkeypatch.setitem(EXPERIMENTS, "convergence", own)
    study = load_study(datasets=["a1a"], experiments=["convergence"])
    assert list(study.tuning_settings("params", "a1a")["protocols"]) == ["as_run"]
    unknown = dataclasses.replace(own, jobs=lambda *_: [job._replace(protocol="as_runn")])
    monkeypatch.setitem(EXPERIMENTS, "convergence", unknown)
    with pytest.raises((KeyError, ValueError)):
        study.tuning_settings("params", "a1a")


def test_only_what_is_used_of_the_tuning_section_concerns_a_data_set(load_study):
    before, after = load_study(), load_study(tuning={"cross_validation": {"folds": 3}})
    assert after.tuning_settings("params", "usps") != before.tuning_settings("params", "usps")
    assert after.tuning_settings("params", "a1a") == before.tuning_settings("params", "a1a")
    assert "cross_validation" in before.tuning_settings("params", "usps")
    assert "cross_validation" not in before.tuning_settings("params-poly", "usps")


def test_large_sets_and_cross_validation_come_first(load_study):
    study = load_study()
    ranked = sorted(study.datasets, key=lambda name: study.priority("train", name), reverse=True)
    assert (
        ranked.index("kdd99-10pc")
        < ranked.index("mnist")
        < ranked.index("w8a")
        < ranked.index("a1a")
    )
    assert study.priority("tune", "usps") > study.priority("tune", "mnist")
