"""Test the setting `missing` for an unavailable data set. With `skip`, the data set is omitted and
named. With `error`, the run stops.
"""

import bz2
import hashlib
import json

import pytest
import yaml
from working_copy import libsvm_text, set_up_compiled_tiny, unreachable_entry

pytestmark = pytest.mark.workflow

CONTENT = libsvm_text(40, 2, seed=3)
NEWER = libsvm_text(60, 2, seed=4)


def sum_of(content):
    return hashlib.sha256(content.encode()).hexdigest()


def put_into_mirror(copy, name, content=CONTENT):
    (copy / "mirror/tiny").mkdir(parents=True, exist_ok=True)
    (copy / f"mirror/tiny/{name}.bz2").write_bytes(bz2.compress(content.encode()))


@pytest.fixture
def absent(fresh):
    """Return a working copy with two data sets, of which only one is in the mirror. No server
    answers outside the mirror.
    """
    copy = set_up_compiled_tiny(fresh)
    put_into_mirror(copy, "here")
    config = yaml.safe_load((copy / "tiny.yaml").read_text())
    config["benchmark"] |= {"methods": ["fw"], "protocols": ["all_points"]}
    copy.configure("tiny.yaml", config | {"datasets": ["here", "gone"], "mirror": "mirror"})
    catalogue = yaml.safe_load((copy / config["catalogue"]).read_text())
    catalogue |= {name: unreachable_entry(name, sum_of(CONTENT)) for name in ("here", "gone")}
    copy.configure(config["catalogue"], catalogue)
    return copy


def test_the_run_goes_on_without_it_and_says_so(absent):
    described = absent / "results/tiny/describe"
    target = ("results/tiny/describe", "--config", "missing=skip")
    absent.run(*target)
    inventory = json.loads((absent / "results/tiny/inventory.json").read_text())
    assert inventory["present"] == ["here"]
    assert inventory["missing"] == {"gone": "no local copy, and the download failed"}
    assert [path.name for path in described.glob("*.json")] == ["here.json"]
    planned = absent.plan("summary", *target)
    assert planned.rules.isdisjoint({"fetch", "inventory", "prepare", "describe"})
    assert [file for rule, file in planned.jobs if rule == "train"] == [
        "results/tiny/runs/benchmark/here.json"
    ]

    # a corrected address is tried again
    catalogue = yaml.safe_load((absent / "catalogue.yaml").read_text())
    catalogue["gone"]["source"]["files"]["train"]["url"] += ".txt"
    absent.configure("catalogue.yaml", catalogue)
    tried = [file for rule, file in absent.plan(*target).jobs if rule == "fetch"]
    assert tried == ["results/tiny/fetch/gone.json"]

    put_into_mirror(absent, "gone")  # the next run finds the data set, and runs only its jobs
    done = absent.run("results/tiny/describe", "--forcerun", "fetch", "--config", "missing=skip")
    assert [file for rule, file in done.jobs if rule == "prepare"] == [
        "data/prepared/full/gone/meta.json"
    ]
    assert sorted(path.name for path in described.glob("*.json")) == ["gone.json", "here.json"]
    assert json.loads((described / "here.json").read_text())["m"] == 30

    # with the new checksum in the catalogue, the data set is prepared again in the same run
    put_into_mirror(absent, "here", NEWER)
    catalogue = (absent / "catalogue.yaml").read_text()
    absent.configure("catalogue.yaml", catalogue.replace(sum_of(CONTENT), sum_of(NEWER), 1))
    assert absent.run(*target).rules == {"fetch", "inventory", "prepare", "describe"}
    assert json.loads((described / "here.json").read_text())["m"] == 45
