"""The release: what is copied, within the limits of a commit, and that it is enough to draw everything from."""

import gzip
from pathlib import Path

import pytest

from fwsvm.base.errors import UserError
from fwsvm.cli import main
from fwsvm.pipeline import release as module
from fwsvm.pipeline.release import release, released_inputs

FILES = {
    "results/p/runs.tsv": "runs\n",
    "results/p/tests.tsv": "tests\n",
    "results/p/provenance.json": "{}",
    "results/p/inventory.json": '{"missing": {}}',
    "results/p/describe/a1a.json": "{}",
    "results/p/describe/a1a.png": "picture",
    "results/p/params/a1a.json": "{}",
    "results/p/tables/x-table1.csv": "a\n",
    "results/p/runs/benchmark/full/a1a/fw.tsv": "not released\n",
    "results/p/code.json": '{"benchmark": "not released, as are the next"}',
    "results/p/progress.json": "{}",
    "results/p/logs/warm_up.log": "not released\n",
    "results/p/warm_up.txt": "not released\n",
    "figures/p/x-fig1.svg": "<svg/>",
    "figures/p/x-fig1.png": "png",
    "figures/p/x-fig1.pdf": "not released",
    "figures/p/x-fig1.csv": "x,y\n",
    "figures/p/x-fig1.md": "![x-fig1](x-fig1.svg)\n\nA caption.\n",
}


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A small run in the current folder."""
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(content)
    return tmp_path


def run_release():
    return release("p", "released")


def released():
    return {
        str(path) for kind in ("results", "figures") for path in Path(kind, "released").rglob("*") if path.is_file()
    }


@pytest.mark.parametrize(
    ("name", "content"), [("runs.tsv", "runs"), ("tests.tsv", ""), ("params/a1a.json", "{"), ("provenance.json", "[]")]
)
def test_damaged_results_are_not_released(tree, name, content):
    Path("results/p", name).write_text(content)
    with pytest.raises(UserError, match=rf"results/p/{name}: the file is damaged: "):
        run_release()
    assert not released()


def test_what_belongs_to_a_release(tree):
    wanted = {
        *(f"results/released/{name}" for name in ("runs.tsv", "tests.tsv", "provenance.json", "inventory.json")),
        *(
            f"results/released/{name}"
            for name in ("describe/a1a.json", "describe/a1a.png", "params/a1a.json", "tables/x-table1.csv")
        ),
        "results/released/files.txt",
        "figures/released/x-fig1.svg",
        "figures/released/x-fig1.csv",
        "figures/released/x-fig1.md",
    }
    run_release()
    assert released() == wanted
    assert Path("results/released/runs.tsv").read_text() == "runs\n"


def test_only_what_an_earlier_release_lists_is_removed(tree):
    for name in ("tables/old-table1.csv", "tables/x-table1.csv"):
        Path("results/p", name).write_text("old")
    run_release()
    Path("results/p/tables/old-table1.csv").unlink()
    others = {"results/released/notes.txt", "figures/released/README.md"}
    for name in others:
        Path(name).write_text("mine")
    with Path("results/released/files.txt").open("a") as listing:
        listing.write("results/p/runs.tsv\nresults/released/../p/tests.tsv\n")
    run_release()
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


def test_large_tables_are_compressed_and_large_drawings_are_pixels(tree, monkeypatch):
    monkeypatch.setattr(module, "LARGEST_FILE", 400)
    Path("results/p/runs.tsv").write_text("runs\n" * 1000)
    Path("figures/p/x-fig1.svg").write_text("<svg/>" * 1000)
    run_release()
    assert gzip.decompress(Path("results/released/runs.tsv.gz").read_bytes()) == b"runs\n" * 1000
    assert not Path("results/released/runs.tsv").exists()
    assert "figures/released/x-fig1.png" in released()
    assert "figures/released/x-fig1.svg" not in released()
    assert Path("figures/released/x-fig1.md").read_text().startswith("![x-fig1](x-fig1.png)")
    assert released_inputs("results/released")["runs"] == "results/released/runs.tsv.gz"


@pytest.mark.parametrize(
    ("limit", "bytes_allowed", "words"),
    [("LARGEST_FILE", 50, "at most 5e-05 MB each: .*x-fig1.png"), ("LARGEST_SUM", 1000, "at most 0.001 MB together")],
)
def test_too_large_a_release_changes_nothing(tree, monkeypatch, limit, bytes_allowed, words):
    monkeypatch.setattr(module, limit, bytes_allowed)
    for ending in ("svg", "png"):
        Path(f"figures/p/x-fig1.{ending}").write_bytes(bytes(range(256)) * 4)
    Path("results/released").mkdir()
    Path("results/released/runs.tsv").write_text("former")
    with pytest.raises(UserError, match=words):
        run_release()
    assert released() == {"results/released/runs.tsv"}


def test_a_run_is_not_replaced(tree):
    with pytest.raises(UserError, match="a run is here"):
        release("p", "p")
    assert Path("results/p/runs.tsv").is_file()


def test_figures_without_svg_are_released_as_pixels(tree):
    Path("figures/p/x-fig1.svg").unlink()
    Path("figures/p/README.md").write_text("a gallery")
    run_release()
    assert {"figures/released/x-fig1.png", "figures/released/x-fig1.md"} <= released()
    assert "figures/released/README.md" not in released()


def test_nothing_to_release(tree):
    Path("results/p/runs.tsv").unlink()
    with pytest.raises(UserError, match=r"results/p: no runs.tsv"):
        run_release()


def test_inputs_for_drawing(tree):
    run_release()
    assert released_inputs("results/released") == {
        "runs": "results/released/runs.tsv",
        "tests": "results/released/tests.tsv",
        "inventory": "results/released/inventory.json",
        "provenance": "results/released/provenance.json",
        "descriptions": ["results/released/describe/a1a.json"],
    }
    with pytest.raises(UserError, match=r"figures/released: no runs.tsv or runs.tsv.gz here"):
        released_inputs("figures/released")
