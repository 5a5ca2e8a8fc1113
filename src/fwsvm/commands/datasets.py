"""`fwsvm datasets list | fetch | describe | docs`."""

import json
import sys
import textwrap
from pathlib import Path

from fwsvm.base.errors import ConfigError, UserError
from fwsvm.base.files import sha256_of_content, whole_file
from fwsvm.datasets import load_catalogue, load_dataset
from fwsvm.datasets.catalogue import find_entry
from fwsvm.datasets.describe import checksum_of_entry, describe, write_page
from fwsvm.datasets.entries import UNVERIFIED, required_files
from fwsvm.datasets.fetch import MIRROR_VARIABLE, fetch
from fwsvm.datasets.prepare import PREPARED, RAW
from fwsvm.datasets.storage import META


def configure(parser):
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    _add(actions, "list", _list, "the data sets of the catalogue, their sizes and whether they are here")
    fetching = _add(actions, "fetch", _fetch, "download raw files and check them")
    fetching.add_argument("names", nargs="*", metavar="NAME", help="data sets of the catalogue")
    fetching.add_argument("--all", action="store_true", help="all data sets of the catalogue")
    describing = _add(actions, "describe", _describe, "fetch and prepare one data set and describe it")
    describing.add_argument("name", metavar="NAME", help="a data set of the catalogue")
    describing.add_argument("--size", type=int, metavar="M", help="number of points of a generated set")
    describing.add_argument("--picture", metavar="FILE", help="draw it: two principal components (.png, .svg, .pdf)")
    writing = _add(actions, "docs", _docs, "write the catalogue as a page of Markdown")
    writing.add_argument("--output", metavar="FILE", help="where to (default: print it)")
    for action in (fetching, describing):
        where = f"folder or base URL that is tried before the upstream address (default: ${MIRROR_VARIABLE})"
        action.add_argument("--mirror", metavar="PLACE", help=where)


def run(args):
    """Do the chosen action; returns the exit code."""
    return args.do(args, load_catalogue(args.catalogue))


def _add(actions, name, do, summary):
    action = actions.add_parser(name, help=summary, description=summary[0].upper() + summary[1:] + ".")
    action.add_argument("--json", action="store_true", help="print one JSON object")
    action.add_argument("--catalogue", metavar="FILE", help="catalogue (default: config/datasets.yaml, or ours)")
    action.add_argument("--data-dir", default="data", metavar="FOLDER", help="where data are kept (default: data)")
    action.set_defaults(do=do)
    return action


def _list(args, catalogue):
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
        _print_table([{**row, "papers": ", ".join(row["papers"])} for row in rows], numbers=("m", "t", "K", "n"))


def _state(entry, catalogue, data_dir):
    if (data_dir / PREPARED / entry.name / META).is_file():
        return "prepared"
    if entry.source.kind == "generator":
        return "generated"
    files = required_files(entry, catalogue).values()
    if all(file.embedded for file in files):
        return "embedded"
    missing = sum(not file.location(data_dir / RAW).is_file() for file in files)
    return "fetched" if not missing else f"{missing} of {len(files)} files to fetch"


def _fetch(args, catalogue):
    if bool(args.names) == args.all:
        raise ConfigError("name the data sets to fetch, or give --all (not both)")
    entries = [find_entry(catalogue, name) for name in dict.fromkeys(args.names or catalogue)]
    rows, failed = [], []
    for entry in entries:
        for role, file in required_files(entry, catalogue).items():
            place = {"dataset": entry.name, "role": role}
            try:
                path = fetch(file, Path(args.data_dir) / RAW, args.mirror)
            except UserError as error:
                failed.append(place | {"error": str(error)})
                print(f"{entry.name} ({role}): {error}", file=sys.stderr)
                continue
            state = file.checksum
            found = sha256_of_content(path) if state == UNVERIFIED else file.sha256
            size = path.stat().st_size
            rows.append(place | {"bytes": size, "checksum": state, "sha256": found, "path": str(path)})
    if args.json:
        _print_json({"files": rows, "failed": failed})
    elif rows:
        _print_table([{**row, "sha256": (row["sha256"] or "-")[:12]} for row in rows], numbers=("bytes",))
    elif not failed:
        print("nothing to fetch: these data sets need no files")
    return 2 if failed else 0


def _describe(args, catalogue):
    prepared = load_dataset(args.name, catalogue, data_dir=args.data_dir, mirror=args.mirror, size=args.size)
    description = describe(prepared)
    entry = catalogue[args.name]
    if args.picture:
        from fwsvm.reporting.dataset_picture import save_picture

        save_picture(prepared, args.picture, f"{args.name}: {entry.title}")
        print(f"{args.picture}: drawn", file=sys.stderr)
    if args.json:
        _print_json(description)
        return
    print(f"{args.name}: {entry.title}\n")
    for label, value in _facts(description, entry):
        print(textwrap.fill(f"  {label:<28} {value}", 120, subsequent_indent=" " * 31, break_long_words=False))
    print()
    rows = [{**row, "share": f"{row['train'] / description['m']:.1%}"} for row in description["classes"]]
    _print_table(rows, numbers=("label", "train", "test", "share"))


def _facts(description, entry):
    yield "training points (m)", f"{description['m']:,}"
    yield "test points (t)", f"{description['t']:,}"
    yield "classes (K)", description["K"]
    yield "largest pair (m_max)", f"{description['m_max']:,}"
    yield "smallest pair (m_min)", f"{description['m_min']:,}"
    yield "features (n)", f"{description['n']:,}"
    yield "density", f"{description['density']:.4f} (stored as {description['storage']})"
    yield "average squared distance", f"{description['average_squared_distance']:.6g}"
    yield "sigma^2 rule", description["sigma2"]
    yield "scaling", description["scaling"]
    yield "split", ", ".join(f"{key}: {value}" for key, value in description["split"].items())
    if description["positive"]:
        yield "class 1", f"{' and '.join(map(str, description['positive']))} of the source; all others are class -1"
    for source in description["sources"]:
        part = source.get("role", source["kind"])
        copy = " (a copy is embedded in this package)" if source.get("embedded") else ""
        yield f"source ({part})", (source.get("url") or source["name"]) + copy
        state = source["checksum"]
        if state == UNVERIFIED:
            state = "UNVERIFIED: recorded at the first download, never compared with a real file"
        yield f"checksum ({part})", f"{state} (sha256 {source['sha256']})" if "sha256" in source else state
    for key, value in (description["built"] or {}).items():
        yield f"built: {key.replace('_', ' ')}", _cell(value)
    for label in ("papers", "licence", "citation", "note"):
        text = getattr(entry, label)
        if text:
            yield label, text.strip() if isinstance(text, str) else ", ".join(text)


def _docs(args, catalogue):
    page = write_page(catalogue)
    if not args.output:
        print(page, end="")
        return
    with whole_file(Path(args.output)) as temporary:
        temporary.write_text(page, encoding="utf-8")


def _print_json(result):
    print(json.dumps(result, indent=1, ensure_ascii=False))


def _print_table(rows, numbers=()):
    """Columns aligned, numbers to the right."""
    columns = list(rows[0]) if rows else []
    cells = [columns, *([_cell(row[column]) for column in columns] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (
            text.rjust(width) if column in numbers else text.ljust(width)
            for column, text, width in zip(columns, line, widths, strict=True)
        )
        print("  ".join(padded).rstrip())


def _cell(value):
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)
