"""The released race: docs/benchmarks/race.csv as a table of runs and details.

The file is written from the results of `make bench`:
python tests/released_race.py results/race > docs/benchmarks/race.csv
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from fwsvm_papers.runs.records import conform, read_runs
from fwsvm_papers.studies.race.numbers import measured_fits

FILE = Path(__file__).parents[1] / "docs/benchmarks/race.csv"
# the names of the columns of the file, and those of `measured_fits`
COLUMNS = {
    "case": "label",
    "method": "method",
    "threads": "threads",
    "C": "C",
    "gamma_over_beta": "width_factor",
    "gamma": "gamma",
    "eps": "eps",
    "seconds": "time",
    "fits": "fits",
    "scatter": "scatter",
    "disturbed": "disturbed",
    "predict_s": "predict_s",
    "accuracy": "test_accuracy",
    "support_vectors": "support_vectors",
    "stop_reason": "stop_reason",
    "test_points": "test_points",
}


def race_file(runs: pd.DataFrame, race: Sequence[dict]) -> pd.DataFrame:
    """Return the content of the file: a row for each competitor, case and gap (of `auto`)."""
    fits = measured_fits(runs, race)
    return pd.DataFrame({ours: fits[theirs] for ours, theirs in COLUMNS.items()})


def released_race(datasets: Sequence[str] = ()) -> tuple[pd.DataFrame, list[dict]]:
    """Return the runs on some data sets (by default, on all), and the details of each job.

    There is one run for each competitor, case and gap. Its time is the median of the fits.
    """
    file = pd.read_csv(FILE)
    names = file["case"].str.split(" ").str[0]
    if datasets:
        file, names = file[names.isin(datasets)], names[names.isin(datasets)]
    rows, jobs = [], {}
    for name, row in zip(names, file.to_dict("records"), strict=True):
        case = {each: row[each] for each in ("threads", "C", "eps", "gamma")}
        job = jobs.setdefault((name, row["method"]), {"dataset": name, "method": row["method"]})
        job |= {"classes": [3, 8] if name == "mnist" else None}
        job |= {"test_points": row["test_points"], "cpu": "a processor", "vector_extensions": []}
        own = {each: row[each] for each in ("predict_s", "scatter")}
        job.setdefault("cases", []).append({**case, "width_factor": row["gamma_over_beta"], **own})
        found = {"test_accuracy": row["accuracy"], "repetition": 0}
        found |= {each: row[each] for each in ("stop_reason", "support_vectors", "disturbed")}
        found |= {"train_cpu_s": row["seconds"], "train_wall_s": row["seconds"]}
        named = {"experiment": "race", "dataset": name, "method": row["method"]}
        rows.append({**named, "protocol": "none", **case, **found})
    return conform(pd.DataFrame(rows)), list(jobs.values())


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    details = json.loads((folder / "race.json").read_text())
    race_file(read_runs(folder / "runs.tsv"), details).to_csv(sys.stdout, index=False)
