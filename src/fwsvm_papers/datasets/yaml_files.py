"""Functions that read YAML files.

They refuse repeated keys, keys that are not text, and documents that are too large. Error messages
name the file and, if it is known, the line.
"""

from __future__ import annotations

import copy
from functools import lru_cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.constructor import BaseConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError
from ruamel.yaml.nodes import MappingNode, Node, ScalarNode

from fwsvm.inputs.errors import ConfigError
from fwsvm.inputs.files import read_text

# The maximum size of a document in characters. An alias counts like the text that it stands for.
LARGEST_DOCUMENT = 10_000_000


def read_yaml(path: str | Path) -> Any:
    """Return the content of a YAML 1.2 file. If the file cannot be read, or if it has an error such
    as a repeated key, raise a ConfigError.
    """
    try:
        return copy.deepcopy(_load(read_text(path)))
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: the file is not UTF-8 text: {error}") from error
    except (YAMLError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        where = f"{path}, line {mark.line + 1}" if mark else str(path)
        what = getattr(error, "problem", None) or str(error).splitlines()[0]
        # For a repeated key, the reader's message ends with both values of the key. They are
        # removed, because they can be long.
        what = what.partition(" with value ")[0]
        if "'\\t'" in what:
            what = "there is a tab, which YAML does not allow here; use spaces"
        if what.startswith("but "):  # then the first half of the sentence is in `context`
            what = f"{getattr(error, 'context', '')}, {what}"
        raise ConfigError(f"{where}: {what}") from error


@lru_cache(maxsize=8)  # parsing is slow, and a process often reads the same file several times
def _load(text: str) -> Any:
    yaml = YAML(typ="safe", pure=True)
    root = yaml.compose(text)
    if root is None:
        return None
    size = _size(root, yaml.constructor, {})
    if size > LARGEST_DOCUMENT:
        raise _error(
            root,
            f"the file has {size:,} characters after its aliases are expanded; at most"
            f" {LARGEST_DOCUMENT:,} are allowed",
        )
    return yaml.constructor.construct_document(root)


def _size(node: Node, constructor: BaseConstructor, sizes: dict[Node, int | None]) -> int:
    """Return the number of characters of a part of a document, and check its keys and values.

    `sizes` maps parts of the document to their numbers of characters. The value of a part is None
    while its characters are being counted.
    """
    if node not in sizes:
        sizes[node] = None
        own, parts = 1, node.value
        if isinstance(node, ScalarNode):
            _check_value(node, constructor)
            own, parts = 1 + len(node.value), []
        elif isinstance(node, MappingNode):
            _check_keys(node)
            own = 1 + sum(1 + len(key.value) for key, _ in node.value)
            parts = [value for _, value in node.value]
        sizes[node] = own + sum(_size(part, constructor, sizes) for part in parts)
    size = sizes[node]
    if size is None:
        raise _error(node, "an alias refers to a part of the file that contains the alias itself")
    return size


def _check_value(node: ScalarNode, constructor: BaseConstructor) -> None:
    try:
        constructor.construct_object(node)
    # One of these errors is raised, for example, for the date 2001-99-99.
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        kind = str(node.tag).rpartition(":")[2]
        what = f"{str(node.value)[:40]!r} cannot be read as {kind}: {error}"
        raise _error(node, what) from error


def _check_keys(node: MappingNode) -> None:
    for key, _ in node.value:
        if key.tag.rpartition(":")[2] not in ("str", "merge"):
            shown = f" {key.value}" if isinstance(key, ScalarNode) else ""
            what = f"the key{shown} is not text (YAML reads it as another type); put it in quotes"
            raise _error(key, what)


def _error(node: Node, what: str) -> YAMLError:
    return MarkedYAMLError(problem=what, problem_mark=node.start_mark)
