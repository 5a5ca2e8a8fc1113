import pytest
from synthetic_runs import make_inputs


@pytest.fixture(scope="session")
def inputs():
    return make_inputs()


@pytest.fixture(scope="session")
def demo_inputs():
    return make_inputs(datasets=("iris", "breast_cancer", "digits"))
