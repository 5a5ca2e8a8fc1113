"""Damaged files of earlier runs: found before Snakemake plans, set aside, and made again in the same run.

Snakemake rebuilds what is missing and never looks into what is there. The check is cheap: JSON is parsed (of files
above 4 MB the two ends are looked at), tables have whole lines of equal length, as many as were written, and arrays
their size. Jobs check more when they read: checksums of arrays, types of columns.
"""

import json
import logging
import os
import re
import shutil
from pathlib import Path

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.base.result_files import read_whole_json, whole_json
from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.storage import open_prepared, prepared_files, wrong_sizes
from fwsvm.pipeline.config import Study
from fwsvm.studies.registry import WITH_DETAILS

_LOG = logging.getLogger(__name__)
_PARSED = 2**22
_NAMES = re.compile(rb"\w+(\t\w+)*")


def set_aside(path, what, then="it is made again"):
    """Rename a damaged file or folder to <name>.damaged, with a warning.

    Parameters
    ----------
    path : path-like
    what : str
        What is wrong with it.
    then : str
        What happens next, for the warning.

    Raises
    ------
    ConfigError
        The folder cannot be written.
    """
    kept = _name_of_damaged(Path(path))
    try:
        if kept.is_dir():
            shutil.rmtree(kept)
        os.replace(path, kept)
    except FileNotFoundError:
        return  # another process has set it aside
    except OSError as error:
        raise ConfigError(f"{path} is damaged: {what}; it cannot be renamed: {error.strerror}") from error
    _LOG.warning("%s is damaged: %s; kept as %s, %s", path, what, kept.name, then)


def set_aside_damaged(study, results, prepared):
    """Set aside what is damaged among the files that rules of the workflow make.

    Parameters
    ----------
    study : fwsvm.pipeline.config.Study
    results, prepared : path-like
        Folders of the results and of the prepared data of this configuration.

    Returns
    -------
    list of str
        Files, and folders that a rule makes as a whole, that were set aside now or before and have not been made again.
    """
    _drop_outdated(study, Path(prepared))
    targets, cores = [], Path(results) / "cores.json"
    if what := damage_of(cores):  # no rule's: measured again where it is wanted
        set_aside(cores, what)
    for target, path, what in _checked(study, Path(results), Path(prepared)):
        if what:
            set_aside(target, what if path == target else f"{path.name}: {what}")
        targets.append(target)
    return [str(path) for path in dict.fromkeys(targets) if not path.exists() and _name_of_damaged(path).exists()]


def _drop_outdated(study, prepared):
    """Remove `meta.json` of data prepared from another entry, which Snakemake notices only where it has records."""
    for dataset in study.datasets:
        path = prepared / dataset / "meta.json"
        try:
            digest = json.loads(_read(path) or b"{}").get("digest")
        except (ValueError, AttributeError):
            continue
        if digest not in (None, study.digest(dataset)):
            _LOG.info("%s: prepared from another entry of the catalogue; it is prepared again", path.parent)
            path.unlink(missing_ok=True)


def _name_of_damaged(path):
    return path.with_name(f"{path.name}.damaged")


def _checked(study, results, prepared):
    """(what a rule makes, the file that was checked, what is wrong with it or None)."""
    missing = missing_sets(results)  # their damaged files are not to be made again
    present = [name for name in study.datasets if name not in missing]
    for dataset in present:
        wrong = dict(wrong_sizes(prepared / dataset))
        for path in prepared_files(prepared / dataset):
            yield path, path, wrong.get(path)
    for path, kind, counted_in in _result_files(study, results, present):
        yield path, path, damage_of(path, kind, counted_in)
    folder = results / "describe"
    for path in (folder, *folder.glob("*.json")):
        yield folder, path, None if path == folder else damage_of(path)


def missing_sets(results, strict=False):
    """Data sets that an earlier run could not have, with the reasons; empty where nothing is known.

    `strict`: a damaged inventory is a DataError.
    """
    path = Path(results or "", "inventory.json")
    is_known = results and path.is_file() and (strict or not damage_of(path))
    return read_whole_json(path).get("missing", {}) if is_known else {}


def _result_files(study, results, present):
    """(path, type of a JSON file's content, file with the number of a table's rows) of the results."""
    for dataset in study.remote:
        yield results / f"fetch/{dataset}.json", dict, None
    for folder, dataset in study.tuning_jobs(present):
        yield results / folder / f"{dataset}.json", dict, None
    for experiment, dataset in study.batches(present):
        provenance = results / f"runs/{experiment}/{dataset}.json"
        yield provenance, dict, None
        yield provenance.with_suffix(".tsv"), None, provenance
        yield results / f"details/{experiment}/{dataset}.json", list, None
    for name in ("inventory", "sketches", "provenance"):
        yield results / f"{name}.json", dict, None
    for name in WITH_DETAILS:
        yield results / f"{name}.json", list, None
    yield results / "runs.tsv", None, results / "provenance.json"
    yield results / "tests.tsv", None, None
    for path in sorted((results / "artefacts").glob("*.json")):
        yield path, dict, None


def damage_of(path, kind=dict, counted_in=None):
    """What is wrong with a file of results.

    Parameters
    ----------
    path : Path
        A table (.tsv) or a JSON file.
    kind : {dict, list}
        What a JSON file should hold.
    counted_in : Path, optional
        JSON file with the number of rows of a table.

    Returns
    -------
    str or None
        None if nothing is wrong, as far as a quick look tells, or the file is not there.
    """
    return _wrong_table(path, counted_in) if path.suffix == ".tsv" else _wrong_json(path, kind)


def _read(path):
    try:
        return path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _wrong_json(path, kind):
    content = _read(path)
    if content is None:
        return None
    if len(content) > _PARSED:
        ends = b"{}" if kind is dict else b"[]"
        whole = content[:1] == ends[:1] and content.rstrip()[-1:] == ends[1:] and b"\0" not in content
        return None if whole else "it is not a whole JSON file"
    try:
        whole_json(content, kind)
    except ValueError as error:
        return str(error)
    return None


def _wrong_table(path, counted_in):
    content = _read(path)
    if content is None:
        return None
    if not content.endswith(b"\n"):
        return "its last line is cut short" if content else "it is empty"
    lines = content.split(b"\n")[:-1]
    if not _NAMES.fullmatch(lines[0]):
        return "its first line has no names of columns"
    if b"\0" in content or len({line.count(b"\t") for line in lines}) > 1:
        return "its lines are not of the same length"
    expected = _rows(counted_in)
    if expected not in (None, len(lines) - 1):
        return f"it has {len(lines) - 1} rows, not {expected} as when it was written"
    return None


def _rows(provenance):
    """Rows that a table was written with; None if it cannot be known."""
    try:
        content = json.loads(provenance.read_bytes())
        return sum(job["rows"] for job in content.get("jobs", content).values()) or None
    except (AttributeError, OSError, ValueError, KeyError, TypeError):
        return None


def open_or_prepare(config, dataset, folder):
    """Open prepared data; those that are damaged are prepared again.

    The files keep their times, since their content is what it was: nothing that was made from them is outdated.

    Parameters
    ----------
    config : dict
        The checked configuration.
    dataset : str
    folder : path-like

    Returns
    -------
    fwsvm.datasets.storage.Prepared

    Raises
    ------
    UserError
        They cannot be prepared again.
    """
    from fwsvm.datasets.prepare import prepare

    folder = Path(folder)
    try:
        return open_prepared(folder)
    except DataError as error:
        _LOG.warning("%s is prepared again: %s", dataset, error)
    times = {path: path.stat().st_mtime_ns for path in prepared_files(folder) if path.exists()}
    study = Study(config, load_catalogue(config["catalogue"]))
    raw_dir, mirror = f"{config['data_dir']}/raw", config["mirror"]
    opened = prepare(study.catalogue[dataset], study.catalogue, raw_dir, folder, mirror, study.subset)
    for path, moment in times.items():
        os.utime(path, ns=(moment, moment))
    return opened
