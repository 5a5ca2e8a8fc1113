"""The catalogue of data sets: `config/datasets.yaml`, checked by its schema and turned into entries."""

from pathlib import Path

from fwsvm.base.errors import ConfigError
from fwsvm.datasets.builders import BUILDERS, parameters_of_builder, roles_of_builder
from fwsvm.datasets.csv_columns import AUTO
from fwsvm.datasets.entries import (
    LABEL_FILES,
    BuiltSource,
    ComplementOf,
    CsvOptions,
    DatasetEntry,
    Expected,
    FileEntry,
    FileSource,
    FreshPoints,
    GeneratedSource,
    MadeByBuilder,
    PackageSource,
    RandomFraction,
    Scaling,
    SeparateFile,
    StandIn,
)
from fwsvm.datasets.generators import GENERATORS, parameters_of
from fwsvm.datasets.schema import check, did_you_mean, read_yaml

LOCAL_CATALOGUE = Path("config/datasets.yaml")
_PACKAGE = Path(__file__).parent
_CHECKOUT = _PACKAGE.parents[2]


def default_catalogue_path():
    """`config/datasets.yaml` of the current folder, else the copy that came with the package."""
    return LOCAL_CATALOGUE if LOCAL_CATALOGUE.is_file() else _shipped("datasets.yaml", "config")


def load_catalogue(path=None):
    """Read and check a catalogue.

    Parameters
    ----------
    path : str or path, optional
        By default `default_catalogue_path()`.

    Returns
    -------
    dict of str to DatasetEntry
        In the order of the file.

    Raises
    ------
    ConfigError
        The file cannot be read or an entry is wrong; one line for each error, with file and key.
    """
    path = default_catalogue_path() if path is None else Path(path)
    document = {} if (content := read_yaml(path)) is None else content
    check(document, read_yaml(_shipped("datasets.schema.yaml", "workflow/schemas")), path)
    catalogue = {name: _entry(name, keys) for name, keys in document.items()}
    errors = [f"{path}: {key}: {what}" for key, what in _contradictions(catalogue)]
    if errors:
        raise ConfigError("\n".join(errors))
    return catalogue


def find_entry(catalogue, name):
    """The entry of that name.

    Raises
    ------
    ConfigError
        There is none; the message names the closest.
    """
    if name not in catalogue:
        raise ConfigError(f"unknown data set {name!r}; {did_you_mean(name, catalogue)}")
    return catalogue[name]


def _shipped(name, folder_in_checkout):
    packaged = _PACKAGE / name
    return packaged if packaged.is_file() else _CHECKOUT / folder_in_checkout / name


def _entry(name, keys):
    given = {key: keys[key] for key in ("task", "features", "differs", "licence", "citation", "note") if key in keys}
    return DatasetEntry(
        name=name,
        title=keys.get("title", name),
        paper_name=keys.get("paper_name", name),
        source=_source(keys["source"]),
        split=_split(keys["split"]),
        expected=Expected(**keys.get("expected", {})),
        scaling=_scaling(keys.get("scaling", "none")),
        positive=tuple(keys.get("positive", ())),
        sigma2=keys.get("sigma2", "average"),
        papers=tuple(keys.get("papers", ())),
        group=keys.get("group", "other"),
        stand_in=StandIn(**keys["stand_in"]) if "stand_in" in keys else None,
        **given,
    )


def _source(keys):
    if "files" in keys:
        files = {role: FileEntry(**file) for role, file in keys["files"].items()}
        if "builder" in keys:
            return BuiltSource(keys["builder"], files, keys.get("parameters", {}))
        return FileSource(files, keys.get("format", "libsvm"), _csv_options(keys.get("csv")))
    return PackageSource(**keys) if "sklearn" in keys else GeneratedSource(**keys)


def _csv_options(keys):
    if keys is None:
        return None
    return CsvOptions(**{key: tuple(value) if isinstance(value, list) else value for key, value in keys.items()})


def _split(keys):
    if "test" in keys:
        return SeparateFile() if keys["test"] == "file" else MadeByBuilder()
    if "fraction" in keys:
        return RandomFraction(**keys)
    return ComplementOf(keys["complement_of"]) if "complement_of" in keys else FreshPoints(keys["test_size"])


def _scaling(keys):
    if isinstance(keys, str):
        return Scaling(keys)
    if "divide" in keys:
        return Scaling("divide", divisor=float(keys["divide"]))
    return Scaling("minmax", *map(float, keys["minmax"]))


def _contradictions(catalogue):
    """What a schema cannot see: keys that do not go together, and references to what is not there."""
    for name, entry in catalogue.items():
        if isinstance(entry.source, GeneratedSource):
            yield from _wrong_generator(name, entry.source)
        if isinstance(entry.source, BuiltSource):
            yield from _wrong_builder(name, entry)
        if isinstance(entry.source, FileSource):
            yield from _wrong_format(name, entry.source)
        if entry.positive and entry.task == "multiclass":
            yield f"{name}.positive", "makes a binary task; the key task says multiclass"
        yield from _wrong_split(name, entry, catalogue)
        yield from _wrong_stand_in(name, entry, catalogue)
        if not entry.scaling.low < entry.scaling.high:
            yield f"{name}.scaling.minmax", f"low {entry.scaling.low} is not below high {entry.scaling.high}"
    yield from _same_name_other_file(catalogue)
    yield from _not_embedded(catalogue)


def _wrong_generator(name, source):
    if source.generator not in GENERATORS:
        what = f"{source.generator!r} is not known; {did_you_mean(source.generator, GENERATORS)}"
        yield f"{name}.source.generator", what
        return
    known = parameters_of(source.generator)
    for parameter in source.parameters:
        if parameter not in known:
            what = f"unknown parameter {parameter!r} of {source.generator}; {did_you_mean(parameter, known)}"
            yield f"{name}.source.parameters", what


def _wrong_builder(name, entry):
    source = entry.source
    if source.builder not in BUILDERS:
        yield f"{name}.source.builder", f"{source.builder!r} is not known; {did_you_mean(source.builder, BUILDERS)}"
        return
    for key, given, known in (
        ("files", source.files, roles_of_builder(source.builder)),
        ("parameters", source.parameters, parameters_of_builder(source.builder)),
    ):
        key = f"{name}.source.{key}"
        for extra in (one for one in given if one not in known):
            yield key, f"the builder {source.builder} has no {extra!r}; {did_you_mean(extra, known)}"
        for missing in (one for one, needed in known.items() if needed and one not in given):
            yield key, f"the builder {source.builder} needs the key {missing!r}"
    if not isinstance(entry.split, (MadeByBuilder, RandomFraction)):
        yield f"{name}.split", "a built set wants 'test: builder', or 'fraction' and 'seed'"


def _wrong_format(name, source):
    if (source.format == "csv") != (source.csv is not None):
        yield f"{name}.source.csv", "goes with 'format: csv', which needs it (with the key 'label' at least)"
    if source.csv is not None and not source.csv.header:
        categorical = () if source.csv.categorical == AUTO else source.csv.categorical
        for column in (source.csv.label, *source.csv.drop, *categorical):
            if isinstance(column, str):
                yield f"{name}.source.csv", f"the name {column!r} needs 'header: true'; or give the position"
    for role, labels in LABEL_FILES.items():
        if source.format == "idx" and role in source.files and labels not in source.files:
            yield f"{name}.source.files", f"{role!r} needs {labels!r} as well with 'format: idx'"
        if labels in source.files and (source.format != "idx" or role not in source.files):
            yield f"{name}.source.files.{labels}", f"is not used; it goes with 'format: idx' and {role!r}"


def _wrong_split(name, entry, catalogue):
    is_file = isinstance(entry.source, FileSource)
    has_test = is_file and "test" in entry.source.files
    if isinstance(entry.split, MadeByBuilder) and not isinstance(entry.source, BuiltSource):
        yield f"{name}.split.test", "'builder' needs the key source.builder"
    if is_file and "archive" in entry.source.files:
        yield f"{name}.source.files.archive", "is for a builder"
    if isinstance(entry.split, SeparateFile) and not has_test:
        yield f"{name}.split", "'test: file' needs the key source.files.test"
    if has_test and not isinstance(entry.split, SeparateFile):
        yield f"{name}.source.files.test", "is not used; the split should be 'test: file'"
    if isinstance(entry.split, FreshPoints) and not isinstance(entry.source, GeneratedSource):
        yield (f"{name}.split.test_size", "only a generated set draws new points; use 'fraction' and 'seed'")
    if isinstance(entry.split, ComplementOf):
        key, whole = f"{name}.split.complement_of", entry.split.whole
        if not is_file:
            yield key, "needs a source of files"
        elif whole not in catalogue:
            yield key, f"{whole!r} is not an entry; {did_you_mean(whole, catalogue)}"
        elif not isinstance(catalogue[whole].source, FileSource):
            yield key, f"{whole!r} must be an entry with a source of files"
        elif _way_of_reading(catalogue[whole]) != _way_of_reading(entry) or entry.source.format == "idx":
            yield key, f"{whole!r} must be a file of the same format, libsvm or csv"


def _wrong_stand_in(name, entry, catalogue):
    if entry.stand_in is None:
        return
    key = f"{name}.stand_in"
    if not isinstance(entry.split, ComplementOf) or None in (entry.features, entry.expected.train):
        yield key, "needs the keys split.complement_of, features and expected.train"
    for role in ("smaller", "larger"):
        neighbour = getattr(entry.stand_in, role)
        if neighbour not in catalogue:
            yield f"{key}.{role}", f"{neighbour!r} is not an entry; {did_you_mean(neighbour, catalogue)}"
        elif not (isinstance(source := catalogue[neighbour].source, FileSource) and source.format == "libsvm"):
            yield f"{key}.{role}", f"{neighbour!r} must be an entry with files in the format libsvm"


def _way_of_reading(entry):
    return entry.source.format, entry.source.csv


def _same_name_other_file(catalogue):
    seen = {}
    for name, entry in catalogue.items():
        files = entry.source.files if isinstance(entry.source, (FileSource, BuiltSource)) else {}
        for role, file in files.items():
            if file.name is None:
                continue
            first, first_key = seen.setdefault(file.name, (file, f"{name}.source.files.{role}"))
            if first != file:
                what = f"{file.name!r} has another url or sha256 than in {first_key}, or one is embedded"
                yield f"{name}.source.files.{role}", what


def _not_embedded(catalogue):
    for name, entry in catalogue.items():
        files = entry.source.files if isinstance(entry.source, (FileSource, BuiltSource)) else {}
        for role, file in files.items():
            if file.embedded and not file.location(None).is_file():
                what = f"this package carries no file {file.name!r}; leave the key out, so that it is downloaded"
                yield f"{name}.source.files.{role}.embedded", what
