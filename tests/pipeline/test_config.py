"""Test the configuration: which values are accepted, which key an error about a wrong value names,
and the files that a run makes.
"""

import math
from pathlib import Path

import pytest

from fwsvm.cli import main
from fwsvm.inputs.errors import ConfigError
from fwsvm_papers.datasets import load_catalogue
from fwsvm_papers.pipeline.config import load_config as read_config
from fwsvm_papers.studies.benchmark.groups import ADULT, LARGE, MEDIUM, OF_STUDIES, PROTEIN, WEB

CONFIGS = Path(__file__).parents[2] / "config"
SHIPPED = sorted(path.stem for path in CONFIGS.glob("*.yaml") if path.stem != "datasets")


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_configuration_is_right(load_study, load_config, name):
    configuration = load_study(name)
    assert configuration.config["profile"] == name
    assert len(configuration.jobs()) == len(set(configuration.jobs())) > 0
    # Snakemake merges a configuration into the default one, and the result must be the same
    assert read_config(f"config/{name}.yaml") == load_config(name)


WRONG = [  # the change, the key that the error names, and other words of the message
    ({"datsets": ["iris"]}, "datsets", "datasets"),
    ({"tuning": {"C_exponent": [1]}}, "tuning", "C_exponents"),
    ({"datasets": ["irs"]}, "datasets", "iris"),
    ({"datasets": ["iris", "iris"]}, "datasets", ""),
    ({"c_path": {"datasets": ["iris", "pendgits"]}}, "c_path.datasets", "pendigits"),
    ({"tsang2005": {"one_class": {"datasets": ["uspss"]}}}, "tsang2005.one_class.datasets", "usps"),
    (
        {"tuning": {"cross_validation": {"cv_grid_variable": "beta"}}},
        "cv_grid_variable",
        "gamma, sigma2",
    ),
    ({"benchmark": {"leave_out": ["nope"]}}, "benchmark.leave_out", "config/datasets.yaml"),
    ({"benchmark": {"methods": ["swop"]}}, "benchmark.methods (value 1)", "swap"),
    (
        {"benchmark": {"methods": ["fw", "cvm", "mwf"]}},
        "benchmark.methods (value 3): 'mwf'",
        "'mfw'",
    ),
    (
        {"protocols": {"as_run": {"series_C": [{"C": 2, "datasets": ["a1a"]}, {"C": "x"}]}}},
        "protocols.as_run.series_C (value 2).C: ",
        "'x'",
    ),
    ({"benchmark": {"eps": math.nan}}, "benchmark.eps", "a number > 0"),
    ({"benchmark": {"eps": "1e-6"}}, "benchmark.eps", "not '1e-6'"),
    ({"benchmark": {"time_limit": {"cvm": math.inf}}}, "benchmark.time_limit.cvm", "inf"),
    ({"tuning": {"C_exponents": [2000]}}, "tuning.C_exponents (value 1)", "exponent"),
    ({"data_dir": "results/released/data"}, "data_dir", "committed results"),
    ({"benchmark": {"time_limit": {"mfw20": 30}}}, "benchmark.time_limit", "mfw2o"),
    ({"caps": {"iris": {"repetitions": {"fww": 1}}}}, "caps.iris.repetitions", "fw"),
    ({"caps": {"iris": {"time_limit": {"svm": 1}}}}, "caps.iris.time_limit", "known"),
    ({"ladder": {"protocol": "all_points"}}, "ladder.protocol: 'all_points'", "as_printed"),
    ({"stopping": {"protocol": "all_points"}}, "stopping.protocol: 'all_points'", "samples"),
    ({"figure_formats": ["pdf"]}, "figure_formats", "svg or png"),
    *(
        ({"profile": name}, "profile", "")
        for name in ("released", "Released", "..", ".", "", "/tmp/x", "a/b", "-x")
    ),
    *(({"profile": name}, "profile", "letters") for name in ("mine\n", "x" * 300)),
]


@pytest.mark.parametrize(
    ("changes", "key", "word"), WRONG, ids=[f"{key} {word}" for _, key, word in WRONG]
)
def test_wrong_configuration_is_refused(load_study, changes, key, word):
    with pytest.raises(ConfigError) as error:
        load_study("smoke", **changes)
    message = str(error.value)
    assert message.startswith("config/smoke.yaml: ") and key in message and word in message
    assert len(message) < 1000


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"seed": None}, "seed: must be an integer >= 0, not null"),
        ({"missing": None}, "missing: null is not known; known: skip, error"),
        ({"missing": True}, "missing: true is not known; known: skip, error"),
        ({"figure_formats": []}, "figure_formats: must be a list of svg, pdf, png, with"),
        ({"figure_formats": ["pdf", "pdf"]}, "figure_formats: must be a list of svg, pdf, png"),
    ],
)
def test_an_error_is_given_once_with_the_value_as_in_yaml(load_study, changes, what):
    with pytest.raises(ConfigError) as error:
        load_study("smoke", **changes)
    (line,) = str(error.value).splitlines()
    assert line.startswith(f"config/smoke.yaml: {what}")


def test_missing_key_and_missing_files_are_named(load_config, check, tmp_path):
    config = load_config("smoke")
    del config["seed"]
    with pytest.raises(ConfigError, match="'seed'"):
        check(config)
    with pytest.raises(ConfigError, match=r"config/no\.yaml"):
        check(load_config("smoke", catalogue="config/no.yaml"))
    catalogue = tmp_path / "catalogue.yaml"
    files = "{train: {path: train.svm}, test: {path: test.svm}}"
    catalogue.write_text(f"mine: {{source: {{files: {files}}}, split: {{test: file}}}}\n")
    with pytest.raises(ConfigError) as error:
        check(load_config("smoke", catalogue=str(catalogue), datasets=["mine"]))
    for role in ("train", "test"):
        assert f"{catalogue}: mine: the {role} file '{role}.svm'" in str(error.value)


@pytest.mark.parametrize(
    ("points", "catalogue"),
    [
        ("results/mine/x.svm", "own.yaml"),
        ("figures/mine/deep/x.svm", "own.yaml"),
        ("data/prepared/x.svm", "own.yaml"),
        ("link.svm", "own.yaml"),
        ("data/raw/x.svm", "results/mine/own.yaml"),
    ],
)
def test_files_of_the_user_that_a_run_would_replace_are_refused(
    load_config, check, tmp_path, monkeypatch, points, catalogue
):
    config = load_config("smoke", profile="mine", datasets=["own"], catalogue=catalogue)
    monkeypatch.chdir(tmp_path)
    Path("link.svm").symlink_to("results/mine/x.svm")
    for name in ("results/mine/x.svm", points, catalogue):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text("1 1:1\n")
    files = f"{{train: {{path: {points}}}}}"
    Path(catalogue).write_text(
        f"own: {{source: {{files: {files}}}, split: {{fraction: 0.5, seed: 1}}}}\n"
    )
    with pytest.raises(
        ConfigError, match=r"would replace or remove the files in this folder; move '"
    ) as error:
        check(config)
    assert (points if catalogue == "own.yaml" else catalogue) in str(error.value)
    check(config | {"profile": "other", "data_dir": "elsewhere"})


@pytest.mark.parametrize(
    ("text", "word"), [("", "mapping"), ("- a\n", "mapping"), ("seed: 1\nseed: 2\n", "seed")]
)
def test_configuration_that_is_no_mapping_or_has_a_key_twice_is_refused(
    load_config, tmp_path, capsys, text, word
):
    load_config()
    (tmp_path / "mine.yaml").write_text(text)
    assert main(["budget", "--config", str(tmp_path / "mine.yaml")]) == 2
    error = capsys.readouterr().err
    assert "mine.yaml" in error and word in error


def test_data_sets_of_the_papers_are_those_of_the_default(load_config):
    config = load_config("paper")
    assert set(OF_STUDIES) <= set(config["benchmark"]["leave_out"])
    catalogue = load_catalogue(config["catalogue"])
    of_groups = {name for group in (WEB, ADULT, MEDIUM, LARGE, PROTEIN) for name in group.datasets}
    assert {name for name in config["datasets"] if catalogue[name].papers} == of_groups.union(
        OF_STUDIES
    )


def test_lists_of_the_default_do_not_bind_another_catalogue(load_study, tmp_path):
    catalogue = tmp_path / "catalogue.yaml"
    catalogue.write_text("mine: {source: {sklearn: wine}, split: {fraction: 0.3, seed: 1}}\n")
    settings = {"catalogue": str(catalogue), "datasets": ["mine"]}
    settings["experiments"] = ["benchmark", "c_path", "poly"]
    configuration = load_study(**settings)
    assert {job.experiment for job in configuration.jobs()} == {"benchmark"}
    # the caps of the default stay in the configuration, because mappings are merged
    caps = {"mine": {"time_limit": {"default": 3}}}
    job = next(iter(load_study(**settings, caps=caps).jobs()))
    assert load_study(**settings, caps=caps).job_settings(job)["time_limit"] == 3
    with pytest.raises(ConfigError, match=r"caps: 'mien' is not in .*did you mean 'mine'") as error:
        load_study(**settings, caps=caps | {"mien": {"repetitions": 1}})
    assert str(error.value).count("caps") == 1


def test_limits_and_caps_can_name_every_method_that_runs(load_study):
    names = ["bpfw", "mfw2o", "auto", "default"]
    load_study(ladder={"time_limit": dict.fromkeys(names, 3)})
    jobs = load_study("paper").jobs()
    # the caps of the experiment `peers` are those of CVM
    names += sorted({job.method for job in jobs if job.experiment != "peers"})
    for key in ("time_limit", "repetitions"):
        load_study(caps={"a1a": {key: dict.fromkeys(names, 3)}})


def test_configuration_without_jobs_says_which_experiments_use_the_data(load_study):
    with pytest.raises(ConfigError, match=r"benchmark.*leave_out.*: alaiz2018$"):
        load_study(datasets=["heart"], experiments=["benchmark", "ladder"])
    with pytest.raises(ConfigError, match=r"\(singh\) use none .* \(iris\).*: benchmark, "):
        load_study(datasets=["iris"], experiments=["singh"])
    some = load_study(datasets=["heart", "iris"], experiments=["benchmark"])
    assert some.without_jobs == ["heart"]


def test_names_whose_pages_would_have_one_address_are_refused(load_study, tmp_path):
    catalogue = tmp_path / "catalogue.yaml"
    entry = "{source: {sklearn: wine}, split: {fraction: 0.3, seed: 1}}"
    names = ["my.data", "my-data", "My-Data", "my_data"]
    catalogue.write_text("".join(f"{name}: {entry}\n" for name in names))
    settings = {"catalogue": str(catalogue), "experiments": ["benchmark"]}
    with pytest.raises(ConfigError, match="rename one of them") as error:
        load_study(**settings, datasets=names)
    assert str(error.value).count("'my.data'") == 2 and "my_data" not in str(error.value)
    load_study(**settings, datasets=["my-data", "my_data"])


@pytest.mark.parametrize("path", ["x" * 300, "points.svm/" + "y" * 300, "."])
def test_a_path_that_cannot_be_read_is_one_message(load_config, check, tmp_path, path):
    catalogue = tmp_path / "catalogue.yaml"
    split = "{fraction: 0.3, seed: 1}"
    catalogue.write_text(
        f"mine: {{source: {{files: {{train: {{path: {path}}}}}}}, split: {split}}}"
    )
    with pytest.raises(ConfigError, match=r"mine: the train file .* cannot be read"):
        check(load_config("smoke", catalogue=str(catalogue), datasets=["mine"]))


def test_files_of_data_sets(load_study):
    configuration = load_study()
    # the test part of a5a is the rest of a9a, so both files are needed
    (files,) = configuration.fetch_settings("a5a")
    names = {role: file["name"] for role, file in files.items()}
    assert names == {"train": "libsvm/binary/a5a", "whole": "libsvm/binary/a9a"}
    assert {"a6a", "w1a", "usps"} <= set(configuration.remote)
    assert set(configuration.remote).isdisjoint(
        {"a1a", "a5a", "pendigits", "letter", "shuttle", "heart"}
    )


@pytest.mark.parametrize("changed", ["usps", "a6a"])
def test_a_corrected_address_is_tried_again(load_config, check, tmp_path, changed):
    """Another address changes what `fetch` depends on. This also holds for the files of a
    stand-in.
    """
    text = (CONFIGS / "datasets.yaml").read_text()
    found = []
    for content in (text, text.replace("https://", "https://corrected.")):
        catalogue = tmp_path / "catalogue.yaml"
        catalogue.write_text(content)
        found.append(check(load_config(catalogue=str(catalogue))).fetch_settings(changed))
    assert found[0] != found[1]
