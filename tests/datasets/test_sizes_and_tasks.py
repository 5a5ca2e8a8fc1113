"""Sizes that no machine has memory for, values that overflow, and tasks that are not what the catalogue says."""

import pytest

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.cli import main
from fwsvm.datasets.formats import read_libsvm
from fwsvm.datasets.generators import generate


def test_index_of_two_billion_is_refused_with_its_line(prepare_entry, on_disk):
    text = "+1 1:1\n-1 2147483647:1\n+1 1:2\n-1 2:1\n"
    with pytest.raises(
        DataError, match=r"line 2: index '2147483647' is too large; at most 100,000,000 .* takes 17.2 GB"
    ):
        prepare_entry(on_disk(text))


def test_a_billion_features_are_refused(tmp_path):
    (tmp_path / "x.svm").write_text("+1 1:1\n-1 2:1\n")
    with pytest.raises(DataError, match=r"x.svm: features is 1,000,000,000; at most 100,000,000 .* takes 8.0 GB"):
        read_libsvm(tmp_path / "x.svm", 10**9)


@pytest.mark.parametrize("size", [10**11, 10**30])
@pytest.mark.parametrize("generator", ["checkerboard", "two_circles"])
def test_more_points_than_memory_are_refused(generator, size):
    with pytest.raises(
        ConfigError, match=rf"{generator}: {size:,} points take about .* GB .* at most [0-9,]+ points fit"
    ):
        generate(generator, size, None, {})


def test_command_refuses_them_too(tmp_path, capsys, write_catalogue):
    entry = {"source": {"generator": "checkerboard", "size": 10**11, "seed": 1}, "split": {"test_size": 5}}
    path = str(write_catalogue({"x": entry}))
    assert main(["datasets", "describe", "x", "--catalogue", path, "--data-dir", str(tmp_path)]) == 2
    assert "100,000,000,000 points take about 7,200 GB" in capsys.readouterr().err


@pytest.mark.parametrize("scaling", [{"divide": 1e-320}, {"minmax": [-1.7e308, 1.7e308]}])
def test_scaling_that_overflows_is_refused_without_a_warning(prepare_entry, on_disk, four_class_text, scaling, recwarn):
    with pytest.raises(DataError, match=r"x: the scaling .* makes values of the .* part too large for a number"):
        prepare_entry(on_disk(four_class_text, scaling=scaling))
    assert not recwarn.list


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n_features", [2, 20_000])
def test_values_whose_squares_overflow_are_refused(prepare_entry, on_disk, n_features):
    text = f"+1 1:1e300 2:1\n-1 1:-1e300 {n_features}:1\n" + f"+1 1:1\n-1 {n_features}:1\n" * 9
    with pytest.raises(DataError, match=r"x: the training part has values up to 1e\+300 \(column 0.*'scaling'"):
        prepare_entry(on_disk(text))
    assert prepare_entry(on_disk(text, scaling="minmax")).meta["average_squared_distance"] > 0


def test_multiclass_task_of_two_classes_is_refused(prepare_entry, on_disk):
    text = "".join(f"{1 + row % 2} 1:{row}\n" for row in range(1, 20))
    with pytest.raises(DataError, match=r"x: the catalogue says it is a multiclass task, the data have 2 classes"):
        prepare_entry(on_disk(text, task="multiclass"))
