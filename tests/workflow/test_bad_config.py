"""A wrong configuration or catalogue: one message, before any job starts."""

import pytest
import yaml

pytestmark = pytest.mark.workflow


def set_keys(config, **keys):
    return config | keys


def set_benchmark(config, **keys):
    return config | {"benchmark": config["benchmark"] | keys}


WRONG_CONFIGS = {
    "unknown section": (
        lambda config: set_keys(config, bencmark={}),
        ["tiny.yaml", "unknown key 'bencmark'", "did you mean 'benchmark'?"],
    ),
    "unknown key": (
        lambda config: set_benchmark(config, epz=1e-3),
        ["tiny.yaml", "benchmark: unknown key 'epz'", "did you mean 'eps'?"],
    ),
    "wrong type, and another error": (
        lambda config: set_benchmark(set_keys(config, seed="soon"), cache_mb=0),
        ["tiny.yaml", "seed: 'soon' is of the wrong type; wanted: integer", "benchmark.cache_mb: 0", "MB > 0"],
    ),
    "unknown data set": (
        lambda config: set_keys(config, datasets=["thre"]),
        ["datasets: 'thre' is not in catalogue.yaml", "did you mean 'three'?"],
    ),
    "unknown method": (
        lambda config: set_benchmark(config, methods=["swop"]),
        ["benchmark.methods", "'swop' is not known", "did you mean 'swap'?"],
    ),
}

WRONG_ENTRIES = {
    "unknown key": ({"taks": "binary"}, ["catalogue.yaml: three", "unknown key 'taks'", "did you mean 'task'?"]),
    "missing file": (
        {"source": {"files": {"train": {"path": "points.csv"}}}},
        ["catalogue.yaml: three", "the train file 'points.csv' is not there", "'path'"],
    ),
    "wrong split": ({"split": {"test": "file"}}, ["catalogue.yaml: three.split", "needs the key source.files.test"]),
}


def assert_stops_with(copy, words):
    done = copy.snakemake("--cores", 2)
    assert done.code != 0
    assert done.text.count("error: ") == 1
    for word in words:
        assert word in done.text
    assert "Traceback" not in done.text
    assert done.jobs == []
    assert not (copy / "results").exists()


@pytest.mark.parametrize("case", WRONG_CONFIGS)
def test_config_is_refused(tiny, case):
    change, words = WRONG_CONFIGS[case]
    tiny.configure("tiny.yaml", change(yaml.safe_load((tiny / "tiny.yaml").read_text())))
    assert_stops_with(tiny, words)


@pytest.mark.parametrize("case", WRONG_ENTRIES)
def test_catalogue_is_refused(tiny, case):
    keys, words = WRONG_ENTRIES[case]
    entry = yaml.safe_load((tiny / "catalogue.yaml").read_text())["three"]
    tiny.configure("catalogue.yaml", {"three": entry | keys})
    assert_stops_with(tiny, words)
