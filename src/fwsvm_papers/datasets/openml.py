"""Functions that get data sets of OpenML (https://www.openml.org) through scikit-learn, and that
store each data set as a text table.

In the header of the table, a mark for the type of the column precedes each name, as in files of the
program Orange. The mark is `C#` for numbers, `D#` for categories and `S#` for text. The mark of the
default target begins with a `c`. If OpenML marks a column as ignored, the column is left out.
"""

from __future__ import annotations

import csv
import json
import re
import tempfile
import threading
import urllib.request
import urllib.response
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.message import Message
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fwsvm.inputs.data_files import open_content
from fwsvm.inputs.errors import DataError, DownloadError, UnavailableError, UserError
from fwsvm_papers.datasets.schema import did_you_mean
from fwsvm_papers.datasets.tables import read_csv

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import pandas as pd

    from fwsvm_papers.datasets.entries import Openml
    from fwsvm_papers.datasets.storage import Points

SERVER = "https://www.openml.org"
_DATA = f"{SERVER}/api/v1/json/data"
_TYPES = {"numeric": "C", "real": "C", "integer": "C", "nominal": "D"}
_HEADER = re.compile("(c?)([CDS])#(.+)", re.DOTALL)
_ONE_AT_A_TIME = threading.Lock()
_NO_SUCH = (404, 410, 412)  # OpenML answers with 412 if it does not know a data set.


def save_table(dataset: Openml, path: Path, download: Callable[[str, Path], None]) -> None:
    """Download a data set and write it to `path` as a text table.

    `dataset` is an `fwsvm_papers.datasets.entries.Openml`. `download(url, path)` must store one
    file, or raise a DownloadError. For short answers, `download` is called with the further
    argument `progress=False`.
    """
    with tempfile.TemporaryDirectory(prefix=".openml.", dir=Path(path).parent) as folder:
        ask = _Client(download, Path(folder))
        try:
            frame = _load(dataset, ask)
        except UserError:
            raise
        except Exception as error:  # a malformed answer can raise almost any error in scikit-learn
            reason = f"{type(error).__name__}: {error}".partition("\n")[0]
            if "md5 checksum" in reason:
                reason = (
                    "the file's md5 checksum is not the one in OpenML's description of the data set"
                )
            raise DownloadError(
                f"OpenML's data set {dataset} cannot be read: {ask.last}: {reason}"
            ) from error
    frame.to_csv(path, index=False, lineterminator="\n", encoding="utf-8")


class _Client:
    """A client that gets the answers of OpenML's server by the function `download`, which limits
    the sizes of the answers and the download times.
    """

    def __init__(self, download: Callable[[str, Path], None], folder: Path) -> None:
        self.download, self.folder = download, folder
        self.last, self.count = "", 0
        self.failure: UserError | None = None

    def get(self, url: str) -> Path:
        """Send a request, and return the path of the file with the answer. A request to any host of
        OpenML is sent to `SERVER`.
        """
        # After an error, scikit-learn sends the request again. This is not needed, since `download`
        # has already sent it several times.
        if self.failure:
            raise self.failure
        if f".{urlsplit(url).hostname}".endswith(".openml.org"):
            url = SERVER + urlsplit(url)._replace(scheme="", netloc="").geturl()
        self.last, self.count = url, self.count + 1
        path = self.folder / f"answer{self.count}"
        try:
            self.download(url, path, **({"progress": False} if "/api/" in url else {}))
        except UserError as error:
            self.failure = error
            raise
        return path

    def get_json(self, url: str, what: str) -> dict:
        """Send a request, and return the content of the answer.

        If OpenML does not have the data, raise a DownloadError. In its message, the text `what`
        names the data.
        """
        try:
            return json.loads(self.get(url).read_bytes())
        except UnavailableError as error:
            if (
                getattr(getattr(error.__cause__, "response", None), "status_code", None)
                not in _NO_SUCH
            ):
                raise
            self.failure = None
            raise DownloadError(f"OpenML has no {what}") from error

    @contextmanager
    def serving_sklearn(self) -> Iterator[None]:
        """Replace scikit-learn's `urlopen`, so that this client sends the requests of
        `fetch_openml`.

        The replacement is needed because `fetch_openml` has no options for limits or for another
        server.
        """
        import sklearn.datasets._openml as requesting

        def urlopen(
            request: urllib.request.Request, *_: object, **__: object
        ) -> urllib.response.addinfourl:
            return urllib.response.addinfourl(
                open(self.get(request.full_url), "rb"), Message(), request.full_url, 200
            )

        with _ONE_AT_A_TIME:
            replaced, requesting.urlopen = requesting.urlopen, urlopen
            try:
                yield
            finally:
                requesting.urlopen = replaced


def _load(dataset: Openml, ask: _Client) -> pd.DataFrame:
    """Download a data set, and return it as a data frame whose column names include the types."""
    from sklearn.datasets import fetch_openml

    number = dataset.id or _find_id(dataset, ask)
    info = ask.get_json(f"{_DATA}/{number}", f"data set with the id {number}")[
        "data_set_description"
    ]
    label = f"OpenML's data set {number} ({info['name']}, version {info['version']})"
    if info["status"] != "active":
        page = f"{SERVER}/search?type=data&q={info['name']}"
        raise DownloadError(
            f"{label} is not active but {info['status']}; choose another version: see {page}"
        )
    if info["format"].lower() != "arff":
        raise DownloadError(
            f"{label} has the format {info['format']}; only dense ARFF can be read through the key"
            " openml. Download the file of the data set, and use the key files instead"
        )
    features = ask.get_json(
        f"{_DATA}/features/{number}", f"list of columns for the data set {number}"
    )
    types = {
        column["name"]: "c" * (column["is_target"] == "true") + _TYPES.get(column["data_type"], "S")
        for column in features["data_features"]["feature"]
    }
    # scikit-learn's other parser would ignore text after a "%", and would read 007 as 7.
    options = {"as_frame": True, "parser": "liac-arff", "n_retries": 1}
    with ask.serving_sklearn(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            frame = fetch_openml(
                data_id=number, target_column=None, data_home=ask.folder, **options
            ).data
        except StopIteration as error:
            raise DownloadError(f"{label} has no rows") from error
    return frame.set_axis([f"{types[name]}#{name}" for name in frame.columns], axis="columns")


def _find_id(dataset: Openml, ask: _Client) -> int:
    assert dataset.name is not None  # an `Openml` has an id or a name
    url = f"{_DATA}/list/data_name/{dataset.name.lower()}/status/active/limit/100"
    found = ask.get_json(url, f"active data set with the name {dataset.name!r}")["data"]["dataset"]
    ids = {int(one["version"]): int(one["did"]) for one in found}
    if dataset.version not in ids:
        known = ", ".join(f"{version} (id {number})" for version, number in sorted(ids.items()))
        raise DownloadError(
            f"OpenML has no active version {dataset.version} of {dataset.name!r}; it has {known}"
        )
    return ids[dataset.version]


def read_table(path: str | Path, dataset: Openml) -> tuple[Points, np.ndarray]:
    """Read the points and labels of a table that `save_table` wrote.

    `dataset` says which column is the target, and which columns are features.
    """
    with open_content(path) as stream:
        line = stream.readline().decode("utf-8", "replace")
    header = next(csv.reader([line]), [])
    cells = [cell for text in header if (cell := _HEADER.fullmatch(text))]
    names = [cell[3] for cell in cells]
    if not header or len(set(names)) < len(header):
        raise DataError(
            f"{path}, line 1: the header must have a different name for each column, after one of"
            " C#, D#, S#, cC#, cD# and cS#"
        )
    for key, chosen in {
        "target": [dataset.target] if dataset.target else [],
        "drop": dataset.drop,
    }.items():
        if unknown := [name for name in chosen if name not in names]:
            what = f"OpenML's data set {dataset} has no column {unknown[0]!r}"
            raise DataError(f"{path}: openml.{key}: {what}; {did_you_mean(unknown[0], names)}")
    label = dataset.target or _default_target(path, dataset, {cell[3]: cell[1] for cell in cells})
    types = {cell[3]: cell[2] for cell in cells if cell[3] != label and cell[3] not in dataset.drop}
    if texts := [name for name, letter in types.items() if letter == "S"]:
        raise DataError(
            f"{path}: the columns {texts} contain free text, which cannot be used as features; add"
            " these columns to openml.drop"
        )
    positions = {name: position for position, name in enumerate(names, start=1)}
    categorical = [positions[name] for name, letter in types.items() if letter == "D"]
    drop = [positions[name] for name in dataset.drop]
    try:
        return read_csv(path, positions[label], header=True, categorical=categorical, drop=drop)
    except DataError as error:
        what = re.sub("'c?[CDS]#", "'", str(error))
        raise DataError(f"{what}{_advice(path, names, types)}") from error


def _default_target(path: str | Path, dataset: Openml, marks: dict[str, str]) -> str:
    targets = [name for name, mark in marks.items() if mark]
    if len(targets) != 1:
        found = (
            f"names {len(targets)} targets ({', '.join(targets)})" if targets else "names no target"
        )
        columns = ", ".join(list(marks)[:30])
        raise DataError(
            f"{path}: OpenML {found} for the data set {dataset}; choose one with the key"
            f" openml.target. The columns are {columns}"
        )
    return targets[0]


def _advice(path: str | Path, names: list[str], types: dict[str, str]) -> str:
    """Return a text that names the features with missing values and says how to change the entry.
    If no values are missing, return an empty text.
    """
    import pandas as pd

    table = pd.read_csv(path, header=0, names=names, dtype=str, keep_default_na=False)
    counts = {name: int((table[name] == "").sum()) for name in types}
    columns = ", ".join(
        f"{name} ({count:,} of {len(table):,})" for name, count in counts.items() if count
    )
    if not columns:
        return ""
    return (
        f". Columns with missing values: {columns}; add them to openml.drop, or fill them in a copy"
        " of the file"
    )
