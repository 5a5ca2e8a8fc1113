import pandas as pd
import pytest
from synthetic_runs import draw, make_runs

from fwsvm.studies import published
from fwsvm.studies.benchmark.hypotheses import evaluate
from fwsvm.studies.benchmark.significance_tables import comparison_label


@pytest.fixture(scope="module")
def printed_tests():
    """The tests on the printed means, so that ours must come out as printed."""
    tests = evaluate(published.load_means("frandi2013_time"), published.load_means("frandi2013_accuracy"))
    tests.insert(0, "protocol", "as_printed")
    return tests


@pytest.fixture(scope="module")
def runs():
    return make_runs(datasets=("a1a", "w1a"))


def cells(table, section=0):
    return [[cell.text for cell in row] for row in table.sections[section].rows]


def test_statistics_replay_the_paper(printed_tests, runs):
    time, accuracy = cells(draw("frandi2013-table5", printed_tests, runs))
    assert time == ["Time", "26", "17", "17", "20", "20", "159", "159", "14.858", "14.858"]
    assert accuracy[:4] == ["Accuracy", "26", "19", "19"]


def test_p_values_replay_the_paper_and_the_doubling_is_told(printed_tests, runs):
    table = draw("frandi2013-table6", printed_tests, runs)
    time, _ = cells(table)
    assert time[2:11] == ["3.085e-06", "", "3.085e-06", "5.528e-06", "", "5.528e-06", "0.6893", "", "0.6893"]
    assert float(time[11]) == pytest.approx(8.62e-6, rel=1e-2) and time[14] == "1.72e-05"
    assert float(time[13]) == pytest.approx(1.72e-5, rel=1e-2)


def test_hypotheses_stand_beside_the_printed(inputs):
    table = draw("nanculef2014-table2", inputs["tests"], inputs["runs"])
    rows = cells(table)
    assert len(rows) == 18 and len(table.sections) == 3
    assert rows[0][:3] == ["Time", "SWAP vs. FW", "SWAP is faster than FW"] and rows[0][6] == "0.03757"
    lost = next(row for row in rows if row[:2] == ["Time", "SWAP-2o vs. SWAP"])
    assert lost[6] == "–" and lost[8] == "H0"
    assert next(row for row in rows if row[1] == "CVM, FW, MFW, SWAP, SWAP-2o")[6] == "< 0.001"


def test_disagreement_is_marked(inputs):
    table = draw("nanculef2014-table2", inputs["tests"], inputs["runs"])
    for row in table.sections[0].rows:
        assert {row[7].text[:2], row[8].text[:2]} <= {"H0", "H1"}
        differs = row[7].text[:2] != row[8].text[:2]
        assert (row[9].text, row[9].bold) == (("no", True) if differs else ("yes", False))


def test_tests_read_back_from_a_file_look_the_same(inputs, tmp_path):
    inputs["tests"].to_csv(tmp_path / "tests.tsv", sep="\t", index=False)
    again = pd.read_csv(tmp_path / "tests.tsv", sep="\t")
    for name in ("frandi2013-table5", "frandi2013-table6", "nanculef2014-table2"):
        ours, read = (draw(name, tests, inputs["runs"]) for tests in (inputs["tests"], again))
        assert ours.to_markdown() == read.to_markdown()


def test_too_few_data_sets_are_told(demo_inputs):
    table = draw("frandi2013-table6", demo_inputs["tests"], demo_inputs["runs"])
    assert any("cannot be significant" in text for _, text in table.footnotes)


def test_only_the_papers_own_tests(inputs):
    table = draw("frandi2013-table5", inputs["tests"], inputs["runs"])
    assert set(table.frame["paper"]) == {"frandi2013"} and len(table.frame) == 24


def test_comparison_labels():
    assert comparison_label("swap2o-cvm", "wilcoxon") == "SWAP-2o vs. CVM"
    assert comparison_label("cvm-fw-mfw", "friedman-iman-davenport") == "CVM, FW, MFW"
