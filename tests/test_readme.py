"""Test that the README is short, and that its numbers are those of the released run and of the
measured files.
"""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from fwsvm import FrankWolfeSVC

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "results/released/tables"
MEASURED = ROOT / "docs/benchmarks"
WAYS = {"all sets", "one vote per series", "without stand-ins", "Web", "Adult", "others"}
TEXT = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())


def numbers(pattern):
    """Return the numbers of a sentence of README; each # of the pattern is one."""
    found = re.search(re.escape(pattern).replace(r"\#", r"(\d+(?:\.\d+)?)"), TEXT)
    assert found, f"README has no such sentence: {pattern}"
    return found.groups()


def is_rounded(text, value):
    """Whether a printed number is this value, rounded."""
    return abs(float(text) - value) <= 0.5001 * 10.0 ** -len(text.partition(".")[2])


def is_lower_bound(text, value):
    """Whether "at least `text`" is true of this value, and as close as its digits allow."""
    return 0 <= value - float(text) < 10.0 ** -len(text.partition(".")[2])


def is_upper_bound(text, value):
    return 0 <= float(text) - value < 10.0 ** -len(text.partition(".")[2])


@pytest.fixture(scope="module")
def families():
    """Median speed-ups in CPU seconds, by method, rung and way of counting."""
    rows = pd.read_csv(MEASURED / "headline-families.csv").query("measure == 'speedup'")
    assert set(rows["over"]) == WAYS
    return rows.set_index(["method", "rung", "over"]).sort_index()


def test_readme_has_at_most_70_lines_of_at_most_100_characters():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 70 and max(map(len, lines)) <= 100


@pytest.fixture(scope="module")
def ladder():
    """A row for each data set, rung and method, without the printed numbers and those of the
    authors' program.
    """
    rows = pd.read_csv(MEASURED / "headline.csv")
    return rows[~rows["rung"].isin(["printed", "authors_program"])]


def test_the_picture_is_that_of_the_measured_table():
    assert "](docs/benchmarks/headline.svg)" in TEXT and (MEASURED / "headline.svg").is_file()


def test_fw_leads_with_the_inferred_settings(families):
    texts = numbers(
        "Its speed-up is # over all sets, # on Web and # on Adult. On the others it is #, a tie:"
        " the 95 % interval contains 1. The papers print # over all sets."
    )
    own = families.loc["fw", "as_run"]
    for text, over in zip(texts, ("all sets", "Web", "Adult", "others"), strict=False):
        assert is_rounded(text, own.loc[over, "median"])
        assert own.loc[over, "order"] == ("tie" if over == "others" else "faster")
    assert is_rounded(texts[-1], families.loc[("fw", "printed", "all sets"), "median"])


def test_the_answer_counts_the_sets(ladder):
    faster, total, slower, alike = numbers(
        "our FW is faster than our CVM on # of # data sets. If CVM solves its quadratic programs as"
        " in LibCVM, its authors' program, and both methods stop by the same rule, FW is slower on"
        " # and faster on #."
    )
    fw = ladder.query("method == 'fw'")
    authors, patient = (fw[fw["rung"] == rung] for rung in ("as_run", "patient"))
    assert not authors["unknown"].any() and len(authors) == int(total)
    assert (authors["speedup"] > 1).sum() == int(faster)
    assert not patient["unknown"].any()
    assert (patient["speedup"] < 1).sum() == int(slower)
    assert (patient["speedup"] > 1).sum() == int(alike)


def test_on_web_the_lead_costs_accuracy(ladder):
    least, most, adult_least = numbers(
        "FW has only # to # % of this advantage on Web, and over # % on Adult."
    )
    rows = ladder.query("method == 'fw' and rung == 'as_run'")
    kept = rows.set_index("dataset")["kept"]
    web, adult = kept[kept.index.str.match("w")], kept[kept.index.str.match(r"a\d")]
    assert is_rounded(least, web.min()) and is_rounded(most, web.max())
    assert (len(web), len(adult)) == (8, 6) and (adult > float(adult_least)).all()


def test_the_inner_solver_explains_the_median_but_not_web(families):
    before, after, web, left, most = numbers(
        "If CVM solves them as in LibCVM, FW's speed-up falls from # to # over all sets, a tie, and"
        " from # to # on Web. If both methods also stop by LibCVM's rule, FW's speed-up is at most"
        " # in each way."
    )
    authors, inner = families.loc["fw", "as_run"], families.loc["fw", "inner"]
    assert is_rounded(before, authors.loc["all sets", "median"])
    assert is_rounded(after, inner.loc["all sets", "median"])
    assert inner.loc["all sets", "order"] == "tie"
    assert is_rounded(web, authors.loc["Web", "median"])
    assert is_rounded(left, inner.loc["Web", "median"]) and inner.loc["Web", "order"] == "faster"
    own = families.loc["fw", "patient"]
    assert is_upper_bound(most, own["median"].max()) and float(most) < 1
    assert set(own["bound"]) <= {"exact", "at most"}


def test_auto_is_faster_than_cvm_at_the_same_gap_on_the_two_series(families):
    gap, over_all, least = numbers(
        "**Our method `auto` is faster than CVM on Web and Adult.** To an equal relative duality"
        " gap of # its speed-up is # over all sets, and at least # in each way. On the others this"
        " is a tie."
    )
    own = families.loc["auto", f"gap {gap}"]
    assert is_rounded(over_all, own.loc["all sets", "median"])
    assert is_lower_bound(least, own["median"].min()) and float(least) > 1
    assert set(own.loc[["Web", "Adult"], "order"]) == {"faster"}
    assert own.loc["others", "order"] == "tie"


def test_swap_methods_stay_faster_on_the_two_series_only(families):
    least, most = numbers("SWAP-2o are # to # times as fast as CVM on Web and Adult, and tie")
    own = families.loc[(["swap", "swap2o"], "patient"), :].reset_index().set_index("over")
    series = own.loc[["Web", "Adult"]]
    assert set(series["order"]) == {"faster"} and set(own.loc["others", "order"]) == {"tie"}
    assert is_rounded(least, series["median"].min()) and is_rounded(most, series["median"].max())


def test_sets_of_the_two_series_are_counted(ladder):
    in_series, total = numbers("# of these # sets belong to two series")
    names = ladder["dataset"].drop_duplicates()
    assert (int(in_series), int(total)) == (names.str.fullmatch(r"[aw]\da").sum(), len(names))


def test_accuracies_are_close_to_the_printed_ones():
    (points,) = numbers("differ from the printed ones by at most # points in the median")
    rows = pd.read_csv(TABLES / "frandi2013-table2.csv").query("protocol == 'as_run'")
    medians = [rows[f"{method}_difference"].abs().median() for method in ("cvm", "fw", "mfw")]
    assert is_rounded(points, max(medians))


def test_reproduced_statements_are_counted():
    reproduced, total = re.search(r"We reproduce (\d+) of (\d+) \[statements\]", TEXT).groups()
    claims = pd.read_csv(TABLES / "claims.csv").query("headline")
    assert (int(total), int(reproduced)) == (len(claims), (claims["outcome"] == "reproduced").sum())


def test_the_default_gap():
    assert numbers("certified: by default at most #") == (f"{FrankWolfeSVC().eps:g}",)


def test_the_solver_on_the_drawn_problems():
    texts = numbers(
        "We drew # random problems of 900 to 27,000 points, and ran each solver with its defaults."
        " `SVC` trains # times as long as our solver in the median, and is faster on #."
        " scikit-learn-intelex trains # times as long, and is faster on #. Our accuracy equals that"
        " of `SVC` in the median, and is # points lower in the worst case. Our models have # times"
        " as many support vectors (median), but predict # times as fast."
    )
    rows = pd.read_csv(ROOT / "docs/benchmarks/grid.csv").set_index(["problem", "solver"])
    ours, svc, intelex = (rows.xs(name, level="solver") for name in ("auto-0.01", "SVC", "intelex"))
    values = [len(ours)]
    for peer in (svc, intelex):
        ratio = peer["fit_cpu_s"] / ours["fit_cpu_s"]
        values += [ratio.median(), (ratio < 1).sum()]
    points = 100 * (ours["accuracy"] - svc["accuracy"])
    assert points.median() == 0
    values += [-points.min()]
    values += [(ours["n_sv"] / svc["n_sv"])[svc["end"] == "done"].median()]
    values += [(svc["predict_cpu_s"] / ours["predict_cpu_s"]).median()]
    for text, value in zip(texts, values, strict=True):
        assert is_rounded(text, value)
    sizes = ours.index.str.extract(r" (\d+) x ")[0].astype(int)
    assert (sizes.min(), sizes.max()) == (898, 26_956)


def test_the_inner_settings_apart():
    text = " ".join((ROOT / "docs/results.md").read_text(encoding="utf-8").split())
    rows = pd.read_csv(MEASURED / "headline-inner.csv").set_index(["changed", "dataset"])
    alone = rows.loc["inner_tolerance", "speedup"]
    least, most = re.search(r"Alone it makes CVM (\S+) to (\S+) times as fast", text).groups()
    assert is_rounded(least, alone.min()) and is_rounded(most, alone.max())
    change = (rows.loc[["inner_fixed", "inner_steps"], "speedup"] - 1).abs().max()
    assert f"by at most {100 * change:.0f} %" in text


def test_the_papers_are_those_of_the_citation_file():
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))["references"]
    papers = [entry for entry in cited if entry["type"] != "software"]
    addresses = [
        f"https://doi.org/{entry['doi']}" if "doi" in entry else entry["url"]
        for entry in papers
        if {"doi", "url"} & set(entry)
    ]
    assert len(papers) == 5 and len(addresses) == 4
    assert [entry["title"] for entry in papers if entry["title"] not in TEXT] == []
    assert [address for address in addresses if address not in TEXT] == []


def test_our_code_today_against_the_authors_program():
    text = " ".join((ROOT / "docs/results.md").read_text(encoding="utf-8").split())
    least, most, cvm = re.search(
        r"With today's code the four are (\S+) to (\S+) times as fast as in the program, and CVM"
        r" (\S+) times\.",
        text,
    ).groups()
    rows = pd.read_csv(MEASURED / "headline.csv").set_index(["dataset", "method"])
    theirs, ours = (rows.loc[rows["rung"] == of, "time"] for of in ("authors_program", "as_run"))
    medians = (theirs / ours).dropna().groupby("method").median()
    assert is_rounded(cvm, medians.pop("cvm"))
    assert is_rounded(least, medians.min()) and is_rounded(most, medians.max())
