"""A function that checks a document against a JSON schema, and functions for the error messages.

Error messages name the file, the key and the valid values.
"""

from __future__ import annotations

import datetime
import difflib
import math
from typing import TYPE_CHECKING

import jsonschema

from fwsvm.inputs.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# These checks are stricter than those of JSON Schema and Python. The value 2.0 is not an integer
# here, since functions like `range` do not accept it. The value true is not a number here.
_NUMBERS = {
    "integer": lambda _, value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda _, value: (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    ),
}
_TYPES = {
    "object": "a mapping of keys to values",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "integer": "an integer",
    "number": "a number",
    "null": "null",
}
_Draft = jsonschema.Draft202012Validator
_Validator = jsonschema.validators.extend(
    _Draft, type_checker=_Draft.TYPE_CHECKER.redefine_many(_NUMBERS)
)


def check(document: object, schema: dict, where: str | Path) -> None:
    """Check a document against a JSON schema.

    If there are errors, raise a ConfigError. For each error, the message has a line with the text
    `where`, the key and the reason.
    """
    errors = sorted(
        _Validator(schema).iter_errors(document),
        key=lambda error: list(map(str, error.absolute_path)),
    )
    if errors:
        # a value can violate several rules that have the same explanation
        lines = dict.fromkeys(line for error in errors for line in _lines(error, where))
        raise ConfigError("\n".join(lines))


def did_you_mean(word: object, known: Iterable, otherwise: str = "") -> str:
    """Return a clause for an error message about an unknown word. The clause names the most similar
    word in `known`. If no word is similar, return `otherwise` or, by default, a list of all words
    in `known`.
    """
    known = {str(item).lower(): str(item) for item in known}
    close = difflib.get_close_matches(str(word).lower(), known, n=1, cutoff=0.6)
    if close:
        return f"did you mean {known[close[0]]!r}?"
    return otherwise or f"known: {', '.join(known.values()) or 'none'}"


def _lines(error: jsonschema.ValidationError, where: str | Path) -> list[str]:
    what = [error.message]
    if error.validator == "additionalProperties":
        known = error.schema.get("properties", {})
        what = [
            f"unknown key {key!r}; {did_you_mean(key, known)}"
            for key in error.instance
            if key not in known
        ]
    elif error.validator == "enum":
        what = [
            f"{as_in_yaml(error.instance)} is not known;"
            f" {did_you_mean(error.instance, error.validator_value)}"
        ]
    elif error.validator != "required" and "description" in error.schema:
        what = [
            f"must be {error.schema['description']}, not"
            f" {as_in_yaml(error.instance)}{yaml_hint(error.instance)}"
        ]
    elif error.validator == "type":
        allowed = (
            [error.validator_value]
            if isinstance(error.validator_value, str)
            else error.validator_value
        )
        words = " or ".join(_TYPES[name] for name in allowed)
        what = [f"must be {words}, not {as_in_yaml(error.instance)}{yaml_hint(error.instance)}"]
    key = key_of(error.absolute_path)
    return [f"{where}: {key}: {line}" if key else f"{where}: {line}" for line in what]


def key_of(path: Iterable[str | int]) -> str:
    """Return the place of a value in a document as text, such as "benchmark.methods (value 2)".

    A number in `path` is a position in a list, counted from 0. In the text, it is counted from 1.
    """
    key = ""
    for part in path:
        key += f" (value {part + 1})" if isinstance(part, int) else f".{part}" if key else part
    return key


def as_in_yaml(value: object) -> str:
    """Return at most 100 characters that show a value of a YAML file, such as ``null``."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return (str(value) if isinstance(value, datetime.date) else repr(value))[:100]


def yaml_hint(value: object) -> str:
    """Return a hint about a name that YAML does not read as a text, such as the name "true". If
    `value` is not such a name, return an empty text.
    """
    if isinstance(value, bool):
        return "; YAML reads true and false as truth values: put a name in quotes"
    if isinstance(value, datetime.date):
        return "; YAML reads this as a date: put a name in quotes"
    return ""
