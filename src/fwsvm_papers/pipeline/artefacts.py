"""Functions that list all artefacts (tables and figures), read their inputs and write them."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fwsvm.inputs.errors import UserError
from fwsvm_papers import claims
from fwsvm_papers.code_hash import code_hash
from fwsvm_papers.datasets.schema import did_you_mean
from fwsvm_papers.reporting.artefact import FIRST, Artefact, NotDrawableError
from fwsvm_papers.result_files import (
    delimited_text,
    hash_of_settings,
    read_whole_json,
    write_atomically,
)
from fwsvm_papers.runs.protocols import PROTOCOLS
from fwsvm_papers.studies.about import VARIANT, about
from fwsvm_papers.studies.about import papers as texts_of_papers
from fwsvm_papers.studies.registry import STUDIES, WITH_DETAILS

# These modules load pandas and matplotlib, so they are imported here only for type checks. At run
# time, functions import them when they need them.
if TYPE_CHECKING:
    from fwsvm_papers.reporting.figures import Chart
    from fwsvm_papers.reporting.tables import ArtefactData, Table

TABLE_FORMATS = ("md", "tex")
FIGURE_FORMATS = ("svg", "pdf", "png")

ARTEFACTS: dict[str, Artefact] = {}
"""Maps the id of each artefact to its `Artefact`. An id has the form ``<paper>-<name>`` or
``beyond-<subject>``, or it is ``claims`` or ``summary``. The id of a variant ends with
``--<protocol>``.
"""

for _package in (*STUDIES.values(), claims):
    for _name, _entry in getattr(_package, "ARTEFACTS", {}).items():
        ARTEFACTS[_name] = _entry
        if _entry.protocol == FIRST:  # then variants of this artefact show the other protocols
            ARTEFACTS |= {
                f"{_name}{VARIANT}{other}": replace(_entry, protocol=other)
                for other in PROTOCOLS[1:]
            }

_SKETCHES = [study.SKETCHES for study in STUDIES.values() if hasattr(study, "SKETCHES")]


def papers() -> dict[str, list[str]]:
    """Return a dict that maps the first word of an id to the list of all ids of artefacts that
    begin with this word. The first word is a paper, ``beyond``, ``claims`` or ``summary``.
    """
    found: dict[str, list[str]] = {}
    for artefact_id in ARTEFACTS:
        found.setdefault(artefact_id.split("-")[0], []).append(artefact_id)
    return found


def artefacts_of(runs: Iterable[tuple[str, str]]) -> list[str]:
    """List the ids of all artefacts, except variants that have no runs of their own to show.

    Each element of `runs` is a pair (experiment, protocol). A variant is listed if one of its
    experiments was run under the variant's protocol, and if this protocol is not the first one of
    the experiment. (The original artefact shows the first protocol.) An artefact is listed even if
    data sets that it needs are missing.
    """
    named: dict[str, set[str]] = {}
    for experiment, protocol in runs:
        named.setdefault(experiment, set()).add(protocol)
    later = {
        experiment: [name for name in PROTOCOLS if name in protocols][1:]
        for experiment, protocols in named.items()
    }
    return [
        artefact_id
        for artefact_id, entry in ARTEFACTS.items()
        if entry.protocol in (None, FIRST)
        or any(
            entry.protocol in later.get(experiment, ())
            for experiment in about(artefact_id.partition(VARIANT)[0]).experiments
        )
    ]


def needed_inputs(artefact_ids: Iterable[str]) -> list[str]:
    return list(
        dict.fromkeys(name for artefact_id in artefact_ids for name in ARTEFACTS[artefact_id].needs)
    )


def compute_sketches() -> dict:
    """Solve the small problems that the papers' sketches show.

    Return a dict for JSON that maps the name of each sketch to its numbers.
    """
    return {
        name: part
        for module in _SKETCHES
        for name, part in importlib.import_module(module).compute().items()
    }


def code_of_sketches() -> str:
    return code_hash(*_SKETCHES)


def code_of_paper(paper: str) -> list[str]:
    """Return a list with everything that determines the artefacts of a paper, except the data: the
    hash of the code, the declarations, the titles and the captions.
    """
    chosen = papers()[paper]
    entries = [ARTEFACTS[artefact_id] for artefact_id in chosen]
    modules = {entry.module for entry in entries}
    hashed = code_hash(__name__, *sorted(modules))
    written = [about(artefact_id) for artefact_id in chosen]
    texts = dict.fromkeys(text for one in written for text in (one.title, one.caption))
    return [
        hashed,
        *(f"{entry.module}.{entry.name} {entry.options}" for entry in entries),
        *texts,
    ]


def code_of_report() -> list[str]:
    """Return a list with everything that determines the report, except the files of a run: the hash
    of the code, and a hash of the texts about papers, tables and figures.
    """
    texts = [asdict(about(artefact_id)) for artefact_id in ARTEFACTS]
    return [code_hash("fwsvm_papers.site.build"), hash_of_settings([texts, texts_of_papers()])]


def output_paths(
    artefact_id: str,
    results_dir: str | os.PathLike,
    figures_dir: str | os.PathLike,
    formats: Sequence[str] = FIGURE_FORMATS,
) -> list[Path]:
    """List the files that `write` makes for an artefact. The first one is its JSON file.

    `formats` are the formats in which figures are written.
    """
    is_table = ARTEFACTS[artefact_id].kind == "table"
    folder = Path(results_dir, "tables") if is_table else Path(figures_dir)
    endings = ("csv", *TABLE_FORMATS) if is_table else (*formats, "csv", "md")
    return [folder / f"{artefact_id}.{ending}" for ending in ("json", *endings)]


def released_inputs(folder: str | os.PathLike) -> dict[str, str | list[str]]:
    """Return the input files from which the artefacts are made, as a dict from the name of an input
    to its file or files. `folder` has the results of a run or of a release.
    """
    folder = Path(folder)
    if not folder.is_dir():
        profiles = sorted(path.name for path in Path("results").glob("*/"))
        raise UserError(f"there is no folder {folder}; {did_you_mean(folder.name, profiles)}")
    files: dict[str, str | list[str]] = {}
    files["descriptions"] = sorted(map(str, (folder / "describe").glob("*.json")))
    names = {"runs.tsv.gz": "runs", "runs.tsv": "runs", "tests.tsv": "tests"}
    names |= {f"{key}.json": key for key in ("inventory", "provenance", "sketches", *WITH_DETAILS)}
    names |= {f"{key}.json.gz": key for key in WITH_DETAILS}
    files |= {key: str(folder / name) for name, key in names.items() if (folder / name).is_file()}
    if "runs" not in files:
        raise UserError(
            f"{folder} has no runs, since the file runs.tsv is missing; the pipeline writes this"
            " file after all training"
        )
    return files


def read_inputs(files: Mapping[str, Any]) -> dict:
    """Read `files`, and return a dict from the name of an input of `render` to its content.

    `files` maps the name of an input to its file or files, as in the result of `released_inputs`.
    The files of the input `runs` can be one table or a list of batches. For the input
    `descriptions`, `files` can have a list of files or their folder. The input `missing` is read
    from the file `inventory`. The input `cpu_models` (the CPU models of the jobs) is read from the
    file `provenance` or, if there is no such file, from the batches.
    """
    # These imports are not at the top of the file, because they load pandas, which is slow.
    from fwsvm_papers.runs.job_results import finished_jobs, runs_of
    from fwsvm_papers.runs.records import distinct_runs, read_runs, read_tsv

    inputs: dict = {}
    records = []
    if "inventory" in files:
        inputs["missing"] = read_whole_json(files["inventory"]).get("missing", {})
    runs = files.get("runs")
    if isinstance(runs, list):  # then the files are the batches of a study
        done = finished_jobs(runs)
        records = [result["record"] for _, result in done]
        inputs["runs"] = runs_of(done)
    elif runs is not None:
        inputs["runs"] = distinct_runs(read_runs(runs))
    if "provenance" in files:
        provenance = read_whole_json(files["provenance"])
        records = provenance.get("jobs", provenance).values()
    if records:
        inputs["cpu_models"] = sorted({record["cpu"] for record in records if record.get("cpu")})
    inputs |= {name: read_whole_json(files[name], list) for name in WITH_DETAILS if name in files}
    if "tests" in files:
        inputs["tests"] = read_tsv(files["tests"])
    if "sketches" in files:
        inputs["sketches"] = read_whole_json(files["sketches"])
    if "descriptions" in files:
        inputs["descriptions"] = [read_whole_json(path) for path in _several(files["descriptions"])]
    return inputs


def _several(paths: str | list[str]) -> Sequence[str | os.PathLike]:
    if isinstance(paths, str | Path):
        return sorted(Path(paths).glob("*.json")) if Path(paths).is_dir() else [paths]
    return paths


def _check_inputs(artefact_ids: Iterable[str], inputs: Mapping) -> None:
    absent = [
        name
        for name in needed_inputs(artefact_ids)
        if name not in inputs and name not in WITH_DETAILS
    ]
    if absent:
        raise UserError(
            f"the artefacts need {' and '.join(absent)}; the given inputs are {', '.join(inputs)}"
        )


def render(artefact_id: str, inputs: Mapping) -> Table | Chart:
    """Return the `Table` or `Chart` of an artefact, or raise `NotDrawableError` if the run has
    no data for it.
    """
    # not at the top, since this import loads pandas
    from fwsvm_papers.runs.table import one_protocol, stand_ins

    chosen = ARTEFACTS[artefact_id]
    _check_inputs([artefact_id], inputs)
    names = (*chosen.needs, *(["missing"] if "missing" in inputs else []))
    # If a study did not run, there are no details of this study, so its input is empty.
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
    kinds = inputs.get("cpu_models", [])
    if "runs" in chosen.needs and len(kinds) > 1:
        mixed = (
            f"The runs used {len(kinds)} CPU models ({'; '.join(kinds)}); do not compare times on"
            " different models."
        )
        drawn = replace(drawn, notes=f"{drawn.notes} {mixed}".strip())
    return drawn


def write(
    artefact_id: str,
    inputs: Mapping,
    results_dir: str | os.PathLike,
    figures_dir: str | os.PathLike,
    formats: Sequence[str] = FIGURE_FORMATS,
) -> str:
    """Make an artefact and write its files, which `output_paths` lists.

    If the run has no data for the artefact, each file has a text that says which data are missing.
    Return the reason in this text ("needs ..."), or an empty text if no data are missing. The same
    inputs always give files with the same bytes. Old pictures in formats that are not in `formats`
    are removed.
    """
    # not at the top, since this import loads pandas
    from fwsvm_papers.reporting.tables import Table

    all_paths = output_paths(artefact_id, results_dir, figures_dir)
    paths = output_paths(artefact_id, results_dir, figures_dir, formats)
    for path in set(all_paths) - set(paths):
        path.unlink(missing_ok=True)
    drawn, data = _drawn(artefact_id, inputs)
    if isinstance(drawn, Table):
        numbers = delimited_text(drawn.frame)
        texts = {"csv": numbers, "md": data.to_markdown(), "tex": data.to_latex()}
    else:
        from fwsvm_papers.reporting.figures import save_figure

        stem = paths[0].with_suffix("")
        pictures = save_figure(drawn.figure, stem, data.words, formats, data.title)
        numbers = drawn.frame.to_csv(index=False, float_format="%.7g", lineterminator="\n")
        texts = {"csv": numbers, "md": data.to_markdown(pictures[0].name)}
    for ending, text in (texts | {"json": data.to_json()}).items():
        write_atomically(paths[0].with_suffix(f".{ending}"), text.encode())
    return data.skipped


def _drawn(artefact_id: str, inputs: Mapping) -> tuple[Table | Chart, ArtefactData]:
    written, protocol = about(artefact_id), artefact_id.partition(VARIANT)[2]
    texts = {"id": artefact_id, "title": written.title, "protocol": protocol}
    try:
        drawn = render(artefact_id, inputs)
    except NotDrawableError as error:
        kind = ARTEFACTS[artefact_id].kind
        drawn = _text_instead(kind, f"This {kind} is missing, because it {error}.")
        return drawn, drawn.data(skipped=str(error), **texts)
    finding = written.finding if inputs.get("released") else ""
    return drawn, drawn.data(finding=finding, caption=written.caption, **texts)


def _text_instead(kind: str, text: str) -> Table | Chart:
    """Return a `Table` or a `Chart`, as `kind` says, that shows only `text`."""
    if kind == "table":
        from fwsvm_papers.reporting.tables import table_of_text

        return table_of_text(text)
    from fwsvm_papers.reporting.figures import chart_of_text

    return chart_of_text(text)


def write_all(
    inputs: Mapping,
    results_dir: str | os.PathLike,
    figures_dir: str | os.PathLike,
    n_jobs: int = 1,
) -> dict[str, str]:
    """Write the files of the artefacts that `artefacts_of` lists for the runs in `inputs`.

    `n_jobs` is the number of processes, and -1 means one process per core. Return a dict that maps
    the id of each artefact to the reason why the artefact was skipped. If the artefact was not
    skipped, the reason is an empty text.
    """
    from joblib import Parallel, delayed, effective_n_jobs

    _check_inputs(ARTEFACTS, inputs)
    settings = inputs["runs"][["experiment", "protocol"]].dropna().drop_duplicates()
    names = artefacts_of(settings.itertuples(index=False, name=None))
    parts = effective_n_jobs(n_jobs)
    done = Parallel(n_jobs, max_nbytes=None)(
        delayed(_write_several)(names[part::parts], inputs, results_dir, figures_dir)
        for part in range(parts)
    )
    reasons = {name: reason for part in done for name, reason in part.items()}
    return {name: reasons[name] for name in names}


def _write_several(artefact_ids: Sequence[str], *where: Any) -> dict[str, str]:
    return {artefact_id: write(artefact_id, *where) for artefact_id in artefact_ids}
