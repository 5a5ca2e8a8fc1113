"""Strict YAML, checked by a JSON schema, with messages that say what, where and what would be right."""

import copy
import difflib
import io
import math
import re
from functools import lru_cache

import jsonschema
import yaml

from fwsvm.base.errors import ConfigError

LARGEST_DOCUMENT = 1_000_000
"""Values a document may have, those of aliases counted where they are used: nine lines of YAML can hold a billion."""


class _StrictLoader(yaml.SafeLoader):
    """The safe loader, which also refuses a key written twice (YAML would silently take the last).

    Not the one written in C, four times as fast: two million brackets end the whole process there.
    """


def _mapping_without_duplicates(loader, node):
    seen = {}
    for key_node, _ in node.value:
        key = loader.construct_object(key_node, deep=True)
        if not isinstance(key, str):
            shown = f'put it into quotes, "{key_node.value}"' if isinstance(key_node, yaml.ScalarNode) else "use a word"
            what = f"the key {key!r} is not text (YAML takes it for another type); {shown}"
            raise yaml.constructor.ConstructorError(None, None, what, key_node.start_mark)
        if key_node.tag != "tag:yaml.org,2002:merge" and str(key) in seen:
            first = seen[str(key)]
            raise yaml.constructor.ConstructorError(
                None, None, f"the key {key!r} is there already in line {first}", key_node.start_mark
            )
        seen[str(key)] = key_node.start_mark.line + 1
    loader.flatten_mapping(node)
    return loader.construct_mapping(node, deep=True)


_StrictLoader.add_constructor("tag:yaml.org,2002:map", _mapping_without_duplicates)


def _number_of_values(node, known):
    """Values below a node of YAML, each alias counted as what it stands for; infinite if it holds itself."""
    if id(node) not in known:
        known[id(node)] = math.inf
        parts = node.value if isinstance(node, yaml.CollectionNode) else []
        parts = [part for pair in parts for part in pair] if isinstance(node, yaml.MappingNode) else parts
        known[id(node)] = 1 + sum(_number_of_values(part, known) for part in parts)
    return known[id(node)]


@lru_cache(maxsize=8)  # a process reads the same few files again and again, and parsing takes most of the time
def _load_strictly(text):
    loader = _StrictLoader(io.StringIO(text))
    try:
        root = loader.get_single_node()
        if root is None:
            return None
        if _number_of_values(root, {}) > LARGEST_DOCUMENT:
            what = f"its aliases (*name) stand for more than {LARGEST_DOCUMENT:,} values; write out what is meant"
            raise yaml.composer.ComposerError(None, None, what, root.start_mark)
        return loader.construct_document(root)
    finally:
        loader.dispose()


def read_yaml(path):
    """Content of a YAML file, the caller's own.

    Raises
    ------
    ConfigError
        The file is missing, is not YAML, has a key twice or one that is not text, is nested too deeply, or its aliases
        stand for too many values; the message names the file and the line.
    """
    try:
        with open(path, encoding="utf-8") as stream:
            return copy.deepcopy(_load_strictly(stream.read()))
    except RecursionError as error:
        raise ConfigError(f"{path}: lists or mappings are nested too deeply") from error
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: is not UTF-8 text: {error}") from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        raise ConfigError(f"{where}: {getattr(error, 'problem', None) or error}") from error


def check(document, schema, where):
    """Check a document by a JSON schema.

    Parameters
    ----------
    document : object
    schema : dict
        JSON schema, draft 2020-12.
    where : str or path
        Name of the file, for the messages.

    Raises
    ------
    ConfigError
        With one line for each error: file, path of keys, what is wrong, what would be right.
    """
    if wrong := [f"{where}: {'.'.join(path)}: {what}" for path, what in _values_of_no_use(document)]:
        raise ConfigError("\n".join(wrong))
    validator = _Validator(schema)
    errors = sorted(validator.iter_errors(document), key=lambda error: list(map(str, error.absolute_path)))
    if errors:
        raise ConfigError("\n".join(line for error in errors for line in _lines(error, where)))


def _values_of_no_use(document):
    """(keys, what is wrong) of numbers that are not finite and of keys that are not text: no schema sees these."""
    waiting = [((), document)]
    for _ in range(LARGEST_DOCUMENT):
        if not waiting:
            return
        path, value = waiting.pop()
        if isinstance(value, float) and not math.isfinite(value):
            yield path, f"{value} is not a finite number"
        elif isinstance(value, dict):
            yield from (
                ((*path, str(key)), "this key is not text; put it into quotes")
                for key in value
                if not isinstance(key, str)
            )
            waiting += [((*path, str(key)), part) for key, part in value.items()]
        elif isinstance(value, list):
            waiting += [((*path, str(place)), part) for place, part in enumerate(value)]
    yield (), f"there are more than {LARGEST_DOCUMENT:,} values; do aliases (*name) stand for others?"


def _is_integer(_, value):
    """Whether a value is written as an integer: 2.0 is none, as Python's own functions want it."""
    return isinstance(value, int) and not isinstance(value, bool)


_Validator = jsonschema.validators.extend(
    jsonschema.Draft202012Validator,
    type_checker=jsonschema.Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


def did_you_mean(word, known):
    """A clause that names the closest of the known words, or all of them."""
    known = [str(item) for item in known]
    close = difflib.get_close_matches(str(word), known, n=1, cutoff=0.6)
    return f"did you mean {close[0]!r}?" if close else f"known: {', '.join(known) or 'none'}"


def _lines(error, where):
    key = ".".join(str(part) for part in error.absolute_path)
    for what in _explanations(error):
        yield f"{where}: {key}: {what}" if key else f"{where}: {what}"


def _explanations(error):
    rule, value = error.validator, error.instance
    if rule == "additionalProperties":
        known = list(error.schema.get("properties", {}))
        for extra in (name for name in value if name not in known):
            yield f"unknown key {extra!r}; {did_you_mean(extra, known)}"
    elif rule == "required":
        missing = (name for name in error.validator_value if error.message.startswith(repr(name)))
        yield f"the key {next(missing)!r} is missing"
    elif rule == "dependentRequired":
        yield from (
            f"{name!r} needs {other!r} as well"
            for name, others in error.validator_value.items()
            for other in others
            if name in value and other not in value
        )
    elif rule == "enum":
        yield f"{value!r} is not known; {did_you_mean(value, error.validator_value)}"
    elif rule == "oneOf" and all("required" in option for option in error.validator_value):
        options = ", ".join("+".join(option["required"]) for option in error.validator_value)
        given = (", ".join(map(repr, value)) or "nothing") if isinstance(value, dict) else _show(value)
        yield f"exactly one of these is wanted: {options}; there is {given}"
    elif rule == "type":
        wanted = error.validator_value
        wanted = " or ".join(wanted) if isinstance(wanted, list) else wanted
        yield f"{_show(value)} is of the wrong type; wanted: {wanted}{_hint(value)}"
    elif rule in _BOUNDS and "description" not in error.schema:
        yield f"{_show(value)} is out of range; wanted: a number {_BOUNDS[rule]} {error.validator_value:,}"
    elif "description" in error.schema:
        yield f"{_show(value)} is not right; wanted: {error.schema['description']}"
    else:
        yield error.message


_BOUNDS = {"minimum": ">=", "exclusiveMinimum": ">", "maximum": "<=", "exclusiveMaximum": "<"}


def _show(value):
    text = repr(value)
    return text if len(text) <= 100 else f"{text[:97]}..."


def _hint(value):
    """What to write for a number that YAML 1.1 takes for text, such as 1e-6."""
    number = re.fullmatch(r"([+-]?\d+)(\.\d*)?[eE]([+-]?)(\d+)", value) if isinstance(value, str) else None
    if not number:
        return ""
    whole, fraction, sign, exponent = number.groups()
    return f"; write {whole}{fraction or '.0'}e{sign or '+'}{exponent} (YAML takes {value} for text)"
