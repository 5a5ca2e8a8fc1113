"""The configuration: what is accepted, what is refused, and which jobs follow from it."""

from pathlib import Path

import pytest

from fwsvm.base.errors import ConfigError
from fwsvm.datasets import load_catalogue
from fwsvm.pipeline.config import hash_of_settings
from fwsvm.pipeline.config import load_config as read_config
from fwsvm.studies.benchmark.groups import OF_STUDIES, OF_THE_PAPERS

CONFIGS = Path(__file__).parents[2] / "config"
SHIPPED = sorted(path.stem for path in CONFIGS.glob("*.yaml") if path.stem != "datasets")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_configuration_is_right(load_study, name):
    study = load_study(name)
    assert study.config["profile"] == name
    assert len(study.jobs()) == len(set(study.jobs())) > 0


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"datsets": ["iris"]}, ["config/smoke.yaml: unknown key 'datsets'", "did you mean 'datasets'?"]),
        ({"tuning": {"C_exponent": [1]}}, ["config/smoke.yaml: tuning: unknown key", "did you mean 'C_exponents'?"]),
        ({"datasets": ["irs"]}, ["datasets: 'irs' is not in config/datasets.yaml", "did you mean 'iris'?"]),
        ({"singh": {"datasets": ["two-circle"]}}, ["singh.datasets: 'two-circle'", "did you mean 'two-circles'?"]),
        ({"tsang2005": {"one_class": {"datasets": ["uspss"]}}}, ["tsang2005.one_class.datasets: 'uspss'", "'usps'?"]),
        ({"benchmark": {"leave_out": ["nope"]}}, ["benchmark.leave_out: 'nope' is not in config/datasets.yaml"]),
        ({"datasets": []}, ["datasets"]),
        ({"datasets": ["iris", "iris"]}, ["datasets"]),
        ({"benchmark": {"methods": ["swap3"]}}, ["benchmark.methods.0: 'swap3' is not known"]),
        ({"benchmark": {"eps": 0}}, ["benchmark.eps: 0 is not right; it must be: a number > 0"]),
        ({"benchmark": {"repetitions": {"full": 1.5}}}, ["benchmark.repetitions.full: 1.5 is of the wrong type"]),
        ({"tuning": {"validation_fraction": 1}}, ["tuning.validation_fraction", "a number between 0 and 1"]),
        ({"profile": "a/b"}, ["profile: 'a/b' is not right", "letters"]),
        ({"subset": {"trian": 100}}, ["subset: unknown key 'trian'; did you mean 'train'?"]),
        ({"experiments": ["c-path"]}, ["experiments.0: 'c-path' is not known; did you mean 'c_path'?"]),
        ({"poly": {"tuning_method": "cvm"}}, ["poly.tuning_method: 'cvm' is not known"]),
        ({"stopping": {"patience": [0]}}, ["stopping.patience.0: 0 is not right; it must be: an integer >= 1"]),
        ({"caps": {"iris": {"repetition": 1}}}, ["caps.iris: unknown key 'repetition'; did you mean 'repetitions'?"]),
        ({"tuning": {"cross_validation": {"cv_grid_variable": "beta"}}}, ["'beta' is not known", "gamma, sigma2"]),
        ({"catalogue": "config/no.yaml"}, ["config/no.yaml: cannot be read"]),
    ],
)
def test_wrong_configuration_is_refused(load_study, changes, words):
    with pytest.raises(ConfigError) as error:
        load_study("smoke", **changes)
    for word in words:
        assert word in str(error.value)


def test_data_sets_of_the_papers_are_those_of_the_default(load_config):
    config = load_config("paper")
    assert set(OF_STUDIES) <= set(config["benchmark"]["leave_out"])
    catalogue = load_catalogue(config["catalogue"])
    assert {name for name in config["datasets"] if catalogue[name].papers} == OF_THE_PAPERS


def test_missing_key_is_named(load_config, check):
    config = load_config("smoke")
    del config["seed"]
    with pytest.raises(ConfigError, match="the key 'seed' is missing"):
        check(config)


def test_missing_file_of_a_data_set_is_named(load_config, check, tmp_path):
    catalogue = tmp_path / "catalogue.yaml"
    files = "{train: {path: train.svm}, test: {path: test.svm}}"
    catalogue.write_text(f"mine: {{source: {{files: {files}}}, split: {{test: file}}}}\n")
    config = load_config("smoke", catalogue=str(catalogue), datasets=["mine"])
    with pytest.raises(ConfigError) as error:
        check(config)
    assert f"{catalogue}: mine: the train file 'train.svm' is not there" in str(error.value)
    assert f"{catalogue}: mine: the test file 'test.svm' is not there" in str(error.value)


@pytest.mark.parametrize("key", ["c_path", "tuning"])
def test_unknown_name_in_a_list_of_data_sets_is_named(load_study, key):
    lists = {"c_path": {"datasets": ["shuttle", "pendgits"]}}
    lists["tuning"] = {"cross_validation": {"datasets": ["usps", "pendgits"]}}
    with pytest.raises(ConfigError, match=r"datasets: 'pendgits' is not in .* did you mean 'pendigits'"):
        load_study(**{key: lists[key]})


def test_lists_of_the_default_do_not_bind_another_catalogue(load_study, tmp_path):
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text("mine: {source: {sklearn: wine}, split: {fraction: 0.3, seed: 1}}\n")
    study = load_study(catalogue=str(catalogue), datasets=["mine"], experiments=["benchmark", "c_path", "poly"])
    assert {job.experiment for job in study.jobs()} == {"benchmark"}


def test_number_that_yaml_takes_for_text_is_explained(load_study):
    for text, right in (("1e-6", "1.0e-6"), ("1.5e3", "1.5e+3")):
        with pytest.raises(ConfigError) as error:
            load_study("smoke", benchmark={"eps": text})
        assert f"benchmark.eps: {text!r} is of the wrong type; it must be: number; write {right} " in str(error.value)


def test_configuration_is_laid_over_the_default_as_snakemake_does_it(load_config):
    for name in SHIPPED:
        assert read_config(f"config/{name}.yaml") == load_config(name)


def test_subsets_have_a_folder_of_their_own(load_study):
    whole, part = load_study(), load_study(subset={"train": 60, "test": 40})
    assert (whole.variant, part.variant) == ("full", "train60-test40")
    assert whole.digest("a1a") != part.digest("a1a")


def test_complement_needs_the_whole_file(load_study):
    study = load_study()
    assert study.raw_files("a5a")["whole"].name == "libsvm/binary/a9a"
    assert set(study.sums("a5a")) == {"libsvm/binary/a5a", "libsvm/binary/a9a"}


def test_sets_that_the_package_carries_are_not_remote(load_study):
    study = load_study()
    assert {"a6a", "w1a", "usps"} <= set(study.remote)
    assert set(study.remote).isdisjoint({"a1a", "a5a", "pendigits", "letter", "shuttle", "heart"})


def test_hash_of_settings_does_not_see_their_order():
    assert hash_of_settings({"a": 1, "b": [2]}) == hash_of_settings({"b": [2], "a": 1}) != hash_of_settings({"a": 1})
