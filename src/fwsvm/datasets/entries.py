"""What an entry of the catalogue may say; its keys are explained at the head of `config/datasets.yaml`."""

import hashlib
import json
import math
import os
import re
from pathlib import Path
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from fwsvm.base.errors import ConfigError
from fwsvm.datasets.builders import BUILDERS, arguments_of
from fwsvm.datasets.csv_format import AUTO, SEPARATORS
from fwsvm.datasets.formats import LARGEST_INDEX
from fwsvm.datasets.generators import GENERATORS, parameters_of
from fwsvm.datasets.schema import did_you_mean

PREPARED_FORMAT = 3
UNVERIFIED, VERIFIED, NOT_GIVEN = "unverified", "verified", "not given"
LABEL_FILES = {"train": "train_labels", "test": "test_labels"}
EMBEDDED = Path(__file__).parent / "embedded"
"""Folder of the files that the package carries, laid out as a mirror; its README.md says whose they are."""


def _text(pattern, what):
    """A type for text of this form; a message says what it must be."""

    def check(text):
        if not re.fullmatch(pattern, text):
            raise ValueError(f"must be {what}")
        return text

    return Annotated[str, AfterValidator(check)]


def _one_of(value, known, what):
    if value not in known:
        raise ValueError(f"unknown {what} {value!r}; {did_you_mean(value, known)}")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, keys):
        for key in keys if isinstance(keys, dict) else ():
            _one_of(key, cls.model_fields, "key")
        return keys

    def _exactly_one(self, *names):
        given = [name for name in names if getattr(self, name) not in (None, {})]
        if len(given) != 1:
            raise ValueError(f"needs exactly one of the keys {', '.join(names)}; there is {', '.join(given) or 'none'}")

    def _together(self, *names):
        given = [name for name in names if name in self.model_fields_set]
        if given and len(given) < len(names):
            raise ValueError(f"the keys {', '.join(names)} go together; there is only {', '.join(given)}")


_Name = _text(
    r"(?a)(?=.{1,200}\Z)(?!.*\.(bz2|gz|xz|Z)\Z)\w[\w.+-]*(/\w[\w.+-]*)*",
    "a relative path without '..' and without compression suffix, such as libsvm/binary/a1a",
)
_Sha256 = _text(
    "[0-9a-f]{64}|unverified", 'the sha256 of the decompressed content, 64 hexadecimal digits; or "unverified"'
)


class FileEntry(_Part):
    """One raw file: downloaded (name, url, sha256), carried by this package (`embedded`), or on this disk (`path`).

    `name` is its place below the raw folder and in a mirror, without a compression suffix. `sha256` is of the
    decompressed content; where it is ``unverified``, the sum of the first download is recorded and holds from then on.
    """

    name: _Name | None = None
    url: _text(r"https?://\S+", "an address that starts with https:// or http://") | None = None
    sha256: _Sha256 | None = None
    path: _text(r"[^\x00\n]+", "the path of a file on this disk") | None = None
    embedded: bool = False

    @model_validator(mode="after")
    def _check(self):
        self._exactly_one("url", "path")
        if self.url and not (self.name and self.sha256):
            raise ValueError("a file with an url needs the keys name and sha256")
        if self.path and (self.name or self.embedded):
            raise ValueError("a file with a path has neither name nor embedded")
        if self.embedded and (self.checksum != VERIFIED or not self.location(None).is_file()):
            raise ValueError("this package carries no such file with a sha256; leave out 'embedded' to download it")
        return self

    @property
    def is_remote(self):
        """Whether the file comes from a mirror or from upstream."""
        return self.path is None and not self.embedded

    @property
    def checksum(self):
        """``verified``, ``unverified``, or ``not given`` (possible for a file on disk only)."""
        if self.sha256 == UNVERIFIED:
            return UNVERIFIED
        return VERIFIED if self.sha256 else NOT_GIVEN

    def location(self, raw_dir):
        """Where the file lies: below `raw_dir`, in this package, or its own path, relative to the current folder."""
        if self.embedded:
            return EMBEDDED / f"{self.name}.bz2"
        return Path(os.path.expanduser(self.path)) if self.path else Path(raw_dir) / self.name


def _not_zero(column):
    if column == 0:
        raise ValueError("must be the name of a column, or its position (1 the first, -1 the last)")
    return column


_Column = Annotated[str | int, AfterValidator(_not_zero)]


class CsvOptions(_Part):
    """Arguments of `fwsvm.datasets.csv_format.read_csv`."""

    label: _Column
    separator: Literal[SEPARATORS] = ","
    header: bool = False
    categorical: Literal[AUTO] | list[_Column] = []
    drop: list[_Column] = []
    missing_values: list[Annotated[str, Field(min_length=1)]] = []

    @model_validator(mode="after")
    def _check(self):
        columns = [self.label, *self.drop, *(self.categorical if self.categorical != AUTO else [])]
        for name in (column for column in columns if isinstance(column, str) and not self.header):
            raise ValueError(f"the name {name!r} needs 'header: true'; or give the position")
        return self


class Source(_Part):
    """Where the points come from: `kind` is ``files``, ``builder``, ``sklearn`` or ``generator``."""

    files: dict[Literal["train", "test", "train_labels", "test_labels", "archive"], FileEntry] = {}
    format: Literal["libsvm", "csv", "idx"] = "libsvm"
    csv: CsvOptions | None = None
    builder: str | None = None
    sklearn: Literal["iris", "breast_cancer", "digits", "wine"] | None = None
    generator: str | None = None
    size: PositiveInt | None = None
    seed: NonNegativeInt | None = None
    parameters: dict[str, str | int | float | bool] = {}

    @property
    def kind(self):
        return next(kind for kind in ("builder", "files", "sklearn", "generator") if getattr(self, kind))

    @model_validator(mode="after")
    def _check(self):
        self._exactly_one("files", "sklearn", "generator")
        self._together("generator", "size", "seed")
        known_parameters = {}
        if self.generator:
            _one_of(self.generator, GENERATORS, "generator")
            known_parameters = dict.fromkeys(parameters_of(self.generator), False)
        if self.builder:
            _one_of(self.builder, BUILDERS, "builder")
            roles, known_parameters = arguments_of(self.builder)
            self._check_names("files", self.files, roles)
            if {"format", "csv"} & self.model_fields_set:
                raise ValueError("a builder reads the files itself; leave out format and csv")
        elif self.files:
            self._check_files()
        self._check_names("parameters", self.parameters, known_parameters)
        return self

    def _check_names(self, key, given, known):
        for name in given:
            _one_of(name, known, f"name in {key}:")
        if missing := [name for name, is_needed in known.items() if is_needed and name not in given]:
            raise ValueError(f"{key}: the builder {self.builder} needs the key {missing[0]!r}")

    def _check_files(self):
        needed = {"train"} | (self.files.keys() & {"test"})
        if self.format == "idx":
            needed |= {LABEL_FILES[role] for role in needed}
        wrong = self.files.keys() ^ needed
        if wrong:
            what = "only 'format: idx' has train_labels and test_labels, and it needs them"
            raise ValueError(f"files: {min(wrong)!r} is missing or not used here; {what}; 'archive' is for a builder")
        if (self.format == "csv") != (self.csv is not None):
            raise ValueError("the key csv, with 'label' at least, and 'format: csv' go together")


class Split(_Part):
    """Where the test points come from."""

    test: Literal["file", "builder"] | None = None
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    seed: NonNegativeInt | None = None
    complement_of: str | None = None
    test_size: PositiveInt | None = None

    @model_validator(mode="after")
    def _check(self):
        self._exactly_one("test", "fraction", "complement_of", "test_size")
        self._together("fraction", "seed")
        return self


class Scaling(_Part):
    """``none``, ``minmax`` (to two numbers), ``standard``, ``unit-length`` or ``divide`` (by a number)."""

    method: Literal["none", "minmax", "standard", "unit-length", "divide"] = "none"
    minmax: Annotated[list[float], Field(min_length=2, max_length=2)] = [0.0, 1.0]
    divide: PositiveFloat = 1.0

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value):
        if value in ("none", "minmax", "standard", "unit-length"):
            return {"method": value}
        if isinstance(value, dict) and len(value) == 1 and value.keys() <= {"minmax", "divide"}:
            return {"method": next(iter(value)), **value}
        raise ValueError("must be none, minmax, standard, unit-length, {minmax: [low, high]} or {divide: number}")

    @model_validator(mode="after")
    def _check(self):
        low, high = self.minmax
        if not low < high:
            raise ValueError(f"minmax: low {low} is not below high {high}")
        return self


class Expected(_Part):
    """Sizes that the prepared data must have; a size that is not given is not checked."""

    train: PositiveInt | None = None
    test: PositiveInt | None = None
    classes: Annotated[int, Field(ge=2)] | None = None


class StandIn(_Part):
    """What replaces a data set whose files are missing (`fwsvm.datasets.builders.nested`)."""

    smaller: str
    larger: str
    seed: NonNegativeInt


def _width(value):
    if value != "average" and not (isinstance(value, float) and 0 < value < math.inf):
        raise ValueError(f"must be average, or a number > 0, not {value!r}")
    return value


class DatasetEntry(_Part):
    """One data set."""

    source: Source
    split: Split
    title: str = ""
    paper_name: str = ""
    task: Literal["binary", "multiclass"] | None = None
    features: Annotated[int, Field(ge=1, le=LARGEST_INDEX)] | None = None
    expected: Expected = Expected()
    scaling: Scaling = Scaling.model_construct()
    positive: list[str | int | float] = []
    sigma2: Annotated[str | float, AfterValidator(_width)] = "average"
    papers: list[Literal["frandi2013", "nanculef2014", "tsang2005", "singh", "alaiz2018"]] = []
    group: str = "other"
    stand_in: StandIn | None = None
    differs: dict[Literal["m", "t", "K", "m_max", "m_min", "n"], Annotated[str, Field(min_length=1)]] = {}
    licence: str | None = None
    citation: str | None = None
    note: str | None = None
    _name: str = ""

    @property
    def name(self):
        return self._name

    @model_validator(mode="after")
    def _check(self):
        source, split = self.source, self.split
        if self.positive and self.task == "multiclass":
            raise ValueError("'positive' makes a binary task; the key task says multiclass")
        if "positive" in self.model_fields_set and len(set(self.positive)) != max(1, len(self.positive)):
            raise ValueError("positive: must be a list of at least one label, each of them once")
        has_test = source.kind == "files" and "test" in source.files
        if has_test != (split.test == "file"):
            raise ValueError("split: 'test: file' and the key source.files.test go together")
        allowed = {"builder": {"test", "fraction"}, "generator": {"fraction", "test_size"}, "sklearn": {"fraction"}}
        allowed = allowed.get(source.kind, {"test", "fraction", "complement_of"})
        if (source.kind == "builder") < (split.test == "builder") or not split.model_fields_set - {"seed"} <= allowed:
            raise ValueError(f"split: this does not go with a source of the kind {source.kind}")
        if self.stand_in and not (split.complement_of and self.features and self.expected.train):
            raise ValueError("stand_in: needs the keys split.complement_of, features and expected.train")
        return self

    def resized(self, size):
        """The same generated set with another number of points."""
        if self.source.kind != "generator" or size < 1:
            raise ConfigError(f"{self.name}: size must be at least 1, and only a generated data set has one")
        source = self.source.model_copy(update={"size": int(size)})
        return self.model_copy(update={"source": source, "expected": Expected(classes=self.expected.classes)})

    def standing_in(self, catalogue):
        """The entry with its stand-in as the source, which makes both parts."""
        names = {"smaller": self.stand_in.smaller, "larger": self.stand_in.larger, "whole": self.split.complement_of}
        files = {role: catalogue[name].source.files["train"] for role, name in names.items()}
        parameters = {"size": self.expected.train, "features": self.features, "seed": self.stand_in.seed}
        source = Source.model_construct(builder="nested", files=files, parameters=parameters)
        return self.model_copy(update={"source": source, "split": Split(test="builder")})


def required_files(entry, catalogue):
    """The files a data set is made of: role -> `FileEntry` (``train``, ``test``, ``whole``)."""
    whole = entry.split.complement_of
    return entry.source.files | ({"whole": catalogue[whole].source.files["train"]} if whole else {})


def entry_digest(entry, catalogue, subset=None):
    """A hash of all that decides the prepared arrays, for caches and for `params:` of a rule.

    Descriptive keys (title, papers, licence, ...) do not count, nor whether a file is embedded, nor where a file with a
    sha256 comes from. The content of a file on disk (`path`) without sha256 is not read.
    """
    keys = {"source", "split", "scaling", "positive", "features", "sigma2", "stand_in"}
    deciding = entry.model_dump(include=keys, exclude={"source": {"files"}})
    deciding["files"] = {
        role: file.model_dump(exclude={"embedded", "url"} if file.checksum == VERIFIED else {"embedded"})
        for role, file in required_files(entry, catalogue).items()
    }
    deciding |= {"name": entry.name, "subset": subset, "prepared_format": PREPARED_FORMAT}
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()[:16]
