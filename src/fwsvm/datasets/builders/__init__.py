"""Builders of data sets, with a module for each. To add a builder, write a module and add a line here.

A builder is a function that returns a `Built`. Its positional arguments are paths of the entry's files; their names are
the roles of the files. Its keyword-only arguments are the parameters of the entry.
"""

import inspect

from fwsvm.datasets.builders import kdd99, miniboone, nested, reuters, usps_ext

BUILDERS = {
    "reuters": reuters.build,
    "usps_ext": usps_ext.build,
    "kdd99": kdd99.build,
    "miniboone": miniboone.build,
    "nested": nested.build,
}


def arguments_of(builder):
    """Return the files and the parameters of a builder. Both are mappings from names to whether they are required."""
    arguments = inspect.signature(BUILDERS[builder]).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [{one.name: one.default is one.empty for one in arguments if one.kind is kind} for kind in kinds]
