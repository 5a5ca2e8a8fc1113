"""Fixtures with the configurations of the checkout, and with small prepared data sets."""

import json
from functools import cache
from pathlib import Path

import pytest
import yaml
from snakemake.utils import update_config

from fwsvm_papers.datasets import load_catalogue
from fwsvm_papers.datasets.prepare import prepare
from fwsvm_papers.pipeline.config import check_config

CHECKOUT = Path(__file__).parents[1]
SCHEMA = CHECKOUT / "workflow/schemas/config.schema.yaml"
ENTRIES = {
    "two": {
        "source": {"generator": "checkerboard", "size": 160, "seed": 2},
        "split": {"test_size": 50},
    },
    "three": {"source": {"sklearn": "iris"}, "split": {"fraction": 0.3, "seed": 1}},
}


_STUDIES = {}


@cache
def _text_of(name):
    return json.dumps(yaml.safe_load((CHECKOUT / f"config/{name}.yaml").read_text()))


def _read(name):
    return json.loads(_text_of(name))


@pytest.fixture
def load_config(monkeypatch):
    """Return a function that reads a configuration of the checkout as Snakemake does. The
    configuration is merged into config/paper.yaml.
    """
    monkeypatch.chdir(CHECKOUT)

    def load(name="paper", **changes):
        config = _read("paper")
        update_config(config, _read(name))
        update_config(config, changes)
        return config

    return load


@pytest.fixture
def check():
    """Return a function that checks a configuration by the schema of the checkout."""
    return lambda config, where="config": check_config(config, SCHEMA, where)


@pytest.fixture
def load_study(load_config, check):
    """Return a function that loads and checks a configuration by its name, with changes.

    Tests must not change the returned `Configuration`, because other tests use it, too.
    """

    def load(name="paper", **changes):
        key = name, json.dumps(changes)
        if key not in _STUDIES:
            _STUDIES[key] = check(load_config(name, **changes), f"config/{name}.yaml")
        return _STUDIES[key]

    return load


@pytest.fixture(scope="session")
def prepared_sets(tmp_path_factory):
    """Return a dict that maps names to prepared data sets. One data set has two classes, and the
    other has three.
    """
    folder = tmp_path_factory.mktemp("prepared")
    path = folder / "catalogue.yaml"
    path.write_text(yaml.safe_dump(ENTRIES))
    catalogue = load_catalogue(path)
    return {
        name: prepare(catalogue[name], catalogue, folder / "raw", folder / name) for name in ENTRIES
    }


@pytest.fixture(params=list(ENTRIES))
def prepared(request, prepared_sets):
    """Return each of the prepared data sets in turn."""
    return prepared_sets[request.param]
