"""What YAML allows and a catalogue does not: keys that are no text, numbers that are not finite, endless aliases."""

import pytest

from fwsvm.base.errors import ConfigError
from fwsvm.cli import main
from fwsvm.datasets import schema
from fwsvm.datasets.catalogue import load_catalogue
from fwsvm.datasets.schema import check, read_yaml

ENTRY = "{source: {sklearn: iris}, split: {fraction: 0.3, seed: 1}%s}\n"
GENERATED = "x: {source: {generator: two_circles, size: 10, seed: 1%s}, split: {test_size: 5}}\n"
FROM_FILE = "x: {source: {files: {train: {%s}}}, split: {fraction: 0.3, seed: 1}}\n"
URL = "name: a/x, url: 'https://example.org/x', sha256: unverified"
WRONG = {
    "integer as name": ("7: " + ENTRY % "", r"line 1: the key 7 is not text .* put it into quotes, \"7\""),
    "truth as name": ("yes: " + ENTRY % "", r"line 1: the key True is not text .* put it into quotes, \"yes\""),
    "line end in name": ('"x\\n": ' + ENTRY % "", r"'x\\n' is not right; wanted: a name of letters"),
    "300 characters": ("x" * 300 + ": " + ENTRY % "", r"is not right; wanted: a name of .* at most 100"),
    "divide nan": ("x: " + ENTRY % ", scaling: {divide: .nan}", r"x\.scaling\.divide: nan is not a finite number"),
    "divide inf": ("x: " + ENTRY % ", scaling: {divide: .inf}", r"x\.scaling\.divide: inf is not a finite number"),
    "minmax inf": ("x: " + ENTRY % ", scaling: {minmax: [0, .inf]}", r"x\.scaling\.minmax\.1: inf is not a finite"),
    "sigma2 nan": ("x: " + ENTRY % ", sigma2: .nan", r"x\.sigma2: nan is not a finite number"),
    "fraction nan": ("x: {source: {sklearn: iris}, split: {fraction: .nan, seed: 1}}", r"x\.split\.fraction: nan is"),
    "noise inf": (GENERATED % ", parameters: {noise: .inf}", r"x\.source\.parameters\.noise: inf is not a finite"),
    "features 3.0": ("x: " + ENTRY % ", features: 3.0", r"x\.features: 3\.0 is of the wrong type; wanted: integer"),
    "features 2e9": ("x: " + ENTRY % ", features: 2000000000", r"from 1 to 100,000,000 \(a vector of so many takes"),
    "seed 1.0": ("x: {source: {sklearn: iris}, split: {fraction: 0.3, seed: 1.0}}", r"x\.split\.seed: 1\.0 is of the"),
    "line end in file name": (FROM_FILE % URL.replace("a/x", '"a/x\\n"'), r"'a/x\\n' is not right; wanted: a rel"),
    "line end in sum": (FROM_FILE % URL.replace("unverified", '"unverified\\n"'), r"'unverified\\n' is not right"),
    "line end in url": (FROM_FILE % URL.replace("/x'", "/ x'"), r"'https://example.org/ x' is not right"),
    "itself": ("x: &x {source: *x}\n", r"line 1: its aliases \(\*name\) stand for more than 1,000,000 values"),
    "brackets": ("x: " + "[" * 600, "lists or mappings are nested too deeply"),
    "closed brackets": ("x: " + "[" * 10**5 + "]" * 10**5, "lists or mappings are nested too deeply"),
}


@pytest.mark.parametrize(("text", "words"), WRONG.values(), ids=WRONG)
def test_catalogue_is_refused_with_the_reason(write_catalogue, text, words):
    path = write_catalogue(text)
    with pytest.raises(ConfigError, match=words) as error:
        load_catalogue(path)
    assert str(error.value).startswith(str(path))
    assert len(str(error.value)) < len(str(path)) + 300


def test_aliases_that_stand_for_a_trillion_values_are_refused_at_once(write_catalogue):
    ten = ", ".join(["%s"] * 10)
    lines = [f"a0: &a0 [{ten % (('x',) * 10)}]"]
    lines += [f"a{k}: &a{k} [{ten % ((f'*a{k - 1}',) * 10)}]" for k in range(1, 12)]
    with pytest.raises(ConfigError, match="its aliases"):
        read_yaml(write_catalogue("\n".join(lines)))


def test_aliases_that_another_reader_resolved_are_refused_too(monkeypatch):
    monkeypatch.setattr(schema, "LARGEST_DOCUMENT", 1000)
    value = ["x"] * 10
    for _ in range(11):
        value = [value] * 10
    with pytest.raises(ConfigError, match="more than 1,000 values"):
        check({"a": value}, {"type": "object"}, "config")


def test_name_in_quotes_is_a_name(write_catalogue):
    assert list(load_catalogue(write_catalogue('"7": ' + ENTRY % ""))) == ["7"]


def test_command_prints_the_reason(write_catalogue, capsys):
    assert main(["datasets", "list", "--catalogue", str(write_catalogue("no: " + ENTRY % ""))]) == 2
    assert "the key False is not text" in capsys.readouterr().err
