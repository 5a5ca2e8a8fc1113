"""Snakemake, run for real in a temporary working copy of the checkout."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
import yaml

CHECKOUT = Path(__file__).parents[2]
MEASURED = ("train_cpu_s", "train_wall_s", "certify_cpu_s", "calibration_s", "disturbed", "peak_rss_mb")
"""Columns of runs.tsv that are measured, and so differ between two runs of the same thing."""


@dataclass(frozen=True)
class Done:
    """A finished call of Snakemake."""

    code: int
    text: str

    @property
    def jobs(self):
        """(rule, one of its files) of every job listed or run, the target rule left out."""
        block = re.compile(r"^(?:local)?rule (\w+):\n((?:    .*\n)*)", re.MULTILINE)
        found = [(rule, re.search(r"^    output: ([^,\n]+)", body, re.MULTILINE)) for rule, body in block.findall(self.text)]
        return sorted((rule, output[1]) for rule, output in found if output)

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

    def command(self, *arguments):
        """Command line of a call, as `subprocess` takes it, and the settings of its process."""
        command = [sys.executable, "-m", "snakemake", *self.arguments, *map(str, arguments)]
        unwanted = ("FWSVM_MIRROR", "SNAKEMAKE_PROFILE")
        environment = {name: value for name, value in os.environ.items() if name not in unwanted}
        return command, {"cwd": self.folder, "env": environment, "text": True}

    def snakemake(self, *arguments, env=None):
        """Call Snakemake and wait for it."""
        command, settings = self.command(*arguments)
        settings["env"] |= env or {}
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **settings)
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

    def temporary_files(self):
        """Files left under a temporary name."""
        return sorted(str(path) for path in self.folder.rglob("*.part"))


def committed_files():
    """Files of the checkout that are, or would be, committed."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=CHECKOUT, capture_output=True, text=True
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
    return {"source": {"files": {"train": {"path": str(path)}}}, "split": {"fraction": 0.25, "seed": 1}} | keys


@pytest.fixture(scope="session")
def checkout():
    """The checkout's folder."""
    return CHECKOUT


@pytest.fixture(scope="session")
def committed():
    """Files that a fresh clone has."""
    return committed_files()


@pytest.fixture(scope="session")
def pristine(committed, tmp_path_factory):
    """A working copy in which nothing has run; not to be changed."""
    folder = tmp_path_factory.mktemp("checkout") / "pristine"
    for path in committed:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(CHECKOUT / path, folder / path)
    return WorkingCopy(folder)


@pytest.fixture
def fresh(pristine, tmp_path):
    """A working copy of one's own in which nothing has run."""
    return pristine.copy_to(tmp_path / "fresh")


@pytest.fixture(scope="session")
def smoke_run(pristine, tmp_path_factory):
    """A working copy after a whole run of config/smoke.yaml, and what Snakemake said; not to be changed."""
    copy = pristine.copy_to(tmp_path_factory.mktemp("smoke") / "smoke")
    copy.arguments = ["--configfile", "config/smoke.yaml"]
    return copy, copy.snakemake("--cores", 2)


@pytest.fixture
def smoke(smoke_run, tmp_path):
    """A working copy of one's own after a whole run of config/smoke.yaml."""
    copy, done = smoke_run
    assert done.code == 0, done.text
    return copy.copy_to(tmp_path / "smoke")


def set_up_tiny(copy):
    """Configure one data set of three classes, two methods, two repetitions; iteration limits, no time limits."""
    copy.configure("points.svm", libsvm_text(120, 3, seed=1))
    copy.configure("catalogue.yaml", {"three": catalogue_entry("points.svm")})
    never = 1e9
    copy.configure(
        "tiny.yaml",
        {
            "profile": "tiny",
            "catalogue": "catalogue.yaml",
            "datasets": ["three"],
            "tuning": {"C_exponents": [0, 4], "time_limit": never},
            "benchmark": {
                "methods": ["cvm", "swap"],
                "selections": ["sampled_text", "full"],
                "repetitions": {"sampled_text": 2, "sampled_libcvm": 2, "full": 1},
                "max_iterations": 2000,
                "cache_mb": 20,
                "time_limit": {"cvm": never, "default": never},
            },
            "timing": "shared",
        },
    )
    copy.arguments = ["--configfile", "tiny.yaml"]
    return copy


@pytest.fixture
def tiny(fresh):
    """A working copy configured for a run of seconds, in which nothing has run."""
    return set_up_tiny(fresh)


@pytest.fixture(scope="session")
def tiny_run(pristine, tmp_path_factory):
    """A working copy after a run of the tiny configuration on one core, up to runs.tsv; not to be changed."""
    copy = set_up_tiny(pristine.copy_to(tmp_path_factory.mktemp("tiny") / "tiny"))
    copy.run("results/tiny/runs.tsv", cores=1)
    return copy
