"""Functions that write docstrings and command-line options from the definitions of the settings."""

from __future__ import annotations

import re
import textwrap
from typing import TYPE_CHECKING, Any, TypeVar

from fwsvm.inputs.allowed_values import one_of
from fwsvm.inputs.parameters import FOR_USERS, PARAMETERS, parameter

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Collection, Mapping, Sequence

    from fwsvm.inputs.parameters import Parameter

Thing = TypeVar("Thing")  # a documented class or function


def documented(
    defaults: Mapping[str, Any] | None = None, **names: Collection[str]
) -> Callable[[Thing], Thing]:
    """Return a decorator that replaces docstring lines like ``{eps, cache_mb}`` with descriptions
    of these settings.

    The values in `defaults` replace the defaults of `PARAMETERS`. A keyword argument, such as
    ``kernel=("rbf", "poly")``, gives the allowed values of a setting.
    """

    def document(thing: Thing) -> Thing:
        def entries(match: re.Match[str]) -> str:
            lines = []
            for name in match[2].split(","):
                setting = parameter(name.strip())
                assert setting is not None, name
                lines += _entry(setting, names.get(setting.name), defaults or {})
            return "\n".join(match[1] + line for line in lines)

        if thing.__doc__:  # python -OO removes docstrings
            thing.__doc__ = re.sub(
                r"^( *)\{([\w,\s]+)\}$", entries, thing.__doc__, flags=re.MULTILINE
            )
        return thing

    return document


def _entry(
    setting: Parameter, names: Collection[str] | None, defaults: Mapping[str, Any]
) -> list[str]:
    """Return the docstring lines (numpydoc) for a setting.

    If a setting has choices, the default comes first, as numpydoc requires.
    """
    kind = one_of(names).kind if names else setting.range.kind
    default = defaults.get(setting.name, setting.default)
    quoted = f'"{default}"'
    if kind.startswith("{") and f", {quoted}" in kind:
        kind = f"{{{quoted}, " + kind[1:].replace(f", {quoted}", "", 1)
    if default is not None:
        kind += f", default={quoted if isinstance(default, str) else default}"
    elif "None" not in kind:
        kind += ", optional"
    text = f"{setting.meaning[:1].upper()}{setting.meaning[1:]}. {setting.notes}"
    return [
        f"{setting.name} : {kind}",
        *textwrap.wrap(text, 112, initial_indent="    ", subsequent_indent="    "),
    ]


def add_options(parser: argparse._ActionsContainer, *settings: str, **names: Sequence[str]) -> None:
    """Add a command-line option to `parser` for each name in `settings`.

    The defaults come from `FOR_USERS`, or from `PARAMETERS` for settings that are not in
    `FOR_USERS`. `names` maps a setting to its allowed values.
    """
    for name in settings:
        each = PARAMETERS[name]
        option = {"choices": names[name]} if name in names else each.range.option
        default = FOR_USERS.get(name, each.default)
        shown = each.meaning if default is None else f"{each.meaning}; default: %(default)s"
        parser.add_argument(f"--{name.replace('_', '-')}", default=default, help=shown, **option)
