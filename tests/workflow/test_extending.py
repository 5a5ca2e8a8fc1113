"""What docs/extending.md promises: a method is a file and a name, a study a folder and a name."""

import shutil
import subprocess
import sys

import pytest
import yaml

pytestmark = pytest.mark.workflow


def in_the_copy(copy, *arguments):
    """Output of Python in the working copy, with its sources."""
    _, settings = copy.command()
    settings["env"] |= {"PYTHONPATH": str(copy / "src")}
    done = subprocess.run([sys.executable, *arguments], capture_output=True, **settings)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_method_is_a_file_and_a_name(fresh):
    methods = fresh / "src/fwsvm/solvers/methods"
    text = (methods / "pfw.py").read_text()
    (methods / "mine.py").write_text(text.replace('"pfw", "PFW"', '"mine", "MINE"').replace('"""PFW', '"""MINE'))
    names = (methods / "__init__.py").read_text()
    (methods / "__init__.py").write_text(names.replace('    "pfw",\n', '    "pfw",\n    "mine",\n'))
    assert "pfw,mine," in in_the_copy(fresh, "-m", "fwsvm.cli", "train", "--help")
    code = "from fwsvm.solvers.methods.registry import METHODS; print(METHODS['mine'].label)"
    assert in_the_copy(fresh, "-c", code).split() == ["MINE"]
    config = yaml.safe_load((fresh / "config/smoke.yaml").read_text())
    config["benchmark"]["methods"] = ["mine"]
    fresh.configure("config/smoke.yaml", config)
    environment = {"PYTHONPATH": str(fresh / "src")}
    done = fresh.plan("--configfile", "config/smoke.yaml", env=environment)
    assert ("train", "results/smoke/runs/benchmark/iris.tsv") in done.jobs

    (methods / "mine.py").write_text("METHOD = None\n")  # a bad declaration is no other method's step
    check = "import fwsvm.solvers.methods.registry"
    answer = subprocess.run(
        [sys.executable, "-c", check], capture_output=True, text=True, env=fresh.command()[1]["env"] | environment
    )
    assert answer.returncode != 0 and "must declare METHOD" in answer.stderr


def test_singh_can_be_deleted(fresh):
    shutil.rmtree(fresh / "src/fwsvm/studies/singh")
    registry = fresh / "src/fwsvm/studies/registry.py"
    text = registry.read_text()
    assert text.count('"singh"') == 1
    registry.write_text(text.replace('"singh", ', "").replace('    "singh",\n', ""))
    for path in (fresh / "config").glob("*.yaml"):  # its section of the configurations
        config = yaml.safe_load(path.read_text())
        config.pop("singh", None)
        if "singh" in config.get("experiments", []):
            config["experiments"].remove("singh")
        path.write_text(yaml.safe_dump(config, sort_keys=False))
    schema = fresh / "workflow/schemas/config.schema.yaml"
    schema.write_text(schema.read_text().replace(" singh,", ""))

    environment = {"PYTHONPATH": str(fresh / "src")}
    done = fresh.plan("--configfile", "config/smoke.yaml", env=environment)
    assert {"train", "render", "collect"} <= done.rules
    assert not [file for _, file in done.jobs if "singh" in file]
    code = "from fwsvm.pipeline.claims import PAPERS, load_claims; print(*PAPERS); print(len(load_claims()))"
    assert "singh" not in in_the_copy(fresh, "-c", code).split()
