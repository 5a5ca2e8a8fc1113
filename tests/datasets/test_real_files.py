"""What only real files can show: our readers and scalings against the LIBSVM page's own versions of the same data."""

from collections import Counter

import numpy as np
import pytest
import sklearn.datasets

from fwsvm.base.errors import DataError
from fwsvm.datasets import load_catalogue, read_csv, read_idx, read_libsvm
from fwsvm.datasets.builders.complement import complement
from fwsvm.datasets.entries import Scaling, required_files
from fwsvm.datasets.scaling import scale

CATALOGUE = load_catalogue()


@pytest.fixture
def path(mirror):
    """A file of the mirror, plain or compressed."""

    def find(name):
        for suffix in ("", ".bz2", ".gz", ".xz", ".Z"):
            if (mirror / f"{name}{suffix}").is_file():
                return mirror / f"{name}{suffix}"
        pytest.skip(f"the mirror has no {name}")
        return None

    return find


def rows(X, y):
    return Counter(row.tobytes() for row in np.column_stack([X.toarray(), y]))


def test_iris_of_uci_differs_from_scikit_learns_in_two_rows(path):
    X, y = read_csv(path("uci/iris/iris.data"), -1)
    wanted, classes = sklearn.datasets.load_iris(return_X_y=True)
    different = np.argwhere(wanted != X)
    assert different.tolist() == [[34, 3], [37, 1], [37, 2]]
    assert (X[34, 3], X[37, 1], X[37, 2]) == (0.1, 3.1, 1.5)
    assert (wanted[34, 3], wanted[37, 1], wanted[37, 2]) == (0.2, 3.6, 1.4)
    names = ["Iris-setosa", "Iris-versicolor", "Iris-virginica"]
    assert y.tolist() == [names[code] for code in classes]


@pytest.mark.parametrize(
    ("table", "options", "scaled"),
    [
        ("uci/heart/heart.dat", {"separator": "whitespace"}, "heart_scale"),
        ("uci/german/german.data-numeric", {"separator": "whitespace"}, "german.numer_scale"),
        ("uci/australian/australian.dat", {"separator": "whitespace"}, "australian_scale"),
        ("uci/diabetes/pima-indians-diabetes.data", {}, "diabetes_scale"),
    ],
)
def test_scaling_of_a_uci_table_is_svm_scales(path, table, options, scaled):
    """Files of the LIBSVM page are svm-scale's output over all rows, with six digits."""
    X, y = read_csv(path(table), -1, **options)
    wanted, labels = read_libsvm(path(f"libsvm/binary/{scaled}"), X.shape[1])
    ours = scale("x", Scaling("minmax", -1.0, 1.0), X, X)[0]
    np.testing.assert_allclose(ours, wanted.toarray(), atol=2e-6)
    assert len(set(zip(y.tolist(), labels.tolist(), strict=True))) == 2


def test_pendigits_of_uci_are_those_of_the_libsvm_page(path):
    for ours, theirs in (("tra", ""), ("tes", ".t")):
        X, y = read_csv(path(f"uci/pendigits/pendigits.{ours}"), -1)
        wanted, labels = read_libsvm(path(f"libsvm/multiclass/pendigits{theirs}"), 16)
        np.testing.assert_array_equal(X, wanted.toarray())
        assert y.tolist() == labels.tolist()


def test_letters_of_uci_are_those_of_the_libsvm_page(path):
    """In another order, and 0..15 there are -1..1 here."""
    X, y = read_csv(path("uci/letter/letter-recognition.data"), 1)
    found = Counter(zip(map(tuple, X.astype(int).tolist()), y.tolist(), strict=True))
    for part in ("letter.scale", "letter.scale.t"):
        scaled, labels = read_libsvm(path(f"libsvm/multiclass/{part}"), 16)
        values = np.rint((scaled.toarray() + 1) * 7.5).astype(int)
        found.subtract(zip(map(tuple, values.tolist()), (chr(64 + int(label)) for label in labels), strict=True))
    assert not any(found.values())


@pytest.mark.parametrize("name", ["w1a", *(pytest.param(f"w{k}a", marks=pytest.mark.exhaustive) for k in (4, 6, 7))])
def test_rest_of_the_largest_web_set_is_the_test_file(path, name):
    """The rule behind the test parts of w2a, w3a and w5a, on sets whose test files are at hand."""
    whole, part, test = (read_libsvm(path(f"libsvm/binary/{file}"), 300) for file in ("w8a", name, f"{name}.t"))
    kept = complement(*whole, *part)
    assert rows(whole[0][kept], whole[1][kept]) == rows(*test)


def test_usps_of_the_libsvm_page_is_scaled_in_another_way(path):
    """Why one part must never come from there and the other from here."""
    ours, labels = read_csv(path("usps/zip.test"), 1, separator="whitespace")
    theirs, their_labels = read_libsvm(path("libsvm/multiclass/usps.t"), 256)
    assert (their_labels - 1).tolist() == labels.tolist()
    assert np.abs(ours - theirs.toarray()).max() > 0.1
    files = {file.name for file in required_files(CATALOGUE["usps"], CATALOGUE).values()}
    assert files == {"usps/zip.train", "usps/zip.test"}


def test_features_of_mnist_are_the_pixels_up_to_the_last_that_is_ever_on(path):
    X, y = read_idx(path("mnist/train-images-idx3-ubyte"), path("mnist/train-labels-idx1-ubyte"))
    ever_on = np.flatnonzero(X.getnnz(axis=0))
    assert (len(y), X.shape[1], len(ever_on), ever_on.max() + 1) == (60_000, 784, 717, 780)
    assert (X.min(), X.max()) == (0, 255)


def test_larger_label_of_breast_cancer_is_malignant(path):
    X, y = read_libsvm(path("libsvm/binary/breast-cancer_scale"), 10)
    lines = path("uci/breast-cancer/breast-cancer-wisconsin.data").read_text().split()
    kept = [line.split(",") for line in lines if "?" not in line]
    assert len(kept) == len(y)
    assert [int(cells[-1]) == 4 for cells in kept] == (y == y.max()).tolist()
    wanted = np.array([cells[:-1] for cells in kept], dtype=float)
    np.testing.assert_allclose(scale("x", Scaling("minmax", -1.0, 1.0), wanted, wanted)[0], X.toarray(), atol=2e-6)


def test_missing_values_of_real_tables_are_refused_by_row_and_column(path):
    with pytest.raises(DataError, match=r"wisconsin.data, line 24, column 7: the value is missing \('\?'\)"):
        read_csv(path("uci/breast-cancer/breast-cancer-wisconsin.data"), -1, drop=[1], missing_values=["?"])
    with pytest.raises(DataError, match=r"adult.data.*, line 15, column 14: the value is missing \('\?'\)"):
        read_csv(path("uci/adult/adult.data"), -1, categorical="auto", missing_values=["?"])


def test_categorical_columns_of_mushrooms(path):
    X, y = read_csv(path("uci/mushroom/agaricus-lepiota.data"), 1, categorical="auto")
    assert X.shape == (8124, 117)
    assert (X.sum(axis=1) == 22).all()
    assert Counter(y.tolist()) == {"e": 4208, "p": 3916}
