"""The readers on a few random inputs each; `python tests/fuzz/run.py --seconds 600` tries many more."""

import pytest
from fuzz_targets import (
    CATALOGUE,
    COMPRESSED,
    CSV_CASES,
    IDX,
    LIBSVM,
    TARGETS,
    Target,
    config,
    models,
    prepared,
)
from hypothesis import given
from hypothesis import strategies as st
from run import fuzz, main


@pytest.mark.parametrize("name", TARGETS)
def test_readers_read_or_refuse(name):
    @given(TARGETS[name].inputs)
    def try_inputs(case):
        TARGETS[name].check(case)

    try_inputs()


WHOLE = {
    "libsvm": [(content, None, 2**24) for content in LIBSVM],
    "csv": CSV_CASES,
    "idx": IDX[:2],
    "compressed": COMPRESSED[:3],
    "catalogue": [CATALOGUE],
}


@pytest.mark.parametrize("name", TARGETS)
def test_what_is_damaged_is_right_before(name):
    late = {"config": config, "model": lambda: models()[0], "prepared": lambda: ("meta.json", prepared()[1])}
    for case in WHOLE.get(name) or [late.get(name, lambda: b"[]\n")()]:
        assert TARGETS[name].check(case)


def test_a_failing_reader_is_reported(monkeypatch, capsys):
    monkeypatch.setitem(TARGETS, "idx", Target(st.binary(), lambda content: 1 / (len(content) < 3)))
    assert fuzz("idx", 5, 0)[2].count("ZeroDivisionError")
    assert main(["--seconds", "0", "idx"]) == 1
    printed = capsys.readouterr()
    assert "FAILED" in printed.out and "ZeroDivisionError" in printed.err
