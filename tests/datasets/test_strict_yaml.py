"""Test YAML files of users: aliases that would expand to a large document, values that cannot be
read, and files that must still be accepted.
"""

from datetime import date

import pytest

from fwsvm.inputs.errors import ConfigError
from fwsvm_papers.datasets import yaml_files
from fwsvm_papers.datasets.yaml_files import read_yaml


def levels(first, line, count=9, times=9):
    """Return a YAML text with nested aliases. Each line refers `times` times to the line before
    it.
    """
    lines = [first]
    for level in range(1, count):
        before = ", ".join([f"*k{level - 1}"] * times)
        lines.append(line.format(level=level, before=before))
    return "\n".join(lines) + "\n"


GROWING = {
    "lists": levels("k0: &k0 [1, 2]", "k{level}: &k{level} [{before}]"),
    "mappings": levels("k0: &k0 {a: 1}", "k{level}: &k{level} {{x: [{before}]}}"),
    "merged": levels("k0: &k0 {a: 1}", "k{level}: &k{level} {{<<: [{before}]}}"),
    "texts": f"k0: &k0 {'x' * 50_000}\nk1: [{', '.join(['*k0'] * 300)}]\n",
}


@pytest.mark.parametrize("kind", GROWING)
def test_aliases_that_grow_are_refused_before_they_are_expanded(tmp_path, kind):
    path = tmp_path / "x.yaml"
    path.write_text(GROWING[kind])
    with pytest.raises(
        ConfigError, match=r"x.yaml, line 1: the file has .* characters after its aliases"
    ):
        read_yaml(path)


@pytest.mark.parametrize("text", ["a: &a [*a]", "a: &a {b: *a}", "a: &a [1, {b: [*a]}]"])
def test_an_alias_of_itself_is_refused(tmp_path, text):
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"x.yaml, line 1: an alias refers to"):
        read_yaml(tmp_path / "x.yaml")


@pytest.mark.parametrize(
    "value",
    ["2001-99-99", "1" * 5000, "!!float x", "!!int ''", "!!bool x", "!!timestamp x", "!!binary a"],
)
def test_a_value_that_cannot_be_read_is_named_with_its_line(tmp_path, value):
    (tmp_path / "x.yaml").write_text(f"a: 1\nb: {value}\n")
    with pytest.raises(ConfigError, match=r"x.yaml, line 2: ") as error:
        read_yaml(tmp_path / "x.yaml")
    assert len(str(error.value)) < 400


def test_the_types_of_yaml_1_2_count(tmp_path):
    path = tmp_path / "x.yaml"
    path.write_text("a: [1e-6, 1E5, 1.0e-6, -2, 010, yes, off, n, true, '1e-6', 2020-01-01, 12:30]")
    expected = [1e-6, 1e5, 1e-6, -2, 10, "yes", "off", "n", True, "1e-6", date(2020, 1, 1), "12:30"]
    found = read_yaml(path)["a"]
    assert found == expected and list(map(type, found)) == list(map(type, expected))


@pytest.mark.parametrize("text", ["a: 1\n\tb: 2\n", "a: 1\nb: *\tc\n", "a: 1\nb:\n\t- c\n"])
def test_a_tab_is_named_in_words(tmp_path, text):
    (tmp_path / "x.yaml").write_text(text)
    with pytest.raises(ConfigError, match=r"x.yaml, line [23]: there is a tab") as error:
        read_yaml(tmp_path / "x.yaml")
    assert "\\t" not in str(error.value) and "\t" not in str(error.value)


@pytest.mark.parametrize("key", ["7", "true", "2020-01-01", "null", "[a]", "{a: 1}"])
def test_a_key_that_is_not_text_is_refused(tmp_path, key):
    (tmp_path / "x.yaml").write_text(f"a: 1\nb: {{x: 1, {key}: 2}}\n")
    with pytest.raises(ConfigError, match=r"x.yaml, line 2: the key.* is not text"):
        read_yaml(tmp_path / "x.yaml")


def test_a_repeated_key_is_named_without_its_values(tmp_path):
    (tmp_path / "x.yaml").write_text("a: {b: [1, 2]}\nc: 1\na: {b: [3, 4]}\n")
    with pytest.raises(ConfigError, match=r'x.yaml, line 3: found duplicate key "a"$'):
        read_yaml(tmp_path / "x.yaml")


def test_aliases_merges_and_large_files_are_read(tmp_path, monkeypatch):
    path = tmp_path / "x.yaml"
    path.write_text("a: &a {x: 1, y: [2, 3]}\nb: *a\nc: {<<: *a, x: 4}\n")
    assert read_yaml(path) == {
        "a": {"x": 1, "y": [2, 3]},
        "b": {"x": 1, "y": [2, 3]},
        "c": {"x": 4, "y": [2, 3]},
    }
    path.write_text(f"a: {list(range(3000))}\n")
    assert read_yaml(path) == {"a": list(range(3000))}
    monkeypatch.setattr(yaml_files, "LARGEST_DOCUMENT", 3000)
    yaml_files._load.cache_clear()
    with pytest.raises(ConfigError, match="at most 3,000 are allowed"):
        read_yaml(path)
