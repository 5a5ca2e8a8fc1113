"""Values of a configuration that have the right type and are of no use, and names that would write elsewhere."""

import math
import os

import pytest

from fwsvm.base.errors import ConfigError
from fwsvm.cli import main

WRONG = [
    ({"benchmark": {"eps": math.nan}}, "benchmark.eps: nan is not a finite number"),
    ({"benchmark": {"eps": math.inf}}, "benchmark.eps: inf is not a finite number"),
    ({"benchmark": {"time_limit": {"cvm": math.inf}}}, "benchmark.time_limit.cvm: inf is not a finite number"),
    ({"benchmark": {"cache_mb": math.nan}}, "benchmark.cache_mb: nan is not a finite number"),
    ({"tuning": {"validation_fraction": math.nan}}, "tuning.validation_fraction: nan is not a finite number"),
    ({"tuning": {"C_exponents": [0, math.nan]}}, "tuning.C_exponents.1: nan is not a finite number"),
    ({"tuning": {"C_exponents": [2000]}}, "tuning.C_exponents.0: 2000 is not right; it must be: an exponent k of 2^k"),
    ({"c_path": {"repetitions": 2.0}}, "c_path.repetitions: 2.0 is of the wrong type; it must be: integer"),
    ({"data_dir": ""}, "data_dir: '' is not right; it must be: folder for raw and prepared data"),
    ({"data_dir": "config/paper.yaml"}, "data_dir: 'config/paper.yaml' is a file; a folder is wanted"),
    ({"data_dir": "results/released/data"}, "data_dir: 'results/released/data' would write over the committed"),
    ({"caps": {7: {}}}, "caps.7: this key is not text"),
]


@pytest.mark.parametrize(("changes", "words"), WRONG, ids=[words.split(" is ")[0] for _, words in WRONG])
def test_value_of_no_use_is_refused(load_study, changes, words):
    with pytest.raises(ConfigError) as error:
        load_study("smoke", **changes)
    assert f"config/smoke.yaml: {words}" in str(error.value)


@pytest.mark.parametrize("profile", ["released", "Released", "..", ".", "", "/tmp/x", "a/b", "mine\n", "x" * 300, "-x"])
def test_profile_that_would_write_elsewhere_is_refused(load_study, profile):
    with pytest.raises(ConfigError, match=r"config/smoke.yaml: profile: ") as error:
        load_study("smoke", profile=profile)
    assert len(str(error.value)) < 300


def test_link_to_the_committed_results_is_refused(load_config, check, tmp_path, monkeypatch):
    config = load_config("smoke", profile="mine")
    catalogue = os.path.abspath(config["catalogue"])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "figures/released").mkdir(parents=True)
    check(config | {"catalogue": catalogue})
    (tmp_path / "figures/mine").symlink_to("released")
    with pytest.raises(ConfigError, match="profile: 'mine' would write over the committed results"):
        check(config | {"catalogue": catalogue})


@pytest.mark.parametrize(("text", "words"), [("", "the file is empty"), ("- a\n", "this is a list, not a mapping")])
def test_configuration_that_is_no_mapping_is_refused(load_config, tmp_path, capsys, text, words):
    load_config()
    (tmp_path / "mine.yaml").write_text(text)
    assert main(["budget", "--config", str(tmp_path / "mine.yaml")]) == 2
    assert f"mine.yaml: {words}; keys with values are wanted" in capsys.readouterr().err
