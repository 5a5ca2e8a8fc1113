"""Functions that read and check the catalogue of data sets, `config/datasets.yaml`, and turn its
content into `DatasetEntry` objects.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import ValidationError

from fwsvm.inputs.data_files import is_like_path
from fwsvm.inputs.errors import ConfigError
from fwsvm_papers.datasets.entries import PARTS, DatasetEntry
from fwsvm_papers.datasets.schema import as_in_yaml, did_you_mean, key_of, yaml_hint
from fwsvm_papers.datasets.yaml_files import read_yaml

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

    from fwsvm_papers.datasets.entries import FileEntry, Source

# The part of a message about an unknown data set that says how to list the known ones
LISTING = "`fwsvm datasets list` lists the data sets"
LOCAL_CATALOGUE = Path("config/datasets.yaml")
_PACKAGE = Path(__file__).parent
# This pattern matches the names of types that pydantic adds to the path of a key.
_NAME_OF_TYPE = re.compile(r"[\[(]|^(constrained-)?(str|int|float|bool)$")


def catalogue_path(path: str | Path | None = None) -> Path:
    """Return the path of the catalogue.

    The default is `config/datasets.yaml` in the current folder. If this file does not exist, the
    default is its copy in the package or, if the package is in a checkout, the file of the
    checkout.
    """
    if path is not None:
        return Path(path)
    places = (LOCAL_CATALOGUE, _PACKAGE / "datasets.yaml", _PACKAGE.parents[2] / LOCAL_CATALOGUE)
    return next((place for place in places if place.is_file()), places[-1])


def load_catalogue(path: str | Path | None = None) -> dict[str, DatasetEntry]:
    """Read and check a catalogue (default: `catalogue_path()`), and return its entries by name.

    If there are errors, raise one ConfigError that lists all errors with their keys. References
    between entries are checked only if there are no other errors.
    """
    path = catalogue_path(path)
    document = read_yaml(path)
    document = {} if document is None else document  # a catalogue can be empty
    if not isinstance(document, dict):
        raise ConfigError(f"{path} must be a mapping from names of data sets to entries")
    catalogue, errors = {}, []
    for name, keys in document.items():
        if not re.fullmatch("[A-Za-z0-9][A-Za-z0-9._-]{0,99}", name):
            errors.append(
                f"{name}: use at most 100 letters, digits, '.', '_' or '-', and begin with a letter"
                " or digit"
            )
        try:
            if isinstance(keys, dict):
                # Catalogues for earlier versions can have this key. It has no effect.
                keys.pop("paper_name", None)
                keys = {"title": name} | keys
            entry = DatasetEntry.model_validate(keys)
            entry._name = name
            catalogue[name] = entry
        except ValidationError as error:
            errors += _explanations(name, error)
    errors = errors or list(_contradictions(catalogue))
    if errors:
        raise ConfigError("\n".join(f"{path}: {error}" for error in errors))
    return catalogue


def find_entry(catalogue: dict[str, DatasetEntry], name: str) -> DatasetEntry:
    """Return the entry with this name. For an unknown name, raise a ConfigError that suggests known
    names.
    """
    if name not in catalogue and is_like_path(name):
        raise ConfigError(f"{name!r} must be the name of a data set, not a path; {LISTING}")
    if name not in catalogue:
        raise ConfigError(f"unknown data set {name!r}; {did_you_mean(name, catalogue, LISTING)}")
    return catalogue[name]


def _explanations(name: str, error: ValidationError) -> list[str]:
    """Turn pydantic's messages into one line for each wrong key, without pydantic's type names."""
    lines: dict[str, list[str]] = {}
    ends: dict[str, str] = {}
    for one in error.errors(include_url=False):
        path = [part for part in one["loc"] if not _NAME_OF_TYPE.search(str(part))]
        what = re.sub("^(Input|String) should", "must", one["msg"].removeprefix("Value error, "))
        if one["type"] == "extra_forbidden":
            fields = {key for part in (DatasetEntry, *PARTS) for key in part.model_fields}
            what = f"this key is unknown; {did_you_mean(path[-1], fields)}".partition("; known")[0]
        what = re.sub(r"a valid dictionary or instance of \w+", "a mapping of keys to values", what)
        what = "this key is missing" if one["type"] == "missing" else what
        complete = one["type"] in ("value_error", "missing", "extra_forbidden")
        given = "" if complete else f", not {as_in_yaml(one['input'])}"
        key = key_of([name, *path])
        lines.setdefault(key, []).append(what)
        ends[key] = given + (yaml_hint(one["input"]) or _quote_hint(one))
    return [f"{key}: {', or '.join(what)}{ends[key]}" for key, what in lines.items()]


def _quote_hint(error: ErrorDetails) -> str:
    """Return a hint about a number that should be a text. It does not show the text, since YAML
    drops zeros at the beginning of a number.
    """
    is_number = isinstance(error["input"], int | float)
    return "; put it in quotes" if is_number and error["type"] == "string_type" else ""


def _contradictions(catalogue: dict[str, DatasetEntry]) -> Iterator[str]:
    """Yield an error message for each wrong reference to an entry, and for each pair of different
    files with the same name.

    A reference is wrong if its entry does not exist, or if this entry does not have files of the
    same format (libsvm or csv; files in the format idx cannot be used with references). Files in
    the format csv must also have the same options.
    """
    seen: dict[str | int, tuple[FileEntry, str]] = {}
    for name, entry in catalogue.items():
        references = {"split.complement_of": entry.split.complement_of}
        if entry.stand_in:
            references |= {
                f"stand_in.{role}": getattr(entry.stand_in, role) for role in ("smaller", "larger")
            }
        for key, other in references.items():
            if other is not None and other not in catalogue:
                yield f"{name}.{key}: {other!r} is not an entry; {did_you_mean(other, catalogue)}"
            elif other is not None and not _are_alike(entry.source, catalogue[other].source):
                yield (
                    f"{name}.{key}: {other!r} must be an entry whose files have the same format as"
                    " those of this entry (libsvm or csv)"
                )
        for role, file in entry.source.raw_files.items():
            key = f"{name}.source.openml" if file.openml else f"{name}.source.files.{role}"
            first, first_key = seen.setdefault(file.name or id(file), (file, key))
            if first.model_dump() != file.model_dump():
                yield (
                    f"{key}: the url, sha256 or `embedded` of {file.name!r} differs from that in"
                    f" {first_key}"
                )


def _are_alike(source: Source, other: Source) -> bool:
    is_text = other.kind == "files" and other.format != "idx"
    return is_text and (other.format, other.csv) == (source.format, source.csv)
