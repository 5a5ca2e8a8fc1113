"""A temporary working copy of the checkout for runs of Snakemake, and small data for it."""

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
"""Columns of runs.tsv with measurements. They differ between two equal runs."""
HANGS_S = 7200
"""Seconds after which a call of Snakemake is ended because it probably hangs. Even on a slow and
busy machine, a call takes only a small part of this time.
"""
LISTING_JOBS = ("--workflow-profile", "none", "--rerun-incomplete")
"""Options that show every job. Apart from this, they do the same as the default profile."""
JOB = re.compile(r"^( *)(?:local)?(?:rule|checkpoint) (\w+):\n((?:\1    .*\n)*)", re.MULTILINE)
"""What Snakemake prints about a job: the name of its rule, and an indented block. Jobs of a group
are indented further.
"""


@dataclass(frozen=True)
class Done:
    """A finished call of Snakemake."""

    code: int
    text: str

    def _blocks(self):
        """Yield (rule, dict of the printed facts) for each job that makes a file."""
        for _, rule, body in JOB.findall(self.text):
            said = dict(re.findall(r"^ +(\w+): (.*)$", body, re.MULTILINE))
            if "output" in said:
                yield rule, said

    @property
    def jobs(self):
        """Return (rule, first output) for each job that was listed or run."""
        return sorted((rule, said["output"].split(", ")[0]) for rule, said in self._blocks())

    @property
    def batches(self):
        """Return (experiment, data set) for each training job."""
        return {
            tuple(file.removesuffix(".json").split("/")[-2:])
            for rule, file in self.jobs
            if rule == "train"
        }

    @property
    def outputs(self):
        """Return all outputs of these jobs."""
        return {path for _, said in self._blocks() for path in said["output"].split(", ")}

    def threads(self, rule):
        """Return the number of threads of each job of a rule."""
        return [int(said.get("threads", 1)) for name, said in self._blocks() if name == rule]

    @property
    def rules(self):
        """Return the names of the rules of these jobs."""
        return {rule for rule, _ in self.jobs}


class WorkingCopy:
    """A folder with the files of the checkout, in which Snakemake can run."""

    def __init__(self, folder, arguments=()):
        self.folder = Path(folder)
        self.arguments = list(arguments)

    def __truediv__(self, path):
        return self.folder / path

    def copy_to(self, folder):
        """Copy the folder, with the records of Snakemake and all time stamps, and return the new
        copy.
        """
        shutil.copytree(self.folder, folder, dirs_exist_ok=True)
        return WorkingCopy(folder, self.arguments)

    @property
    def own_sources(self):
        """Return environment variables that let Python import the sources of the copy."""
        return {"PYTHONPATH": str(self.folder / "src")}

    def command(self, *arguments, listing=True):
        """Return the command line of a call, and the arguments that its process needs in
        `subprocess`.
        """
        shown = LISTING_JOBS if listing else ()
        command = [sys.executable, "-m", "snakemake", *shown, *self.arguments, *map(str, arguments)]
        unwanted = ("FWSVM_MIRROR", "SNAKEMAKE_PROFILE")
        environment = {name: value for name, value in os.environ.items() if name not in unwanted}
        return command, {"cwd": self.folder, "env": environment, "text": True}

    def snakemake(self, *arguments, env=None, listing=True):
        """Call Snakemake and wait for it. On Linux, the call runs in a fork of a process that has
        already imported Snakemake.
        """
        command, settings = self.command(*arguments, listing=listing)
        settings["env"] |= env or {}
        # on other systems, it is not safe to fork a process with these libraries
        if sys.platform.startswith("linux"):
            return _ask_server(str(self.folder), settings["env"], command[3:])
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=HANGS_S, **settings
        )
        return Done(done.returncode, done.stdout)

    def plan(self, *arguments, **settings):
        """Make a dry run, which must succeed, and return its jobs."""
        done = self.snakemake("-n", *arguments, **settings)
        assert done.code == 0, done.text
        return done

    def run(self, *arguments, cores=2):
        """Call Snakemake, which must succeed, and return its jobs."""
        done = self.snakemake("--cores", cores, *arguments)
        assert done.code == 0, done.text
        return done

    def configure(self, path, content):
        """Write a YAML file. `content` is a mapping or text."""
        text = content if isinstance(content, str) else yaml.safe_dump(content, sort_keys=False)
        (self / path).write_text(text)


@cache
def _server():
    """Return the process that `WorkingCopy.snakemake` uses.

    When the process of the tests ends, the input of the server is closed, and it ends as well.
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
    """Return the files of the checkout that are committed, or would be committed next."""
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
    """Return a LIBSVM file with this number of noisy points in the plane, and classes in turn."""
    rng = np.random.default_rng(seed)
    lines = []
    for row in range(points):
        angle = 2 * np.pi * (row % classes) / classes
        x, y = np.array([np.cos(angle), np.sin(angle)]) + rng.normal(scale=0.5, size=2)
        lines.append(f"{row % classes + 1} 1:{x:.4f} 2:{y:.4f}\n")
    return "".join(lines)


def catalogue_entry(path, **keys):
    """Return the catalogue entry of a local LIBSVM file, with a random test part."""
    return {
        "source": {"files": {"train": {"path": str(path)}}},
        "split": {"fraction": 0.25, "seed": 1},
    } | keys


def unreachable_entry(name, checksum):
    """Return the catalogue entry of a file in the folder `tiny` of the mirror. No server answers at
    its url.
    """
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{closed.getsockname()[1]}/{name}"
    file = {"name": f"tiny/{name}", "url": url, "sha256": checksum}
    return {"source": {"files": {"train": file}}, "split": {"fraction": 0.25, "seed": 1}}


def set_up_tiny(copy):
    """Configure a run with one data set of three classes, two methods and two repetitions.

    The run has iteration limits and no time limits.
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
                "repetitions": {"as_printed": 2, "all_points": 1},
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
    """Configure the same run as `set_up_tiny`, but as if the solvers were already compiled."""
    set_up_tiny(copy)
    (copy / "results/tiny/warm_up").mkdir(parents=True)
    for part in WARM_UP_PARTS:
        (copy / f"results/tiny/warm_up/{part}.txt").write_text("")
    return copy
