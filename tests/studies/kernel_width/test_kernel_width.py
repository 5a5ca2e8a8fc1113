"""CVM's accuracy at several kernel widths beside the printed one."""

import pytest
from synthetic_runs import make_gamma, make_runs

from fwsvm.reporting.skipping import NotDrawableError
from fwsvm.studies.kernel_width.artefacts import gamma_table, width_numbers

# frandi2013 table 2 prints 97.48 for CVM on letter and 97.80 on w1a.
RUNS = {("letter", 0.5): 96.38, ("letter", 2): 97.5, ("w1a", 0.5): 97.9, ("w1a", 2): 97.0}


def test_numbers_beside_the_printed():
    frame = width_numbers(make_gamma(RUNS)).set_index(["dataset", "factor"])
    assert frame.loc[("letter", 0.5), "difference"] == pytest.approx(96.38 - 97.48)
    assert frame.loc[("w1a", 2), "difference"] == pytest.approx(97.0 - 97.80)
    assert set(frame.index[frame["nearest"]]) == {("letter", 2), ("w1a", 0.5)}


def test_table_names_the_nearest_width():
    table = gamma_table(make_gamma(RUNS))
    bold = {row[0].text: [cell.text[:5] for cell in row if cell.bold] for row in table.sections[0].rows}
    assert bold == {"letter": ["97.50"], "w1a": ["97.90"]}
    assert "0.60 at 0.5/β (nearest on 1) and 0.41 at 2/β (nearest on 1) points" in table.caption


def test_a_set_without_printed_accuracy_a_missing_width_and_one_repetition():
    table = gamma_table(make_gamma({("mine", 0.5): 80, ("letter", 0.5): 96, ("letter", 2): 97}, repetitions=1))
    rows = {row[0].text: [cell.text for cell in row] for row in table.sections[0].rows}
    assert rows["mine"][1] == rows["mine"][-1] == "–" and rows["mine"][5] == "–"
    assert rows["letter"][3] == "96.00"


def test_runs_at_a_limit_are_marked():
    runs = make_gamma({("letter", 0.5): 96})
    table = gamma_table(runs.assign(stop_reason="time_limit"))
    assert table.sections[0].rows[0][3].marks and "limit" in table.footnotes[0][1]


def test_skipped_where_it_did_not_run():
    with pytest.raises(NotDrawableError, match="needs runs of the experiment gamma"):
        gamma_table(make_runs(datasets=("w1a",)))
