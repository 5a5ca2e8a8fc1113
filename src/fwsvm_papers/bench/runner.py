"""Measure cases one by one, and write each case's rows immediately, so that an interrupted run
can be resumed.
"""

import json
import sys
import time
from pathlib import Path

import pandas as pd

from fwsvm.inputs.errors import UserError
from fwsvm.inputs.files import read_text
from fwsvm_papers.bench import race
from fwsvm_papers.result_files import write_atomically
from fwsvm_papers.runs import measure


class Record:
    """Store all results in one JSON file; `bench` is the parsed command line.

    `resume` keeps earlier results.
    """

    def __init__(self, path, bench, resume=False):
        self.path = Path(path)
        same = {name: getattr(bench, name) for name in ("quick", "repeats", "time_limit")}
        same |= {"commit": measure.git_commit(), "machine": measure.machine()}
        self.content = {**same, "runs": 0, "results": [], "missing": {}}
        if resume and self.path.is_file():
            try:
                found = json.loads(read_text(self.path))
                self.content |= {name: found[name] for name in ("runs", "results")}
            except (ValueError, LookupError, TypeError) as error:
                raise UserError(
                    f"{self.path} is damaged ({error}); run without --resume"
                ) from error
            changed = [key for key, value in same.items() if found.get(key) != value]
            if changed:
                raise UserError(
                    f"{self.path} differs from this run in {', '.join(changed)}; run without"
                    " --resume"
                )
        self.missing = self.content["missing"] = {}
        self.content["runs"] += 1

    def add(self, case, rows, **facts):
        run = self.content["runs"]
        self.content["results"].append({"case": case, "run": run, **facts, "rows": rows})
        # converts numpy's numbers
        text = json.dumps(self.content, indent=1, default=lambda number: number.item())
        write_atomically(self.path, f"{text}\n".encode())

    def rows(self):
        facts, results = ("run", "calibration_s", "disturbed"), self.content["results"]
        return pd.DataFrame(
            [
                {key: done.get(key) for key in facts} | row
                for done in results
                for row in done["rows"]
            ]
        )


def run(bench, record, progress=sys.stderr):
    """Measure every case that is not in the record."""
    done = [result["case"] for result in record.content["results"]]
    todo = [case for case in race.cases(bench.quick) if case not in done]
    started = time.perf_counter()
    best = measure.calibrate()
    for number, case in enumerate(todo, start=1):
        if (name := case["dataset"]) in record.missing:
            continue
        text = ", ".join(f"{key} {value}" for key, value in case.items() if key != "gaps")
        elapsed = time.perf_counter() - started
        print(f"[{number}/{len(todo)}, {elapsed:.0f} s] {text}", file=progress, flush=True)
        before = measure.calibrate()
        try:
            rows = race.measure(case, bench)
        except UserError as error:
            record.missing[name] = " ".join(line.strip() for line in str(error).splitlines()[:2])
            print(f"    left out: {record.missing[name]}", file=progress, flush=True)
            continue
        after = measure.calibrate()
        best = min(best, before, after)
        disturbed = measure.is_disturbed(0.0, 0.0, before, after, best)
        record.add(case, rows, calibration_s=max(before, after), disturbed=disturbed)
