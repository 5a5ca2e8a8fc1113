"""README is short, and its numbers are those of the released run and of the measured files."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from fwsvm import FrankWolfeSVC
from fwsvm_papers.runs.records import read_runs

ROOT = Path(__file__).parents[1]
TABLES = ROOT / "results/released/tables"
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
    rows = pd.read_csv(TABLES / "beyond-ladder-families.csv").query("measure == 'speedup'")
    assert set(rows["over"]) == WAYS
    return rows.set_index(["method", "rung", "over"]).sort_index()


def test_readme_has_at_most_70_lines_of_at_most_100_characters():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 70 and max(map(len, lines)) <= 100


def test_fw_leads_with_the_inferred_settings_in_every_way_of_counting(families):
    over_all, least, printed = numbers(
        "**With the inferred settings FW leads**: its speed-up is # over all sets, and at least #"
        " in each way. The papers print #"
    )
    own = families.loc["fw", "as_run"]
    assert set(own["order"]) == {"faster"}
    assert is_rounded(over_all, own.loc["all sets", "median"])
    assert is_lower_bound(least, own["median"].min())
    assert is_rounded(printed, families.loc[("fw", "printed", "all sets"), "median"])


def test_the_answer_counts_the_sets():
    total, *counts = numbers(
        "our FW is faster than our CVM on all # data sets. With equal tolerances and stopping rules"
        " it is slower on # and faster on #; a time limit leaves # open."
    )
    ladder = pd.read_csv(TABLES / "beyond-ladder-table.csv").query("method == 'fw'")
    authors, patient = (ladder[ladder["rung"] == rung] for rung in ("as_run", "patient"))
    assert (authors["speedup"] > 1).sum() == len(authors) == int(total)
    decided = patient[~patient["unknown"]]
    slower, faster = (decided["speedup"] < 1).sum(), (decided["speedup"] > 1).sum()
    assert [int(count) for count in counts] == [slower, faster, patient["unknown"].sum()]


def test_on_web_the_lead_costs_accuracy():
    least, most, adult_least = numbers(
        "FW keeps # to # % of this gain there, and over # % on Adult."
    )
    rows = pd.read_csv(ROOT / "figures/released/beyond-majority.csv")
    rows = rows.query("method == 'fw' and protocol == 'as_run'")
    kept = rows.set_index("dataset")["kept"]
    web, adult = kept[kept.index.str.match("w")], kept[kept.index.str.match(r"a\d")]
    assert is_rounded(least, web.min()) and is_rounded(most, web.max())
    assert (len(web), len(adult)) == (8, 7) and (adult > float(adult_least)).all()


def test_the_inner_solver_explains_the_median_but_not_web(families):
    before, after, web, left, most = numbers(
        "With the inner solver of LibCVM, the program of CVM's authors, # becomes #, which is a"
        " tie; on Web # becomes #. With its stopping rule, too, FW's speed-up is at most # in each"
        " way."
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


def test_auto_is_faster_than_cvm_at_the_same_gap_in_every_way_of_counting(families):
    gap, over_all, least, certified = numbers(
        "**Our method `auto` is faster than CVM.** To the same certified gap of # its speed-up is #"
        " over all sets, and at least # in each way. With the time of the certificates it is #."
    )
    own = families.loc["auto", f"gap {gap}"]
    assert set(own["order"]) == {"faster"} and set(own["bound"]) <= {"exact", "at least"}
    assert is_rounded(over_all, own.loc["all sets", "median"])
    assert is_lower_bound(least, own["median"].min())
    runs = read_runs(ROOT / "results/released/runs.tsv.gz")
    runs = runs[(runs["experiment"] == "ladder") & (runs["eps"] == float(gap))]
    runs = runs.assign(seconds=runs["train_cpu_s"] + runs["certify_cpu_s"])
    seconds = runs.pivot_table(index="dataset", columns="method", values="seconds")
    assert is_rounded(certified, (seconds["cvm"] / seconds["auto"]).median())


def test_swap_methods_stay_faster_on_the_two_series_only(families):
    least, most = numbers("SWAP-2o are # to # times as fast as CVM on Web and Adult; elsewhere")
    own = families.loc[(["swap", "swap2o"], "patient"), :].reset_index().set_index("over")
    series = own.loc[["Web", "Adult"]]
    assert set(series["order"]) == {"faster"} and set(own.loc["others", "order"]) == {"tie"}
    assert is_rounded(least, series["median"].min()) and is_rounded(most, series["median"].max())


def test_sets_of_the_two_series_are_counted():
    in_series, total = numbers("# of the # sets belong to two series")
    names = pd.read_csv(TABLES / "beyond-ladder-table.csv")["dataset"].drop_duplicates()
    assert (int(in_series), int(total)) == (names.str.fullmatch(r"[aw]\da").sum(), len(names))


def test_accuracies_are_close_to_the_printed_ones():
    (points,) = numbers("differ from the printed ones by at most # points in the median.")
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
        "We drew # problems of 900 to 27,000 points, and ran each solver with its defaults. `SVC`"
        " takes # times as long as ours (median), and is faster on #. scikit-learn-intelex takes #"
        " times as long, and is faster on #. Our accuracy equals that of `SVC` in the median, and"
        " is # points lower in the worst case. Our models have # times as many support vectors"
        " (median), but predict # times as fast."
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


SETS = ["a1a", "a3a", "a5a", "reuters", "usps", "w1a", "w4a", "w6a"]


@pytest.fixture(scope="module")
def again():
    """FW's and SWAP-2o's speed-ups on eight sets: in the release, and measured again."""
    released = pd.read_csv(TABLES / "beyond-ladder-table.csv")
    today = pd.read_csv(ROOT / "docs/benchmarks/headline.csv")
    return [
        rows[rows["dataset"].isin(SETS)].pivot_table(
            index=["method", "rung"], columns="dataset", values="speedup"
        )
        for rows in (released, today)
    ]


def test_eight_sets_measured_again(again):
    released, today = (rows.median(axis=1) for rows in again)
    fw, fw_before, swap, swap_before = numbers(
        "FW's speed-up with the inferred settings is now # instead of #; that of SWAP-2o with equal"
        " settings is # instead of #."
    )
    assert is_rounded(fw, today["fw", "as_run"]) and is_rounded(fw_before, released["fw", "as_run"])
    assert is_rounded(swap, today["swap2o", "patient"])
    assert is_rounded(swap_before, released["swap2o", "patient"])


def test_the_table_of_the_eight_sets(again):
    text = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    rungs = {
        "authors' settings": "as_run",
        "inner tolerance as in LibCVM": "inner",
        "only the patience as in LibCVM": "only_patience",
        "both stop alike": "patient",
        "all points, to a gap of 0.01": "gap 0.01",
    }
    released, today = (rows.median(axis=1) for rows in again)
    table = text[text.index("#### Measured again") :].split("\n* ")[0]
    text = " ".join(text.split())
    for words, rung in rungs.items():
        (line,) = [each for each in table.splitlines() if each.startswith(f"| {words} |")]
        cells = [cell.strip() for cell in line.strip("|").split("|")[1:]]
        pairs = [(rows, method) for method in ("fw", "swap2o") for rows in (released, today)]
        for cell, (rows, method) in zip(cells, pairs, strict=True):
            assert (cell == "") == ((method, rung) not in rows.index)
            assert not cell or is_rounded(cell, rows[method, rung])
    own = again[1].loc[("fw", "as_run")]
    assert (
        f"FW is {own['a1a']:.1f} instead of 5.2" in text and f"is {own['usps']:.2f} instead" in text
    )
    alike = again[1].loc[("swap2o", "patient")]
    assert (alike.drop("usps") > 1).all() and f"on usps ({alike['usps']:.2f})" in text


def test_the_inner_settings_apart():
    text = " ".join((ROOT / "docs/results.md").read_text(encoding="utf-8").split())
    rows = pd.read_csv(ROOT / "docs/benchmarks/headline.csv").set_index(["rung", "dataset"])
    alone = rows.loc["inner settings: inner_tolerance", "speedup"]
    words = "{:.0f} times as fast on a1a, {:.1f} on w1a and {:.1f} on w4a"
    assert words.format(*alone[["a1a", "w1a", "w4a"]]) in text
    others = [f"inner settings: {name}" for name in ("inner_fixed", "inner_steps")]
    change = (rows.loc[others, "speedup"] - 1).abs().max()
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
