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


def counts(rows):
    """Return how often FW is faster and slower than CVM, and how often this is unknown."""
    known = rows["speedup"][~rows["unknown"]]
    return (known > 1).sum(), (known < 1).sum(), rows["unknown"].sum()


def test_the_question_counts_the_printed_speed_ups(fw):
    total, faster = numbers(
        "We run # data sets (four of them are [stand-ins](docs/words.md) for missing files). In"
        " print, FW is faster on # of them."
    )
    printed = fw.loc["printed"]
    assert (int(faster), int(total)) == ((printed["speedup"] > 1).sum(), len(printed))
    assert printed["stand_in"].sum() == 4


def test_the_answer_with_the_inferred_settings(fw, families):
    faster, total, times, behind = numbers(
        "Our FW is faster on # of the # sets. In the median, it is # times as fast as our CVM, and"
        " # percentage points less accurate."
    )
    inferred = fw.loc["as_run"]
    assert counts(inferred) == (int(faster), int(total) - int(faster), 0)
    assert is_rounded(times, families.loc["fw", "as_run", "all sets"]["median"])
    assert is_rounded(behind, -inferred["difference"].median())


def test_the_answer_with_the_settings_of_libcvm(fw, families):
    slower, faster = numbers("FW is slower on # sets, faster on #, and on one we cannot tell.")
    assert counts(fw.loc["patient"]) == (int(faster), int(slower), 1)
    assert families.loc["fw", "patient", "all sets"]["order"] == "slower"


def test_the_answer_at_equal_precision(fw):
    gap, slower, unknown = numbers(
        "(a relative duality gap of # over all points): no.** FW is slower on # sets. On the other"
        " #, both methods reached the time limit."
    )
    assert counts(fw.loc[f"gap {gap}"]) == (0, int(slower), int(unknown))


def test_two_settings_decide(families):
    """On Web, each of the two settings divides FW's median by at least 4. On Adult, only the inner
    tolerance does.
    """
    found = families.loc["fw"]
    medians = found["median"]
    for setting in ("inner", "only_patience"):
        for over in ("all sets", "Web"):
            assert medians["as_run", over] > 4 * medians[setting, over]
    assert medians["as_run", "Adult"] > 4 * medians["inner", "Adult"]
    words = (
        "If only the patience is LibCVM's, FW stays faster in the median. If only the inner"
        " tolerance is, FW wins on the Web sets, and CVM on the Adult sets."
    )
    assert words in TEXT
    assert found["order"]["only_patience", "all sets"] == "faster"
    assert list(found["order"]["inner"][["Web", "Adult"]]) == ["faster", "slower"]


def test_why_our_speed_ups_are_larger(families, ladder):
    printed, ours, theirs, in_series, of_all, of_series = numbers(
        "The printed median is #. One reason is that our code favours FW: compared with a program"
        " of the papers' authors, our FW is about # times as fast, and our CVM # times. Also, # of"
        " the 24 sets belong to two series, Web and Adult. If each series counts as one set, our"
        " median of # becomes #."
    )
    rows = ladder.set_index(["dataset", "method"])
    program, own = (rows.loc[rows["rung"] == of, "time"] for of in ("authors_program", "as_run"))
    ratios = (program / own).dropna().groupby("method").median()
    assert is_rounded(ours, ratios["fw"]) and is_rounded(theirs, ratios["cvm"])
    sets = families.loc["fw", "as_run"]["sets"]
    assert sets["Web"] + sets["Adult"] == int(in_series) and sets["all sets"] == 24
    medians = families.loc["fw"]["median"]
    assert is_rounded(printed, medians["printed", "all sets"])
    assert is_rounded(of_all, medians["as_run", "all sets"])
    assert is_rounded(of_series, medians["as_run", "one vote per series"])


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


def test_swap2o_keeps_a_lead(families, ladder):
    faster, slower, gap = numbers(
        "With LibCVM's settings, it is faster than CVM on # sets, and slower on #. At the gap of #,"
        " it is about twice as fast on Web and Adult. On the other sets, there is no clear winner."
    )
    own = ladder.query("method == 'swap2o'").set_index(["rung", "dataset"])
    assert counts(own.loc["patient"])[:2] == (int(faster), int(slower))
    rows = families.loc["swap2o", f"gap {gap}"]
    assert rows["median"][["Web", "Adult"]].between(1.85, 2.15).all()
    assert (rows["order"][["Web", "Adult"]] == "faster").all()
    assert rows.loc["others", "order"] in ("tie", "open")


def test_statements_are_counted():
    counts = numbers(
        "We test # [statements](results/released/tables/claims.md) of the papers.** Of these, # are"
        " reproduced, # agree only in direction, # are not reproduced, and # could not be tested in"
        " full."
    )
    claims = pd.read_csv(TABLES / "claims.csv").query("headline")["outcome"]
    verdicts = ("reproduced", "same direction", "not reproduced")
    found = [(claims == verdict).sum() for verdict in verdicts]
    assert [int(count) for count in counts] == [len(claims), *found, len(claims) - sum(found)]


def test_the_default_gap():
    assert numbers("the gap over all points: by default at most #") == (f"{FrankWolfeSVC().eps:g}",)


def test_the_solver_on_the_drawn_problems():
    texts = numbers(
        "We timed it on # random problems (half of them parts of real data sets) of 900 to 27,000"
        " points, with defaults and AVX-512. In the median, it trains # times as fast as `SVC`"
        " (slower on # problems), and # times as fast as scikit-learn-intelex (never slower). The"
        " median accuracy equals that of `SVC`; the worst is # points lower. Its models have #"
        " times as many support vectors, but predict # times as fast."
    )
    rows = pd.read_csv(ROOT / "docs/benchmarks/grid.csv").set_index(["problem", "solver"])
    ours, svc, intelex = (rows.xs(name, level="solver") for name in ("auto-0.01", "SVC", "intelex"))
    values = [len(ours)]
    ratio = svc["fit_cpu_s"] / ours["fit_cpu_s"]
    values += [ratio.median(), (ratio < 1).sum()]
    ratio = intelex["fit_cpu_s"] / ours["fit_cpu_s"]
    assert (ratio > 1).all()
    values += [ratio.median()]
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
