"""README is short, and its numbers are those of the released run and of the measured files."""

import re
from pathlib import Path

import pandas as pd
import pytest
import yaml

from fwsvm import FrankWolfeSVC

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


def test_fw_is_faster_with_the_authors_settings_in_every_way_of_counting(families):
    over_all, least = numbers(
        "**With the authors' settings FW is faster than CVM**: # times over all sets, and at"
        " least #."
    )
    own = families.loc["fw", "as_run"]
    assert set(own["order"]) == {"faster"}
    assert is_rounded(over_all, own.loc["all sets", "median"])
    assert is_lower_bound(least, own["median"].min())


def test_the_inner_tolerance_explains_most_of_it_in_every_way_of_counting(families):
    before, after = numbers("With that of LibCVM, its authors' program, # becomes # over all sets")
    assert "0.91 over all sets, a tie." in TEXT
    authors, inner = families.loc["fw", "as_run"], families.loc["fw", "inner"]
    assert is_rounded(before, authors.loc["all sets", "median"])
    assert is_rounded(after, inner.loc["all sets", "median"])
    assert inner.loc["all sets", "order"] == "tie"
    # The change takes away more than half of the speed-up on a logarithmic scale.
    assert (inner["median"] < authors["median"] ** 0.5).all()


def test_fw_is_slower_with_the_same_stopping_rule_in_every_way_of_counting(families):
    (most,) = numbers("**With LibCVM's stopping rule for both, FW is slower**: at most # times as")
    own = families.loc["fw", "patient"]
    assert is_upper_bound(most, own["median"].max()) and float(most) < 1
    assert set(own["bound"]) <= {"exact", "at most"}


def test_auto_is_faster_than_cvm_at_the_same_gap_in_every_way_of_counting(families):
    gap, over_all, least = numbers(
        "**To the same certified gap of # from the optimum, our method `auto` is faster than"
        " CVM**: # times over all sets, and at least #."
    )
    own = families.loc["auto", f"gap {gap}"]
    assert set(own["order"]) == {"faster"} and set(own["bound"]) <= {"exact", "at least"}
    assert is_rounded(over_all, own.loc["all sets", "median"])
    assert is_lower_bound(least, own["median"].min())


def test_swap_methods_stay_faster_on_the_two_series_only(families):
    least, most = numbers("stay faster than CVM on Web and Adult (# to # times); on the others")
    own = families.loc[(["swap", "swap2o"], "patient"), :].reset_index().set_index("over")
    series = own.loc[["Web", "Adult"]]
    assert set(series["order"]) == {"faster"} and set(own.loc["others", "order"]) == {"tie"}
    assert is_rounded(least, series["median"].min()) and is_rounded(most, series["median"].max())


def test_w8a_is_the_largest_speed_up():
    authors, patient = numbers("On w8a, # becomes # once both methods stop by the same rule.")
    ladder = pd.read_csv(TABLES / "beyond-ladder-table.csv").query("method == 'fw'")
    speedups = ladder.pivot_table(index="dataset", columns="rung", values="speedup")
    assert speedups["as_run"].idxmax() == "w8a" and len(speedups) == 24
    assert is_rounded(authors, speedups.loc["w8a", "as_run"])
    assert is_rounded(patient, speedups.loc["w8a", "patient"])


def test_sets_of_the_two_series_are_counted():
    in_series, total = numbers("# of the # sets belong to two series")
    names = pd.read_csv(TABLES / "beyond-ladder-table.csv")["dataset"].drop_duplicates()
    assert (int(in_series), int(total)) == (names.str.fullmatch(r"[aw]\da").sum(), len(names))


def test_accuracies_are_close_to_the_printed_ones():
    (points,) = numbers("Accuracies are within # points of the printed ones (medians).")
    rows = pd.read_csv(TABLES / "frandi2013-table2.csv").query("protocol == 'as_run'")
    medians = [rows[f"{method}_difference"].abs().median() for method in ("cvm", "fw", "mfw")]
    assert is_rounded(points, max(medians))


def test_reproduced_statements_are_counted():
    total, reproduced = re.search(
        r"Of (\d+) \[statements\]\S+ of the papers, (\d+) are", TEXT
    ).groups()
    claims = pd.read_csv(TABLES / "claims.csv").query("headline")
    assert (int(total), int(reproduced)) == (len(claims), (claims["outcome"] == "reproduced").sum())


def test_the_default_gap():
    assert numbers("certified: by default at most #") == (f"{FrankWolfeSVC().eps:g}",)


def test_the_solver_on_the_drawn_problems():
    texts = numbers(
        "On # drawn problems, all with their defaults, `SVC` takes # times as long as ours"
        " (median) and is faster on #; scikit-learn-intelex takes # times as long and is faster"
        " on #. Our accuracy is # points above `SVC`'s in the mean, at worst # below; our models"
        " have # times as many support vectors (median)."
    )
    rows = pd.read_csv(ROOT / "docs/benchmarks/grid.csv").set_index(["problem", "solver"])
    ours, svc, intelex = (rows.xs(name, level="solver") for name in ("auto-0.01", "SVC", "intelex"))
    values = [len(ours)]
    for peer in (svc, intelex):
        ratio = peer["fit_cpu_s"] / ours["fit_cpu_s"]
        values += [ratio.median(), (ratio < 1).sum()]
    points = 100 * (ours["accuracy"] - svc["accuracy"])
    values += [points.mean(), -points.min()]
    values += [(ours["n_sv"] / svc["n_sv"])[svc["end"] == "done"].median()]
    for text, value in zip(texts, values, strict=True):
        assert is_rounded(text, value)


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
