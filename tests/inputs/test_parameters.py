"""Test that every setting is defined once, and that signatures, docstrings, options and the schema
of configurations agree with this definition.
"""

import argparse
import inspect
import re
from ast import literal_eval

import pytest
import yaml
from configurations import SCHEMA

from fwsvm import FrankWolfeOneClass, FrankWolfeSVC, minimum_enclosing_ball, solve
from fwsvm.commands import train
from fwsvm.inputs.parameters import (
    FOR_USERS,
    PARAMETERS,
    check_settings,
    definitions,
    of_method,
    parameter,
)
from fwsvm.solvers.settings import Settings

DOORS = (Settings, FrankWolfeSVC, FrankWolfeOneClass, minimum_enclosing_ball)
OWN_DEFAULTS = {
    (Settings, "selection"),
    (minimum_enclosing_ball, "method"),
    (minimum_enclosing_ball, "kernel"),
}


def shared(door):
    """Return pairs of a parameter of the signature and its setting, for the parameters that are
    settings.
    """
    pairs = ((given, parameter(name)) for name, given in inspect.signature(door).parameters.items())
    return [(given, stated) for given, stated in pairs if stated is not None]


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_defaults_of_signatures(door):
    assert shared(door)
    for given, stated in shared(door):
        if (door, given.name) not in OWN_DEFAULTS:
            users = FOR_USERS if door in DOORS[1:3] else {}
            assert (given.name, given.default) == (
                given.name,
                users.get(given.name, stated.default),
            )


@pytest.mark.parametrize("door", (solve, *DOORS[1:3]), ids=lambda door: door.__name__)
def test_docstrings_describe_every_parameter(door):
    text = inspect.getdoc(door).split("Parameters\n----------\n")[1]
    described = re.findall(
        r"^(\w[\w, ]*) :", text.split("\n\nAttributes\n")[0].split("\n\nReturns\n")[0], re.MULTILINE
    )
    described = [name for line in described for name in line.split(", ")]
    assert set(inspect.signature(door).parameters) <= {
        *described,
        "changes",
        "trace",
        "trace_every",
        "trace_iterates",
    }
    assert "{" not in re.sub(r'\{["0]', "", text)
    signature = inspect.signature(Settings if door is solve else door).parameters
    # the tool that makes the reference from docstrings takes the first choice as the default
    forms = (r"\{([^,}]+)", ".*default=(.+)")
    stated = [pair for form in forms for pair in re.findall(rf"^(\w+) : {form}", text, re.M)]
    defaults = {
        name: getattr(each.default, "name", each.default) for name, each in signature.items()
    }
    assert len(stated) > 15 and {(name, literal_eval(value)) for name, value in stated} <= set(
        defaults.items()
    )


def test_the_command_line_has_the_same_defaults():
    parser = argparse.ArgumentParser()
    train.configure(parser)
    options = vars(parser.parse_args(["iris"]))
    common = set(options) & set(PARAMETERS)
    assert {"method", "kernel", "C", "eps", "cache_mb", "max_iterations", "time_limit"} <= common
    assert {name: options[name] for name in common} == {
        name: FOR_USERS.get(name, PARAMETERS[name].default) for name in common
    }


def test_the_schema_leaves_the_ranges_to_the_record():
    text = SCHEMA.read_text()
    written = set(yaml.safe_load(text)["$defs"])
    used = set(re.findall(r"#/\$defs/(\w+)", text))
    assert used <= written | set(definitions()) and not written & set(definitions())
    assert {"eps", "stop", "cache_mb", "init", "selection"} <= used & set(definitions())


def test_settings_of_single_methods():
    assert of_method("cvm") == ["inner_tolerance", "inner_fixed", "inner_steps"]
    assert of_method("fw", ("eps", "inner_tolerance")) == ["eps"]
    assert parameter("max_iter").default == parameter("max_iterations").default
    with pytest.raises(
        ValueError, match=r"max_iter must be an integer from 1 to 2\^63 - 1 .*got 0"
    ):
        check_settings({"max_iter": 0})
