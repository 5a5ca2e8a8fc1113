"""The configuration: what is accepted, what is refused, and which jobs follow from it."""

from pathlib import Path

import pytest

from fwsvm.errors import ConfigError
from fwsvm.experiments.config import hash_of_settings, hash_of_sources, selections_of

CONFIGS = Path(__file__).parents[2] / "config"
SHIPPED = sorted(path.stem for path in CONFIGS.glob("*.yaml") if path.stem != "datasets")
ALL_SELECTIONS = ["sampled_text", "sampled_libcvm", "full"]


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
        ({"datasets": []}, ["datasets"]),
        ({"datasets": ["iris", "iris"]}, ["datasets"]),
        ({"benchmark": {"methods": ["swap3"]}}, ["benchmark.methods.0: 'swap3' is not known"]),
        ({"benchmark": {"eps": 0}}, ["benchmark.eps: 0 is not right; wanted: a number > 0"]),
        ({"benchmark": {"repetitions": {"full": 1.5}}}, ["benchmark.repetitions.full: 1.5 is of the wrong type"]),
        ({"tuning": {"validation_fraction": 1}}, ["tuning.validation_fraction", "a number between 0 and 1"]),
        ({"profile": "a/b"}, ["profile: 'a/b' is not right", "letters"]),
        ({"subset": {"trian": 100}}, ["subset: unknown key 'trian'; did you mean 'train'?"]),
        ({"catalogue": "config/no.yaml"}, ["config/no.yaml: cannot be read"]),
    ],
)
def test_wrong_configuration_is_refused(load_study, changes, words):
    with pytest.raises(ConfigError) as error:
        load_study("smoke", **changes)
    for word in words:
        assert word in str(error.value)


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


@pytest.mark.parametrize(
    ("selections", "of_cvm"),
    [
        (["sampled_text"], ["sampled_libcvm"]),
        (["sampled_libcvm"], ["sampled_libcvm"]),
        (["full"], ["full"]),
        (["sampled_text", "full"], ["sampled_libcvm", "full"]),
        (ALL_SELECTIONS, ["sampled_libcvm", "full"]),
    ],
)
def test_cvm_runs_as_libcvm_does_and_under_full(selections, of_cvm):
    assert selections_of("cvm", selections) == of_cvm
    assert selections_of("swap", selections) == selections


def test_jobs_are_every_method_on_every_data_set(load_study):
    study = load_study(datasets=["a1a", "w1a"], benchmark={"methods": ["cvm", "fw"], "selections": ALL_SELECTIONS})
    assert set(study.jobs()) == {
        (selection, dataset, method)
        for dataset in ("a1a", "w1a")
        for method, selections in (("cvm", ["sampled_libcvm", "full"]), ("fw", ALL_SELECTIONS))
        for selection in selections
    }


def test_repetitions_of_each_selection(load_study):
    study = load_study(benchmark={"repetitions": {"sampled_text": 7, "sampled_libcvm": 5, "full": 2}})
    assert [study.repetitions(selection) for selection in ALL_SELECTIONS] == [7, 5, 2]
    assert study.job_settings("full", "swap")["repetitions"] == 2


def test_cvm_repeats_as_often_as_the_sampled_runs_it_is_compared_with(load_config, check):
    config = load_config()
    config["benchmark"]["repetitions"] = {"sampled_text": 4, "full": 1}
    assert check(config).repetitions("sampled_libcvm") == 4


def test_time_limit_of_a_method_or_the_default(load_study):
    study = load_study(benchmark={"time_limit": {"cvm": 60, "default": 5}})
    assert study.job_settings("full", "cvm")["time_limit"] == 60
    assert study.job_settings("full", "swap")["time_limit"] == 5


@pytest.mark.parametrize(
    "changes",
    [
        {"mirror": "elsewhere"},
        {"datasets": ["a1a"]},
        {"tuning": {"C_exponents": [1]}},
        {"benchmark": {"methods": ["swap"]}},
        {"benchmark": {"inner_tolerance": 0.5}},
        {"benchmark": {"time_limit": {"cvm": 1}}},
        {"benchmark": {"repetitions": {"sampled_text": 9}}},
    ],
)
def test_settings_that_do_not_concern_a_job_are_not_among_its_own(load_study, changes):
    assert load_study(**changes).job_settings("full", "swap") == load_study().job_settings("full", "swap")


@pytest.mark.parametrize(
    "changes",
    [
        {"seed": 1},
        {"timing": "shared"},
        {"benchmark": {"eps": 1e-3}},
        {"benchmark": {"init": "farthest_pair"}},
        {"benchmark": {"stop": "gap"}},
        {"benchmark": {"cache_mb": 7}},
        {"benchmark": {"max_iterations": 7}},
        {"benchmark": {"inner_tolerance": 0.5}},
        {"benchmark": {"time_limit": {"cvm": 1}}},
        {"benchmark": {"repetitions": {"full": 9}}},
    ],
)
def test_settings_that_concern_a_job_are_among_its_own(load_study, changes):
    assert load_study(**changes).job_settings("full", "cvm") != load_study().job_settings("full", "cvm")


def test_tuning_depends_on_neither_repetitions_nor_the_limits_of_training(load_study):
    changed = load_study(benchmark={"repetitions": {"full": 9}, "time_limit": {"default": 1}, "methods": ["fw"]})
    assert changed.tuning_settings() == load_study().tuning_settings()
    assert load_study(tuning={"C_exponents": [1]}).tuning_settings() != load_study().tuning_settings()
    assert load_study(benchmark={"eps": 1e-3}).tuning_settings() != load_study().tuning_settings()


def test_subsets_have_a_folder_of_their_own(load_study):
    whole, part = load_study(), load_study(subset={"train": 60, "test": 40})
    assert (whole.variant, part.variant) == ("full", "train60-test40")
    assert whole.digest("a1a") != part.digest("a1a")


def test_complement_needs_the_whole_file(load_study):
    study = load_study()
    assert study.raw_files("a5a")["whole"].name == "libsvm/binary/a9a"
    assert set(study.sums("a5a")) == {"libsvm/binary/a5a", "libsvm/binary/a9a"}


def test_hash_of_sources_sees_every_part():
    assert hash_of_sources("dual.py") != hash_of_sources("kernels.py")
    assert hash_of_sources("solvers") == hash_of_sources("solvers") != hash_of_sources("solvers", "dual.py")
    with pytest.raises(FileNotFoundError):
        hash_of_sources("no_such_module.py")


def test_hash_of_settings_does_not_see_their_order():
    assert hash_of_settings({"a": 1, "b": [2]}) == hash_of_settings({"b": [2], "a": 1}) != hash_of_settings({"a": 1})
