"""List all tables and figures (artefacts), read their inputs and write their files."""

import importlib
import json
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from fwsvm.inputs.errors import UserError
from fwsvm_papers.code_hash import code_hash
from fwsvm_papers.reporting.artefact import FIRST, NotDrawableError, table
from fwsvm_papers.result_files import read_whole_json, write_atomically
from fwsvm_papers.runs.protocols import PROTOCOLS
from fwsvm_papers.studies.about import about
from fwsvm_papers.studies.registry import STUDIES, WITH_DETAILS

TABLE_ENDINGS = ("csv", "md", "tex")
FIGURE_FORMATS = ("svg", "pdf", "png")

SKIPPED = "skipped.json"  # the name of the file that says why artefacts were skipped

ARTEFACTS = {}
"""Artefacts by id: ``<paper>-<name>``, ``beyond-<subject>``, ``claims``, ``summary``; variants
add ``--<protocol>``.
"""

for _study in STUDIES.values():
    for _name, _entry in getattr(_study, "ARTEFACTS", {}).items():
        ARTEFACTS[_name] = _entry
        if _entry.protocol == FIRST:  # Variants of this artefact show the other protocols.
            ARTEFACTS |= {
                f"{_name}--{other}": replace(_entry, protocol=other) for other in PROTOCOLS[1:]
            }
WITH_CLAIMS = {
    name: study.__name__ for name, study in STUDIES.items() if find_spec(f"{study.__name__}.claims")
}
_OF_CLAIMS = " ".join(("runs", "tests", *(name for name in WITH_DETAILS if name in WITH_CLAIMS)))
ARTEFACTS["claims"] = table(f"{__package__}.claims", "claims_table", _OF_CLAIMS)

_SKETCHES = [study.SKETCHES for study in STUDIES.values() if hasattr(study, "SKETCHES")]


def papers():
    """Group the ids of all artefacts by their first word: a paper, ``beyond``, ``claims`` or
    ``summary``.
    """
    found = {}
    for artefact_id in ARTEFACTS:
        found.setdefault(artefact_id.split("-")[0], []).append(artefact_id)
    return found


def needed_inputs(artefact_ids):
    return list(
        dict.fromkeys(name for artefact_id in artefact_ids for name in ARTEFACTS[artefact_id].needs)
    )


def compute_sketches():
    """Solve the small problems that the papers' sketches show.

    Return the numbers of each sketch, ready for JSON.
    """
    return {
        name: part
        for module in _SKETCHES
        for name, part in importlib.import_module(module).compute().items()
    }


def code_of_sketches():
    return code_hash(*_SKETCHES)


def code_of_paper(paper):
    """List what determines a paper's artefacts besides the data: the code's hash, the
    declarations and the captions.
    """
    chosen = papers()[paper]
    entries = [ARTEFACTS[artefact_id] for artefact_id in chosen]
    modules = {entry.module for entry in entries}
    if paper == "claims":  # The table of claims depends on all studies with claims.
        modules |= {*WITH_CLAIMS.values(), *(f"{name}.claims" for name in WITH_CLAIMS.values())}
    hashed = code_hash(__name__, *sorted(modules))
    captions = dict.fromkeys(about(artefact_id).caption for artefact_id in chosen)
    return [
        hashed,
        *(f"{entry.module}.{entry.name} {entry.options}" for entry in entries),
        *captions,
    ]


def output_paths(artefact_id, results_dir, figures_dir, formats=FIGURE_FORMATS):
    """List the files that `write` makes for an artefact if the run has data for it."""
    is_table = ARTEFACTS[artefact_id].kind == "table"
    folder = Path(results_dir, "tables") if is_table else Path(figures_dir)
    return [
        folder / f"{artefact_id}.{ending}"
        for ending in (TABLE_ENDINGS if is_table else (*formats, "csv", "md"))
    ]


def released_inputs(folder):
    """Map each input of the artefacts to its file or files in a results folder or a release
    folder.
    """
    folder = Path(folder)
    files = {"descriptions": sorted(map(str, (folder / "describe").glob("*.json")))}
    names = {"runs.tsv.gz": "runs", "runs.tsv": "runs", "tests.tsv": "tests"}
    names |= {f"{key}.json": key for key in ("inventory", "provenance", "sketches", *WITH_DETAILS)}
    names |= {f"{key}.json.gz": key for key in WITH_DETAILS}
    files |= {key: str(folder / name) for name, key in names.items() if (folder / name).is_file()}
    if "runs" not in files:
        raise UserError(
            f"{folder}: there are no runs here (no runs.tsv); `make run` makes the runs of the demo"
        )
    return files


def read_inputs(files):
    """Read the inputs of `render`.

    `missing` comes from the file `inventory`, and `processors` from `provenance` or the batches.
    """
    # not at the top, since these imports load pandas
    from fwsvm_papers.runs.batches import finished_jobs, runs_of
    from fwsvm_papers.runs.records import collect, read_runs, read_tsv

    inputs, records = {}, []
    if "inventory" in files:
        inputs["missing"] = read_whole_json(files["inventory"]).get("missing", {})
    if isinstance(files.get("runs"), list):  # batches of a study
        done = finished_jobs(files["runs"])
        records = [cell["record"] for _, cell in done]
        inputs["runs"] = runs_of(done)
    elif "runs" in files:
        inputs["runs"] = collect([read_runs(files["runs"])])
    if "provenance" in files:
        provenance = read_whole_json(files["provenance"])
        records = provenance.get("jobs", provenance).values()
    if records:
        inputs["processors"] = sorted({record["cpu"] for record in records if record.get("cpu")})
    inputs |= {name: read_whole_json(files[name], list) for name in WITH_DETAILS if name in files}
    if "tests" in files:
        inputs["tests"] = read_tsv(files["tests"])
    if "sketches" in files:
        inputs["sketches"] = read_whole_json(files["sketches"])
    if "descriptions" in files:
        inputs["descriptions"] = [read_whole_json(path) for path in _several(files["descriptions"])]
    return inputs


def _several(paths):
    if isinstance(paths, str | Path):
        return sorted(Path(paths).glob("*.json")) if Path(paths).is_dir() else [paths]
    return paths


def _check_inputs(artefact_ids, inputs):
    absent = [
        name
        for name in needed_inputs(artefact_ids)
        if name not in inputs and name not in WITH_DETAILS
    ]
    if absent:
        raise UserError(
            f"the artefacts need {' and '.join(absent)}; the given inputs are {', '.join(inputs)}"
        )


def render(artefact_id, inputs):
    """Return the `Table` or `Chart` of an artefact, or raise `NotDrawableError` if the run has
    no data for it.
    """
    # not at the top, since this import loads pandas
    from fwsvm_papers.runs.table import one_protocol, stand_ins

    chosen = ARTEFACTS[artefact_id]
    _check_inputs([artefact_id], inputs)
    names = (*chosen.needs, *(["missing"] if "missing" in inputs else []))
    # a study that did not run has no details
    given = {name: inputs.get(name, ()) for name in names}
    if chosen.protocol is not None:
        given["runs"] = one_protocol(
            given["runs"], None if chosen.protocol == FIRST else chosen.protocol
        )
    drawn = chosen.function(**given)
    names = {row["dataset"] for row in given.get("descriptions", ()) if row.get("stand_in")}
    if "runs" in given:
        names |= set(stand_ins(given["runs"]))
    if names:
        from fwsvm_papers.reporting.figures import marked

        drawn = marked(drawn, sorted(names))
    kinds, mixed = inputs.get("processors", []), ""
    if "runs" in chosen.needs and len(kinds) > 1:
        mixed = (
            f"The runs used {len(kinds)} CPU models ({'; '.join(kinds)}); do not compare"
            " their times."
        )
    written = about(artefact_id)
    finding = written.finding if inputs.get("released") else ""
    return replace(
        drawn, caption=" ".join(filter(None, (finding, written.caption, drawn.notes, mixed)))
    )


def write(artefact_id, inputs, results_dir, figures_dir, formats=FIGURE_FORMATS):
    """Draw an artefact and write its files (`output_paths`).

    The same inputs always give the same bytes.
    """
    outdated = set(output_paths(artefact_id, results_dir, figures_dir))
    try:
        result = render(artefact_id, inputs)
        outdated -= set(output_paths(artefact_id, results_dir, figures_dir, formats))
    finally:
        for path in outdated:
            path.unlink(missing_ok=True)
    if ARTEFACTS[artefact_id].kind == "table":
        return result.write(Path(results_dir) / "tables" / artefact_id)
    from fwsvm_papers.reporting.figures import save_figure

    title = about(artefact_id).title
    paths = save_figure(
        result.figure, Path(figures_dir) / artefact_id, result.caption, formats, title
    )
    numbers, caption = output_paths(artefact_id, results_dir, figures_dir, ())
    write_atomically(
        numbers, result.frame.to_csv(index=False, float_format="%.7g", lineterminator="\n").encode()
    )
    links = f"[Numbers]({numbers.name}), [protocol](../../docs/protocol.md)"
    write_atomically(
        caption, f"![{title}]({paths[0].name})\n\n{result.caption}\n\n{links}\n".encode()
    )
    return [*paths, numbers, caption]


def write_many(artefact_ids, inputs, results_dir, figures_dir, formats=FIGURE_FORMATS):
    """Draw artefacts and write their files.

    Return the files of each artefact, and why artefacts were skipped.
    """
    written, skipped = {}, {}
    for artefact_id in artefact_ids:
        try:
            written[artefact_id] = write(artefact_id, inputs, results_dir, figures_dir, formats)
        except NotDrawableError as error:
            if ARTEFACTS[artefact_id].protocol in (None, FIRST):  # A skipped variant is not listed.
                skipped[artefact_id] = str(error)
    return written, skipped


def write_all(inputs, results_dir, figures_dir, n_jobs=1):
    """Draw all artefacts like `write_many`, in `n_jobs` processes, and list the skipped ones in
    the file `SKIPPED`.
    """
    from joblib import Parallel, delayed, effective_n_jobs

    names, parts = list(ARTEFACTS), effective_n_jobs(n_jobs)
    _check_inputs(names, inputs)
    done = Parallel(n_jobs, max_nbytes=None)(
        delayed(write_many)(names[part::parts], inputs, results_dir, figures_dir)
        for part in range(parts)
    )
    written = {name: files for part, _ in done for name, files in part.items()}
    skipped = {name: reason for _, part in done for name, reason in part.items()}
    return written, _write_skipped(skipped, results_dir)


def draw_paper(paper, inputs, results_dir, figures_dir, formats, listing):
    """Draw the artefacts of a paper.

    Write the paths of their files, and why artefacts were skipped, to `listing`.
    """
    written, skipped = write_many(papers()[paper], inputs, results_dir, figures_dir, formats)
    files = {artefact_id: list(map(str, paths)) for artefact_id, paths in written.items()}
    write_atomically(
        listing, (json.dumps({"written": files, "skipped": skipped}, indent=1) + "\n").encode()
    )


def list_skipped(results_dir):
    """Write to the file `SKIPPED` which artefacts of all papers were skipped, and why."""
    listings = [read_whole_json(path) for path in Path(results_dir, "artefacts").glob("*.json")]
    _write_skipped(
        {name: why for listing in listings for name, why in listing["skipped"].items()}, results_dir
    )


def _write_skipped(skipped, results_dir):
    in_order = {name: skipped[name] for name in ARTEFACTS if name in skipped}
    text = json.dumps(in_order, indent=1, ensure_ascii=False) + "\n"
    write_atomically(Path(results_dir) / SKIPPED, text.encode())
    return in_order
