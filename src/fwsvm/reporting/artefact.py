"""What a study declares of a table or figure that it draws; importing this imports nothing that draws."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fwsvm.reporting.figures import Chart
    from fwsvm.reporting.tables import Table


FIRST = "first"


@dataclass(frozen=True)
class Artefact:
    """One table or figure.

    Attributes
    ----------
    kind : {"table", "figure"}
        What `function` returns, a `Table` or a `Chart`.
    module, name : str
        Of the function that draws it, which is imported when it is first used.
    needs : tuple of str
        The parameters of the function, by which it takes its inputs (and `OPTIONAL_INPUTS`):
        ``runs`` (a runs table), ``descriptions`` (list of dicts of `fwsvm.datasets.describe`), ``tests``
        (rows of `fwsvm.studies.benchmark.hypotheses.evaluate` with a leading column ``protocol``), ``sketches``
        (the dict of the studies' sketches), and the details of an experiment by its name (list of dicts, one
        per job).
    caption : str
        What it shows, in one sentence, for the report; the caption with the protocol comes with the result.
    protocol : str or None
        Where it shows one protocol: which, or `FIRST`. Its variants under the other protocols have ids of their own,
        ``<id>--<protocol>``.
    """

    kind: str
    module: str
    name: str
    needs: tuple[str, ...]
    caption: str
    protocol: str | None = None

    @cached_property
    def function(self) -> Callable[..., Table | Chart]:
        """Draws the artefact from its inputs, which it takes by keyword; reads no files.

        Raises `NotDrawableError` where none of its data are in the run.
        """
        return getattr(importlib.import_module(self.module), self.name)


def table(module: str, name: str, needs: str, caption: str) -> Artefact:
    """A table: the function that returns it, the inputs it takes (words), and what it shows."""
    return Artefact("table", module, name, tuple(needs.split()), caption)


def figure(module: str, name: str, needs: str, caption: str, one_protocol: bool = False) -> Artefact:
    """The same for a figure; `one_protocol`: it shows the first one that was run, and its variants the others."""
    return Artefact("figure", module, name, tuple(needs.split()), caption, FIRST if one_protocol else None)
