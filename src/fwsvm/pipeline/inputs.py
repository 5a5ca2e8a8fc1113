"""Reading what tables and figures are drawn from."""

from pathlib import Path

from fwsvm.base.result_files import read_whole_json
from fwsvm.runs.records import collect, read_tsv, with_protocols
from fwsvm.studies.registry import WITH_DETAILS


def read_inputs(files):
    """Inputs of `render` from their files.

    Parameters
    ----------
    files : dict
        Any of `runs` (one or more files of runs), `tests` (tests.tsv), `descriptions` (one or more JSON files, or their
        folder), `provenance` (one or more files of the jobs' provenance), `sketches` (sketches.json), the details of
        the studies (singh.json ...) and `inventory` (inventory.json, which says what is missing and why).

    Returns
    -------
    dict
    """
    inputs = {}
    if "inventory" in files:
        inputs["missing"] = read_whole_json(files["inventory"]).get("missing", {})
    if "runs" in files:
        inputs["runs"] = collect(_several(files["runs"]))
    if "provenance" in files:
        inputs["processors"] = _processors(_several(files["provenance"]))
    inputs |= {name: read_whole_json(files[name], list) for name in WITH_DETAILS if name in files}
    if "tests" in files:
        inputs["tests"] = with_protocols(read_tsv(files["tests"]))
    if "sketches" in files:
        inputs["sketches"] = read_whole_json(files["sketches"])
    if "descriptions" in files:
        inputs["descriptions"] = [read_whole_json(path) for path in _descriptions(files["descriptions"])]
    return inputs


def _descriptions(paths):
    """Files of descriptions: those named, or those in a folder."""
    is_folder = isinstance(paths, str | Path) and Path(paths).is_dir()
    return sorted(Path(paths).glob("*.json")) if is_folder else _several(paths)


def _processors(paths):
    """Kinds of processors that the jobs ran on, from the provenance of all jobs or of one process's."""
    records = [read_whole_json(path) for path in paths]
    jobs = [job for record in records for job in record.get("jobs", record).values()]
    return sorted({job["cpu"] for job in jobs if job.get("cpu")})


def _several(paths):
    return [paths] if isinstance(paths, str | Path) else paths
