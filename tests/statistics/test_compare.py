"""Test `compare_table`, its result as text, and the command `fwsvm compare`, which uses both."""

import json
from importlib import resources

import numpy as np
import pandas as pd
import pytest

from fwsvm.cli import main
from fwsvm_papers.commands.compare import read_table
from fwsvm_papers.statistics.compare import compare_table, format_comparison, smallest_level
from fwsvm_papers.statistics.effects import hodges_lehmann
from fwsvm_papers.studies.registry import load_printed_means

TIMES = str(resources.files("fwsvm_papers.studies.frandi2013").joinpath("printed/time.csv"))


def _run(capsys, *arguments):
    code = main(["compare", *map(str, arguments)])
    captured = capsys.readouterr()
    return code, captured.out, captured.err


def _write(tmp_path, text, name="table.csv"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def _pairs(result):
    return {(pair["first"], pair["second"]): pair for pair in result["pairs"]}


def _monotone(n, columns=("a", "b", "c")):
    """Return a table in which every row ranks the columns in the same order. The last column is the
    largest.
    """
    values = np.arange(1.0, n + 1)[:, None] * np.arange(1.0, len(columns) + 1)
    return pd.DataFrame(values, index=[f"row{i}" for i in range(n)], columns=list(columns))


def test_command_replays_frandi2013(capsys):
    code, out, err = _run(capsys, TIMES, "--lower-is-better", "--json")
    assert (code, err) == (0, "")
    result = json.loads(out)
    assert (result["n"], result["columns"], result["dropped_rows"]) == (
        26,
        ["cvm", "fw", "mfw"],
        [],
    )
    pair = _pairs(result)["cvm", "fw"]
    assert (pair["statistic"], pair["better"], pair["first_better"], pair["second_better"]) == (
        17,
        "fw",
        5,
        21,
    )
    assert f"{pair['p_second_better']:.3e}" == "3.085e-06"
    assert f"{result['friedman']['f_statistic']:.3f}" == "14.858"
    pair = _pairs(json.loads(_run(capsys, TIMES.replace("time.csv", "accuracy.csv"), "--json")[1]))[
        "cvm", "fw"
    ]
    assert (pair["statistic"], pair["n_zeros"], pair["better"]) == (19, 1, "cvm")
    assert (pair["w_plus"], pair["w_minus"], f"{pair['p_first_better']:.3e}") == (
        331,
        19,
        "4.977e-06",
    )
    assert pair["p_second_better"] > 0.99


def test_text_shows_the_numbers_and_the_conclusion(capsys):
    code, out, _ = _run(capsys, TIMES, "--lower-is-better")
    assert code == 0
    lines = out.splitlines()
    table = [line.split() for line in lines]
    assert ["mfw", "1.538", "6.99"] in table
    assert ["cvm", "fw", "5", "0", "21", "17", "6.169e-06", "1.851e-05", "1", "3.085e-06"] in table
    assert any("F(2, 50) = 14.858, p = 8.619e-06" in line for line in lines)
    assert "  fw is better than cvm: significant at 1, 5 and 10 %" in lines
    assert any(line.startswith("  cvm - fw: ") for line in lines)
    assert all(line == line.rstrip() for line in lines)


def test_the_shift_has_an_interval_if_there_are_enough_rows():
    table = load_printed_means("frandi2013_accuracy")
    pair = _pairs(compare_table(table, lower_is_better=False))["cvm", "fw"]
    expected = hodges_lehmann(table["cvm"] - table["fw"])
    assert (pair["shift"], pair["shift_low"], pair["shift_high"]) == (
        expected.value,
        expected.low,
        expected.high,
    )
    few = compare_table(_monotone(5), lower_is_better=False)["pairs"][0]
    assert few["shift_low"] is few["shift_high"] is None and few["shift"] is not None


def test_direction_decides_who_is_better():
    frame = _monotone(8)
    low = compare_table(frame, lower_is_better=True)
    high = compare_table(frame, lower_is_better=False)
    assert [pair["better"] for pair in low["pairs"]] == ["a", "a", "b"]
    assert [pair["better"] for pair in high["pairs"]] == ["b", "c", "c"]
    assert low["mean_ranks"] == {"a": 1, "b": 2, "c": 3}
    assert high["mean_ranks"] == {"a": 3, "b": 2, "c": 1}
    for down, up in zip(low["pairs"], high["pairs"], strict=True):
        assert (
            (down["first_better"], down["second_better"])
            == (8, 0)
            == (up["second_better"], up["first_better"])
        )
        assert (down["p_first_better"], down["p_second_better"]) == (0.5**8, 1.0)
        assert (up["p_first_better"], up["p_second_better"]) == (1.0, 0.5**8)
        assert down["p_two_sided"] == up["p_two_sided"] == 0.5**7
        assert (down["w_plus"], down["w_minus"]) == (up["w_plus"], up["w_minus"]) == (0, 36)


def test_words_depend_on_holms_correction():
    result = compare_table(_monotone(7), lower_is_better=True)
    assert [pair["p_two_sided"] for pair in result["pairs"]] == [0.5**6] * 3
    assert [pair["p_holm"] for pair in result["pairs"]] == [3 * 0.5**6] * 3
    assert [pair["significant_at"] for pair in result["pairs"]] == [0.05] * 3
    assert (
        "  a is better than b: significant at 5 and 10 %" in format_comparison(result).splitlines()
    )
    result = compare_table(_monotone(6), lower_is_better=True)
    assert "  a is better than b: significant at 10 %" in format_comparison(result).splitlines()


def test_p_equal_to_a_level_is_significant_at_it():
    assert [smallest_level(p_value) for p_value in (0.01, 0.011, 0.05, 0.1, 0.2)] == [
        0.01,
        0.05,
        0.05,
        0.1,
        None,
    ]


def test_medians_and_ties_are_reported():
    frame = pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0], "b": [1.0, 2.0, 3.0, 4.0]}, index=list("wxyz"))
    result = compare_table(frame, lower_is_better=False)
    (pair,) = result["pairs"]
    assert (pair["better"], pair["n_zeros"], pair["p_two_sided"]) == (None, 4, 1.0)
    assert result["medians"] == {"a": 2.5, "b": 2.5}
    assert result["friedman"] is None
    assert "  a and b are equal in every row" in format_comparison(result).splitlines()


def test_full_agreement_is_ready_for_json_and_decided_by_the_number_of_rows():
    result = compare_table(_monotone(2), lower_is_better=True)
    friedman = json.loads(json.dumps(result, allow_nan=False))["friedman"]
    assert (friedman["f_statistic"], friedman["p_value"], friedman["significant_at"]) == (
        None,
        0.0,
        None,
    )
    assert "0.1667" in format_comparison(result)
    assert compare_table(_monotone(4), lower_is_better=True)["friedman"]["significant_at"] == 0.01
    one_row = compare_table(_monotone(1), lower_is_better=True)
    assert (
        one_row["friedman"] is None
        and [pair["p_two_sided"] for pair in one_row["pairs"]] == [1.0] * 3
    )


def test_rows_with_missing_values_are_left_out_and_named(tmp_path, capsys):
    text = "name,a,b\nr1,1,2\nr2,,3\nr3,2,NA\nr4,5,7\nr5,1,n/a\nr6,3,-\n\nr7,2,9\n"
    path = _write(tmp_path, text)
    _, out, _ = _run(capsys, path, "--json")
    result = json.loads(out)
    assert (result["n"], result["dropped_rows"]) == (3, ["r2", "r3", "r5", "r6"])
    _, out, _ = _run(capsys, path)
    assert "r2, r3, r5, r6" in out


@pytest.mark.parametrize("character", ["\u2028", "\x0c", "\x1c", "\x85"])
def test_names_keep_characters_that_separate_no_lines(tmp_path, character):
    frame = read_table(_write(tmp_path, f"name,a,b{character}c\nr{character}1,1,2\nr2,2,3\n"))
    assert list(frame.columns) == ["a", f"b{character}c"] and list(frame.index) == [
        f"r{character}1",
        "r2",
    ]


def test_columns_are_selected_by_either_name_in_the_order_given(tmp_path, capsys):
    _, out, _ = _run(capsys, TIMES, "--lower-is-better", "--json", "--columns", "mfw_mean,cvm")
    result = json.loads(out)
    assert result["columns"] == ["mfw", "cvm"]
    assert _pairs(result)["mfw", "cvm"]["w_plus"] == 20
    _, out, _ = _run(capsys, TIMES, "--json", "--columns", "cvm_std, fw_std")
    assert json.loads(out)["columns"] == ["cvm_std", "fw_std"]
    path = _write(tmp_path, "name,a,a_mean,b_mean,b_std\nr1,1,2,3,0\n")
    # without _mean, two columns would have the same name
    assert list(read_table(path).columns) == ["a", "a_mean", "b"]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        ("set,a,b\nx,1,2\ny,1,fast\n", [], ["'y'", "'b'", "'fast'"]),
        ("set,a_mean,b\nx,1 s,2\n", [], ["'x'", "'a_mean'", "'1 s'"]),
        ("set,a,b\nx,1,inf\n", [], ["'x'", "'b'", "'inf'"]),
        ("set,a,b\nx,1,2\ny,1\n", [], ["'y'", "2 cells"]),
        ("set,a,b\n", [], ["row"]),
        ("", [], ["row"]),
        ("set,a,b\nx,1,2\nx,3,4\n", [], ["'x'"]),
        ("set,a,b\nx,1,2\n", ["--columns", "a,c"], ["'c'", "a, b"]),
        ('set,a,b\n"x,1,2\n', [], ["line 2"]),
        ('set,a,b\n"x\n1",1,2\n"y"1,1,2\n', [], ["line 4"]),
        ("set,a,,b\nx,1,2,3\n", [], ["column 3", "no name"]),
        ("set,a,b,\nx,1,2,3\n", [], ["'x'", "4 cells"]),
        ("set,a,b,\nx,1,,\ny,1\n", [], ["'y'", "2 cells"]),
        ("x,1,2.5\ny,3,4\n", [], ["first line", "(1, 2.5)", "header line", "--columns"]),
        ("x;1;NA;1e3\ny;3;4;5\n", [], ["first line", "(1, 1e3)"]),
    ],
)
def test_bad_tables_end_with_what_and_where(tmp_path, capsys, text, options, words):
    path = _write(tmp_path, text)
    code, out, err = _run(capsys, path, "--lower-is-better", *options)
    assert (code, out) == (2, "")
    assert str(path) in err and all(word in err for word in words)
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    "text",
    [
        "set,a,b,\nx,1,2,\ny,3,5,\n",
        "set;a;b\nx;1;2;;\ny;3;5\n",
        "set\ta\tb\t\t\nx\t1\t2\ny\t3\t5\t \n",
    ],
)
def test_cells_after_the_last_column_are_left_out_if_they_are_empty(tmp_path, capsys, text):
    path = _write(tmp_path, text)
    code, out, err = _run(capsys, path, "--json")
    assert (code, json.loads(out)["columns"], json.loads(out)["n"]) == (0, ["a", "b"], 2)
    assert err.count("\n") == 1 and str(path) in err and "'b'" in err
    code, out, err = _run(capsys, _write(tmp_path, "set,a,b\nx,1,\ny,3,5\n"), "--json")
    # the last column has a missing value
    assert (code, json.loads(out)["dropped_rows"], err) == (0, ["x"], "")


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_only_line_ends_outside_of_quotes_end_a_row(tmp_path, end):
    """Python's str.splitlines also splits at the special characters in these names, but they must
    not end a row. The last name has a line end in quotes.
    """
    names = ["a\u2028b", "c\x0cd", "e\x0bf", "g\x1ch", "i\x85j"]
    rows = ["set,x,y", *(f"{name},1,2" for name in names), '"in two\nlines",3,4']
    path = tmp_path / "table.csv"
    path.write_bytes(end.join(rows).encode())
    table = read_table(path)
    assert table.index.tolist() == [*names, "in two\nlines"] and table["y"].tolist() == [
        2.0
    ] * 5 + [4.0]


@pytest.mark.parametrize(
    "header", ['"of, all, the, sets";a;b', '\n"in\nlines";a;b', '"a;b"\ta\tb', 'one "word", so;a;b']
)
def test_the_separator_is_the_one_that_parts_the_header(tmp_path, header):
    separator = header[-2]
    path = _write(tmp_path, f"{header}\nx{separator}1{separator}2\n")
    assert read_table(path).columns.tolist() == ["a", "b"]


def test_columns_may_have_numbers_as_names_if_they_are_listed_or_among_words(tmp_path):
    path = _write(tmp_path, "set,0.1,1,10\nx,1,2,3\n")
    assert read_table(path, ["1", "10"]).to_numpy().tolist() == [[2.0, 3.0]]
    path = _write(tmp_path, "set,0.1,1,fw\nx,1,2,3\n")
    assert read_table(path).columns.tolist() == ["0.1", "1", "fw"]


def test_unreadable_files_are_named(tmp_path, capsys):
    binary = _write(tmp_path, "", "binary.csv")
    binary.write_bytes(b"\xff\xfe\x00\x81")
    for path in (tmp_path / "absent.csv", tmp_path, binary):
        code, _, err = _run(capsys, path)
        assert code == 2 and str(path) in err
