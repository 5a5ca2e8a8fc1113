"""A temporary working copy of the checkout, in which Snakemake is run for real; and small data
for it.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import yaml

from fwsvm_papers.pipeline.data import WARM_UP_PARTS

CHECKOUT = Path(__file__).parents[2]
MEASURED = (
    "train_cpu_s",
    "train_wall_s",
    "certify_cpu_s",
    "calibration_s",
    "disturbed",
    "peak_rss_mb",
)
"""Columns of runs.tsv that are measured, and so differ between two runs of the same thing."""
HANGS_S = 7200
"""Seconds after which a call of Snakemake is taken to hang: many times what it takes on a slow
and busy machine.
"""
LISTING_JOBS = ("--workflow-profile", "none", "--rerun-incomplete")
"""Options that show every job, and otherwise do what the default profile does."""
JOB = re.compile(r"^( *)(?:local)?(?:rule|checkpoint) (\w+):\n((?:\1    .*\n)*)", re.MULTILINE)
"""What Snakemake prints of a job, further to the right within a group: the name of its rule, and
an indented block.
"""


@dataclass(frozen=True)
class Done:
    """A finished call of Snakemake."""

    code: int
    text: str

    def _blocks(self):
        """(rule, what is said of it: word -> text) of every job listed or run that makes a file."""
        for _, rule, body in JOB.findall(self.text):
            said = dict(re.findall(r"^ +(\w+): (.*)$", body, re.MULTILINE))
            if "output" in said:
                yield rule, said

    @property
    def jobs(self):
        """(rule, first output) of every job listed or run."""
        return sorted((rule, said["output"].split(", ")[0]) for rule, said in self._blocks())

    @property
    def batches(self):
        """(experiment, data set) of the training jobs."""
        return {
            tuple(file.removesuffix(".json").split("/")[-2:])
            for rule, file in self.jobs
            if rule == "train"
        }

    @property
    def outputs(self):
        """All outputs of these jobs."""
        return {path for _, said in self._blocks() for path in said["output"].split(", ")}

    def threads(self, rule):
        """Threads of every job of a rule."""
        return [int(said.get("threads", 1)) for name, said in self._blocks() if name == rule]

    @property
    def rules(self):
        """Names of the rules of these jobs."""
        return {rule for rule, _ in self.jobs}


class WorkingCopy:
    """A folder with the files of the checkout, in which Snakemake can be run."""

    def __init__(self, folder, arguments=()):
        self.folder = Path(folder)
        self.arguments = list(arguments)

    def __truediv__(self, path):
        return self.folder / path

    def copy_to(self, folder):
        """The same state elsewhere, with Snakemake's records and all time stamps."""
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return WorkingCopy(folder, self.arguments)

    @property
    def own_sources(self):
        """Environment in which the sources of the copy are imported."""
        return {"PYTHONPATH": str(self.folder / "src")}

    def command(self, *arguments, listing=True):
        """Command line of a call, as `subprocess` takes it, and the settings of its process."""
        shown = LISTING_JOBS if listing else ()
        command = [sys.executable, "-m", "snakemake", *shown, *self.arguments, *map(str, arguments)]
        unwanted = ("FWSVM_MIRROR", "SNAKEMAKE_PROFILE")
        environment = {name: value for name, value in os.environ.items() if name not in unwanted}
        return command, {"cwd": self.folder, "env": environment, "text": True}

    def snakemake(self, *arguments, env=None, listing=True):
        """Call Snakemake and wait for it; on Linux in a fork of a process that has imported it."""
        command, settings = self.command(*arguments, listing=listing)
        settings["env"] |= env or {}
        # elsewhere it is not safe to fork a process with these libraries
        if sys.platform.startswith("linux"):
            return _ask_server(str(self.folder), settings["env"], command[3:])
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANGS_S, **settings
        )
        return Done(done.returncode, done.stdout)

    def plan(self, *arguments, **settings):
        """The jobs of a dry run, which must succeed."""
        done = self.snakemake("-n", *arguments, **settings)
        assert done.code == 0, done.text
        return done

    def run(self, *arguments, cores=2):
        """Call Snakemake, which must succeed."""
        done = self.snakemake("--cores", cores, *arguments)
        assert done.code == 0, done.text
        return done

    def configure(self, path, content):
        """Write a YAML file (a mapping, or text)."""
        text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
        (self / path).write_text(text)


@cache
def _server():
    """The process behind `WorkingCopy.snakemake`; it ends with this one, whose end closes its
    input.
    """
    command = [sys.executable, str(Path(__file__).with_name("snakemake_server.py"))]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _ask_server(*call):
    server = _server()
    with tempfile.NamedTemporaryFile("r") as output:
        server.stdin.write(json.dumps([*call, output.name]) + "\n")
        server.stdin.flush()
        answer = server.stdout.readline()
        assert answer, "the process that calls Snakemake has ended"
        return Done(int(answer), output.read())


def committed_files():
    """Files of the checkout that are, or would be, committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
    )
    if listed.returncode:
        pytest.skip("not a git checkout")
    return [path for path in listed.stdout.split("\0") if path and (CHECKOUT / path).is_file()]


def libsvm_text(points, classes, seed):
    """A LIBSVM file of that many noisy points in the plane, in turn of each class."""
    rng = np.random.default_rng(seed)
    lines = []
    for row in range(points):
        angle = 2 * np.pi * (row % classes) / classes
        x, y = np.array([np.cos(angle), np.sin(angle)]) + rng.normal(scale=0.5, size=2)
        lines.append(f"{row % classes + 1} 1:{x:.4f} 2:{y:.4f}\n")
    return "".join(lines)


def catalogue_entry(path, **keys):
    """Catalogue entry of a LIBSVM file on this disk, with a random test part."""
    return {
        "source": {"files": {"train": {"path": str(path)}}},
        "split": {"fraction": 0.25, "seed": 1},
    } | keys


def unreachable_entry(name, checksum):
    """Catalogue entry of a file of the mirror's folder `tiny`; nothing answers upstream."""
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/{name}"
    file = {"name": f"tiny/{name}", "url": url, "sha256": checksum}
    return {"source": {"files": {"train": file}}, "split": {"fraction": 0.25, "seed": 1}}


def set_up_tiny(copy):
    """Configure one data set of three classes, two methods, two repetitions; iteration limits,
    no time limits.
    """
    copy.configure("points.svm", libsvm_text(120, 3, seed=1))
    copy.configure("catalogue.yaml", {"three": catalogue_entry("points.svm")})
    never = 1e9
    copy.configure(
        "tiny.yaml",
        {
            "profile": "tiny",
            "catalogue": "catalogue.yaml",
            "datasets": ["three"],
            "experiments": ["benchmark"],
            "tuning": {"C_exponents": [0, 4], "time_limit": never},
            "benchmark": {
                "methods": ["cvm", "swap"],
                "protocols": ["as_printed", "all_points"],
                "repetitions": {"as_printed": 2, "libcvm": 2, "all_points": 1},
                "max_iterations": 2000,
                "cache_mb": 20,
                "time_limit": {"cvm": never, "default": never},
            },
            "timing": "shared",
        },
    )
    copy.arguments = ["--configfile", "tiny.yaml"]
    return copy


def set_up_compiled_tiny(copy):
    """The same, as if the solvers had been compiled in it before."""
    set_up_tiny(copy)
    (copy / "results/tiny/warm_up").mkdir(parents=True)
    for part in WARM_UP_PARTS:
        (copy / f"results/tiny/warm_up/{part}.txt").write_text("")
    return copy
