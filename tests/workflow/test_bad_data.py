"""Test data that cannot be used.

The job names the file, the place and the error. It leaves no incomplete file. After the data are
corrected, the run works.
"""

import bz2
import hashlib

import pytest
import yaml
from working_copy import catalogue_entry, libsvm_text, set_up_compiled_tiny, unreachable_entry

pytestmark = pytest.mark.workflow

GOOD = libsvm_text(40, 2, seed=3)
GOOD_SUM = hashlib.sha256(GOOD.encode()).hexdigest()
OTHER = GOOD + "1 1:0.5\n"
OTHER_SUM = hashlib.sha256(OTHER.encode()).hexdigest()


def with_line(number, line):
    lines = GOOD.splitlines()
    lines[number - 1] = line
    return "\n".join(lines) + "\n"


LOCAL = {
    "bad-line": with_line(7, "1 1:0.5 2:abc"),
    "not-finite": with_line(9, "1 1:0.5 2:nan"),
    "one-class": "".join(f"1 {line.split(' ', 1)[1]}\n" for line in GOOD.splitlines()),
}
MIRRORED = {
    "good": ("good.bz2", bz2.compress(GOOD.encode())),
    "truncated": ("truncated.bz2", bz2.compress(GOOD.encode())[:-20]),
    "other": ("other", OTHER.encode()),
}
MESSAGES = {
    "bad-line": ["bad-line.svm, line 7", "abc"],
    "not-finite": ["not-finite.svm, line 9", "finite"],
    "one-class": ["one-class", "class 1"],
    "truncated": ["mirror/tiny/truncated.bz2"],
    "other": ["mirror/tiny/other", "checksum", OTHER_SUM, GOOD_SUM],
}


@pytest.fixture(scope="module")
def bad_run(pristine, tmp_path_factory):
    """Run Snakemake with good and bad data sets, such that it continues after errors. Return the
    working copy and the call.

    No server answers outside the mirror.
    """
    copy = set_up_compiled_tiny(pristine.copy_to(tmp_path_factory.mktemp("bad") / "bad"))
    (copy / "mirror/tiny").mkdir(parents=True)
    for name, text in LOCAL.items():
        (copy / f"{name}.svm").write_text(text)
    for name, content in MIRRORED.values():
        (copy / "mirror/tiny" / name).write_bytes(content)
    config = yaml.safe_load((copy / "tiny.yaml").read_text())
    copy.configure("tiny.yaml", config | {"datasets": [*LOCAL, *MIRRORED], "mirror": "mirror"})
    entries = {name: catalogue_entry(f"{name}.svm") for name in LOCAL}
    entries |= {name: unreachable_entry(name, GOOD_SUM) for name in MIRRORED}
    copy.configure("catalogue.yaml", entries)
    targets = [f"data/prepared/full/{name}/meta.json" for name in entries]
    return copy, copy.snakemake("--cores", 2, "--keep-going", *targets)


@pytest.mark.parametrize("dataset", MESSAGES)
def test_message_says_what_is_wrong_and_nothing_half_written_is_left(bad_run, dataset):
    copy, done = bad_run
    assert done.code != 0
    kept = "\n".join(
        path.read_text() for path in (copy / "results/tiny/logs").rglob(f"{dataset}.log")
    )
    for word in MESSAGES[dataset]:
        assert word in done.text
        assert word in kept
    assert "Traceback" not in done.text
    files = [
        str(path.relative_to(copy.folder)) for path in (copy / "data").rglob("*") if path.is_file()
    ]
    assert not [name for name in files if dataset in name]
