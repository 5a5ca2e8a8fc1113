"""YAML files of users: aliases that grow, values that cannot be read, and what still works."""

import pytest

from fwsvm.inputs.errors import ConfigError
from fwsvm_papers.datasets import schema
from fwsvm_papers.datasets.schema import read_yaml


def levels(first, line, count=9, times=9):
    """Nested aliases: each line has those of the line before `times` times."""
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
        ConfigError, match=r"x.yaml, line 1: with its aliases, the file has .* characters"
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
    monkeypatch.setattr(schema, "LARGEST_DOCUMENT", 3000)
    schema._load_strictly.cache_clear()
    with pytest.raises(ConfigError, match="at most 3,000 are allowed"):
        read_yaml(path)
