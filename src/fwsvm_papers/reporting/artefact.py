"""Declarations of tables and figures. An import of this module is fast, because the module imports
no drawing library.
"""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

FIRST = "first"


@dataclass(frozen=True)
class Artefact:
    """The declaration of one table or figure. The texts about the table or figure are in the file
    about.yaml of the study.

    `kind` is "table" or "figure". The function `name` of `module` returns a `Table` or a `Chart`.
    `needs` names the inputs of this function:

    * ``runs`` is the table of runs.
    * ``descriptions`` is a list of dicts, made by `fwsvm_papers.datasets.describe`.
    * ``tests`` is the table of the significance tests.
    * ``sketches`` has the numbers of the sketches.
    * The name of an experiment stands for its details. They are a list with one dict per job.

    The function also gets the `options` and, if the run has an `inventory.json`, ``missing``, which
    is a dict from each missing data set to the reason.

    If `protocol` is a name, only this protocol is shown. If `protocol` is `FIRST`, the artefact
    shows the first protocol that was run, and a variant with the id ``<id>--<protocol>`` shows each
    of the other protocols. If `protocol` is None, the function gets the runs of all protocols.
    """

    kind: str
    module: str
    name: str
    needs: tuple[str, ...]
    protocol: str | None = None
    options: Mapping = field(default_factory=dict)

    @cached_property
    def function(self) -> Callable:
        """Return the function that draws the artefact. This function raises a `NotDrawableError` if
        the run lacks data.
        """
        return partial(getattr(importlib.import_module(self.module), self.name), **self.options)


def table(module: str, name: str, needs: str, **options: Any) -> Artefact:
    """Return the declaration of a table.

    `module` and `name` are those of the function that makes the table. `needs` has the names of the
    function's inputs, separated by spaces. `options` are further arguments of the function.
    """
    return Artefact("table", module, name, tuple(needs.split()), options=options)


def figure(
    module: str, name: str, needs: str, one_protocol: bool = False, **options: Any
) -> Artefact:
    """Return the declaration of a figure.

    If `one_protocol` is true, the first protocol is shown, and each of the other protocols has a
    variant. All other arguments are those of `table`.
    """
    return Artefact(
        "figure", module, name, tuple(needs.split()), FIRST if one_protocol else None, options
    )


class NotDrawableError(Exception):
    """The error that is raised if a run lacks data for an artefact. Its message ("needs ...") names
    the data.
    """


def require(data: object, message: str) -> None:
    """Raise a `NotDrawableError` with this message if `data` is false or empty."""
    if not data:
        raise NotDrawableError(message)


def needs(
    experiment: str, datasets: Iterable[str], missing: Mapping[str, str] | None = None
) -> str:
    """Return a text that names an experiment and the data sets that an artefact needs. If there are
    more than eight data sets, only five are named.

    `missing` maps unavailable data sets to the reasons. The text repeats the reasons.
    """
    from fwsvm_papers.reporting.text import listing

    names, missing = list(datasets), missing or {}
    if not names:
        return f"needs results of {experiment}, and there are none"
    unknown = [name for name in names if name not in missing]
    known = [f"{name} ({missing[name]})" for name in names if name in missing]
    listed = [*unknown, *known]
    if len(listed) > 8:
        listed = [*listed[:5], f"{len(listed) - 5} others"]
    which = (
        ", and this data set is not in the configuration"
        if len(names) == 1
        else ", and none of these data sets was run"
    )
    return f"needs results on {listing(listed, 'or')} in {experiment}{which if unknown else ''}"
