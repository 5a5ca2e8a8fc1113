"""USPS-Ext: invented images, and the real digits where a mirror has them."""

import numpy as np
import pytest
from entry_contract import check_prepared
from peak_memory import megabytes_to_prepare

from fwsvm.base.errors import ConfigError, DataError
from fwsvm.datasets import load_catalogue, load_dataset
from fwsvm.datasets.builders import build, usps_ext
from fwsvm.datasets.catalogue import default_catalogue_path


def line(digit, pixels):
    return f"{digit:.4f} " + " ".join(f"{pixel:.4f}" for pixel in pixels) + " \n"


@pytest.fixture
def images():
    """Four images, mostly background; the third is of another digit."""
    rng = np.random.default_rng(4)
    pixels = np.where(rng.random((4, 256)) < 0.2, np.round(rng.uniform(-1, 1, (4, 256)), 3), -1.0)
    return [0, 1, 7, 0], pixels


@pytest.fixture
def files(tmp_path, images):
    digits, pixels = images
    text = "".join(map(line, digits, pixels))
    (tmp_path / "train").write_text(text)
    (tmp_path / "test").write_text(text[: text.index("\n") + 1])
    return {"train": tmp_path / "train", "test": tmp_path / "test"}


def test_each_image_is_in_each_place(files, images):
    built = build("usps_ext", files, {"frame": 18})
    assert built.X_train.shape == (3 * 9, 18 * 18)
    assert built.X_test.shape == (9, 18 * 18)
    assert built.y_train.tolist() == [0] * 9 + [1] * 9 + [0] * 9
    frames = built.X_train.toarray().reshape(3, 3, 3, 18, 18)
    for point, image in enumerate((0, 1, 3)):
        for down in range(3):
            for right in range(3):
                expected = np.zeros((18, 18))
                expected[down : down + 16, right : right + 16] = (images[1][image].reshape(16, 16) + 1) / 2
                np.testing.assert_array_equal(frames[point, down, right], expected)
    assert built.X_train.has_canonical_format
    assert built.facts == {"places": 9, "training_images": 3, "test_images": 1}


def test_image_without_a_mark(files):
    files["test"].write_text(line(1, [-1] * 256))
    built = build("usps_ext", files, {"frame": 17})
    assert built.X_test.shape == (4, 289)
    assert built.X_test.nnz == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (line(0, [0] * 256) + line(0, [0] * 255), "line 2"),
        (line(0, [0] * 255), "a line has 255 pixels; 256 are wanted"),
        (line(0, [0] * 256) + line(0, [0] * 255 + [1.5]), "image 2 has a pixel that is not between -1 and 1"),
        (line(0, [0] * 256).replace(" 0.0000", " x", 1), "line 1.*'x'"),
        (line(0, [0] * 256) + "\n" + line(0, [0] * 255 + [float("nan")]), "line 3.*nan"),
        (line(8, [0] * 256), "there is no image of the digits 0 and 1"),
        ("", "empty"),
    ],
)
def test_malformed_file_is_named(files, text, message):
    files["train"].write_text(text)
    with pytest.raises(DataError, match=f"train.*{message}"):
        usps_ext.build(**files)


@pytest.mark.parametrize("frame", [15, 26.5, "26"])
def test_frame_that_cannot_be_used(files, frame):
    with pytest.raises(ConfigError, match=r"frame is .*; a whole number from 16 on is wanted"):
        usps_ext.build(**files, frame=frame)


@pytest.fixture(scope="module")
def prepared(mirror, tmp_path_factory):
    return load_dataset("usps-ext", load_catalogue(), tmp_path_factory.mktemp("data"), mirror)


def test_sizes_are_the_printed_ones(prepared):
    check_prepared("usps-ext", prepared, load_catalogue())
    assert (prepared.meta["m"], prepared.meta["t"], prepared.meta["n"]) == (266_079, 75_383, 676)
    assert prepared.meta["classes"] == [0, 1]
    assert prepared.meta["class_counts"] == {"train": [1194 * 121, 1005 * 121], "test": [359 * 121, 264 * 121]}
    assert prepared.meta["storage"] == "csr"
    assert prepared.X_train.data.min() > 0
    assert prepared.X_train.data.max() == 1


def test_shifts_of_an_image_have_the_same_pixels(prepared):
    for first in (0, 121 * 1500):
        rows = prepared.X_train[first : first + 121]
        assert len({tuple(np.sort(row.data)) for row in rows}) == 1
        assert len({row.indices.tobytes() for row in rows}) == 121
        assert len(np.unique(prepared.y_train[first : first + 121])) == 1


@pytest.mark.exhaustive
def test_same_bytes_twice_in_bounded_memory(prepared, mirror, tmp_path):
    """Anew in a process of its own: the same arrays, and half a gigabyte at most on top of the imports."""
    assert megabytes_to_prepare("usps-ext", default_catalogue_path(), tmp_path) < 500
    for name in ("X_train", "X_train.indices", "X_test", "y_train", "y_test"):
        ours, again = prepared.folder / f"{name}.npy", tmp_path / "prepared/usps-ext" / f"{name}.npy"
        assert ours.read_bytes() == again.read_bytes()
