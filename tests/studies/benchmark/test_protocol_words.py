from synthetic_runs import draw, make_runs

from fwsvm.studies.benchmark.protocol import missing_sets, protocol_heading, repetitions


def test_uneven_repetitions():
    runs = make_runs(datasets=("a1a", "w1a"), protocols=("as_printed",), repetitions=3)
    runs = runs.drop(runs.index[(runs["dataset"] == "a1a") & (runs["repetition"] > 0)])
    assert repetitions(runs) == "1 to 3 repetitions"
    assert protocol_heading(runs, "all_points") == "All points: settings not recorded (no runs)"


def test_missing_sets():
    assert missing_sets(["a", "b"], ["a", "b", "c"], {"mine": "no file"}) == ""
    said = missing_sets(["a", "b", "c", "d"], ["a"], {"b": "gone", "d": "gone"})
    assert said == "Not available: b, d. Not run: c."
    assert missing_sets(map(str, range(9)), [], {}, "the benchmark") == "Not run: 9 data sets of the benchmark."


def test_a_size_that_is_not_the_printed_one_gives_its_reason():
    sizes = {"name": "reuters", "m": 7770, "t": 3299, "K": 2, "m_max": 7770, "m_min": 7770, "n": 8343}
    table = draw("frandi2013-table1", [{**sizes, "differs": {"n": "the original terms are lost"}}])
    assert table.footnotes[0][1] == "Differs from the printed value: the original terms are lost"
    assert draw("frandi2013-table1", [sizes]).footnotes[0][1] == "Differs from the printed value."
