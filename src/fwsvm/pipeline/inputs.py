"""Find and read the input files of tables and figures."""

from pathlib import Path

from fwsvm.base.errors import UserError
from fwsvm.base.result_files import read_whole_json
from fwsvm.runs.records import collect, read_tsv
from fwsvm.studies.registry import WITH_DETAILS


def released_inputs(folder):
    """Map each input to its file or files, in a folder of results or of a release."""
    folder = Path(folder)
    files = {"descriptions": sorted(map(str, (folder / "describe").glob("*.json")))}
    names = {"runs.tsv.gz": "runs", "runs.tsv": "runs", "tests.tsv": "tests"}
    names |= {f"{key}.json": key for key in ("inventory", "provenance", "sketches", *WITH_DETAILS)}
    names |= {f"{key}.json.gz": key for key in WITH_DETAILS}
    files |= {key: str(folder / name) for name, key in names.items() if (folder / name).is_file()}
    if "runs" not in files:
        raise UserError(f"{folder}: this folder has no runs.tsv and no runs.tsv.gz; `make release` writes one")
    return files


def read_inputs(files):
    """Read the inputs of `render`. `missing` comes from the inventory, `processors` from the provenance."""
    inputs = {}
    if "inventory" in files:
        inputs["missing"] = read_whole_json(files["inventory"]).get("missing", {})
    if "runs" in files:
        inputs["runs"] = collect(_several(files["runs"]))
    if "provenance" in files:
        records = [read_whole_json(path) for path in _several(files["provenance"])]
        jobs = [job for record in records for job in record.get("jobs", record).values()]
        inputs["processors"] = sorted({job["cpu"] for job in jobs if job.get("cpu")})
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
