"""Classes that read the results of a run for the report."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from fwsvm.inputs.errors import UserError
from fwsvm_papers.reporting.tables import ArtefactData, read_artefact_data
from fwsvm_papers.result_files import damaged_result, read_whole_json
from fwsvm_papers.runs.records import read_runs
from fwsvm_papers.site.markup import first_sentence
from fwsvm_papers.studies.about import VARIANT, artefacts
from fwsvm_papers.studies.benchmark.grid_ends import ends_by_dataset

CLAIMS, SUMMARY = "claims", "summary"
FULL = ("released", "paper")
"""The profiles whose runs are complete."""
_NAMES = ("dataset", "method", "protocol", "rung", "family", "over", "group", "name_in_paper")
"""Columns with names. They are read as text, because a name can consist of digits, or be a word
such as NA.
"""
_AS_TEXT: dict[str, Any] = {"dtype": str, "na_values": []}
"""Options of `read_table` that read all cells as text."""


@dataclass(frozen=True)
class Drawn:
    """The texts and the files of a table or figure under one protocol."""

    data: ArtefactData
    picture: Path | None
    files: tuple[Path, ...]

    @property
    def id(self) -> str:
        """Return the id without the protocol."""
        return self.data.id.partition(VARIANT)[0]

    @property
    def words(self) -> str:
        """Return finding, caption and notes as one text without backticks."""
        return self.data.words.replace("`", "")

    @property
    def lead(self) -> str:
        """Return the whole finding. If there is no finding, return the first sentence of the
        caption.
        """
        return self.data.finding.replace("`", "") or first_sentence(self.words)

    @property
    def csv(self) -> Path | None:
        return next((path for path in self.files if path.suffix == ".csv"), None)


def read_table(path: Path, **options: Any) -> pd.DataFrame:
    """Read a table of results. Names are read as text, and only empty cells are missing values."""
    options = {"dtype": dict.fromkeys(_NAMES, str), "na_values": [""]} | options
    try:
        return pd.read_csv(path, keep_default_na=False, **options)
    except ValueError as error:
        raise damaged_result(path, str(error)) from error


class Content:
    """The results of a profile, read from ``results/<profile>`` and ``figures/<profile>``.

    `skipped` maps each artefact that was not drawn to the reason (variants are left out), and
    `missing` maps each unavailable data set to the reason. `claims` has the rows of the table of
    claims as text. `summary`, `ladder` and `families` are tables. A table, or `claims`, is empty if
    its file is missing or if the table was not drawn.
    """

    def __init__(self, results: str | os.PathLike, figures: str | os.PathLike) -> None:
        self.results, self.figures = Path(results), Path(figures)
        self.profile = self.results.name
        files = [
            path for name in ("runs.tsv", "runs.tsv.gz") if (path := self.results / name).is_file()
        ]
        if not files:
            raise UserError(
                f"{results} has no runs.tsv or runs.tsv.gz to report; run the pipeline first"
            )
        self.runs_file = files[0]
        self.runs = read_runs(self.runs_file)
        folders = (self.results / "tables", self.figures)
        paths = sorted(path for folder in folders for path in folder.glob("*.json"))
        self._artefacts = {path: read_artefact_data(path) for path in paths}
        self.skipped = {
            data.id: data.skipped
            for data in self._artefacts.values()
            if data.skipped and not data.protocol
        }
        self.provenance = self._json("provenance.json")
        self.missing = self._json("inventory.json").get("missing", {})
        self.claims = self._table(CLAIMS, **_AS_TEXT).to_dict("records")
        self.summary, self.ladder = self._table(SUMMARY), self._table("beyond-ladder-table")
        self.families = self._table("beyond-ladder-families")
        described = [
            read_whole_json(path) for path in sorted((self.results / "describe").glob("*.json"))
        ]
        self.descriptions = {one["dataset"]: one for one in described}

    @cached_property
    def drawn(self) -> dict[str, list[Drawn]]:
        """Return a dict that maps the id of each drawn table or figure to its variants, one per
        protocol.

        The variant without a protocol comes first. The ids are in the order of `artefacts()`. Ids
        that are not in `artefacts()` come last.
        """
        found: dict[str, list[Drawn]] = {}
        for one in sorted(self._drawn(), key=lambda one: one.data.protocol):
            found.setdefault(one.id, []).append(one)
        declared = [*artefacts(), *sorted(set(found) - set(artefacts()))]
        return {name: found[name] for name in declared if name in found}

    def _drawn(self) -> Iterator[Drawn]:
        for path, data in self._artefacts.items():
            is_figure = data.kind == "figure"
            endings = (".svg", ".pdf", ".png", ".csv") if is_figure else (".csv", ".tex", ".md")
            files = tuple(file for file in map(path.with_suffix, endings) if file.is_file())
            pictures = [file for file in files if file.suffix in (".svg", ".png")]
            if not data.skipped and files and (pictures or not is_figure):
                yield Drawn(data, pictures[0] if pictures else None, files)

    def _json(self, name: str) -> dict:
        path = self.results / name
        return read_whole_json(path) if path.is_file() else {}

    def _table(self, name: str, **options: Any) -> pd.DataFrame:
        path = self.results / "tables" / f"{name}.csv"
        is_drawn = path.is_file() and name not in self.skipped
        return read_table(path, **options) if is_drawn else pd.DataFrame()

    @property
    def is_part(self) -> bool:
        """Return whether the profile has only some of the runs. The verdicts of such a profile can
        differ from those of a full run.
        """
        return self.profile not in FULL

    @cached_property
    def released_verdicts(self) -> dict[str, str]:
        """Return a dict from the id of each statement to its verdict in the released run.

        The dict is empty if this run is a full run (see `is_part`). It is also empty if the folder
        of the released run is not next to the folder of this run.
        """
        path = self.results.parent / FULL[0] / "tables" / f"{CLAIMS}.csv"
        if not self.is_part or not path.is_file():
            return {}
        released = read_table(path, **_AS_TEXT)
        released = released[released["headline"] == "True"]
        return dict(zip(released["id"], released["outcome"], strict=True))

    @cached_property
    def grid_ends(self) -> dict[str, list[str]]:
        return ends_by_dataset(self.results)

    def picture_of(self, dataset: str) -> Path | None:
        path = self.results / "describe" / f"{dataset}.png"
        return path if path.is_file() else None

    def tuned(self, dataset: str) -> dict:
        return self._json(f"params/{dataset}.json")
