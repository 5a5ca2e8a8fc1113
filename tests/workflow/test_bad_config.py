"""A wrong configuration or catalogue: one message, before any job starts."""

import pytest
import yaml

pytestmark = pytest.mark.workflow


def assert_stops_with(copy, lines):
    done = copy.snakemake("--cores", 2)
    assert done.code != 0
    for line in lines:
        assert line in done.text
    assert done.text.count("error: ") == 1
    assert "Traceback" not in done.text
    assert done.jobs == []
    assert not (copy / "results/tiny").exists()


def test_every_error_of_a_config_is_named(tiny):
    config = yaml.safe_load((tiny / "tiny.yaml").read_text())
    config |= {"bencmark": {}, "seed": "soon"}
    config["benchmark"] |= {"epz": 1e-3, "cache_mb": 0, "methods": ["swop"]}
    tiny.configure("tiny.yaml", config)
    assert_stops_with(
        tiny,
        [
            "tiny.yaml",
            ": unknown key 'bencmark'; did you mean 'benchmark'?",
            ": seed: 'soon' is of the wrong type; wanted: integer",
            ": benchmark: unknown key 'epz'; did you mean 'eps'?",
            ": benchmark.cache_mb: 0 is not right; wanted: MB > 0",
            ": benchmark.methods.0: 'swop' is not known; did you mean 'swap'?",
        ],
    )


@pytest.mark.exhaustive  # tests/pipeline/test_config.py has the message
def test_unknown_data_set(tiny):
    config = yaml.safe_load((tiny / "tiny.yaml").read_text())
    tiny.configure("tiny.yaml", config | {"datasets": ["thre"]})
    assert_stops_with(tiny, ["datasets: 'thre' is not in catalogue.yaml; did you mean 'three'?"])


WRONG_ENTRIES = {
    "unknown key": ({"taks": "binary"}, ["catalogue.yaml: three: unknown key 'taks'; did you mean 'task'?"]),
    "missing file": (
        {"source": {"files": {"train": {"path": "points.csv"}}}},
        ["catalogue.yaml: three: the train file 'points.csv' is not there; correct its key 'path'"],
    ),
}


@pytest.mark.parametrize("case", [pytest.param("unknown key", marks=pytest.mark.exhaustive), "missing file"])
def test_wrong_catalogue_entry(tiny, case):
    keys, lines = WRONG_ENTRIES[case]
    entry = yaml.safe_load((tiny / "catalogue.yaml").read_text())["three"]
    tiny.configure("catalogue.yaml", {"three": entry | keys})
    assert_stops_with(tiny, lines)
