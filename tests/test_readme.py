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


def test_the_answer(fw, ladder):
    faster, total, text, both, *swap2o = numbers(
        "FW beats CVM on # of # data sets with the settings that we infer, on # with those of the"
        " papers' text, and on # with the *tolerance* and *patience* of LibCVM, the program of"
        " CVM's authors. FW's variant SWAP-2o beats CVM on #, # and # data sets."
    )
    by_rung = ladder.query("method == 'swap2o'").set_index(["rung", "dataset"]).sort_index()
    assert counts(fw.loc["as_run"]) == (int(faster), int(total) - int(faster), 0)
    assert counts(fw.loc["patient"])[0] == int(both)
    found = [counts(by_rung.loc[rung])[0] for rung in ("as_run", "patient")]
    assert found == [int(swap2o[0]), int(swap2o[2])]
    # another test compares the row of the table with the runs
    (row,) = re.findall(r"\| settings of the papers' text .*?\|(.*)\|", README)
    assert re.findall(r" (\d+) \(", row)[::2] == [text, swap2o[1]]


def test_the_printed_median_of_the_ten_sets_of_the_authors_program(fw):
    printed, ours = numbers("the papers' median is #, too, and ours #.")
    timed = fw.loc["authors_program", "speedup"].dropna().index
    assert len(timed) == 10
    medians = {
        rung: fw.loc[rung, "speedup"][timed].median()
        for rung in ("printed", "authors_program", "as_run")
    }
    assert is_rounded(printed, medians["printed"]) and is_rounded(ours, medians["as_run"])
    assert is_rounded(printed, medians["authors_program"])  # the "too" of the sentence


# the rows of README's table, and their rungs
ROWS = {
    "printed in the papers": "printed",
    "inferred settings: tolerance 1e-7, patience 1": "as_run",
    "only the tolerance as in LibCVM (starts at 1e-3)": "inner",
    "only the patience as in LibCVM (7)": "only_patience",
    "tolerance and patience as in LibCVM": "patient",
    "all points searched, to a relative gap of 0.01": "gap 0.01",
}


@pytest.mark.parametrize("row", ROWS)
def test_the_table_of_settings(row, ladder, families):
    cells = re.search(re.escape(f"| {row} |") + r"([^\n]*)", README)[1].split("|")
    rung = ROWS[row]
    for method, cell in zip(("fw", "mfw", "swap2o"), cells, strict=False):
        rows = ladder[(ladder["method"] == method) & (ladder["rung"] == rung)]
        if cell.strip() == "in figures":
            assert rows.empty
            continue
        faster, bound, median = re.fullmatch(r" (\d+) \((≤ )?([\d.]+)\) ", cell).groups()
        assert counts(rows)[0] == int(faster)
        found = families.loc[method, rung, "all sets"]
        assert is_rounded(median, found["median"])
        assert bool(bound) == (found["bound"] == "at most")


def test_what_both_settings_of_libcvm_leave(families):
    (times,) = numbers(
        "CVM is over # times as fast as FW in the median** (a tie outside Adult). * **SWAP-2o then"
        " keeps a small lead in seconds** on Web and Adult, but requests more kernel values."
    )
    found = families.loc["fw", "patient"]
    ways = ["all sets", "one vote per series", "without stand-ins", "Adult"]
    assert (found["order"][ways] == "slower").all()
    assert int(times) < (1 / found["median"][ways]).min() < int(times) + 1
    assert (found["order"][["Web", "others"]] == "tie").all()
    found = families.loc["swap2o", "patient"]
    assert (found["order"][["all sets", "Web", "Adult"]] == "faster").all()
    assert (found["median"][["all sets", "Web", "Adult"]] < 2.0).all()
    requested = pd.read_csv(TABLES / "beyond-ladder-families.csv").set_index(
        ["measure", "method", "rung", "over"]
    )
    requested = requested.sort_index()
    requested = requested.loc["speedup_in_kernel_values", "swap2o", "patient"]["order"]
    assert (requested[["all sets", "Web", "Adult"]] == "slower").all()


def test_the_accuracy_that_a_patience_of_1_costs(fw):
    inferred, printed, patient = numbers(
        "**A patience of 1 costs FW accuracy:** # percentage points in the median (printed: #),"
        " but none on Adult. A patience of 7 costs #, but fits the printed accuracies only on"
        " Adult."
    )
    for text, rung in ((inferred, "as_run"), (printed, "printed"), (patient, "only_patience")):
        assert is_rounded(text, -fw.loc[rung, "difference"].median())
    assert fw.loc["as_run", "difference"].filter(regex=r"^a\da$").median() > 0.0
    print_of = fw.loc["printed", "accuracy"]
    patience_1, patience_7 = (
        (fw.loc[rung, "accuracy"] - print_of).abs() for rung in ("as_run", "only_patience")
    )
    web, adult = (patience_1.index.str.fullmatch(pattern) for pattern in (r"w\da", r"a\da"))
    assert patience_7[adult].median() < 0.05
    for family in (web, ~web & ~adult):
        assert patience_7[family].median() > 3 * patience_1[family].median()


def test_the_row_in_which_only_cvm_has_libcvms_settings(ladder):
    label = "| inferred settings, but CVM's tolerance and patience of LibCVM |"
    cells = re.search(re.escape(label) + r"(.*)\|", README)[1].split("|")
    rows = ladder.set_index(["method", "rung", "dataset"]).sort_index()
    for method, cell in zip(("fw", "mfw", "swap2o"), cells, strict=True):
        speedup = rows.loc[("fw", "patient"), "cvm_time"] / rows.loc[(method, "as_run"), "time"]
        faster, median = re.fullmatch(r" (\d+) \(([\d.]+)\) ", cell).groups()
        assert (speedup > 1).sum() == int(faster) and is_rounded(median, speedup.median())


def test_the_two_settings_are_those_of_the_configuration():
    config = yaml.safe_load((ROOT / "config/paper.yaml").read_text(encoding="utf-8"))
    inferred, libcvm = (config["protocols"][name] for name in ("as_run", "libcvm"))
    assert config["benchmark"]["inner_tolerance"] == 1e-3 and libcvm["patience"] == 7
    assert inferred["inner_tolerance"] == 1e-7 and inferred["patience"] == 1


def test_the_row_of_the_settings_of_the_text():
    (row,) = re.findall(r"\| settings of the papers' text .*?\|(.*)\|", README)
    runs = pd.read_csv(ROOT / "results/released/runs.tsv.gz", sep="\t", low_memory=False)
    runs = runs[runs["experiment"] == "benchmark"]
    undisturbed = runs[~runs["disturbed"].astype(bool)]
    where = ["protocol", "method", "dataset"]
    times = undisturbed.groupby(where)["train_cpu_s"].mean()
    # of disturbed runs, the mean is used only if there are no others
    times = times.combine_first(runs.groupby(where)["train_cpu_s"].mean())
    for method, cell in zip(("fw", "mfw", "swap2o"), row.split("|"), strict=True):
        speedups = times["as_printed", "cvm"] / times["as_printed", method]
        faster, median = re.fullmatch(r" (\d+) \(([\d.]+)\) ", cell).groups()
        assert len(speedups) == 24 and (speedups > 1).sum() == int(faster)
        assert is_rounded(median, speedups.median())


def test_what_could_be_wrong(families, ladder):
    in_series, of_all_sets, of_all, of_series, ours, theirs, protein, kdd = numbers(
        "Web and Adult, # of # sets (web pages, census data; [four](docs/words.md) are stand-ins)."
        " If each series counts once, FW's median # becomes #. On Adult, our FW is # times as fast"
        " as the authors' program; our CVM is only # times as fast. We lack two sets with printed"
        " speed-ups of # and #."
    )
    stand_ins = ladder.query("method == 'fw' and rung == 'as_run' and stand_in")["dataset"]
    assert len(stand_ins) == 4 and stand_ins.str.fullmatch(r"[aw]\da").all()
    # another test compares these two numbers with the papers
    limits = " ".join((ROOT / "docs/limits.md").read_text(encoding="utf-8").split())
    assert f"speed-ups from {protein} (FW)" in limits and f"a speed-up of {kdd}." in limits
    rows = ladder[ladder["dataset"].str.fullmatch(r"a\da")].set_index(["dataset", "method"])
    program, own = (rows.loc[rows["rung"] == of, "time"] for of in ("authors_program", "as_run"))
    ratios = (program / own).dropna().groupby("method").median()
    assert is_rounded(ours, ratios["fw"]) and is_rounded(theirs, ratios["cvm"])
    sets = families.loc["fw", "as_run"]["sets"]
    assert sets["Web"] + sets["Adult"] == int(in_series)
    assert sets["all sets"] == int(of_all_sets)
    medians = families.loc["fw"]["median"]
    assert is_rounded(of_all, medians["as_run", "all sets"])
    assert is_rounded(of_series, medians["as_run", "one vote per series"])


def test_statements_are_counted():
    reproduced, total, direction, failed = numbers(
        "# of # printed [statements](results/released/tables/claims.md) are reproduced.** # agree"
        " in direction, [# do not](docs/results.md"
    )
    (partly,) = numbers("which-statements-hold), and # are undecided.")
    claims = pd.read_csv(TABLES / "claims.csv").query("headline")["outcome"]
    verdicts = ("reproduced", "same direction", "not reproduced")
    found = [(claims == verdict).sum() for verdict in verdicts]
    expected = [len(claims), *found, len(claims) - sum(found)]
    assert [int(each) for each in (total, reproduced, direction, failed, partly)] == expected


def test_the_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names = {}
    exec(code, names)
    assert 0.0 < names["model"].relative_gap_ <= 0.01
    assert names["model"].score(names["X"], names["y"]) > 0.99


def test_the_default_gap():
    assert numbers("the largest gap of all class pairs: by default at most #") == (
        f"{FrankWolfeSVC().eps:g}",
    )


def test_the_solver_on_random_problems():
    total, svc_times, svc_slower, intelex_times, intelex_slower = numbers(
        "On # random problems of 900 to 27,000 points (some used for tuning), default training is #"
        " times as fast as `SVC` in the median (slower on #), and # times as fast as"
        " scikit-learn-intelex (slower on #)."
    )
    loss, _, predict_times = numbers(
        "at worst # points below `SVC` (new: #). **Prediction:** # times as fast."
    )
    rows = pd.read_csv(ROOT / "docs/benchmarks/grid.csv").set_index(["problem", "solver"])
    ours, svc, intelex = (rows.xs(name, level="solver") for name in ("auto-0.01", "SVC", "intelex"))
    assert len(ours) == int(total)
    peers = ((svc, svc_times, svc_slower), (intelex, intelex_times, intelex_slower))
    for peer, times, slower in peers:
        ratio = peer["fit_cpu_s"] / ours["fit_cpu_s"]
        assert is_rounded(times, ratio.median()) and (ratio < 1).sum() == int(slower)
    assert is_rounded(predict_times, (svc["predict_cpu_s"] / ours["predict_cpu_s"]).median())
    points = 100 * (ours["accuracy"] - svc["accuracy"])
    assert points.median() == 0 and is_rounded(loss, -points.min())
    sizes = ours.index.str.extract(r" (\d+) x ")[0].astype(int)
    assert (sizes.min(), sizes.max()) == (898, 26_956)


def test_the_solver_on_small_problems():
    total, most, times, slower = numbers(
        "On # new ones of at most #,000 points, it is # times as fast as `SVC` (slower on #)."
    )
    rows = pd.read_csv(ROOT / "docs/benchmarks/grid-small.csv").set_index(["problem", "solver"])
    ours, svc = (rows.xs(name, level="solver") for name in ("auto-0.01", "SVC"))
    ratio = svc["fit_cpu_s"] / ours["fit_cpu_s"]
    sizes = ours.index.str.extract(r" (\d+) x ")[0].astype(int)
    assert sizes.max() <= 1000 * int(most)
    assert (len(ours), (ratio < 1).sum()) == (int(total), int(slower))
    assert is_rounded(times, ratio.median())
    (loss,) = numbers("points below `SVC` (new: #).")
    points = 100 * (ours["accuracy"] - svc["accuracy"])
    assert abs(points.median()) < 0.05 and is_rounded(loss, -points.min())


def test_fw_with_a_patience_of_1_against_the_cvm_of_libcvm(ladder):
    text = " ".join((ROOT / "docs/results.md").read_text(encoding="utf-8").split())
    found = re.search(
        r"FW is faster on (\d+) sets\.\*\* The papers may.*? all (\d+) sets of Web, on none of the"
        r" (\d+) sets of Adult, and on (\d+) of the (\d+) others\. Its median speed-up is (\S+)\."
        r" SWAP-2o is faster on (\d+) sets, with a median speed-up of (\S+)\.",
        text,
    ).groups()
    rows = ladder.set_index(["method", "rung", "dataset"]).sort_index()
    fw, swap2o = (
        rows.loc[("fw", "patient"), "cvm_time"] / rows.loc[(method, "as_run"), "time"]
        for method in ("fw", "swap2o")
    )
    series = {name: fw.filter(regex=rf"^{name}\da$") for name in "wa"}
    others = fw.drop([*series["w"].index, *series["a"].index])
    assert (series["w"] > 1).all() and not (series["a"] > 1).any()
    expected = [(fw > 1).sum(), len(series["w"]), len(series["a"]), (others > 1).sum(), len(others)]
    assert [int(each) for each in found[:5]] == expected
    assert int(found[6]) == (swap2o > 1).sum()
    assert is_rounded(found[5], fw.median()) and is_rounded(found[7], swap2o.median())


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


def test_the_statements_that_are_not_reproduced_are_listed():
    text = (ROOT / "docs/results.md").read_text(encoding="utf-8")
    listed = text.split("**These do not hold (not reproduced).**")[1].split("####")[0]
    (count,) = re.findall(r"These are all (\d+)\.", listed)
    claims = pd.read_csv(TABLES / "claims.csv").query("headline and outcome == 'not reproduced'")
    rows = [line.strip("|").split(" | ") for line in listed.splitlines() if line.startswith("| ")]
    assert all(len(cells) == 3 for cells in rows)
    papers = [paper.strip() for cells in rows[1:] for paper in cells[0].split(", ")]
    assert int(count) == len(claims)
    assert sorted(papers) == sorted(claims["paper"])
