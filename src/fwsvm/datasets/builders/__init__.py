"""Data sets that must be built: the registry of builders, one module for each.

A builder is a function. Its positional arguments are paths, named as the roles of the files in the catalogue; its
keyword-only arguments are the parameters of the entry; those with a default may be left out. It returns `Built`.
A new one is a module and a line here.
"""

import inspect

from fwsvm.datasets.builders import kdd99, miniboone, nested, reuters, usps_ext
from fwsvm.datasets.builders.base import Built

__all__ = ["BUILDERS", "Built", "build", "parameters_of_builder", "roles_of_builder"]

BUILDERS = {
    "reuters": reuters.build,
    "usps_ext": usps_ext.build,
    "kdd99": kdd99.build,
    "miniboone": miniboone.build,
    "nested": nested.build,
}


def build(builder, paths, parameters):
    """Run a builder by name, on `paths` (role -> path) and with `parameters`, both checked by the catalogue."""
    return BUILDERS[builder](**paths, **parameters)


def roles_of_builder(builder):
    """The files a builder takes: role -> whether it is needed."""
    return _arguments(builder, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def parameters_of_builder(builder):
    """The parameters a builder takes: name -> whether it is needed."""
    return _arguments(builder, inspect.Parameter.KEYWORD_ONLY)


def _arguments(builder, kind):
    arguments = inspect.signature(BUILDERS[builder]).parameters.values()
    return {argument.name: argument.default is argument.empty for argument in arguments if argument.kind is kind}
