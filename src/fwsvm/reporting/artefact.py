"""What a study declares of a table or figure that it draws; importing this imports nothing that draws."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fwsvm.reporting.figures import Chart
    from fwsvm.reporting.tables import Table


FIRST = "first"


@dataclass(frozen=True)
class Artefact:
    """One table or figure; its texts are in the study's about.yaml.

    Attributes
    ----------
    kind : {"table", "figure"}
        What `function` returns, a `Table` or a `Chart`.
    module, name : str
        Of the function that draws it, which is imported when it is first used.
    needs : tuple of str
        The parameters by which the function takes its inputs (and ``missing``, data set to why it is not there):
        ``runs`` (a runs table), ``descriptions`` (list of dicts of `fwsvm.datasets.describe`), ``tests`` (rows of
        `fwsvm.studies.benchmark.significance.test_protocols`), ``sketches`` (the dict of the studies' sketches), and
        the details of an experiment by its name (list of dicts, one per job).
    protocol : str or None
        The protocol that it shows, or `FIRST`: the first that was run. Its variants under the other protocols have ids
        of their own, ``<id>--<protocol>``.
    options : mapping
        Further arguments of the function.
    """

    kind: str
    module: str
    name: str
    needs: tuple[str, ...]
    protocol: str | None = None
    options: Mapping = field(default_factory=dict)

    @cached_property
    def function(self) -> Callable[..., Table | Chart]:
        """Draws the artefact from its inputs; raises `NotDrawableError` where none of its data are in the run."""
        return partial(getattr(importlib.import_module(self.module), self.name), **self.options)


def table(module: str, name: str, needs: str, **options) -> Artefact:
    """A table: the module and function that return it, the inputs (words), and further arguments."""
    return Artefact("table", module, name, tuple(needs.split()), options=options)


def figure(module: str, name: str, needs: str, one_protocol: bool = False, **options) -> Artefact:
    """The same for a figure; `one_protocol`: it shows the first one that was run, and its variants the others."""
    return Artefact("figure", module, name, tuple(needs.split()), FIRST if one_protocol else None, options)
