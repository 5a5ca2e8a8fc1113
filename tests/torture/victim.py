"""The working copy that a campaign disturbs."""

import contextlib
import os
import shutil
import subprocess
import time

import pandas as pd
import psutil
from working_copy import CHECKOUT, HANGS_S, MEASURED, WorkingCopy, committed_files, set_up_tiny

from fwsvm.runs.records import read_runs

RUNS = "results/tiny/runs.tsv"


class Victim:
    """A copy of the checkout with a configuration of seconds.

    Parameters
    ----------
    folder : Path
        Has, or gets, the copy and the table of a quiet run.

    Attributes
    ----------
    copy : WorkingCopy
    quiet_s : float
        Seconds that the quiet run took.
    """

    def __init__(self, folder):
        self.reference, self.timing = folder / "quiet.tsv", folder / "quiet_s"
        self.output = folder / "snakemake.log"
        self.copy = WorkingCopy(folder / "copy", ["--configfile", "tiny.yaml"])
        os.environ["PYTHONPATH"] = str(self.copy / "src")  # edits of the checkout do not reach the campaign
        if not self.reference.is_file():
            self._set_up(folder)
        self.quiet_s = float(self.timing.read_text())
        self.recover()

    def _set_up(self, folder):
        shutil.rmtree(self.copy.folder, ignore_errors=True)
        for path in committed_files():
            (self.copy / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(CHECKOUT / path, self.copy / path)
        set_up_tiny(self.copy)
        self.copy.run(RUNS)  # compiles the solvers
        self.begin_anew()
        began = time.monotonic()
        self.copy.run(RUNS)
        self.timing.write_text(f"{time.monotonic() - began:.1f}")
        shutil.copy(self.copy / RUNS, self.reference)

    def begin_anew(self):
        """Remove all that the pipeline makes, but for the signs that the solvers are compiled: that takes longest."""
        self.recover()
        for path in (self.copy / "data", *(self.copy / "results/tiny").glob("*")):
            if path.name != "warm_up":
                shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)

    def start(self, prefix=(), environment=None):
        """Start the pipeline in a group of processes of its own."""
        command, settings = self.copy.command("--cores", 2, RUNS)
        settings["env"] |= environment or {}
        with self.output.open("w") as output:
            return subprocess.Popen(
                [*prefix, *command], stdout=output, stderr=subprocess.STDOUT, start_new_session=True, **settings
            )

    def finish(self):
        """Let the pipeline do what is left of it."""
        if self.judge(self.start()) != "survived":
            raise RuntimeError(f"a run that nobody disturbed has failed: {self.output}")

    def recover(self):
        """What the README says after a kill: let the jobs that are left end, and unlock."""
        until = time.monotonic() + 120
        while (left := self.processes()) and time.monotonic() < until:
            psutil.wait_procs(left, timeout=5)
        if (self.copy / ".snakemake/locks").is_dir() and any((self.copy / ".snakemake/locks").iterdir()):
            done = self.copy.snakemake("--unlock")
            assert done.code == 0, done.text

    def processes(self):
        """Processes that work in the copy."""
        found = []
        for process in psutil.process_iter(["cwd"]):
            if process.pid != os.getpid() and process.info["cwd"] == str(self.copy.folder):
                found.append(process)
        return found

    def judge(self, run):
        """Wait for a run to end; `survived` if it ended well with the quiet run's table, otherwise what went wrong."""
        code = run.wait(timeout=HANGS_S)
        text = self.output.read_text(errors="replace")
        if "Traceback" in text:
            return f"traceback: {_last_line(text)}"
        if code:
            return f"exit code {code}: {_last_line(text)}"
        with contextlib.suppress(AssertionError):
            tables = [read_runs(path).drop(columns=list(MEASURED)) for path in (self.reference, self.copy / RUNS)]
            pd.testing.assert_frame_equal(*tables, check_exact=True)
            left = self.copy.temporary_files()
            return "survived" if not left else f"left {left[0]}"
        return "another table"


def _last_line(text):
    errors = [line for line in text.splitlines() if "rror" in line]
    return (errors or text.splitlines() or [""])[-1][:300]
