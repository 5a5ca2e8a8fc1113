"""What a campaign does to a run."""

import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager, suppress

import psutil

SETTLES_S = 0.5
ENDS_S = 120
"""Seconds after which a run that was asked to end is ended with kill -9, as service managers do."""


class Refused(Exception):
    """This machine cannot do that to a run; why."""


def _signal(number):
    """End Snakemake with a signal; its jobs go on."""
    return lambda run, chance: os.kill(run.pid, number)


def _kill_one(run, chance):
    """kill -9 for one of the jobs' processes."""
    jobs = psutil.Process(run.pid).children(recursive=True)
    if jobs:
        chance.choice(jobs).kill()


def _kill_all(run, chance):
    """kill -9 for Snakemake and every process below it, one after the other."""
    for process in [psutil.Process(run.pid), *psutil.Process(run.pid).children(recursive=True)]:
        process.kill()


KILLS = {
    "Ctrl-C": _signal(signal.SIGINT),
    "SIGTERM": _signal(signal.SIGTERM),
    "kill -9 snakemake": _signal(signal.SIGKILL),
    "kill -9 one job": _kill_one,
    "kill -9 all, in turn": _kill_all,
    "kill -9 the process group": lambda run, chance: os.killpg(run.pid, signal.SIGKILL),
}
"""Kind -> function of a run and a random number generator."""


def kill_at(run, kind, moment, chance):
    """Kill a run so many seconds after its start; False if it had ended before."""
    try:
        run.wait(timeout=moment)
        return False
    except subprocess.TimeoutExpired:
        with suppress(psutil.NoSuchProcess, ProcessLookupError):
            KILLS[kind](run, chance)
        try:
            run.wait(timeout=ENDS_S)
        except subprocess.TimeoutExpired:
            run.kill()
            run.wait()
        time.sleep(SETTLES_S)
        return True


def _cut(path, chance):
    content = path.read_bytes()
    path.write_bytes(content[: chance.randrange(max(1, len(content)))])


def _zero(path, chance):
    content = path.read_bytes()
    kept = chance.randrange(max(1, len(content)))
    path.write_bytes(content[:kept] + bytes(len(content) - kept))


def _flip(path, chance):
    content = bytearray(path.read_bytes())
    for _ in range(3):
        content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


DAMAGES = {
    "emptied": lambda path, chance: path.write_bytes(b""),
    "cut short": _cut,
    "ends in zeros": _zero,
    "other content": lambda path, chance: path.write_bytes(b"\x89not what it was\n" * 7),
    "removed": lambda path, chance: path.unlink(),
    "bits flipped (arrays)": _flip,
}
"""Kind -> function of a file and a random number generator."""


def damage(victim, chance):
    """Damage a random file of a finished run, and remove what is made from it; returns what was done.

    Without the second step nothing would be left to do that could go wrong.
    """
    kind = chance.choice(list(DAMAGES))
    folders = ["data/prepared"] if "arrays" in kind else ["data/prepared", "results/tiny"]
    found = sorted(path for name in folders for path in (victim.copy / name).rglob("*") if path.is_file())
    chosen = chance.choice([path for path in found if "logs" not in path.parts and path.stat().st_size])
    if "arrays" in kind:
        chosen = chance.choice([path for path in found if path.suffix == ".npy" and path.stat().st_size])
    DAMAGES[kind](chosen, chance)
    removed = chance.choice([["runs.tsv"], ["runs.tsv", "runs"], ["runs.tsv", "runs", "cells"], ["artefacts"]])
    for name in removed:
        path = victim.copy / "results/tiny" / name
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)
    return {"kind": kind, "file": str(chosen.relative_to(victim.copy.folder)), "removed": removed}


@contextmanager
def _mounted(folder, *options):
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", *options, str(folder)], capture_output=True, text=True)
    if done.returncode:
        raise Refused(done.stderr.strip())
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def _expect_failure(victim, run, word):
    """A run that cannot succeed says why in a message."""
    outcome = victim.judge(run)
    text = victim.output.read_text(errors="replace")
    if outcome == "survived" or "Traceback" in text or word not in text:
        raise AssertionError(f"expected a message with {word!r}: {outcome}")


def full_disk(victim):
    """The disk with the results fills up; later there is space again."""
    results = victim.copy / "results/tiny"
    victim.begin_anew()
    with _mounted(results, "-t", "tmpfs", "-o", "size=24k", "tmpfs"):
        _expect_failure(victim, victim.start(), "No space left")
        victim.recover()


def read_only(victim):
    """The folder of results cannot be written; later it can."""
    results = victim.copy / "results/tiny"
    victim.begin_anew()
    with _mounted(results, "-t", "tmpfs", "-o", "ro", "tmpfs"):
        _expect_failure(victim, victim.start(), "ead-only")
        victim.recover()


def two_at_once(victim):
    """A second run while the first is at work is refused and does no harm."""
    victim.begin_anew()
    first = victim.start()
    time.sleep(0.6 * victim.quiet_s)
    second = victim.copy.snakemake("--cores", 2, "results/tiny/runs.tsv")
    assert first.poll() is not None or (second.code != 0 and "lock" in second.text), second.text
    first.wait()


def clock_set_back(victim):
    """The clock goes back two days in the middle of a run."""
    if shutil.which("faketime") is None:
        raise Refused("faketime is not installed")
    victim.begin_anew()
    kill_at(victim.start(), "kill -9 the process group", 0.6 * victim.quiet_s, None)
    victim.recover()
    victim.start(prefix=["faketime", "-f", "-2d"]).wait()
    victim.recover()


CONFUSIONS = {
    "full disk": full_disk,
    "read-only folder": read_only,
    "two runs at once": two_at_once,
    "clock set back": clock_set_back,
}
"""Kind -> function of a victim, which a run follows that must end well."""
