"""Test a wrong configuration, study or environment. There must be one message before any job
starts.
"""

import subprocess
import sys
import sysconfig

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


def test_every_error_of_a_configuration_is_named_and_a_key_that_is_there_twice(tiny):
    config = yaml.safe_load((tiny / "tiny.yaml").read_text())
    wrong = {
        "bencmark": {},
        "seed": "soon",
        "benchmark": config["benchmark"] | {"epz": 1e-3, "methods": ["swop"]},
    }
    tiny.configure("tiny.yaml", config | wrong)
    assert_stops_with(
        tiny,
        "tiny.yaml",
        "'bencmark'",
        "seed",
        "benchmark: unknown key 'epz'",
        "benchmark.methods (value 1)",
    )

    tiny.configure("tiny.yaml", "seed: 1\nseed: 2\n")
    assert_stops_with(tiny, "tiny.yaml, line 2", 'duplicate key "seed"')


def test_the_command_line_is_named_as_a_source_of_wrong_values(tiny):
    for setting in ("missing=eror", "seed=soon"):
        done = tiny.snakemake("--cores", 2, "--config", setting)
        key, _, value = setting.partition("=")
        assert done.code != 0
        assert f" + --config: {key}: " in done.text and repr(value) in done.text


def test_sources_other_than_those_installed_are_refused(tiny):
    solver = tiny / "src/fwsvm/solvers/steps.py"
    solver.write_text(solver.read_text() + "\nEDITED = True\n")
    assert_stops_with(tiny, str(solver.parents[1]), "-m pip install --no-deps -e")


def test_a_python_whose_path_has_a_space_is_refused(tiny):
    (tiny / "a b").mkdir()
    (tiny / "a b/python").symlink_to(sys.executable)
    command, settings = tiny.command("--cores", 1)
    settings["env"] |= {"PYTHONPATH": f"{tiny / 'src'}:{sysconfig.get_path('purelib')}"}
    done = subprocess.run([tiny / "a b/python", *command[1:]], capture_output=True, **settings)
    assert done.returncode == 1 and "error: " in done.stderr and "space" in done.stderr


def test_an_artefact_that_takes_the_name_of_a_rule_is_named(tiny):
    declared = tiny / "src/fwsvm_papers/studies/stopping/__init__.py"
    declared.write_text(declared.read_text().replace('"beyond-stopping"', '"train-stopping"'))
    assert_stops_with(tiny, "train-stopping", "rule", env={"PYTHONPATH": str(tiny / "src")})
