"""The release: what is copied, within the limits of a commit, what it removes, and what it never touches."""

import gzip
from pathlib import Path

import pytest

from fwsvm.base.errors import UserError
from fwsvm.cli import main
from fwsvm.pipeline import release as module
from fwsvm.pipeline.inputs import released_inputs
from fwsvm.pipeline.release import release
from fwsvm.runs.records import empty_runs, write_runs

RELEASED = {
    "results/p/runs.tsv": None,
    "results/p/tests.tsv": "measure\tprotocol\n",
    "results/p/provenance.json": "{}",
    "results/p/inventory.json": '{"missing": {}}',
    "results/p/describe/a1a.json": "{}",
    "results/p/describe/a1a.png": "picture",
    "results/p/params/a1a.json": "{}",
    "results/p/tables/x-table1.csv": "a\n",
    "figures/p/x-fig1.svg": "<svg/>",
    "figures/p/x-fig1.csv": "x,y\n",
    "figures/p/x-fig1.md": "![x-fig1](x-fig1.svg)\n\nA caption.\n",
}
OTHERS = {
    "results/p/runs/benchmark/a1a.tsv": "",
    "results/p/logs/warm_up.log": "",
    "results/p/warm_up/dense.txt": "",
    "figures/p/x-fig1.png": "png",
    "figures/p/x-fig1.pdf": "pdf",
    "figures/p/README.md": "a gallery",
}


@pytest.fixture(autouse=True)
def tree(tmp_path, monkeypatch):
    """A small run in the current folder."""
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
    assert released_inputs("results/released") == {
        "runs": "results/released/runs.tsv",
        "tests": "results/released/tests.tsv",
        "inventory": "results/released/inventory.json",
        "provenance": "results/released/provenance.json",
        "descriptions": ["results/released/describe/a1a.json"],
    }


@pytest.mark.parametrize(
    ("name", "content"), [("runs.tsv", "runs"), ("tests.tsv", ""), ("params/a1a.json", "{"), ("provenance.json", "[]")]
)
def test_damaged_results_are_not_released(name, content):
    Path("results/p", name).write_text(content)
    with pytest.raises(UserError, match=f"results/p/{name}.* damaged"):
        release("p", "released")
    assert not released()


def test_only_what_an_earlier_release_lists_is_removed():
    for name in ("tables/old-table1.csv", "tables/x-table1.csv"):
        Path("results/p", name).write_text("old")
    release("p", "released")
    Path("results/p/tables/old-table1.csv").unlink()
    others = {"results/released/notes.txt", "figures/released/README.md"}
    for name in others:
        Path(name).write_text("mine")
    with Path("results/released/files.txt").open("a") as listing:
        listing.write("results/p/runs.tsv\nresults/released/../p/tests.tsv\n")
    release("p", "released")
    assert "results/released/tables/old-table1.csv" not in released()
    assert others < released() and Path("results/p/runs.tsv").is_file() and Path("results/p/tests.tsv").is_file()


@pytest.mark.parametrize("name", ["../docs", "../../victim", "a/b", ".", "", "/tmp", "released\n"])
def test_no_name_leads_out_of_results_and_figures(tree, name, capsys):
    for folder in ("docs", "results", "figures", "site"):
        Path(folder).mkdir(exist_ok=True)
        Path(folder, "kept.md").write_text("kept")
    before = sorted(tree.rglob("*"))
    for command in (["release", "--profile", "p", "--to", name], ["release", "--profile", name]):
        assert main(command) == 2
        assert "name" in capsys.readouterr().err
    if name:
        assert main(["report", "--profile", name]) == main(["summary", "--profile", name]) == 2
    assert sorted(tree.rglob("*")) == before


def test_large_tables_are_compressed_and_large_drawings_are_pixels(monkeypatch):
    monkeypatch.setattr(module, "LARGEST_FILE", 400)
    Path("figures/p/x-fig1.svg").write_text("<svg/>" * 1000)
    release("p", "released")
    table = gzip.decompress(Path("results/released/runs.tsv.gz").read_bytes())
    assert table == Path("results/p/runs.tsv").read_bytes()
    assert "results/released/runs.tsv" not in released() and "figures/released/x-fig1.svg" not in released()
    assert "(x-fig1.png)" in Path("figures/released/x-fig1.md").read_text()
    assert released_inputs("results/released")["runs"] == "results/released/runs.tsv.gz"
