"""The race in docs/benchmarks/race.csv, which an earlier program wrote, as a table of runs and
details.
"""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from fwsvm_papers.runs.records import conform

FILE = Path(__file__).parents[1] / "docs/benchmarks/race.csv"


def released_race(datasets: Sequence[str] = ()) -> tuple[pd.DataFrame, list[dict]]:
    """Return the runs on some data sets (by default, on all), and the details of each job.

    There is one run for each competitor, case and gap (of `auto`). The file has no times of
    prediction and no scatter of times. Its values of gamma are multiples of 1 / beta.
    """
    old = pd.read_csv(FILE)
    if datasets:
        old = old[old["case"].str.split(" ").str[0].isin(datasets)]
    old["test_points"] = old.groupby("case")["m_test"].transform("max")
    old["eps"] = old["eps"].where(old["method"] == "auto")
    rows, jobs = [], {}
    for row in old.to_dict("records"):
        name, _, pair = row["case"].partition(" ")
        case = {"threads": row["threads"], "C": row["C"], "eps": row["eps"]}
        case["gamma"] = row["gamma_over_beta"]
        job = jobs.setdefault((name, row["method"]), {"dataset": name, "method": row["method"]})
        job |= {"classes": [3, 8] if pair else None, "test_points": row["test_points"]}
        job |= {"cpu": "a processor", "vector_extensions": []}
        job.setdefault("cases", []).append({**case, "width_factor": row["gamma_over_beta"]})
        reason = row["stop_reason"] if isinstance(row["stop_reason"], str) else "converged"
        found = {"stop_reason": reason, "test_accuracy": row["accuracy"], "repetition": 0}
        found |= {"train_cpu_s": row["seconds"], "train_wall_s": row["seconds"]}
        found |= {"support_vectors": row["support_vectors"], "disturbed": row["disturbed"]}
        named = {"experiment": "race", "dataset": name, "method": row["method"]}
        rows.append({**named, "protocol": "none", **case, **found})
    return conform(pd.DataFrame(rows)), list(jobs.values())
