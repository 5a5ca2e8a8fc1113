"""The classes of the catalogue's entries and of their parts.

The comment at the top of `config/datasets.yaml` explains the keys of an entry.
"""

import hashlib
import inspect
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Literal, Self, TypeAlias

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from fwsvm.inputs.data_files import LARGEST_INDEX
from fwsvm.inputs.errors import ConfigError
from fwsvm.inputs.files import COMPRESSION_SUFFIXES
from fwsvm_papers.datasets.builders import BUILDERS, arguments_of
from fwsvm_papers.datasets.generators import GENERATORS, GeneratorName
from fwsvm_papers.datasets.tables import Separator

PREPARED_FORMAT = 3
UNVERIFIED, VERIFIED, NOT_GIVEN = "unverified", "verified", "not given"
LABEL_FILES = {"train": "train_labels", "test": "test_labels"}
FileRole: TypeAlias = Literal["train", "test", "train_labels", "test_labels", "archive"]
OPENML_PAGES = "https://www.openml.org"
# The folder of the data files that the package contains. Inside this folder, the files have the
# same paths as on a mirror.
EMBEDDED = Path(__file__).parent / "embedded"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)

    def _exactly_one(self, *names: str) -> None:
        given = [name for name in names if getattr(self, name) not in (None, {})]
        if len(given) != 1:
            raise ValueError(
                f"must have exactly one of the keys {', '.join(names)}, but has"
                f" {', '.join(given) or 'none of them'}"
            )

    def _together(self, *names: str) -> None:
        given = [name for name in names if getattr(self, name) is not None]
        if given and len(given) < len(names):
            raise ValueError(
                f"the keys {', '.join(names)} must be given together, but the entry has only"
                f" {', '.join(given)}"
            )


class FileEntry(_Part):
    """One raw file. A file that is downloaded has the keys `name`, `url` and `sha256`. A file that
    this package contains also has the key `embedded`. A local file has the key `path`.
    """

    name: (
        Annotated[
            str, Field(pattern=r"^[A-Za-z0-9_][\w.+-]*(/[A-Za-z0-9_][\w.+-]*)*$", max_length=200)
        ]
        | None
    ) = None
    url: Annotated[str, Field(pattern=r"^https?://\S+$")] | None = None
    sha256: Annotated[str, Field(pattern="^([0-9a-f]{64}|unverified)$")] | None = None
    path: Annotated[str, Field(min_length=1)] | None = None
    embedded: bool = False
    _openml: "Openml | None" = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._exactly_one("url", "path")
        if self.url and not (self.name and self.sha256):
            raise ValueError("a file with a url needs the keys name and sha256")
        if self.name and self.name.endswith(COMPRESSION_SUFFIXES):
            raise ValueError("name must not have a compression suffix")
        if self.path and (self.name or self.embedded):
            raise ValueError("a file with a path must not have the keys name or embedded")
        if self.embedded and not self.location(None).is_file():
            raise ValueError(
                "embedded: this package has no such file; remove this key to download the file"
            )
        return self

    @property
    def is_remote(self) -> bool:
        """Test whether the file must be downloaded, or copied from a mirror."""
        return self.path is None and not self.embedded

    @property
    def openml(self) -> "Openml | None":
        """Return the data set of OpenML from which this file is made, or None if there is none.

        If the file is made from a data set of OpenML, the `url` of the file is a page for readers,
        and not the address of the data.
        """
        return self._openml

    @property
    def checksum(self) -> str:
        """Return the state of the checksum, which is ``verified`` or ``unverified``. For a local
        file, the state can also be ``not given``.
        """
        if self.sha256 == UNVERIFIED:
            return UNVERIFIED
        return VERIFIED if self.sha256 else NOT_GIVEN

    def location(self, raw_dir: str | Path | None) -> Path:
        """Return the path of the file. For a local file, the entry gives the path. Other files are
        in this package or in `raw_dir`.
        """
        if self.embedded:
            return EMBEDDED / f"{self.name}.bz2"
        if self.path:
            return Path(os.path.expanduser(self.path))
        assert raw_dir is not None and self.name is not None  # a file with a url has a name
        return Path(raw_dir) / self.name


class CsvOptions(_Part):
    """The options for reading a text table. They are arguments of
    `fwsvm_papers.datasets.tables.read_table`, whose docstring explains them.
    """

    label: str | int
    separator: Separator = ","
    header: bool = False
    categorical: Literal["auto"] | list[str | int] = []
    drop: list[str | int] = []
    missing_values: list[str] = []
    comment: Annotated[str, Field(min_length=1)] | None = None


class Openml(_Part):
    """A data set of OpenML, which is identified by its id, or by its name and version.

    In an entry, the number 61 means ``{id: 61}``.
    """

    id: PositiveInt | None = None
    name: Annotated[str, Field(pattern="^[A-Za-z0-9_][A-Za-z0-9_.+-]*$", max_length=100)] | None = (
        None
    )
    version: PositiveInt | None = None
    target: Annotated[str, Field(min_length=1)] | None = None
    drop: list[str] = []
    sha256: Annotated[str, Field(pattern="^([0-9a-f]{64}|unverified)$")] = UNVERIFIED

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        if isinstance(value, int) and not isinstance(value, bool):
            return {"id": value}
        if isinstance(value, dict):
            return value
        raise ValueError(
            f"must be an id, such as 61, or {{name: iris, version: 1}}, not {repr(value)[:100]}"
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._exactly_one("id", "name")
        if self.name and not self.version:
            page = f"{OPENML_PAGES}/search?type=data&q={self.name}"
            raise ValueError(
                "the key version is missing; OpenML can have several data sets of one name: see"
                f" {page}"
            )
        if self.id and self.version:
            raise ValueError("the key version can only be used with name, not with id")
        return self

    def __str__(self) -> str:
        return f"{self.name}, version {self.version}" if self.name else f"with id {self.id}"

    @property
    def file(self) -> FileEntry:
        """Return the `FileEntry` of a text table, which `fwsvm_papers.datasets.openml` makes from
        the data set.
        """
        stem, page = self.id, f"d/{self.id}"
        if self.name:
            stem = f"{self.name.lower()}-{self.version}"  # OpenML ignores the case of names.
            page = f"search?type=data&q={self.name.lower()}"
        file = FileEntry(
            name=f"openml/{stem}.csv", url=f"{OPENML_PAGES}/{page}", sha256=self.sha256
        )
        file._openml = self
        return file


class Source(_Part):
    """The source of the points. Its `kind` is ``files``, ``builder``, ``sklearn``, ``openml`` or
    ``generator``.
    """

    files: dict[FileRole, FileEntry] = {}
    format: Literal["libsvm", "csv", "idx"] = "libsvm"
    csv: CsvOptions | None = None
    builder: str | None = None
    sklearn: Literal["iris", "breast_cancer", "digits", "wine"] | None = None
    openml: Openml | None = None
    generator: GeneratorName | None = None
    size: PositiveInt | None = None
    seed: NonNegativeInt | None = None
    parameters: dict[str, str | int | float | bool] = {}

    @property
    def kind(self) -> str:
        kinds = ("builder", "files", "sklearn", "openml", "generator")
        return next(kind for kind in kinds if getattr(self, kind))

    @property
    def raw_files(self) -> dict[FileRole, FileEntry]:
        """Return a dict that maps the role of each raw file to its `FileEntry`. For an OpenML data
        set, the only raw file is the table that is made from this data set.
        """
        return {"train": self.openml.file} if self.openml else self.files

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._exactly_one("files", "sklearn", "openml", "generator")
        self._together("generator", "size", "seed")
        if self.openml and self.model_fields_set & {"format", "csv"}:
            raise ValueError(
                "the keys format and csv cannot be used with openml; use its keys target and drop"
            )
        if (self.format == "csv") != (self.csv is not None):
            raise ValueError(
                "the key csv (with at least 'label') and 'format: csv' must be given together"
            )
        roles, parameters = {"train": True, "test": False}, {}
        if self.format == "idx":
            roles |= {LABEL_FILES[role]: True for role in self.files.keys() & LABEL_FILES}
        if self.generator:
            _, _, *names = inspect.signature(GENERATORS[self.generator]).parameters
            parameters = dict.fromkeys(names, False)
        if self.builder:
            if self.builder not in BUILDERS:
                raise ValueError(
                    f"builder: {self.builder!r} is unknown; known: {', '.join(BUILDERS)}"
                )
            roles, parameters = arguments_of(self.builder)
        if self.files:
            _compare_names("files", self.files, roles)
        _compare_names("parameters", self.parameters, parameters)
        return self


def _compare_names(key: str, given: Iterable[str], known: Mapping[str, bool]) -> None:
    """Raise a ValueError if a name in `given` is not in `known`, or if a required name is missing
    in `given`.

    `known` maps each known name to True if it is required, and to False otherwise.
    """
    if unknown := [name for name in given if name not in known]:
        raise ValueError(
            f"{key}: the name {unknown[0]!r} is unknown; known: {', '.join(known) or 'none'}"
        )
    if missing := [name for name, is_needed in known.items() if is_needed and name not in given]:
        raise ValueError(f"{key}: the key {missing[0]!r} is missing")


class Split(_Part):
    """The source of the test points. Its `kind` is ``file``, ``builder``, ``fraction``,
    ``complement_of`` or ``test_size``.
    """

    test: Literal["file", "builder"] | None = None
    fraction: Annotated[float, Field(gt=0, lt=1)] | None = None
    seed: NonNegativeInt | None = None
    stratify: bool | None = None
    complement_of: str | None = None
    test_size: PositiveInt | None = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        self._exactly_one("test", "fraction", "complement_of", "test_size")
        self._together("fraction", "seed")
        if self.stratify is not None and self.fraction is None:
            raise ValueError("stratify can only be used with the keys fraction and seed")
        return self

    @property
    def kind(self) -> str:
        return self.test or next(
            key for key in ("fraction", "complement_of", "test_size") if getattr(self, key)
        )


class Scaling(_Part):
    """The scaling of the features. The `method` is ``none``, ``minmax`` (to a range), ``standard``,
    ``unit-length`` or ``divide``.
    """

    method: Literal["none", "minmax", "standard", "unit-length", "divide"] = "none"
    minmax: Annotated[list[float], Field(min_length=2, max_length=2)] = [0.0, 1.0]
    divide: PositiveFloat = 1.0

    @model_validator(mode="before")
    @classmethod
    def _short(cls, value: object) -> object:
        if value in ("none", "minmax", "standard", "unit-length"):
            return {"method": value}
        if isinstance(value, dict) and len(value) == 1 and value.keys() <= {"minmax", "divide"}:
            return {"method": next(iter(value)), **value}
        raise ValueError(
            "must be none, minmax, standard, unit-length, {minmax: [low, high]} or {divide:"
            f" number}}, not {repr(value)[:100]}"
        )

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not self.minmax[0] < self.minmax[1]:
            raise ValueError("minmax: the first number must be below the second")
        return self


class Expected(_Part):
    """The sizes that the prepared data must have. A size that is None is not checked."""

    train: PositiveInt | None = None
    test: PositiveInt | None = None
    classes: Annotated[int, Field(ge=2)] | None = None


class StandIn(_Part):
    """The names of the entries from which `fwsvm_papers.datasets.builders.nested` makes a stand-in
    if files are missing.
    """

    smaller: str
    larger: str
    seed: NonNegativeInt


class DatasetEntry(_Part):
    """The entry of one data set in the catalogue."""

    source: Source
    split: Split
    title: str = ""
    task: Literal["binary", "multiclass"] | None = None
    features: Annotated[int, Field(ge=1, le=LARGEST_INDEX)] | None = None
    expected: Expected = Expected()
    scaling: Scaling = Scaling.model_construct()
    positive: Annotated[list[str | int | float], Field(min_length=1)] = []
    sigma2: Literal["average"] | PositiveFloat = "average"
    papers: list[Literal["frandi2013", "nanculef2014", "tsang2005", "singh", "alaiz2018"]] = []
    group: str = "other"
    stand_in: StandIn | None = None
    differs: dict[Literal["m", "t", "K", "m_max", "m_min", "n"], str] = {}
    licence: str | None = None
    citation: str | None = None
    note: str | None = None
    _name: str = ""

    @property
    def name(self) -> str:
        return self._name

    @model_validator(mode="after")
    def _check(self) -> Self:
        allowed = {
            "files": {"file"} if "test" in self.source.files else {"fraction", "complement_of"},
            "builder": {"builder", "fraction"},
            "generator": {"fraction", "test_size"},
            "sklearn": {"fraction"},
            "openml": {"fraction"},
        }[self.source.kind]
        if self.split.kind not in allowed:
            known = " or ".join(sorted(allowed))
            raise ValueError(
                f"split: the kind {self.split.kind!r} cannot be used with this source; use {known}"
            )
        if self.stand_in and not (
            self.split.complement_of and self.features and self.expected.train
        ):
            raise ValueError(
                "stand_in needs the keys split.complement_of, features and expected.train"
            )
        return self

    def resized(self, size: int) -> "DatasetEntry":
        """Return a copy of this entry with another `size` of its source. In the copy, `expected`
        has only the number of classes. If `size` is below 1, or if the entry is not that of a
        generated data set, raise a ConfigError.
        """
        if self.source.kind != "generator" or size < 1:
            raise ConfigError(
                f"{self.name}: size must be at least 1, and only generated data sets can have a"
                " size"
            )
        source = self.source.model_copy(update={"size": int(size)})
        return self.model_copy(
            update={"source": source, "expected": Expected(classes=self.expected.classes)}
        )

    def standing_in(self, catalogue: "dict[str, DatasetEntry]") -> "DatasetEntry":
        """Return a copy of this entry for the stand-in of the data set. In the copy, the points are
        made from the files of other entries.
        """
        stand_in, whole = self.stand_in, self.split.complement_of
        assert stand_in is not None and whole is not None  # an entry with stand_in has both
        names = {"smaller": stand_in.smaller, "larger": stand_in.larger, "whole": whole}
        files = {role: catalogue[name].source.files["train"] for role, name in names.items()}
        parameters = {
            "size": self.expected.train,
            "features": self.features,
            "seed": stand_in.seed,
        }
        source = Source.model_construct(builder="nested", files=files, parameters=parameters)
        return self.model_copy(update={"source": source, "split": Split(test="builder")})


PARTS = (Source, FileEntry, Openml, CsvOptions, Split, Scaling, Expected, StandIn)


def required_files(entry: DatasetEntry, catalogue: dict[str, DatasetEntry]) -> dict[str, FileEntry]:
    """Return a dict that maps the role of each file of a data set (such as ``train`` or ``whole``)
    to the `FileEntry` of the file.
    """
    whole = entry.split.complement_of
    return entry.source.raw_files | (
        {"whole": catalogue[whole].source.files["train"]} if whole else {}
    )


def entry_digest(
    entry: DatasetEntry, catalogue: dict[str, DatasetEntry], subset: dict[str, int] | None = None
) -> str:
    """Return a hash of all settings that determine the prepared arrays of a data set.

    Prepared data are used again only if this hash is the same as when they were prepared. The
    Snakefile also uses the hash.
    """
    keys = {"source", "split", "scaling", "positive", "features", "sigma2", "stand_in"}
    deciding = entry.model_dump(include=keys, exclude={"source": {"files", "openml"}})
    # These keys did not exist in earlier versions. A key with its default value is left out of the
    # hash, so that the hashes from earlier versions stay valid.
    for part, key in (
        (deciding["split"], "stratify"),
        (deciding["source"]["csv"] or {}, "comment"),
    ):
        if not part.get(key):
            part.pop(key, None)
    if entry.source.openml:
        deciding["openml"] = entry.source.openml.model_dump(include={"target", "drop"})
    deciding["files"] = {
        role: file.model_dump(
            exclude={"embedded", "url"} if file.checksum == VERIFIED else {"embedded"}
        )
        for role, file in required_files(entry, catalogue).items()
    }
    deciding |= {"name": entry.name, "subset": subset, "prepared_format": PREPARED_FORMAT}
    return hashlib.sha256(json.dumps(deciding, sort_keys=True).encode()).hexdigest()[:16]
