"""Case after case: rows written as they come, interrupted runs resumed, data that cannot be had named."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from fwsvm.base.compiled import source_hash
from fwsvm.base.errors import UserError
from fwsvm.base.result_files import write_atomically
from fwsvm.bench import growth, kernels, libcvm, limits, memory, peers, race, screening
from fwsvm.runs import measure


@dataclass(frozen=True)
class Section:
    """A part of the table: its heading, its cases, and how a case is measured."""

    title: str
    cases: Callable[[bool], list[dict]]
    measure: Callable[[dict, "Bench"], list[dict]]


SECTIONS = {
    "limits": Section("The machine, one thread", limits.cases, limits.measure),
    "kernels": Section("Kernel columns and blocks", kernels.cases, kernels.measure),
    "peers": Section("SWAP and SWAP-2o beside scikit-learn's SVC", peers.cases, peers.measure),
    "libcvm": Section("CVM beside LibCVM 2.2", libcvm.cases, libcvm.measure),
    "race": Section("FCFW, SWAP-2o and their peers to equal gap", race.cases, race.measure),
    "growth": Section("Growth with the number of points", growth.cases, growth.measure),
    "screening": Section("Safe screening at the end of training", screening.cases, screening.measure),
    "memory": Section("Peak memory of training", memory.cases, memory.measure),
}


@dataclass(frozen=True)
class Bench:
    """What is asked for.

    Attributes
    ----------
    quick : bool
        The small version of every section.
    repeats : int
    data_dir : str
    time_limit : float
        CPU seconds of one training run; one that reaches them is a row that says so.
    sections : tuple of str
    """

    quick: bool
    repeats: int = 3
    data_dir: str = "data"
    time_limit: float = 180.0
    sections: tuple[str, ...] = tuple(SECTIONS)

    def cases(self):
        """Pairs (section, case) in the order in which they are measured."""
        return [(name, case) for name in self.sections for case in SECTIONS[name].cases(self.quick)]


class Record:
    """What has been measured so far, in one JSON file that is whole at any time.

    Parameters
    ----------
    path : path-like
    bench : Bench
    resume : bool
        Go on with what the file holds; otherwise start anew.

    Raises
    ------
    UserError
        The file to resume is of other compiled sources, another machine or other settings.
    """

    def __init__(self, path, bench, resume=False):
        self.path = Path(path)
        same = {
            "quick": bench.quick,
            "repeats": bench.repeats,
            "time_limit": bench.time_limit,
            "sources": source_hash(),
            "machine": measure.machine(),
        }
        self.content = {**same, "commit": measure.git_commit(), "runs": 0, "results": [], "missing": {}}
        if resume and self.path.is_file():
            found = json.loads(self.path.read_text(encoding="utf-8"))
            changed = [key for key, value in same.items() if found.get(key) != value]
            if changed:
                raise UserError(
                    f"{self.path}: cannot be resumed, since it was measured with other {', '.join(changed)}; "
                    "start anew without --resume"
                )
            self.content = found
        self.content["missing"] = {}
        self.content["runs"] += 1

    def has(self, section, case):
        """Whether the case has been measured."""
        return any(done["section"] == section and done["case"] == case for done in self.content["results"])

    def add(self, section, case, rows, **facts):
        """Keep the rows of a case, and write everything."""
        run = self.content["runs"]
        self.content["results"].append({"section": section, "case": case, "run": run, **facts, "rows": rows})
        self.write()

    def lacks(self, dataset, reason):
        """Note a data set that cannot be had."""
        self.content["missing"][dataset] = reason
        self.write()

    def write(self):
        """Write the file."""
        write_atomically(self.path, (json.dumps(self.content, indent=1, default=_plain) + "\n").encode())

    @property
    def missing(self):
        """Data set -> why it could not be had."""
        return self.content["missing"]

    def rows(self, section=None):
        """All rows, or those of a section, in the order of the sections."""
        order = list(SECTIONS)
        chosen = [done for done in self.content["results"] if section in (None, done["section"])]
        chosen.sort(key=lambda done: order.index(done["section"]))
        facts = ("section", "run", "calibration_s", "disturbed")
        return pd.DataFrame([{key: done.get(key) for key in facts} | row for done in chosen for row in done["rows"]])


def _plain(value):
    """Numpy's numbers as JSON has them."""
    return value.item()


def run(bench, record, progress=sys.stderr):
    """Measure every case that the record does not hold yet.

    A Ctrl-C leaves the record with all rows finished so far.
    """
    todo = [(section, case) for section, case in bench.cases() if not record.has(section, case)]
    started = time.perf_counter()
    best = measure.calibrate()
    for number, (section, case) in enumerate(todo, start=1):
        if (name := case.get("dataset", case.get("points"))) in record.missing:
            continue
        text = ", ".join(f"{key} {_short(value)}" for key, value in case.items() if key not in ("methods", "gaps"))
        print(
            f"[{number}/{len(todo)}, {time.perf_counter() - started:.0f} s] {section}: {text}",
            file=progress,
            flush=True,
        )
        before = measure.calibrate()
        try:
            rows = SECTIONS[section].measure(case, bench)
        except UserError as error:
            reason = " ".join(line.strip() for line in str(error).splitlines()[:2])
            print(f"    left out: {reason}", file=progress, flush=True)
            record.lacks(name, reason)
            continue
        after = measure.calibrate()
        best = min(best, before, after)
        disturbed = measure.is_disturbed(0.0, 0.0, before, after, best)
        record.add(section, case, rows, calibration_s=max(before, after), disturbed=disturbed)


def _short(value):
    return f"{value:g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
