"""What sources have been parsed to is kept on disk: looked up by content, never trusted when damaged."""

import json
import os

import pytest

from fwsvm.base.source_cache import SourceCache


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The user's cache folder."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "fwsvm"


@pytest.fixture
def calls():
    """Contents that were made something of."""
    return []


@pytest.fixture
def process(calls):
    """A cache as another process would have it."""
    return lambda version="1": SourceCache(lambda content: [calls.append(content), content.decode()][1:], version)


def saved(cache, *contents):
    found = [cache(content) for content in contents]
    cache.save()
    return found


def test_another_process_looks_up_what_is_known(folder, process, calls):
    assert saved(process(), b"a", b"b") == [["a"], ["b"]]
    assert saved(process(), b"b", b"c") == [["b"], ["c"]]
    assert calls == [b"a", b"b", b"c"]
    assert [path.name for path in folder.iterdir()] == ["sources-1.json"]
    assert (folder.stat().st_mode & 0o077) == 0


@pytest.mark.parametrize("damage", [lambda text: text[:-9], lambda text: text.replace("[", "[1, "), lambda text: ""])
def test_a_damaged_file_is_made_anew(folder, process, calls, damage):
    saved(process(), b"a")
    path = folder / "sources-1.json"
    path.write_text(damage(path.read_text()))
    assert saved(process(), b"a") == [["a"]] and calls == [b"a", b"a"]
    assert saved(process(), b"a") == [["a"]] and calls == [b"a", b"a"]


def test_another_version_begins_anew(folder, process, calls):
    saved(process("1"), b"a")
    saved(process("2"), b"a")
    assert calls == [b"a", b"a"] and sorted(path.name for path in folder.iterdir()) == [
        "sources-1.json",
        "sources-2.json",
    ]
    os.utime(folder / "sources-1.json", (0, 0))
    saved(process("2"), b"b")
    assert [path.name for path in folder.iterdir()] == ["sources-2.json"]


def test_many_contents_of_other_processes_go(folder, process, monkeypatch):
    monkeypatch.setattr("fwsvm.base.source_cache._MOST", 3)
    saved(process(), b"a", b"b", b"c")
    saved(process(), b"c", b"d")
    body = (folder / "sources-1.json").read_text().partition("\n")[2]
    assert sorted(json.loads(body).values()) == [["c"], ["d"]]


def test_without_a_folder_every_process_makes_it(folder, process, calls, monkeypatch):
    folder.write_text("not a folder")
    assert [saved(process(), b"a") for _ in range(2)] == [[["a"]]] * 2
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setattr("pathlib.Path.home", lambda: (_ for _ in ()).throw(RuntimeError("no home")))
    assert [saved(process(), b"a") for _ in range(2)] == [[["a"]]] * 2
    assert len(calls) == 4
