"""Docstrings and options take the texts of settings from `fwsvm.base.parameters`."""

import re
import textwrap

from fwsvm.base.parameters import PARAMETERS, one_of, parameter


def documented(**names):
    """A decorator that writes settings out where a docstring has lines such as ``{eps, cache_mb}``.

    Parameters
    ----------
    **names : tuple of str
        Setting -> the names it may be, where these are known to the caller only.
    """

    def document(thing):
        def entries(match):
            listed = [parameter(name.strip()) for name in match[2].split(",")]
            lines = [line for each in listed for line in _entry(each, names.get(each.name))]
            return "\n".join(match[1] + line for line in lines)

        if thing.__doc__:  # None under python -OO
            thing.__doc__ = re.sub(r"^( *)\{([\w,\s]+)\}$", entries, thing.__doc__, flags=re.MULTILINE)
        return thing

    return document


def _entry(setting, names):
    """The lines of a setting in a numpydoc docstring."""
    kind, default = one_of(names).kind if names else setting.range.kind, setting.default
    if default is not None:
        kind += f', default="{default}"' if isinstance(default, str) else f", default={default}"
    elif "None" not in kind:
        kind += ", optional"
    text = f"{setting.meaning[:1].upper()}{setting.meaning[1:]}. {setting.notes}"
    return [f"{setting.name} : {kind}", *textwrap.wrap(text, 112, initial_indent="    ", subsequent_indent="    ")]


def add_options(parser, *settings, **names):
    """Add options of the command line for settings; `names` as for `documented`."""
    for name in settings:
        each = PARAMETERS[name]
        option = {"choices": names[name]} if name in names else each.range.option
        shown = each.meaning if each.default is None else f"{each.meaning}; default: %(default)s"
        parser.add_argument(f"--{name.replace('_', '-')}", default=each.default, help=shown, **option)
