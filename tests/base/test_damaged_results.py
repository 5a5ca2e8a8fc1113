"""Files of results that were cut short or emptied: one message that names the file and the command that helps."""

import shlex

import pandas as pd
import pytest

from fwsvm.base.errors import DataError
from fwsvm.base.result_files import read_whole_json
from fwsvm.runs.records import collect, read_runs, write_runs

DAMAGE = {"emptied": b"", "cut": b'{"wall_s": 8.0, "mach', "of another kind": b"3\n", "binary": b"\xff\x00\xfe"}
RUN = {"experiment": "benchmark", "dataset": "iris", "method": "fw", "selection": "full", "stop_reason": "converged"}


def assert_named(error, path):
    """The message names the file and the commands that make it again."""
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
    """A table of three runs."""
    write_runs(
        pd.DataFrame([RUN | {"repetition": k, "seed": k, "peak_rss_mb": 1.5} for k in range(3)]), tmp_path / "runs.tsv"
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


def test_runs_that_lost_whole_lines_are_noticed_where_their_number_is_known(runs):
    assert len(collect([runs], [3])) == len(collect([runs])) == 3
    runs.write_bytes(b"".join(runs.read_bytes().splitlines(keepends=True)[:-1]))
    with pytest.raises(DataError, match="2 rows") as error:
        collect([runs], [3])
    assert_named(error, runs)


def test_only_committed_results_of_this_checkout_come_back_from_git(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for folder, command in ((tmp_path, "git checkout -- "), (tmp_path / "elsewhere/released", "rm ")):
        path = folder / "results/released/singh.json"
        path.parent.mkdir(parents=True)
        path.write_text("[")
        with pytest.raises(DataError, match=f"`{command}"):
            read_whole_json(path, list)
