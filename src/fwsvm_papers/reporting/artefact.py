"""Declare the tables and figures of a study. This module does not import a drawing library."""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

FIRST = "first"


@dataclass(frozen=True)
class Artefact:
    """The declaration of one table or figure. Its texts are in the file about.yaml of the study.

    The function `name` of `module` returns a `Table` or a `Chart`, as `kind` says. `needs` names
    the inputs of this function: ``runs`` (the table of runs), ``descriptions`` (dicts of
    `fwsvm_papers.datasets.describe`), ``tests`` (the significance tests), ``sketches`` (the numbers
    of the sketches), or the name of an experiment (its details, a dict per job). The function also
    gets ``missing``, the reasons why data sets are missing, and the `options`. `protocol` is the
    only protocol that is shown, `FIRST` for the first one that was run, or None if the function
    gets the runs of all protocols. If it is `FIRST`, the artefact has variants for the other
    protocols, with the ids ``<id>--<protocol>``.
    """

    kind: str
    module: str
    name: str
    needs: tuple[str, ...]
    protocol: str | None = None
    options: Mapping = field(default_factory=dict)

    @cached_property
    def function(self) -> Callable:
        """Return the function that draws the artefact. It raises a `NotDrawableError` if the run
        lacks data.
        """
        return partial(getattr(importlib.import_module(self.module), self.name), **self.options)


def table(module: str, name: str, needs: str, **options: Any) -> Artefact:
    """Declare a table by the module and name of its function, its inputs and further arguments."""
    return Artefact("table", module, name, tuple(needs.split()), options=options)


def figure(
    module: str, name: str, needs: str, one_protocol: bool = False, **options: Any
) -> Artefact:
    """Declare a figure, with the arguments of `table`.

    If `one_protocol` is true, each protocol has its own figure.
    """
    return Artefact(
        "figure", module, name, tuple(needs.split()), FIRST if one_protocol else None, options
    )


class NotDrawableError(Exception):
    """A run lacks data for an artefact. The message ("needs ...") names the data."""


def require(data: object, message: str) -> None:
    """Raise `NotDrawableError` if `data` is false or empty."""
    if not data:
        raise NotDrawableError(message)


def needs(
    experiment: str, datasets: Iterable[str], missing: Mapping[str, str] | None = None
) -> str:
    """Return a text that says which data sets of an experiment an artefact needs, and why they are
    missing.
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
