"""Builders of data sets, each in its own module.

To add a builder, write a module, and add its function to `BUILDERS`.

A builder is a function that returns a `Built`. Each positional argument is the path of a file, and
the name of the argument is the role of this file in the entry of the data set. The keyword-only
arguments are the parameters in the entry.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable

from fwsvm_papers.datasets.builders import kdd99, miniboone, nested, reuters, usps_ext
from fwsvm_papers.datasets.storage import Built

BUILDERS: dict[str, Callable[..., Built]] = {
    "reuters": reuters.build,
    "usps_ext": usps_ext.build,
    "kdd99": kdd99.build,
    "miniboone": miniboone.build,
    "nested": nested.build,
}


def arguments_of(builder: str) -> list[dict[str, bool]]:
    """Return two dicts for a builder. The keys of the first dict are the builder's file roles, and
    the keys of the second dict are its parameters.

    The value of a key is True if the argument is required, and False if it has a default.
    """
    arguments = inspect.signature(BUILDERS[builder]).parameters.values()
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [
        {one.name: one.default is one.empty for one in arguments if one.kind is kind}
        for kind in kinds
    ]
