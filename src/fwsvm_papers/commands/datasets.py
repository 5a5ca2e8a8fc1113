"""The command `fwsvm datasets` with its sub-commands `list`, `fetch`, `describe` and `docs`."""

from __future__ import annotations

import json
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fwsvm.inputs.errors import ConfigError
from fwsvm.inputs.files import check_output, sha256_of_content
from fwsvm_papers.commands.data import files_of
from fwsvm_papers.datasets import load_catalogue, load_dataset
from fwsvm_papers.datasets.catalogue import catalogue_path, find_entry
from fwsvm_papers.datasets.describe import checksum_of_entry, describe, write_page
from fwsvm_papers.datasets.entries import UNVERIFIED, required_files
from fwsvm_papers.datasets.fetch import MIRROR_VARIABLE, fetch_each
from fwsvm_papers.datasets.prepare import PREPARED, RAW
from fwsvm_papers.datasets.storage import META
from fwsvm_papers.result_files import write_atomically

if TYPE_CHECKING:
    import argparse

    from fwsvm_papers.datasets.entries import DatasetEntry

_LABELS = {
    "m": "training points (m)",
    "t": "test points (t)",
    "K": "classes (K)",
    "m_max": "largest pair (m_max)",
    "m_min": "smallest pair (m_min)",
    "n": "features (n)",
    "sigma2": "sigma^2 rule",
    "positive": "original labels of class 1",
}


def configure(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    listing = _add(
        actions,
        "list",
        _list,
        "list the data sets of the catalogue, their sizes, and which of them are on this disk",
    )
    fetching = _add(actions, "fetch", _fetch, "download raw files and check them")
    fetching.add_argument("names", nargs="*", metavar="NAME", help="data sets of the catalogue")
    fetching.add_argument("--all", action="store_true", help="all data sets of the catalogue")
    describing = _add(
        actions, "describe", _describe, "fetch and prepare one data set and describe it"
    )
    describing.add_argument("name", metavar="NAME", help="a data set in the catalogue")
    describing.add_argument(
        "--size", type=int, metavar="M", help="number of points, if the data set is generated"
    )
    describing.add_argument(
        "--picture",
        metavar="FILE",
        help="draw the first two principal components, and write the picture to this file (.png,"
        " .svg or .pdf)",
    )
    writing = _add(actions, "docs", _docs, "write the catalogue as a page of Markdown")
    writing.add_argument("--output", metavar="FILE", help="output file (default: standard output)")
    for action in (listing, fetching, describing):
        action.add_argument("--json", action="store_true", help="print one JSON object")
    for action in (fetching, describing):
        where = (
            "folder or base URL that is searched for files before they are downloaded from their"
            f" source (default: ${MIRROR_VARIABLE})"
        )
        action.add_argument("--mirror", metavar="DIR|URL", help=where)
    parser.set_defaults(run=lambda args: args.do(args, load_catalogue(args.catalogue)))


def _add(
    actions: argparse._SubParsersAction, name: str, do: Callable, summary: str
) -> argparse.ArgumentParser:
    action = actions.add_parser(
        name, help=summary, description=summary[0].upper() + summary[1:] + "."
    )
    place = (
        "catalogue (default: config/datasets.yaml; without this file, the catalogue of the package)"
    )
    action.add_argument("--catalogue", metavar="FILE", help=place)
    action.add_argument(
        "--data-dir", default="data", metavar="DIR", help="folder of the data (default: data)"
    )
    action.set_defaults(do=do)
    return action


def _list(args: argparse.Namespace, catalogue: dict[str, DatasetEntry]) -> None:
    rows = [
        {
            "dataset": name,
            "m": entry.expected.train,
            "t": entry.expected.test,
            "K": entry.expected.classes,
            "n": entry.features,
            "group": entry.group,
            "papers": list(entry.papers),
            "state": _state(entry, catalogue, Path(args.data_dir)),
            "checksum": checksum_of_entry(entry, catalogue),
            "title": entry.title,
        }
        for name, entry in catalogue.items()
    ]
    if args.json:
        _print_json({"datasets": rows})
    else:
        _print_table(rows)


def _state(entry: DatasetEntry, catalogue: dict[str, DatasetEntry], data_dir: Path) -> str:
    if (data_dir / PREPARED / entry.name / META).is_file():
        return "prepared"
    if entry.source.kind == "generator":
        return "generated"
    files = required_files(entry, catalogue).values()
    if all(file.embedded for file in files):
        return "embedded"
    missing = sum(not os.path.isfile(file.location(data_dir / RAW)) for file in files)
    return f"{missing} of {len(files)} files missing" if missing else "fetched"


def _fetch(args: argparse.Namespace, catalogue: dict[str, DatasetEntry]) -> int:
    if bool(args.names) == args.all:
        raise ConfigError("give either the names of the data sets to fetch, or --all")
    entries = [find_entry(catalogue, name) for name in dict.fromkeys(args.names or catalogue)]
    rows: list[dict[str, object]] = []
    failed: list[dict[str, str]] = []
    for entry in entries:
        paths, errors = fetch_each(entry, catalogue, Path(args.data_dir) / RAW, args.mirror)
        for role, file in required_files(entry, catalogue).items():
            place = {"dataset": entry.name, "role": role}
            if role in errors:
                failed.append(place | {"error": str(errors[role])})
                print(f"{entry.name} ({role}): {errors[role]}", file=sys.stderr)
                continue
            path = paths[role]
            found = sha256_of_content(path) if file.checksum == UNVERIFIED else file.sha256
            size = path.stat().st_size
            rows.append(
                place
                | {
                    "bytes": size,
                    "checksum": file.checksum,
                    "sha256": found,
                    "path": str(path),
                }
            )
    if args.json:
        _print_json({"files": rows, "failed": failed})
    elif rows:
        _print_table([{**row, "sha256": str(row["sha256"] or "-")[:12]} for row in rows])
    elif not failed:
        print("nothing to fetch: these data sets need no files")
    return 2 if failed else 0


def _describe(args: argparse.Namespace, catalogue: dict[str, DatasetEntry]) -> None:
    check_output(args.picture, "--picture", files_of(args.name, args.catalogue, args.data_dir))
    prepared = load_dataset(
        args.name, catalogue, data_dir=args.data_dir, mirror=args.mirror, size=args.size
    )
    description, entry = describe(prepared), catalogue[args.name]
    if args.picture:
        from fwsvm_papers.reporting.dataset_picture import save_picture

        save_picture(prepared, args.picture, f"{args.name}: {entry.title}")
        print(f"{args.picture}: drawn", file=sys.stderr)
    if args.json:
        _print_json(description)
        return
    print(f"{args.name}: {entry.title}\n")
    for label, value in _facts(description, entry):
        print(
            textwrap.fill(
                f"  {label:<28} {value}", 120, subsequent_indent=" " * 31, break_long_words=False
            )
        )
    print()
    _print_table(
        [
            {**row, "share": f"{row['train'] / description['m']:.1%}"}
            for row in description["classes"]
        ]
    )


def _facts(description: dict, entry: DatasetEntry) -> Iterator[tuple[str, str]]:
    for key, value in description.items():
        if value and key not in ("dataset", "classes", "sources", "checksum"):
            yield _LABELS.get(key, key.replace("_", " ")), _cell(value)
    for source in description["sources"]:
        part = source.get("role", source["kind"])
        yield f"source ({part})", source.get("url") or source["name"]
        state = source["checksum"].replace(
            UNVERIFIED, "UNVERIFIED: the checksum was recorded at the first download"
        )
        yield (
            f"checksum ({part})",
            f"{state} (sha256 {source['sha256']})" if "sha256" in source else state,
        )
    for label in ("papers", "licence", "citation", "note"):
        if text := getattr(entry, label):
            yield label, _cell(text).strip()


def _docs(args: argparse.Namespace, catalogue: dict[str, DatasetEntry]) -> None:
    check_output(args.output, inputs=[catalogue_path(args.catalogue)])
    if args.output:
        write_atomically(args.output, write_page(catalogue).encode())
    else:
        print(write_page(catalogue), end="")


def _print_json(result: object) -> None:
    print(json.dumps(result, indent=1))


def _print_table(rows: list[dict]) -> None:
    """Print a table with aligned columns. Columns of numbers are aligned to the right."""
    columns = []
    for name in rows[0] if rows else ():
        values = [row[name] for row in rows]
        cells = [name, *map(_cell, values)]
        width = max(map(len, cells))
        side = ">" if any(isinstance(value, int) for value in values) else "<"
        columns.append([f"{cell:{side}{width}}" for cell in cells])
    for line in zip(*columns, strict=True):
        print("  ".join(line).rstrip())


def _cell(value: object) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{key}: {one}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    if isinstance(value, float):
        return f"{value:.6g}"
    return "-" if value is None else f"{value:,}" if isinstance(value, int) else str(value)
