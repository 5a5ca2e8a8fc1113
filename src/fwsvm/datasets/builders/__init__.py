"""Builders of data sets, one module for each. To add a builder, write a module and add a line here.

A builder is a function that returns a `Built`. Each positional argument is the path of a file, and has the name of the
file's role in the entry. The keyword-only arguments are the parameters of the entry.
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
    """Return the file roles and the parameters of a builder as two dicts. The values say which names are required."""
    arguments = inspect.signature(BUILDERS[builder]).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [{one.name: one.default is one.empty for one in arguments if one.kind is kind} for kind in kinds]
