"""A wrong configuration, catalogue or study: one message, before any job starts."""

import pytest
import yaml

pytestmark = pytest.mark.workflow


def assert_stops_with(copy, *words, **settings):
    done = copy.snakemake("--cores", 2, **settings)
    assert done.code != 0
    for word in words:
        assert word in done.text
    assert done.text.count("error: ") == 1 and "Traceback" not in done.text
    assert done.jobs == []
    assert not (copy / "results/tiny").exists()


def test_every_error_of_a_configuration_is_named(tiny):
    config = yaml.safe_load((tiny / "tiny.yaml").read_text())
    wrong = {"bencmark": {}, "seed": "soon", "benchmark": config["benchmark"] | {"epz": 1e-3, "methods": ["swop"]}}
    tiny.configure("tiny.yaml", config | wrong)
    assert_stops_with(tiny, "tiny.yaml", "'bencmark'", "seed", "benchmark: unknown key 'epz'", "benchmark.methods.0")


def test_an_artefact_that_takes_the_name_of_a_rule_is_named(tiny):
    declared = tiny / "src/fwsvm/studies/stopping/__init__.py"
    declared.write_text(declared.read_text().replace('"beyond-stopping"', '"train-stopping"'))
    assert_stops_with(tiny, "train-stopping", "rule", env={"PYTHONPATH": str(tiny / "src")})
