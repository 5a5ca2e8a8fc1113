"""Data with two classes and with three classes."""

import pytest
from sklearn.datasets import load_iris, make_classification


@pytest.fixture(scope="session")
def binary():
    return make_classification(200, n_features=6, n_informative=4, flip_y=0.1, random_state=0)


@pytest.fixture(scope="session")
def iris():
    return load_iris(return_X_y=True)
