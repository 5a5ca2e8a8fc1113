"""What a study declares of a table or figure that it draws; importing this imports nothing that draws."""

import importlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial

FIRST = "first"


@dataclass(frozen=True)
class Artefact:
    """One table or figure; its texts are in the study's about.yaml.

    The function `name` of `module` draws it: a `Table` or a `Chart`, by `kind`. `needs` are its parameters, the inputs:
    ``runs`` (a runs table), ``descriptions`` (dicts of `fwsvm.datasets.describe`), ``tests`` (the significance tests),
    ``sketches``, and the details of an experiment by its name (a dict per job). It also takes ``missing`` (data set to
    why it is not there) and the `options`. `protocol` is the one that it shows, or `FIRST`: the first that was run. Its
    variants under the other protocols are ``<id>--<protocol>``.
    """

    kind: str
    module: str
    name: str
    needs: tuple[str, ...]
    protocol: str | None = None
    options: Mapping = field(default_factory=dict)

    @cached_property
    def function(self) -> Callable:
        """Draws the artefact from its inputs; raises `NotDrawableError` where none of its data are in the run."""
        return partial(getattr(importlib.import_module(self.module), self.name), **self.options)


def table(module: str, name: str, needs: str, **options) -> Artefact:
    """A table: the module and function that return it, the inputs (words), and further arguments."""
    return Artefact("table", module, name, tuple(needs.split()), options=options)


def figure(module: str, name: str, needs: str, one_protocol: bool = False, **options) -> Artefact:
    """The same for a figure; `one_protocol`: it shows the first one that was run, and its variants the others."""
    return Artefact("figure", module, name, tuple(needs.split()), FIRST if one_protocol else None, options)


class NotDrawableError(Exception):
    """None of the data of an artefact are in the run; the message says what it needs ("needs ...")."""


def needs(experiment: str, datasets: Iterable[str], missing: Mapping[str, str] | None = None) -> str:
    """Say that an artefact has none of its data sets in an experiment; `missing` are reasons why."""
    from fwsvm.reporting.text import listing

    names, missing = list(datasets), missing or {}
    if not names:
        return f"needs runs of {experiment}, and this run has none"
    unknown = [name for name in names if name not in missing]
    known = [f"{name} ({missing[name]})" for name in names if name in missing]
    listed = [*unknown, *known]
    if len(listed) > 8:
        listed = [*listed[:5], f"{len(listed) - 5} others"]
    which = ", which is not in this configuration" if len(names) == 1 else "; none of them was run"
    return f"needs {listing(listed, 'or')} in {experiment}{which if unknown else ''}"
