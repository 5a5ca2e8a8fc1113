"""Read YAML strictly, and check it against a JSON schema.

Errors name the file, the key and the valid values.
"""

import copy
import datetime
import difflib
import math
import re
from functools import lru_cache

import jsonschema
import yaml

from fwsvm.inputs.errors import ConfigError
from fwsvm.inputs.files import read_text

LARGEST_DOCUMENT = 10_000_000  # characters, if every alias is replaced by what it refers to


class _StrictLoader(yaml.SafeLoader):
    """A safe loader that refuses repeated keys. (Other loaders silently use the last value.)"""

    def construct_document(self, node):
        size = _size(node, {})
        if size > LARGEST_DOCUMENT:
            what = (
                f"with its aliases, the file has {size:,} characters; at most {LARGEST_DOCUMENT:,}"
                " are allowed"
            )
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark)
        return super().construct_document(node)

    def construct_object(self, node, deep=False):
        try:
            return super().construct_object(node, deep)
        # for example, the date 2001-99-99
        except (ValueError, LookupError, AttributeError, TypeError) as error:
            what = (
                f"{str(node.value)[:40]!r} cannot be read as {node.tag.rpartition(':')[2]}: {error}"
            )
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from error


def _size(node, sizes):
    """Count the characters of a part of a document.

    `sizes` has the parts that are already counted, by id.
    """
    if id(node) not in sizes:
        sizes[id(node)] = None
        parts = node.value if isinstance(node, yaml.SequenceNode) else ()
        if isinstance(node, yaml.MappingNode):
            parts = [part for pair in node.value for part in pair]
        own = len(node.value) if isinstance(node, yaml.ScalarNode) else 0
        sizes[id(node)] = 1 + own + sum(_size(part, sizes) for part in parts)
    if sizes[id(node)] is None:
        what = "an alias refers to the part of the file in which it stands"
        raise yaml.constructor.ConstructorError(None, None, what, node.start_mark)
    return sizes[id(node)]


def _mapping_without_duplicates(loader, node):
    seen = {}
    for key_node, _ in node.value:
        if key_node.tag == "tag:yaml.org,2002:merge":
            continue
        key = loader.construct_object(key_node, deep=True)
        what = None
        if not isinstance(key, str):
            what = f"the key {key!r} is not text (YAML reads it as another type); put it in quotes"
        elif key in seen:
            what = f"the key {key!r} already occurs on line {seen[key]}"
        if what:
            raise yaml.constructor.ConstructorError(None, None, what, key_node.start_mark)
        seen[key] = key_node.start_mark.line + 1
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


_StrictLoader.add_constructor("tag:yaml.org,2002:map", _mapping_without_duplicates)


@lru_cache(maxsize=8)  # Parsing is slow, and a process often reads the same file several times.
def _load_strictly(text):
    return yaml.load(text, _StrictLoader)


def read_yaml(path):
    """Read a YAML file, or raise a ConfigError that names the file and the line of an error,
    such as a repeated key.
    """
    try:
        return copy.deepcopy(_load_strictly(read_text(path)))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: the file is not UTF-8 text: {error}") from error
    except (yaml.YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        what = getattr(error, "problem", None) or str(error)
        if what.startswith("but "):  # the other half of the sentence is the context
            what = f"{error.context}, {what}"
        raise ConfigError(f"{where}: {what}") from error


# JSON Schema accepts 2.0 as an integer, but functions like `range` do not. A bool is an int in
# Python.
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


def check(document, schema, where):
    """Check a document against a JSON schema; raise a ConfigError with a line "where: key:
    reason" per error.
    """
    errors = sorted(
        _Validator(schema).iter_errors(document),
        key=lambda error: list(map(str, error.absolute_path)),
    )
    if errors:
        raise ConfigError("\n".join(line for error in errors for line in _lines(error, where)))


def did_you_mean(word, known):
    """Return a clause that names the most similar known word or, if none is similar, all known
    words.
    """
    known = {str(item).lower(): str(item) for item in known}
    close = difflib.get_close_matches(str(word).lower(), known, n=1, cutoff=0.6)
    return (
        f"did you mean {known[close[0]]!r}?"
        if close
        else f"known: {', '.join(known.values()) or 'none'}"
    )


def _lines(error, where):
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
            f"{error.instance!r} is not known;"
            f" {did_you_mean(error.instance, error.validator_value)}"
        ]
    elif error.validator != "required" and "description" in error.schema:
        what = [
            f"must be {error.schema['description']}, not"
            f" {repr(error.instance)[:100]}{yaml_hint(error.instance)}"
        ]
    elif error.validator == "type":
        allowed = (
            [error.validator_value]
            if isinstance(error.validator_value, str)
            else error.validator_value
        )
        words = " or ".join(_TYPES[name] for name in allowed)
        what = [f"must be {words}, not {repr(error.instance)[:100]}{yaml_hint(error.instance)}"]
    key = ".".join(map(str, error.absolute_path))
    return [f"{where}: {key}: {line}" if key else f"{where}: {line}" for line in what]


def yaml_hint(value):
    """Return a hint on how to write a value that YAML 1.1 reads as another type, such as 1e-6 or
    yes, or "".
    """
    if isinstance(value, str) and re.fullmatch(r"[+-]?\d+(\.\d*)?[eE][+-]?\d+", value):
        return (
            f"; YAML reads {value} as text: use a decimal point and a signed exponent, as in 1.0e-6"
        )
    if isinstance(value, bool):
        return "; YAML reads yes, no, on, off, true and false as truth values: put a name in quotes"
    if isinstance(value, datetime.date):
        return "; YAML reads this as a date: put a name in quotes"
    return ""
