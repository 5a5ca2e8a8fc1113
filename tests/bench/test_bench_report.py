"""The benchmark's report, targets and figure, on made-up rows."""

import re

import pandas as pd
import pytest
from bench_rows import SVC_PACE, full_record, growth_row, peer_rows
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from fwsvm.bench import figure, report
from fwsvm.bench.libcvm import anchors, machine_pace
from fwsvm.bench.runner import Bench, Record
from fwsvm.bench.targets import best_ratios, scaled_to_this_machine, targets


@pytest.fixture(scope="module")
def record(tmp_path_factory):
    return full_record(tmp_path_factory.mktemp("bench") / "bench.json")


def verdicts(record):
    return {target.statement: target for target in targets(record)}


def test_anchors_hold_the_printed_cells():
    table = anchors()
    cell = table[(table["dataset"] == "w8a") & (table["C"] == 1)].set_index("cache_mb")
    assert cell.loc[200, "seconds"] == 175 and cell.loc[2000, "seconds"] == 44
    assert cell.loc[200, "svc_seconds"] == 10.3 and cell.loc[200, "l2_support_vectors"] == 13451
    assert table.loc[table["is_lower_bound"], ["dataset", "C", "seconds"]].values.tolist() == [["ijcnn1", 1, 240]]
    assert (table["gamma_over_beta"] == 0.5).sum() == 39  # 36 cells, two larger caches, one checkerboard


def test_pace_is_the_median_of_the_svc_ratios(record):
    pace, cells = machine_pace(record.rows("peers"))
    assert pace == pytest.approx(SVC_PACE) and cells == 24
    assert machine_pace(pd.DataFrame()) == (1.0, 0)


def test_libcvm_is_scaled_to_a_slower_machine(record):
    rows = scaled_to_this_machine(record.rows("libcvm"), record.rows("peers"))
    first = rows.iloc[0]  # ours takes LibCVM's seconds on a machine half as fast
    assert first["scaled_peer_s"] == pytest.approx(0.44) and first["ratio"] == pytest.approx(2.0)


def test_best_ratio_takes_the_faster_method(record):
    best = best_ratios(record.rows("peers"))
    assert len(best) == 27
    assert best.loc[best["case"] == "a7a", "ratio"].tolist() == pytest.approx([2.0] * 3)
    assert best.loc[best["case"] == "mnist (3, 8)", "ratio"].tolist() == pytest.approx([10.0] * 3)


def test_targets_compare_with_the_right_row(record):
    found = verdicts(record)
    column = found["one column, dense 50000 x 22, float32, over its bound from main memory"]
    assert (column.measured, column.met) == (1.25, True)
    swap = found["a7a, C = 1, SWAP"]
    assert swap.measured == pytest.approx(16.02) and swap.met is False
    assert found["SVC / ours, median over data sets and C"].measured == pytest.approx(6.0)
    board = found["checkerboard, cvm, time at 1,000,000 over time at 100,000 points"]
    assert (board.measured, board.met) == (1.0, True)
    assert found["a7a, cache 200 MB, peak memory over 1.1 x cache + 50 MB"].met is True
    assert found["kdd99-10pc, largest pair, full selection, peak memory"].met is None


def test_targets_of_an_empty_run_are_not_measured(tmp_path):
    empty = Record(tmp_path / "bench.json", Bench(quick=True))
    assert {target.met for target in targets(empty)} == {None}


def test_markdown_marks_what_a_reader_must_know(record):
    text = report.as_markdown(record, "bench")
    assert "| a4a | 64 | 0.5 | 1 | 0.01 | SWAP-2o | 20.0 | ≥ 20.0 | ≤ 0.0500 |" in text  # stopped by its limit
    assert "| SVC of scikit-learn-intelex | – | not installed: x | – |" in text
    assert "| > 480 |" in text  # LibCVM was stopped at 240 s, twice that here
    assert "failed: x" in text
    assert f"SVC took {SVC_PACE:.2f} times its seconds there (median of 24 cells)" in text
    assert "SWAP on checkerboard 1.00" in text and "SVC on a9a 2.00" in text


def test_markdown_tables_are_rectangular(record):
    for block in re.findall(r"(?:^\|.*\n)+", report.as_markdown(record, "bench"), flags=re.MULTILINE):
        widths = {len(re.findall(r"(?<!\\)\|", line)) for line in block.splitlines()}
        assert len(widths) == 1, block


def test_csv_holds_every_row(record, tmp_path):
    csv, _ = report.write_tables(record, tmp_path / "bench")
    table = pd.read_csv(csv)
    assert len(table) == len(record.rows())
    assert list(dict.fromkeys(table["section"])) == [
        "limits",
        "kernels",
        "peers",
        "libcvm",
        "race",
        "growth",
        "memory",
    ]


def test_figure_shows_each_ratio_once(record):
    drawn = figure.draw(record)
    assert isinstance(drawn, Figure) and len(drawn.axes) == 4
    ratios = [line for line in drawn.axes[0].lines if len(line.get_xdata()) == 1]
    assert sorted(float(line.get_xdata()[0]) for line in ratios) == pytest.approx(sorted(record.rows("peers")["ratio"]))


def test_text_of_the_figure_is_not_cut_off_and_does_not_overlap(record):
    drawn = figure.draw(record)
    FigureCanvasAgg(drawn).draw()
    page = drawn.bbox
    for axes in drawn.axes:
        texts = [*axes.yaxis.get_majorticklabels(), *axes.texts, axes.xaxis.label, axes.yaxis.label]
        for text in texts:
            if text.get_text() and text.get_visible() and not text.get_text().startswith("$"):
                box = text.get_window_extent()
                assert box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1, text.get_text()
                assert box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1, text.get_text()
        if (legend := axes.get_legend()) is not None:
            assert legend.get_window_extent().x1 <= page.x1 + 1
            assert not any(t.get_window_extent().overlaps(legend.get_window_extent()) for t in axes.texts)


def test_figure_of_few_rows_is_drawn(tmp_path):
    record = Record(tmp_path / "bench.json", Bench(quick=True))
    record.add("peers", {"a": 1}, peer_rows("a4a", 64, 1.0, 0.5, 0.25))
    record.add("growth", {"a": 1}, [growth_row("a9a", "swap", 1000, 0.1)])
    paths = figure.write(record, tmp_path / "bench")
    assert {path.suffix for path in paths} == {".svg", ".pdf", ".png"}
    assert all(path.stat().st_size for path in paths)
