"""Files that the package carries: the official content, used without mirror and network."""

import bz2
import dataclasses
import json

import pytest

from fwsvm.base.errors import ConfigError, DownloadError, UnavailableError
from fwsvm.base.files import sha256_of_content
from fwsvm.datasets import load_catalogue, load_dataset
from fwsvm.datasets.entries import EMBEDDED, FileEntry, entry_digest, required_files
from fwsvm.datasets.fetch import fetch
from fwsvm.datasets.page import write_page
from fwsvm.datasets.prepare import prepare

CATALOGUE = load_catalogue()
FILES = {
    file.name: file
    for entry in CATALOGUE.values()
    for file in required_files(entry, CATALOGUE).values()
    if file.embedded
}
SETS = [
    name
    for name, entry in CATALOGUE.items()
    if (files := required_files(entry, CATALOGUE).values()) and all(file.embedded for file in files)
]
NOWHERE = "http://127.0.0.1:9/"


def without_copies(catalogue):
    """The same catalogue with all files from a mirror or from upstream."""

    def remote(entry):
        if not hasattr(entry.source, "files"):
            return entry
        files = {role: dataclasses.replace(file, embedded=False) for role, file in entry.source.files.items()}
        return dataclasses.replace(entry, source=dataclasses.replace(entry.source, files=files))

    return {name: remote(entry) for name, entry in catalogue.items()}


def test_data_sets_that_need_no_network():
    wanted = "a1a a2a a3a a4a a5a a7a a8a a9a pendigits letter shuttle heart australian german ionosphere iris-setosa"
    assert set(SETS) == {*wanted.split(), "mushrooms", "sonar"}


def test_the_package_carries_what_the_catalogue_marks_and_nothing_else():
    carried = {path.relative_to(EMBEDDED).as_posix() for path in EMBEDDED.rglob("*") if path.is_file()}
    assert carried == {f"{name}.bz2" for name in FILES} | {"README.md"}
    assert sum(path.stat().st_size for path in EMBEDDED.rglob("*.bz2")) <= 1_500_000


@pytest.mark.parametrize("name", FILES)
def test_content_is_that_of_the_official_file(name):
    assert sha256_of_content(FILES[name].location("no folder")) == FILES[name].sha256


def test_every_data_set_has_its_licence_and_its_line_in_the_readme():
    text = (EMBEDDED / "README.md").read_text()
    for name in SETS:
        assert "CC BY 4.0" in CATALOGUE[name].licence
        assert CATALOGUE[name].source.files["train"].name.rpartition("/")[2] + "`" in text
    assert "creativecommons.org/licenses/by/4.0" in text


@pytest.mark.parametrize("name", FILES)
def test_content_is_that_of_the_file_in_the_mirror(name, mirror, tmp_path):
    try:
        official = fetch(dataclasses.replace(FILES[name], embedded=False, url=NOWHERE), tmp_path, mirror, retries=0)
    except UnavailableError as error:
        pytest.skip(str(error))
    assert bz2.decompress(FILES[name].location(None).read_bytes()) == official.read_bytes()


@pytest.mark.parametrize("name", ["a1a", "pendigits"])
def test_prepared_data_are_those_of_the_official_files(name, mirror, tmp_path):
    prepared = load_dataset(name, CATALOGUE, tmp_path / "ours", mirror=tmp_path / "no mirror")
    remote = without_copies(CATALOGUE)
    official = prepare(remote[name], remote, tmp_path / "raw", tmp_path / "official", mirror)
    for file in sorted((tmp_path / "official").glob("*.npy")):
        assert file.read_bytes() == (tmp_path / "ours/prepared" / name / file.name).read_bytes(), file.name
    assert prepared.meta["digest"] == official.meta["digest"]


def test_nothing_is_downloaded_and_no_mirror_is_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise AssertionError("a download")

    monkeypatch.setattr("fwsvm.datasets.fetch._install_download", refuse)
    monkeypatch.setattr("fwsvm.datasets.fetch._try_mirror", refuse)
    prepared = load_dataset("heart", data_dir=tmp_path, mirror=tmp_path / "mirror")
    assert prepared.meta["m"] == 189
    assert [source["embedded"] for source in prepared.meta["sources"]] == [True]
    assert not (tmp_path / "raw").exists()


def test_an_embedded_copy_changes_no_digest():
    remote = without_copies(CATALOGUE)
    for name in ("a1a", "a5a", "w1a"):
        assert entry_digest(CATALOGUE[name], CATALOGUE) == entry_digest(remote[name], remote)


@pytest.mark.parametrize("content", [None, b"1 1:1\n"])
def test_damaged_package_is_reported(content, tmp_path, monkeypatch):
    monkeypatch.setattr("fwsvm.datasets.entries.EMBEDDED", tmp_path)
    file = FileEntry("tiny", "https://localhost/tiny", "0" * 64, embedded=True)
    if content:
        (tmp_path / "tiny.bz2").write_bytes(bz2.compress(content))
    with pytest.raises(DownloadError, match="wrong checksum" if content else "install fwsvm again"):
        fetch(file, tmp_path / "raw")


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"name": "libsvm/binary/a1b", "sha256": "0" * 64}, "this package carries no file 'libsvm/binary/a1b'"),
        ({"sha256": "unverified"}, "(the file is embedded)"),
        ({"embedded": 1, "sha256": "0" * 64}, "1 is of the wrong type; wanted: boolean"),
    ],
)
def test_wrong_key_is_refused(keys, words, tmp_path):
    file = {"name": "libsvm/binary/a1a", "url": "https://localhost/a1a", "embedded": True} | keys
    path = tmp_path / "datasets.yaml"
    path.write_text(json.dumps({"x": {"source": {"files": {"train": file}}, "split": {"fraction": 0.2, "seed": 1}}}))
    with pytest.raises(ConfigError) as error:
        load_catalogue(path)
    assert words in str(error.value)


def test_page_names_them():
    page = write_page(CATALOGUE)
    row = next(line for line in page.splitlines() if line.startswith("| [a1a]"))
    assert row.endswith("| verified, in the package |")
    assert "in the package" not in next(line for line in page.splitlines() if line.startswith("| [w1a]"))
