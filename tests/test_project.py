"""The project's own files agree with each other."""

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from fwsvm.studies import registry as studies

ROOT = Path(__file__).parents[1]
NOT_ON_PYPI = {"matplotlib-base": "matplotlib"}


def locked_versions():
    text = (ROOT / "requirements.lock").read_text()
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^ \\\n]+)", text, flags=re.MULTILINE))


def test_conda_environment_and_lock_hold_every_declared_package_in_one_version():
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    lines = [line for line in dependencies if isinstance(line, str)]
    pins = dict(line.split("=") for line in lines if re.fullmatch(r"[a-z0-9-]+=[0-9.]+", line))
    pins, locked = {NOT_ON_PYPI.get(name, name): version for name, version in pins.items()}, locked_versions()
    assert {name: locked.get(name) for name in pins} == pins
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["reproduce"], *extras["dev"]]
    assert {re.match(r"[A-Za-z0-9_-]+", line).group().lower() for line in lines} - {"fwsvm"} <= set(pins)


def test_lock_has_hashes_and_names_no_index():
    text = (ROOT / "requirements.lock").read_text()
    assert text.count("--hash=sha256:") > len(locked_versions())
    assert "index-url" not in text and "http" not in text


def test_no_tracked_file_is_large():
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)  # none in a copy
    files = [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]
    assert [path.name for path in files if path.stat().st_size > 2 * 1024**2] == []


def test_the_released_results_stay_small():
    files = [path for kind in ("results", "figures") for path in (ROOT / kind / "released").rglob("*")]
    assert 0 < sum(path.stat().st_size for path in files if "site" not in path.parts) < 20e6


@pytest.mark.parametrize(("folder", "locale", "fails"), [("a b", "C.UTF-8", 2), ("ü", "C", 2), ("ü", "C.UTF-8", 0)])
def test_make_refuses_a_path_that_cannot_work(tmp_path, folder, locale, fails):
    (tmp_path / folder).mkdir()
    command = ["make", "-C", str(tmp_path / folder), "-f", str(ROOT / "Makefile"), "help"]
    done = subprocess.run(command, capture_output=True, env=os.environ | {"LC_ALL": locale}, check=False)
    assert done.returncode == fails and (b"path of this checkout" in done.stderr) == bool(fails)


def test_make_checks_the_configuration_first_and_quotes_its_name():
    command = ["make", "-C", str(ROOT), "-n", "paper", "budget", "report", "CONFIG=a b.yaml"]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed.count("a b.yaml") == printed.count("'a b.yaml'") == 5
    assert printed.index("fwsvm budget --config") < printed.index("snakemake --cores")


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import fwsvm", {"numba", "numpy"}),  # which is instant
        ("from fwsvm import KernelProblem, solve", {"sklearn", "pandas", "matplotlib", "snakemake"}),
        ("import fwsvm.studies.benchmark.training, fwsvm.studies.benchmark.tune, fwsvm.pipeline.warm_up", {"sklearn"}),
        ("import fwsvm.pipeline.artefacts", {"matplotlib", "pandas", "scipy", "joblib"}),
    ],
)
def test_an_import_loads_no_more_than_it_needs(code, unwanted):
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not unwanted & set(done.stdout.split())


def test_every_study_is_in_the_import_contracts():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    lists = [one["modules"] for one in contracts if one["type"] == "independence"]
    lists += [one["forbidden_modules"] for one in contracts if one.get("source_modules") == ["fwsvm.studies.benchmark"]]
    assert len(lists) == 2
    for names in lists:
        assert set(names) == {f"fwsvm.studies.{name}" for name in studies.NAMES} - {"fwsvm.studies.benchmark"}
