"""Builders of data sets, one module each. To add one, write a module and add a line here.

A builder is a function that returns a `Built`. Its positional arguments are the paths of the entry's files, named by
role. Its keyword-only arguments are the parameters of the entry.
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
    """Return the files and the parameters of a builder: two mappings from a name to whether it is required."""
    arguments = inspect.signature(BUILDERS[builder]).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [{one.name: one.default is one.empty for one in arguments if one.kind is kind} for kind in kinds]
