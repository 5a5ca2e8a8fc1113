"""Read the results of a run for the report."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any

import pandas as pd

from fwsvm.inputs.errors import UserError
from fwsvm_papers.result_files import damaged_result, read_whole_json
from fwsvm_papers.runs.records import read_runs
from fwsvm_papers.studies.about import VARIANT, artefacts
from fwsvm_papers.studies.benchmark.grid_ends import ends_by_dataset

CLAIMS, SUMMARY = "claims", "summary"


@dataclass(frozen=True)
class Drawn:
    """Describe a table or figure under one protocol."""

    id: str
    variant: str  # the protocol; empty for the first one
    caption: str  # in Markdown; the caption of a table includes the table
    picture: Path | None
    files: tuple[Path, ...]

    @property
    def name(self) -> str:
        return f"{self.id}{VARIANT}{self.variant}" if self.variant else self.id


def read_table(path: Path, **options) -> pd.DataFrame:
    try:
        return pd.read_csv(path, **options)
    except ValueError as error:
        raise damaged_result(path, str(error)) from error


class Content:
    """Read the results of a profile from ``results/<profile>`` and ``figures/<profile>``.

    `skipped` maps each skipped artefact to the reason, and `missing` each unavailable data set.
    `claims` has the rows of the table of claims as text. `summary` and `ladder` are tables. All of
    them are empty if their file is missing.
    """

    def __init__(self, results, figures) -> None:
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
        self.skipped = self._json("skipped.json")
        self.provenance = self._json("provenance.json")
        self.missing = self._json("inventory.json").get("missing", {})
        self.claims = self._table(CLAIMS, dtype=str, keep_default_na=False).to_dict("records")
        self.summary, self.ladder = self._table(SUMMARY), self._table("beyond-ladder-table")
        described = [
            read_whole_json(path) for path in sorted((self.results / "describe").glob("*.json"))
        ]
        self.descriptions = {one["dataset"]: one for one in described}

    @cached_property
    def drawn(self) -> dict[str, list[Drawn]]:
        """Map each artefact to its variants, first the variant without a protocol.

        Keep the order of `artefacts()`.
        """
        found: dict[str, list[Drawn]] = {}
        for one in sorted([*self._figures(), *self._tables()], key=lambda one: one.variant):
            found.setdefault(one.id, []).append(one)
        declared = [*artefacts(), *sorted(set(found) - set(artefacts()))]
        return {name: found[name] for name in declared if name in found}

    def _figures(self) -> Iterator[Drawn]:
        for caption in self.figures.glob("*.md"):
            pictures = [caption.with_suffix(ending) for ending in (".svg", ".png")]
            if picture := next((path for path in pictures if path.is_file()), None):
                _, _, text = caption.read_text(encoding="utf-8").partition(")\n\n")
                endings = (".svg", ".pdf", ".png", ".csv")
                files = tuple(path for path in map(caption.with_suffix, endings) if path.is_file())
                text = text.partition("\n\n[")[0]  # Links to files follow the caption.
                artefact_id, _, variant = caption.stem.partition(VARIANT)
                yield Drawn(artefact_id, variant, text.strip(), picture, files)

    def _tables(self) -> Iterator[Drawn]:
        for table in (self.results / "tables").glob("*.md"):
            if table.with_suffix(".csv").is_file():
                endings = (".csv", ".tex", ".md")
                files = tuple(path for path in map(table.with_suffix, endings) if path.is_file())
                yield Drawn(table.stem, "", table.read_text(encoding="utf-8"), None, files)

    def _json(self, name: str) -> dict:
        path = self.results / name
        return read_whole_json(path) if path.is_file() else {}

    def _table(self, name: str, **options) -> pd.DataFrame:
        path = self.results / "tables" / f"{name}.csv"
        return read_table(path, **options) if path.is_file() else pd.DataFrame()

    @cached_property
    def grid_ends(self) -> dict[str, list[str]]:
        return ends_by_dataset(self.results)

    def picture_of(self, dataset: str) -> Path | None:
        path = self.results / "describe" / f"{dataset}.png"
        return path if path.is_file() else None

    def tuned(self, dataset: str) -> dict:
        return self._json(f"params/{dataset}.json")


def methods() -> dict[str, dict[str, str]]:
    """Map each method, CVM first, to its description, which is read from the source file without
    importing it.

    `step` is the source code of the method's `select_step`, or empty if the method has none.
    """
    folder = resources.files("fwsvm").joinpath("solvers")
    source = folder.joinpath("automatic.py").read_text(encoding="utf-8")
    words = (ast.get_docstring(ast.parse(source)) or "").partition('"auto"`: ')[2]
    found = {
        "auto": {
            "name": "auto",
            "label": "auto",
            "written": "auto",
            "step": "",
            "definition": words,
        }
    }
    found["auto"]["file"] = "src/fwsvm/solvers/automatic.py"
    for file in folder.joinpath("methods").iterdir():
        if not file.name.endswith(".py"):
            continue
        source = file.read_text(encoding="utf-8")
        tree = ast.parse(source)
        functions = {
            node.name: ast.get_source_segment(source, node) or ""
            for node in tree.body
            if isinstance(node, ast.FunctionDef)
        }
        for node in tree.body:
            if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "METHOD":
                declared: Any = node.value
                name, label = (argument.value for argument in declared.args[:2])
                words = "\n\n".join(
                    " ".join(part.split()) for part in (ast.get_docstring(tree) or "").split("\n\n")
                )
                place = f"src/fwsvm/solvers/methods/{file.name}"
                found[name] = {
                    "name": name,
                    "label": _LABELS.get(name, label),
                    "written": label,
                    "file": place,
                }
                found[name] |= {
                    "definition": words.partition(": ")[2],
                    "step": functions.get("select_step", ""),
                }
    return {name: found[name] for name in (*_FIRST, *sorted(set(found) - set(_FIRST)))}


# These methods come first, in this order. Pages say "sparse M-FW", since "M-FW" looks like "MFW".
_FIRST = ("cvm", "fw", "mfw", "swap", "swap2o", "pfw", "mfw_sparse", "auto")
_LABELS = {"mfw_sparse": "sparse M-FW"}
