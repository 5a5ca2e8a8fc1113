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
WAYS = {"all sets", "one vote per series", "without stand-ins", "Web", "Adult", "others"}
README = (ROOT / "README.md").read_text(encoding="utf-8")
TEXT = " ".join(README.split())


def numbers(pattern):
    """Return the numbers in a sentence of README. Each # of the pattern stands for a number."""
    found = re.search(re.escape(pattern).replace(r"\#", r"(\d+(?:\.\d+)?)"), TEXT)
    assert found, f"README has no such sentence: {pattern}"
    return found.groups()


def is_rounded(text, value):
    """Return whether a printed number is this value after rounding."""
    return abs(float(text) - value) <= 0.5001 * 10.0 ** -len(text.partition(".")[2])


def is_lower_bound(text, value):
    """Return whether "at least `text`" is true of the value. The number must be as close to the
    value as its digits allow.
    """
    return 0 <= value - float(text) < 10.0 ** -len(text.partition(".")[2])


def is_upper_bound(text, value):
    return 0 <= float(text) - value < 10.0 ** -len(text.partition(".")[2])


@pytest.fixture(scope="module")
def families():
    """Return the median speed-ups in CPU seconds, by method, rung and selection of data sets."""
    rows = pd.read_csv(TABLES / "beyond-ladder-families.csv").query("measure == 'speedup'")
    assert set(rows["over"]) == WAYS
    return rows.set_index(["method", "rung", "over"]).sort_index()


@pytest.fixture(scope="module")
def ladder():
    """Return a table with a row for each data set, rung and method."""
    return pd.read_csv(TABLES / "beyond-ladder-table.csv")


@pytest.fixture(scope="module")
def fw(ladder):
    """Return the rows of FW, by rung and data set."""
    return ladder.query("method == 'fw'").set_index(["rung", "dataset"]).sort_index()


def test_readme_has_at_most_70_lines_of_at_most_100_characters():
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 70 and max(map(len, lines)) <= 100


def test_the_picture_is_that_of_the_release():
    assert "](figures/released/beyond-ladder.svg)" in TEXT


def test_the_question_counts_the_printed_speed_ups(fw):
    faster, total = numbers(
        "In print, FW is faster on # of the # data sets that we run (four of them replace missing"
        " files)."
    )
    printed = fw.loc["printed", "speedup"]
    assert (int(faster), int(total)) == ((printed > 1).sum(), len(printed))
    assert fw.loc["printed", "stand_in"].sum() == 4


def test_the_answer_counts_the_sets(fw, families):
    faster, total, behind, behind_in_print, gap, slower = numbers(
        "our FW is faster on # of the # sets. Its accuracy is # percentage points lower in the"
        " median (in print: #). In each step, CVM solves a quadratic program to an *inner"
        " tolerance*. With the inner tolerance of LibCVM, the program of CVM's authors, FW wins on"
        " the Web sets (w1a to w8a), and CVM on the Adult sets (a1a to a7a). If both methods search"
        " all points until the relative duality gap is #, which is our test and not the papers', FW"
        " is slower on # sets. On the other two sets, both methods reached the time limit."
    )
    inferred, equal = fw.loc["as_run"], fw.loc["gap 0.01"]
    assert not inferred["unknown"].any() and len(inferred) == len(equal) == int(total)
    assert (inferred["speedup"] > 1).sum() == int(faster)
    assert is_rounded(behind, -inferred["difference"].median())
    printed = pd.read_csv(TABLES / "summary.csv").query("protocol == 'as_run'")
    printed = printed.pivot_table(index="dataset", columns="method", values="printed_accuracy")
    assert len(printed) == int(total)
    assert is_rounded(behind_in_print, (printed["cvm"] - printed["fw"]).median())
    for over, order in (("Web", "faster"), ("Adult", "slower")):
        assert families.loc["fw", "inner", over]["order"] == order
    assert float(gap) == 0.01
    known = equal[~equal["unknown"]]
    assert (known["speedup"] < 1).sum() == len(known) == int(slower)
    assert len(equal) - len(known) == 2


ROWS = {
    "printed in the papers": "printed",
    "a program of two of the authors, 10 sets": "authors_program",
    "our runs, inferred settings": "as_run",
    "only CVM's inner tolerance as in LibCVM": "inner",
    "only the patience as in LibCVM": "only_patience",
    "both as in LibCVM": "patient",
    "LibCVM's tolerance; all points, to gap 0.01": "gap 0.01",
}


@pytest.mark.parametrize("row", ROWS)
def test_the_table_of_medians(families, row):
    (line,) = [line for line in README.splitlines() if line.startswith(f"| {row} |")]
    cells = [cell.strip() for cell in line.strip("|").split("|")][1:]
    columns = [("fw", over) for over in ("all sets", "Web", "Adult")]
    columns += [("mfw", "all sets"), ("swap2o", "all sets")]
    for (method, over), cell in zip(columns, cells, strict=True):
        if (method, ROWS[row]) == ("swap2o", "printed"):
            assert cell == ""  # there are too few printed numbers
            continue
        found = families.loc[method, ROWS[row], over]
        bound, number, undecided = re.fullmatch(r"([≤≥])?([\d.]+)( \?)?", cell).groups()
        assert is_rounded(number, found["median"]), (over, cell)
        assert {"at most": "≤", "at least": "≥"}.get(found["bound"]) == bound
        assert (undecided is None) == (found["order"] in ("faster", "slower"))
    assert "On the nine other sets, FW always has a question mark." in TEXT
    others = families.loc["fw", ROWS[row], "others"]
    assert others["order"] in ("tie", "open") and others["sets"] in (4, 9)


def test_which_settings_make_most_of_the_speed_up(families, fw):
    """On Web, each of the two settings divides FW's median by at least 4. On Adult, only the inner
    tolerance does.
    """
    found = families.loc["fw"]["median"]
    for setting in ("inner", "only_patience"):
        for over in ("all sets", "Web"):
            assert found["as_run", over] > 4 * found[setting, over]
    assert found["as_run", "Adult"] > 4 * found["inner", "Adult"]
    assert found["only_patience", "Adult"] == pytest.approx(found["as_run", "Adult"], rel=0.1)
    printed, ours, of_all, of_series = numbers(
        "On the ten sets of the authors' program, the printed median is #, and ours is #. Our FW is"
        " about 9 times as fast as the program's, but our CVM only 4.4 times. If Web and Adult"
        " count as one set each, FW's median of # becomes #."
    )
    ten = fw.loc["authors_program", "speedup"].dropna().index
    assert len(ten) == 10
    for text, rung in ((printed, "printed"), (ours, "as_run")):
        assert is_rounded(text, fw.loc[rung, "speedup"][ten].median())
    assert is_rounded(of_all, found["as_run", "all sets"])
    assert is_rounded(of_series, found["as_run", "one vote per series"])


def test_speed_costs_accuracy(ladder):
    least, most, patience, web_most = numbers(
        "There, FW is # to # percentage points less accurate than CVM. With patience #, it loses at"
        " most # points."
    )
    assert patience == "7"

    def loss(rung):
        rows = ladder.query("rung == @rung").set_index("dataset")
        fw, cvm = (rows[rows["method"] == method]["accuracy"] for method in ("fw", "cvm"))
        return cvm - fw

    inferred, with_patience = loss("as_run"), loss("only_patience")
    web = inferred.index.str.match("w")
    assert web.sum() == 8 and list(with_patience.index) == list(inferred.index)
    assert is_rounded(least, inferred[web].min()) and is_rounded(most, inferred[web].max())
    assert is_upper_bound(web_most, with_patience[web].max())


def test_swap2o_at_the_equal_gap(families):
    texts = numbers(
        "At the gap of 0.01, it is # times as fast on Web, and # times on Adult. On the other sets,"
        " there is no clear winner."
    )
    rows = families.loc["swap2o", "gap 0.01"]
    for text, over in zip(texts, ("Web", "Adult"), strict=True):
        assert is_rounded(text, rows.loc[over, "median"]) and rows.loc[over, "order"] == "faster"
    assert rows.loc["others", "order"] in ("tie", "open")


def test_statements_are_counted():
    counts = numbers(
        "We test # [statements](results/released/tables/claims.md) of the papers.** Of these, # are"
        " reproduced, # agree only in direction, # are not reproduced, and # are not decided."
    )
    claims = pd.read_csv(TABLES / "claims.csv").query("headline")["outcome"]
    verdicts = ("reproduced", "same direction", "not reproduced")
    found = [(claims == verdict).sum() for verdict in verdicts]
    assert [int(count) for count in counts] == [len(claims), *found, len(claims) - sum(found)]


def test_the_default_gap():
    assert numbers("the gap over all points: by default at most #") == (f"{FrankWolfeSVC().eps:g}",)


def test_the_solver_on_the_drawn_problems():
    texts = numbers(
        "We timed it on # random problems of 900 to 27,000 points, with defaults and AVX-512. In"
        " the median, it trains # times as fast as `SVC` (slower on # problems), and # times as"
        " fast as scikit-learn-intelex (slower on #). The median accuracy equals that of `SVC`; the"
        " worst is # points lower. Its models have # times as many support vectors, but predict #"
        " times as fast."
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
    rows = pd.read_csv(TABLES / "beyond-ladder-inner.csv").set_index(["changed", "dataset"])
    alone = rows.loc["inner_tolerance", "speedup"]
    least, most = re.search(
        r"tolerance alone makes CVM (\S+) to (\S+) times as fast", text
    ).groups()
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


def test_our_code_against_the_authors_program():
    text = " ".join((ROOT / "docs/results.md").read_text(encoding="utf-8").split())
    least, most, cvm = re.search(
        r"each of our four Frank-Wolfe methods is (\S+) to (\S+) times as fast as the same method"
        r" of the program\. Our CVM is only (\S+) times as fast",
        text,
    ).groups()
    rows = pd.read_csv(TABLES / "beyond-ladder-table.csv").set_index(["dataset", "method"])
    theirs, ours = (rows.loc[rows["rung"] == of, "time"] for of in ("authors_program", "as_run"))
    medians = (theirs / ours).dropna().groupby("method").median()
    assert is_rounded(cvm, medians.pop("cvm"))
    assert is_rounded(least, medians.min()) and is_rounded(most, medians.max())
