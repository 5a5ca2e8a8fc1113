"""Fixtures with generated inputs of tables and figures."""

import pytest
from synthetic_runs import SMALL, make_inputs


@pytest.fixture(scope="session")
def inputs():
    return make_inputs()


@pytest.fixture(scope="session")
def small_inputs():
    return make_inputs(datasets=SMALL, protocols=("as_printed",), repetitions=2)


@pytest.fixture(scope="session")
def demo_inputs():
    return make_inputs(datasets=("iris", "breast_cancer", "digits"))
