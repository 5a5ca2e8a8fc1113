"""Test the release: which files it copies, the size limits, and which old files it removes or
keeps.
"""

import gzip
import re
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from configurations import CHECKOUT
from synthetic_runs import make_runs

from fwsvm.cli import main
from fwsvm.inputs.errors import UserError
from fwsvm_papers.commands import results as commands
from fwsvm_papers.pipeline import release as module
from fwsvm_papers.pipeline.artefacts import released_inputs
from fwsvm_papers.pipeline.release import compare_runs, release
from fwsvm_papers.reporting.tables import ArtefactData
from fwsvm_papers.result_files import read_whole_json, write_json
from fwsvm_papers.runs.job_results import name_of
from fwsvm_papers.runs.records import empty_runs, write_runs

RELEASED = {
    "results/p/runs.tsv": None,
    "results/p/tests.tsv": "measure\tprotocol\n",
    "results/p/provenance.json": "{}",
    "results/p/inventory.json": '{"missing": {}}',
    "results/p/describe/a1a.json": "{}",
    "results/p/describe/a1a.png": "picture",
    "results/p/params/a1a.json": "{}",
    "results/p/tables/x-table1.csv": "a\n",
    "results/p/tables/x-table1.json": '{"id": "x-table1", "kind": "table"}',
    "results/p/tables/x-table2.json": '{"id": "x-table2", "kind": "table", "skipped": "needs b"}',
    "figures/p/x-fig1.svg": "<svg/>",
    "figures/p/x-fig1.csv": "x,y\n",
    "figures/p/x-fig1.json": '{"id": "x-fig1", "kind": "figure", "caption": "A caption."}',
    "figures/p/x-fig1.md": "![](x-fig1.svg)\n\nA caption.\n",
    "figures/p/x-fig2.json": '{"id": "x-fig2", "kind": "figure", "skipped": "needs b"}',
}
OTHERS = {
    "results/p/runs/benchmark/a1a.json": "",
    "results/p/logs/warm_up.log": "",
    "results/p/warm_up/dense.txt": "",
    "figures/p/x-fig1.png": "png",
    "figures/p/x-fig1.pdf": "pdf",
    "figures/p/README.md": "a gallery",
    # files of skipped artefacts
    "results/p/tables/x-table2.csv": "skipped\n",
    "figures/p/x-fig2.svg": "<svg/>",
    "figures/p/x-fig2.md": "Not drawn.",
}


@pytest.fixture(autouse=True)
def tree(tmp_path, monkeypatch):
    """Write a small run into the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, content in (RELEASED | OTHERS).items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content or "")
    write_runs(empty_runs(), "results/p/runs.tsv")
    return tmp_path


def released():
    folders = (Path("results/released"), Path("figures/released"))
    return {str(path) for folder in folders for path in folder.rglob("*") if path.is_file()}


def test_what_belongs_to_a_release():
    written = release("p", "released")
    assert set(map(str, written)) == {name.replace("/p/", "/released/") for name in RELEASED}
    assert released() == {*map(str, written), "results/released/files.txt"}
    names = {
        "runs": "runs.tsv",
        "tests": "tests.tsv",
        "inventory": "inventory.json",
        "provenance": "provenance.json",
    }
    expected = {key: f"results/released/{name}" for key, name in names.items()}
    assert released_inputs("results/released") == expected | {
        "descriptions": ["results/released/describe/a1a.json"]
    }


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("runs.tsv", "runs"),
        ("tests.tsv", ""),
        ("params/a1a.json", "{"),
        ("tables/x-table1.json", "{}"),
        ("provenance.json", "[]"),
    ],
)
def test_damaged_results_are_not_released(name, content):
    Path("results/p", name).write_text(content)
    with pytest.raises(UserError, match=f"results/p/{name}.* damaged"):
        release("p", "released")
    assert not released()


def test_nothing_of_the_users_is_removed():
    release("p", "mine")
    Path("mine/report").mkdir(parents=True)
    Path("mine/report/notes").touch()
    for path in [*Path("figures/p").glob("*.svg"), *Path("figures/p").glob("*.png")]:
        path.unlink()
    before = files("results/mine", "figures/mine")
    for command in (
        ["release", "--profile", "p", "--to", "mine"],
        ["report", "--profile", "p", "--docs", "mine"],
    ):
        assert main(command) == 2
    assert files("results/mine", "figures/mine") == before and Path("mine/report/notes").exists()


def files(*folders):
    return {
        path: path.read_bytes()
        for folder in folders
        for path in Path(folder).rglob("*")
        if path.is_file()
    }


@pytest.mark.parametrize("root", ["results", "figures"])
def test_a_release_through_a_link_does_not_replace_the_run(root, tree):
    Path(root, "linked").symlink_to(tree / root / "p")
    before = files("results/p", "figures/p")
    assert main(["release", "--profile", "p", "--to", "linked"]) == 2
    assert files("results/p", "figures/p") == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            ["render", "--released", "results/p", "--figures", "results/p"],
            "--figures results/p contains results/p/",
        ),
        (
            ["render", "--released", "results/p", "--figures", "link"],
            "--figures link contains results/p/",
        ),
        (
            ["render", "--released", "results/p", "--figures", "mine"],
            "mine/README.md was not written by fwsvm",
        ),
        (["render", "--released", "results/p", "--figures", "mine/README.md"], "is not a folder"),
        (["render", "--released", "results/p", "--results", "mine/README.md"], "is not a folder"),
        (
            ["release", "--profile", "p", "--to", "mine"],
            "figures/mine/README.md was not written by fwsvm",
        ),
        (
            ["report", "--profile", "report", "--docs", "results"],
            "results/report, which this command reads",
        ),
        (
            ["report", "--profile", "report", "--docs", "figures"],
            "figures/report, which this command reads",
        ),
        (["report", "--profile", "linked"], "this command reads"),
        (["report", "--profile", "other"], "files that do not belong to a report"),
        (["report", "--profile", "p", "--docs", "mine/README.md"], "is not a folder"),
    ],
)
def test_what_would_be_replaced_is_refused_before_anything_is_drawn(
    arguments, words, tree, capsys, monkeypatch
):
    monkeypatch.setattr(commands, "write_all", None)
    monkeypatch.setattr(commands, "write_site", None)
    for folder in ("mine", "figures/mine"):
        Path(folder).mkdir()
        Path(folder, "README.md").write_text("# My project\n")
    Path("link").symlink_to("results")
    for name in ("report", "linked", "other"):
        for root in ("results", "figures"):
            shutil.copytree(f"{root}/p", f"{root}/{name}")
    Path("results/linked/site").symlink_to(tree / "results/linked")
    Path("results/other/site").symlink_to(tree / "mine")
    before = files(".")
    assert main(arguments) == 2
    assert words in capsys.readouterr().err
    assert files(".") == before


def test_only_what_an_earlier_release_lists_is_removed():
    for name in ("old", "gone"):
        table = ArtefactData(kind="table", id=f"{name}-table1")
        table.write_json(f"results/p/tables/{name}-table1.json")
        Path(f"results/p/tables/{name}-table1.csv").write_text("old")
    release("p", "released")
    for name in ("old", "gone"):
        for ending in ("csv", "json"):
            Path(f"results/p/tables/{name}-table1.{ending}").unlink()
    others = {"results/released/notes.txt", "figures/released/README.md"}
    for name in others:
        Path(name).write_text("mine")
    with Path("results/released/files.txt").open("a") as listing:
        listing.write("results/p/runs.tsv\nresults/released/../p/tests.tsv\n")
    # the user removes this file before the next release
    Path("results/released/tables/gone-table1.csv").unlink()
    release("p", "released")
    left = {f"results/released/tables/old-table1.{ending}" for ending in ("csv", "json")}
    assert left.isdisjoint(released())
    assert (
        others < released()
        and Path("results/p/runs.tsv").is_file()
        and Path("results/p/tests.tsv").is_file()
    )


@pytest.mark.parametrize("name", ["../docs", "../../victim", "a/b", ".", "", "/tmp", "released\n"])
def test_no_name_leads_out_of_results_and_figures(tree, name, capsys):
    for folder in ("docs", "results", "figures", "site"):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, "kept.md").write_text("kept")
    before = sorted(tree.rglob("*"))
    for profile, to in (("p", name), (name, "new")):
        assert main(["release", "--profile", profile, "--to", to]) == 2
        assert "name" in capsys.readouterr().err
    if name:
        assert main(["report", "--profile", name]) == main(["summary", "--profile", name]) == 2
    assert sorted(tree.rglob("*")) == before


PROVENANCE = "results/p/provenance.json"


@pytest.fixture
def complete(load_study, tree, monkeypatch):
    """Return a configuration, and write the record of a complete run of it. One data set was not
    available.
    """
    study = load_study("smoke")
    monkeypatch.chdir(tree)
    lacking = study.datasets[0]
    jobs = study.jobs(study.datasets[1:])
    records = {
        name_of(job): {
            "settings": study.job_settings(job),
            "data_digest": study.digest(job.dataset),
        }
        for job in jobs
    }
    write_json({"missing": {lacking: "the download failed"}}, "results/p/inventory.json")
    write_json({"jobs": records}, PROVENANCE)
    return study


def test_a_complete_run_replaces_the_release(complete):
    release("p", "released", complete)
    other = {"timing": "shared" if complete.config["timing"] != "shared" else "exclusive"}
    release("p", "released", replace(complete, config=complete.config | other))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda jobs, name: jobs.pop(name), "is missing (number of wrong jobs: 1)"),
        (lambda jobs, name: jobs.update({"x/y/z/fw": jobs[name]}), "x/y/z/fw is not in this conf"),
        (lambda jobs, name: jobs[name].update(data_digest="another"), "used other data"),
        (lambda jobs, name: jobs[name]["settings"].update(seed=7), "has other settings"),
        (lambda jobs, name: jobs.clear(), "is missing"),
    ],
)
def test_other_runs_do_not_replace_the_release(complete, change, words):
    release("p", "released", complete)
    before = files("results/released", "figures/released")
    jobs = read_whole_json(PROVENANCE)["jobs"]
    name = sorted(jobs)[-1]
    change(jobs, name)
    write_json({"jobs": jobs}, PROVENANCE)
    with pytest.raises(UserError, match=re.escape(words)):
        release("p", "released", complete)
    assert files("results/released", "figures/released") == before
    release("p", "another")


def test_the_command_compares_a_run_with_the_default_configuration(capsys):
    for folder in ("config", "workflow"):
        Path(folder).symlink_to(CHECKOUT / folder)
    Path("results/released").mkdir()
    Path("results/link").symlink_to("released")
    for to in ([], ["--to", "released"], ["--to", "link"]):
        assert main(["release", "--profile", "p", *to]) == 2
        assert "complete run of config/paper.yaml" in capsys.readouterr().err
    assert not released()
    assert main(["release", "--profile", "p", "--to", "mine"]) == 0


def test_a_file_of_the_largest_size_is_released_as_it_is(monkeypatch):
    size = Path("results/p/runs.tsv").stat().st_size
    monkeypatch.setattr(module, "LARGEST_FILE", size)
    Path("figures/p/x-fig1.svg").write_bytes(b"s" * size)
    release("p", "released")
    assert {"results/released/runs.tsv", "figures/released/x-fig1.svg"} < released()
    monkeypatch.setattr(module, "LARGEST_SUM", 2 * size)
    module.check_sizes(dict.fromkeys("ab", bytes(size)))
    for contents in ({"a": bytes(size + 1)}, {"a": bytes(size), "b": bytes(size), "c": b"1"}):
        with pytest.raises(UserError, match="release"):
            module.check_sizes(contents)


def test_large_tables_are_compressed_and_large_drawings_are_pixels(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_FILE", 400)
    Path("figures/p/x-fig1.svg").write_text("<svg/>" * 1000)
    release("p", "released")
    table = gzip.decompress(Path("results/released/runs.tsv.gz").read_bytes())
    assert table == Path("results/p/runs.tsv").read_bytes()
    assert (
        "results/released/runs.tsv" not in released()
        and "figures/released/x-fig1.svg" not in released()
    )
    assert "(x-fig1.png)" in Path("figures/released/x-fig1.md").read_text()
    assert released_inputs("results/released")["runs"] == "results/released/runs.tsv.gz"


@pytest.fixture
def pair():
    """Return two tables: runs of a user, and released runs. Only the times differ.

    Each table has five repetitions of two methods on two data sets.
    """
    released = make_runs(datasets=("a1a", "w1a"), methods=("cvm", "fw"), protocols=("as_printed",))
    return released.assign(train_cpu_s=2 * released["train_cpu_s"]), released


def verdicts(pair):
    compared, _ = compare_runs(*pair)
    return compared.set_index(["dataset", "method", "column"])["verdict"].sort_index()


def fw_on_a1a(runs):
    return (runs["dataset"] == "a1a") & (runs["method"] == "fw")


def test_equal_runs_are_equal_whatever_their_times_and_last_digits_of_gamma(pair):
    compared, pairs = compare_runs(pair[0].assign(gamma=pair[0]["gamma"] * (1 + 1e-12)), pair[1])
    assert set(compared["verdict"]) == {"equal"}
    assert len(pairs) == len(pair[1]) and pairs["time_ratio"].to_list() == [2] * len(pairs)


SCATTERED = np.array([0.90, 0.92, 0.94, 0.96, 0.98])  # the standard error is 1.4 percentage points


@pytest.mark.parametrize(
    ("accuracy", "points", "verdict"),
    [(0.9, 0.2, "within"), (0.9, 20, "different"), (SCATTERED, 2, "within")],
)
def test_accuracies_may_differ_by_half_a_point_or_three_standard_errors(
    pair, accuracy, points, verdict
):
    for runs, values in zip(pair, (accuracy - points / 100, accuracy), strict=True):
        runs.loc[fw_on_a1a(runs), "test_accuracy"] = values
    found = verdicts(pair)
    assert found.pop(("a1a", "fw", "test_accuracy")) == verdict
    assert set(found) == {"equal"}


@pytest.mark.parametrize(
    ("column", "ours", "verdict"),
    [
        ("requested_evaluations", 150, "within"),
        ("requested_evaluations", 151, "different"),
        ("requested_evaluations", 50, "within"),
        ("requested_evaluations", 49, "different"),
        ("objective", 101, "within"),
        ("objective", 101.005, "different"),
        ("objective", 99, "within"),
        ("objective", 98.995, "different"),
    ],
)
def test_a_share_is_one_of_the_released_number(pair, column, ours, verdict):
    for runs, value in zip(pair, (ours, 100), strict=True):
        runs.loc[fw_on_a1a(runs), column] = value
    found = verdicts(pair)
    assert found.pop(("a1a", "fw", column)) == verdict
    assert set(found) == {"equal"}


def test_runs_at_a_limit_and_runs_with_other_settings_are_not_compared(pair):
    runs, released = pair
    released.loc[fw_on_a1a(runs), ["stop_reason", "objective"]] = ["time_limit", 7.0]
    other = runs.assign(C=runs["C"].where(runs["dataset"] != "w1a", 77.0))
    found = verdicts((other, released))
    assert set(found["a1a", "fw"]) == {"at a limit"} and set(found["a1a", "cvm"]) == {"equal"}
    assert set(found.index.get_level_values("dataset")) == {"a1a"}


def test_exit_status_of_verify(pair, tree, capsys):
    runs, released = pair
    (tree / "results/released").mkdir(exist_ok=True)
    write_runs(released, "results/released/runs.tsv.gz")
    write_runs(runs, "results/p/runs.tsv")
    assert main(["verify", "results/p", "--show"]) == 0
    assert "Empty" not in capsys.readouterr().out
    write_runs(runs.assign(test_accuracy=0.1), "results/p/runs.tsv")
    assert main(["verify", "results/p", "--show"]) == 1
    assert "w1a" in capsys.readouterr().out
    write_runs(empty_runs(), "results/p/runs.tsv")
    assert main(["verify", "results/p"]) == 0
    assert main(["verify", "results/nowhere"]) == 2
