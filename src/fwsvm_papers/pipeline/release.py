"""Functions that copy the results and figures of a full run as small files into the repository.
Other functions compare a run with these copied results.
"""

import gzip
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from fwsvm.inputs.errors import UserError
from fwsvm.inputs.files import check_output_folder
from fwsvm_papers.pipeline.artefacts import TABLE_FORMATS, read_inputs, released_inputs
from fwsvm_papers.pipeline.config import DEFAULT_CONFIG, Configuration, check_name
from fwsvm_papers.pipeline.data import missing_sets
from fwsvm_papers.reporting.tables import read_artefact_data
from fwsvm_papers.result_files import hash_of_settings, read_whole_json, write_atomically
from fwsvm_papers.runs import ENDED_REASONS
from fwsvm_papers.runs.job_results import name_of
from fwsvm_papers.runs.records import SETTING_COLUMNS
from fwsvm_papers.studies.registry import WITH_DETAILS

LARGEST_FILE = 2_000_000  # bytes
LARGEST_SUM = 20_000_000  # bytes for all released files together

_FOLDERS = ("describe", "params", "params-poly")
_ENDINGS = (".tsv", ".json", ".png")

# Maps a column to a pair (absolute, relative). The two means over repetitions agree (verdict
# "within") if their difference is at most the largest of three numbers: `absolute`, `relative`
# times the released mean, and three standard errors of the difference. On the same CPU model, a
# repeated run gives the same numbers. On another CPU model, the last digits of kernel values
# differ, so methods with samples take other steps.
TOLERANCES = {
    "test_accuracy": (0.005, 0.0),
    "objective": (0.0, 0.01),
    "relative_gap": (1e-6, 0.5),
    **dict.fromkeys(("iterations", "support_vectors", "coreset_size"), (2.0, 0.5)),
    **dict.fromkeys(("requested_evaluations", "kernel_evaluations"), (0.0, 0.5)),
}
VERDICTS = ("equal", "within", "different")
_OF_A_RUN = ("repetition", "partition", "start_index", "seed")
_NOT_SETTINGS = ("C_rule", "column_dtype", "kernel_path")

# The name of the file that lists the files of a release. When a new release replaces an old one,
# only files in the old list are deleted.
LISTING = "files.txt"


def release(profile: str, name: str, complete: Configuration | None = None) -> list[Path]:
    """Copy the results and figures of a profile to results/<name> and figures/<name>.

    If `complete` is given, raise a UserError unless the profile has the complete run of this
    configuration. Files of an earlier release that are not in the new one are deleted. Return the
    paths of the copies.
    """
    results, figures = Path("results", check_name(profile)), Path("figures", profile)
    to_results, to_figures = Path("results", check_name(name)), Path("figures", name)
    if not (results / "runs.tsv").is_file():
        raise UserError(f"{results} has no runs.tsv to release; run the pipeline first")
    if results.resolve() == to_results.resolve() or (to_results / "cells").exists():
        raise UserError(
            f"{to_results} has the results of a run, and a release would replace them; choose"
            " another name"
        )
    for folder in (to_results, to_figures):
        check_output_folder(folder, "--to:", (results, figures))
    if complete is not None:
        _refuse_other_runs(results, complete)
    contents = {to_results / path: content for path, content in _results(results).items()}
    contents |= {
        to_figures / path: content for path, content in figures_to_release(figures).items()
    }
    check_sizes(contents)
    if not any(path.suffix in (".svg", ".png") for path in contents if path.parent == to_figures):
        raise UserError(f"{figures} has no svg or png figures to release")
    listing = to_results / LISTING
    outdated = (
        set(map(Path, listing.read_text().splitlines())) - set(contents)
        if listing.is_file()
        else set()
    )
    for path, content in contents.items():
        write_atomically(path, content)
    for path in outdated:
        if path.parts[:2] in (to_results.parts, to_figures.parts) and ".." not in path.parts:
            path.unlink(missing_ok=True)
    write_atomically(listing, "".join(f"{path.as_posix()}\n" for path in sorted(contents)).encode())
    return sorted(contents)


def _refuse_other_runs(results: Path, complete: Configuration) -> None:
    """Raise a UserError unless `results` has exactly the jobs of the configuration `complete`, with
    the same settings and data, on all data sets that were available.

    The setting `timing` can differ, because it only says which jobs run at the same time.
    """
    done = read_whole_json(results / "provenance.json").get("jobs", {})
    timing = next((record["settings"]["timing"] for record in done.values()), None)
    planned = replace(complete, config=complete.config | {"timing": timing})
    missing = missing_sets(results)
    jobs = {
        name_of(job): job
        for job in planned.jobs([name for name in planned.datasets if name not in missing])
    }
    wrong = {name: "is not in this configuration" for name in done if name not in jobs}
    for name, job in jobs.items():
        settings = hash_of_settings(planned.job_settings(job))
        if name not in done:
            wrong[name] = "is missing"
        elif done[name]["data_digest"] != planned.digest(job.dataset):
            wrong[name] = "used other data"
        elif hash_of_settings(done[name]["settings"]) != settings:
            wrong[name] = "has other settings"
    if wrong:
        first = min(wrong)
        raise UserError(
            f"{results} does not have the complete run of {DEFAULT_CONFIG}, which `make paper`"
            f" makes: the job {first} {wrong[first]} (number of wrong jobs: {len(wrong)})."
            " To copy this run to results/NAME and figures/NAME, use --to NAME"
        )


def _results(folder: Path) -> dict[str, bytes]:
    """Read the result files for the release. Return a dict that maps the path of each released
    file, relative to its folder of results, to its content.

    Files that are larger than `LARGEST_FILE` are compressed, except the files of tables. If a file
    is damaged, an error is raised.
    """
    read_inputs(released_inputs(folder))
    files = list(folder.iterdir())
    for name in _FOLDERS:
        files += (folder / name).rglob("*")
    tables = tables_to_release(folder / "tables")
    contents = {f"tables/{name}": content for name, content in tables.items()}
    for path in sorted(path for path in files if path.suffix in _ENDINGS):
        if path.suffix == ".json":
            read_whole_json(path, list if path.stem in WITH_DETAILS else dict)
        content, name = path.read_bytes(), path.relative_to(folder).as_posix()
        large = len(content) > LARGEST_FILE
        contents[name + ".gz" * large] = gzip.compress(content, mtime=0) if large else content
    return contents


def tables_to_release(folder: str | os.PathLike) -> dict[str, bytes]:
    """Read the files of each table. Return a dict that maps the name of each file to its content.

    For a skipped table, only the JSON file is released. It gives the reason.
    """
    contents: dict[str, bytes] = {}
    for path in sorted(Path(folder).glob("*.json")):
        endings = () if read_artefact_data(path).skipped else ("csv", *TABLE_FORMATS)
        files = [path, *(path.with_suffix(f".{ending}") for ending in endings)]
        contents |= {file.name: file.read_bytes() for file in files if file.is_file()}
    return contents


def figures_to_release(folder: str | os.PathLike) -> dict[str, bytes]:
    """Read the files of each figure. Return a dict that maps the name of each file to its content.

    The files of a figure are its JSON data, its picture, its numbers and its caption. The picture
    is the SVG file. If the SVG file is missing, or if it is too large and there is a PNG file, the
    picture is the PNG file. A figure with neither file is left out.

    For a skipped figure, only the JSON file is released. It gives the reason.
    """
    contents = {}
    for path in sorted(Path(folder).glob("*.json")):
        data = read_artefact_data(path)
        pictures = [file for file in map(path.with_suffix, (".svg", ".png")) if file.is_file()]
        if data.skipped:
            contents[path.name] = path.read_bytes()
        elif pictures:
            small = [file for file in pictures if file.stat().st_size <= LARGEST_FILE]
            picture = [*small, pictures[-1]][0]
            files = [path, picture, path.with_suffix(".csv")]
            contents |= {file.name: file.read_bytes() for file in files if file.is_file()}
            contents[f"{path.stem}.md"] = data.to_markdown(picture.name).encode()
    return contents


def check_sizes(contents: Mapping[Any, bytes]) -> None:
    """Raise a UserError if a file, or all files together, are too large to be committed."""
    if large := [str(path) for path, content in contents.items() if len(content) > LARGEST_FILE]:
        raise UserError(
            f"a released file can have at most {LARGEST_FILE / 1e6:g} MB. These files are larger:"
            f" {', '.join(large)}"
        )
    if (total := sum(map(len, contents.values()))) > LARGEST_SUM:
        raise UserError(
            f"the files of the release have {total / 1e6:.1f} MB together, but at most"
            f" {LARGEST_SUM / 1e6:g} MB are allowed"
        )


def compare_runs(runs: pd.DataFrame, released: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compare two tables of runs. Only runs that occur in both tables are compared.

    A group has all repetitions of a run with the same settings.

    Return two tables. The first has, for each group and each column of `TOLERANCES`, the two means
    over the group (``ours`` from `runs`, and ``released``) and a verdict on whether they agree. The
    verdict is one of `VERDICTS`, or "at a limit" if any run of the group ended at a limit of time,
    steps or memory in one of the two tables. The second table has a row for each pair of
    corresponding runs, with the ratio of the two training times (from `runs` / released).
    """
    keys = [name for name in SETTING_COLUMNS if name not in _NOT_SETTINGS]
    columns, sides = [*TOLERANCES, "train_cpu_s"], []
    for table in (runs, released):
        texts = table[keys].map(
            lambda value: f"{value:.6g}" if isinstance(value, float) else str(value)
        )
        numbers = table[columns].astype(float)
        sides.append(texts.join(numbers).assign(at_limit=table["stop_reason"].isin(ENDED_REASONS)))
    pairs = sides[0].merge(sides[1], on=keys, suffixes=("", "_released"))
    pairs["time_ratio"] = pairs["train_cpu_s"] / pairs["train_cpu_s_released"]
    pairs["at_limit"] |= pairs.pop("at_limit_released")
    groups = pairs.groupby([name for name in keys if name not in _OF_A_RUN], sort=False)
    means = groups.mean(numeric_only=True)
    errors = groups.sem(numeric_only=True)
    limited = groups["at_limit"].any()
    compared = []
    for name, (absolute, relative) in TOLERANCES.items():
        ours, theirs = means[name], means[f"{name}_released"]
        error = np.hypot(errors[name], errors[f"{name}_released"]).fillna(0)
        allowed = np.maximum(np.maximum(absolute, relative * theirs.abs()), 3 * error)
        same = (ours == theirs) | (ours.isna() & theirs.isna())
        found = np.select(
            [limited, same, (ours - theirs).abs() <= allowed],
            ["at a limit", *VERDICTS[:2]],
            VERDICTS[2],
        )
        compared.append(
            pd.DataFrame(
                {"column": name, "verdict": found, "ours": ours, "released": theirs}
            ).reset_index()
        )
    return pd.concat(compared, ignore_index=True), pairs
