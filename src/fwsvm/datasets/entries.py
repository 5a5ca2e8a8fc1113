"""What a catalogue entry says, as frozen dataclasses (`config/datasets.yaml` is their written form)."""

import dataclasses
import hashlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

from fwsvm.base.errors import ConfigError

PREPARED_FORMAT = 2
UNVERIFIED = "unverified"
EMBEDDED = Path(__file__).parent / "embedded"
"""Folder of the files that the package carries, laid out as a mirror; its README.md says whose they are."""

LABEL_FILES = {"train": "train_labels", "test": "test_labels"}


@dataclass(frozen=True)
class FileEntry:
    """One raw file: downloaded (`name`, `url`, `sha256`), carried by this package (the same with `embedded`), or on
    this disk (`path`).

    `name` is its place below the raw folder and below a mirror, without a compression suffix. `sha256` is
    of the decompressed content; a file on disk may go without. ``unverified`` stands where nobody could check
    a real file: the sum of the first download is then recorded beside the file and holds from there on.
    The embedded copy has the same content as the one at `url`, and so the same `sha256`.
    """

    name: str | None = None
    url: str | None = None
    sha256: str | None = None
    path: str | None = None
    embedded: bool = False

    @property
    def is_remote(self):
        """Whether the file comes from a mirror or from upstream."""
        return self.path is None and not self.embedded

    def location(self, raw_dir):
        """Where the file lies: below `raw_dir`, in this package, or its own path, relative to the current folder."""
        if self.embedded:
            return EMBEDDED / f"{self.name}.bz2"
        # Unlike pathlib's, this leaves the home folder of an unknown user as it is, to be reported as no such file.
        return Path(os.path.expanduser(self.path)) if self.path else Path(raw_dir) / self.name


@dataclass(frozen=True)
class CsvOptions:
    """How a text table is to be read; a column is a name of the header or a position (1 first, -1 last).

    `separator` is one character, or ``whitespace``: any run of blanks and tabs. `categorical` columns (or
    ``auto``: those with a value that is no number) become one feature for each of their values.
    """

    label: str | int
    separator: str = ","
    header: bool = False
    categorical: str | tuple[str | int, ...] = ()
    drop: tuple[str | int, ...] = ()
    missing_values: tuple[str, ...] = ()


@dataclass(frozen=True)
class FileSource:
    """Points from files.

    `files` maps a role (``train``, ``test``; for the format ``idx`` also ``train_labels``, ``test_labels``)
    to a file. `csv` goes with the format ``csv``.
    """

    files: dict[str, FileEntry]
    format: str = "libsvm"
    csv: CsvOptions | None = None


@dataclass(frozen=True)
class BuiltSource:
    """Points made from files by a builder of `fwsvm.datasets.builders`, which names their roles."""

    builder: str
    files: dict[str, FileEntry]
    parameters: dict = field(default_factory=dict)


@dataclass(frozen=True)
class PackageSource:
    """Points that scikit-learn carries in its package."""

    sklearn: str


@dataclass(frozen=True)
class GeneratedSource:
    """`size` points drawn by a generator of `fwsvm.datasets.generators`."""

    generator: str
    size: int
    seed: int
    parameters: dict = field(default_factory=dict)


@dataclass(frozen=True)
class SeparateFile:
    """The test part is the file ``test`` of the source."""


@dataclass(frozen=True)
class MadeByBuilder:
    """The builder of the source makes both parts."""


@dataclass(frozen=True)
class RandomFraction:
    """The test part is ceil(`fraction` * rows) rows, drawn uniformly without replacement."""

    fraction: float
    seed: int


@dataclass(frozen=True)
class ComplementOf:
    """The test part is another entry's training file without the rows of this one (multiset difference)."""

    whole: str


@dataclass(frozen=True)
class FreshPoints:
    """The test part is `size` further points of the generator, from a stream of their own."""

    size: int


@dataclass(frozen=True)
class Scaling:
    """``none``, ``minmax`` (to [`low`, `high`]), ``standard``, ``unit-length`` or ``divide`` (by `divisor`)."""

    method: str = "none"
    low: float = 0.0
    high: float = 1.0
    divisor: float = 1.0


@dataclass(frozen=True)
class Expected:
    """Sizes the prepared data must have; a size that is not given is not checked."""

    train: int | None = None
    test: int | None = None
    classes: int | None = None


@dataclass(frozen=True)
class StandIn:
    """What takes a data set's place where its files cannot be had (`fwsvm.datasets.builders.nested`).

    `smaller`, `larger`: the neighbours in its series, other entries; `seed`: of the draw from the larger one.
    """

    smaller: str
    larger: str
    seed: int


@dataclass(frozen=True)
class DatasetEntry:
    """One data set of the catalogue; the keys are explained at the head of `config/datasets.yaml`."""

    name: str
    source: FileSource | BuiltSource | PackageSource | GeneratedSource
    split: SeparateFile | MadeByBuilder | RandomFraction | ComplementOf | FreshPoints
    title: str = ""
    paper_name: str = ""
    task: str | None = None
    features: int | None = None
    expected: Expected = Expected()
    scaling: Scaling = Scaling()
    positive: tuple[str | float, ...] = ()
    sigma2: str | float = "average"
    papers: tuple[str, ...] = ()
    group: str = "other"
    stand_in: StandIn | None = None
    differs: dict = field(default_factory=dict)
    licence: str | None = None
    citation: str | None = None
    note: str | None = None

    def resized(self, size):
        """The same generated set with another number of points (`load_dataset(..., size=m)`).

        Raises
        ------
        ConfigError
            The data set is not a generated one, or `size` is not positive.
        """
        if not isinstance(self.source, GeneratedSource):
            raise ConfigError(f"{self.name}: size can only be set for a generated data set")
        if size < 1:
            raise ConfigError(f"{self.name}: size must be at least 1, not {size}")
        expected = Expected(classes=self.expected.classes)
        return dataclasses.replace(self, source=dataclasses.replace(self.source, size=int(size)), expected=expected)

    def standing_in(self, catalogue):
        """The entry with its stand-in as the source, which makes both parts."""
        names = {"smaller": self.stand_in.smaller, "larger": self.stand_in.larger, "whole": self.split.whole}
        files = {role: catalogue[name].source.files["train"] for role, name in names.items()}
        parameters = {"size": self.expected.train, "features": self.features, "seed": self.stand_in.seed}
        return dataclasses.replace(self, source=BuiltSource("nested", files, parameters), split=MadeByBuilder())


def required_files(entry, catalogue):
    """The files a data set is made of: role -> `FileEntry` (``train``, ``test``, ``whole``)."""
    files = dict(entry.source.files) if isinstance(entry.source, (FileSource, BuiltSource)) else {}
    if isinstance(entry.split, ComplementOf):
        files["whole"] = catalogue[entry.split.whole].source.files["train"]
    return files


def entry_digest(entry, catalogue, subset=None):
    """A hash of all that decides the prepared arrays, for caches and for `params:` of a rule.

    Descriptive keys (title, papers, licence, ...) do not count, nor do other entries. The content of a
    file on disk (`path`) without sha256 is not looked at. Nor does it count whether a file is embedded, or where a file
    with a sha256 comes from.
    """
    deciding = {
        "name": entry.name,
        "source": {"kind": type(entry.source).__name__, **_deciding(entry.source)},
        "split": {"kind": type(entry.split).__name__, **dataclasses.asdict(entry.split)},
        "scaling": dataclasses.asdict(entry.scaling),
        "positive": entry.positive,
        "features": entry.features,
        "sigma2": entry.sigma2,
        "prepared_format": PREPARED_FORMAT,
        "files": {role: _deciding(file) for role, file in required_files(entry, catalogue).items()},
        "subset": subset,
    } | ({"stand_in": dataclasses.asdict(entry.stand_in)} if entry.stand_in else {})
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()[:16]


def _deciding(part):
    """A part of an entry as a dict, without what does not decide the prepared arrays."""

    def deciding(items):
        values = dict(items)
        values.pop("embedded", None)
        if values.get("sha256") not in (None, UNVERIFIED):
            values.pop("url", None)
        return values

    return dataclasses.asdict(part, dict_factory=deciding)
