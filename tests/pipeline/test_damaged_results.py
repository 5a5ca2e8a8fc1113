"""Test result files that are truncated, empty or changed.

There must be one message, which names the file and a command that restores it.
"""

import gzip
import hashlib
import json
import shlex

import pandas as pd
import pytest

from fwsvm.inputs.errors import DataError
from fwsvm_papers.result_files import CHECKSUM, read_whole_json, with_checksum, write_json
from fwsvm_papers.runs.records import read_runs, write_runs

DAMAGE = {
    "emptied": b"",
    "cut": b'{"wall_s": 8.0, "mach',
    "of another kind": b"3\n",
    "binary": b"\xff\x00\xfe",
}
RUN = {
    "experiment": "benchmark",
    "dataset": "iris",
    "method": "fw",
    "selection": "full",
    "stop_reason": "converged",
}


def assert_named(error, path):
    """Check that the message names the file and the commands that make it again."""
    name = shlex.quote(str(path))
    assert str(error.value).startswith(f"{path}: ")
    for command in (f"`rm {name}`", f"`.venv/bin/snakemake --cores all {name} --configfile FILE`"):
        assert command in str(error.value)


@pytest.mark.parametrize("content", DAMAGE.values(), ids=DAMAGE)
@pytest.mark.parametrize("ending", ["json", "json.gz"])
@pytest.mark.parametrize("kind", [dict, list])
def test_damaged_json_names_the_command(tmp_path, content, ending, kind):
    path = tmp_path / f"a record.{ending}"
    path.write_bytes(content)
    with pytest.raises(DataError) as error:
        read_whole_json(path, kind)
    assert_named(error, path)


@pytest.fixture
def runs(tmp_path):
    """Write a table of three runs, and return its path."""
    write_runs(
        pd.DataFrame([RUN | {"repetition": k, "seed": k, "peak_rss_mb": 1.5} for k in range(3)]),
        tmp_path / "runs.tsv",
    )
    return tmp_path / "runs.tsv"


def test_runs_cut_anywhere_in_a_line_name_the_command(runs):
    content = runs.read_bytes()
    header = content.index(b"\n") + 1
    for end in (0, 10, header - 1, header + 5, len(content) - 30, len(content) - 1):
        runs.write_bytes(content[:end])
        with pytest.raises(DataError) as error:
            read_runs(runs)
        assert_named(error, runs)
        assert len(str(error.value)) < 350 + 3 * len(str(runs))


@pytest.mark.parametrize("ending", ["tsv", "tsv.gz"])
@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace(b"1.5", b"1.6", 1),
        lambda text: b"".join(text.splitlines(keepends=True)[:-1]),
        lambda text: text + text.splitlines(keepends=True)[-1].replace(b"iris", b"wine"),
    ],
    ids=["a digit", "a lost line", "a new line"],
)
def test_changed_runs_are_noticed_by_the_checksum_in_their_record(runs, ending, change):
    text, path = runs.read_bytes(), runs.with_name(f"runs.{ending}")
    pack = gzip.compress if ending == "tsv.gz" else bytes
    path.write_bytes(pack(text))
    write_json(
        {"sha256": {"runs.tsv": hashlib.sha256(text).hexdigest()}},
        runs.with_name("provenance.json"),
    )
    assert len(read_runs(path)) == 3
    path.write_bytes(pack(change(text)))
    with pytest.raises(DataError, match="its content was changed") as error:
        read_runs(path)
    assert_named(error, path)


def test_runs_of_earlier_versions_have_no_checksum(runs):
    write_json({"jobs": {}}, runs.with_name("provenance.json"))
    assert len(read_runs(runs)) == 3


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("0.25", "0.26"),
        lambda text: text.replace('"name"', '"title"'),
        lambda text: text.replace("[1, 2]", "[]"),
        lambda text: json.dumps({CHECKSUM: json.loads(text)[CHECKSUM]}),
    ],
)
def test_a_changed_mapping_is_noticed(tmp_path, change):
    content = {"share": 0.25, "name": "é", "list": [1, 2], "none": None, "far": float("inf")}
    path = tmp_path / "x.json"
    path.write_text(json.dumps(with_checksum(content)))
    assert read_whole_json(path) == content
    path.write_text(change(path.read_text()))
    with pytest.raises(DataError, match="its content was changed") as error:
        read_whole_json(path)
    assert_named(error, path)


def test_only_committed_results_of_this_checkout_come_back_from_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, command in (
        ("results/released/singh.json", "git checkout -- "),
        ("figures/released/singh.json", "git checkout -- "),
        ("elsewhere/released/results/released/singh.json", "rm "),
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True)
        path.write_text("[")
        with pytest.raises(DataError, match=f"`{command}"):
            read_whole_json(path, list)
