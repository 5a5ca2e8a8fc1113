"""Test the documentation. Its examples must run and print what the pages show, its reference must
be complete, and its links must have targets.
"""

import json
import re
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pandas as pd
import pytest
from released_race import released_race

import fwsvm
from fwsvm_papers.claims.claim import NOT_RUN, OUTCOMES
from fwsvm_papers.pipeline.budget import costs
from fwsvm_papers.runs.records import read_runs
from fwsvm_papers.studies.race.numbers import race_cases

DOCS = Path(__file__).parent.parent / "docs"


@pytest.mark.filterwarnings("error")
def test_examples_of_the_solver_page_print_what_the_page_shows(capsys):
    page = (DOCS / "solver.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    shown = " ".join(re.findall(r"```text\n(.*?)```", page, re.DOTALL))
    assert len(blocks) == 5
    names = {}
    for block in blocks:
        exec(block, names)
    assert names["model"].score(names["X_test"], names["y_test"]) > 0.93
    probabilities = names["calibrated"].predict_proba(names["X_test"])
    assert probabilities.shape == (len(names["X_test"]), 2)
    assert [model.C for model in names["models"]] == [1, 4, 16, 64]
    printed = capsys.readouterr().out
    number = r"[0-9][0-9.e-]*"
    # the last digits of a gap depend on the processor
    assert [float(x) for x in re.findall(number, printed)] == pytest.approx(
        [float(x) for x in re.findall(number, shown)], rel=0.05
    )
    assert re.sub(number, "", printed).split() == re.sub(number, "", shown).split()


def test_the_reference_has_every_public_name():
    listed = re.findall(r"^::: (fwsvm\.\S+)$", (DOCS / "api.md").read_text(), re.MULTILINE)
    assert sorted(path.rpartition(".")[2] for path in listed) == sorted(
        set(fwsvm.__all__) - {"__version__"}
    )


def test_the_named_builders_of_figures_exist():
    rows = re.findall(r"^    \| (`.*`) \|", (DOCS / "extending.md").read_text(), re.MULTILINE)
    names = re.findall(r"`(\w+)\.(\w+)`", " ".join(rows))
    assert len(names) > 5
    for module, name in names:
        assert callable(getattr(import_module(f"fwsvm_papers.reporting.{module}"), name))


def test_links_to_files_lead_somewhere():
    pages = [
        *DOCS.glob("*.md"),
        *(DOCS.parent / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ]
    links = [
        (page, link)
        for page in pages
        for link in re.findall(r"\]\(([^)#:]+)[^):]*\)", page.read_text())
    ]
    assert len(links) > 20
    assert [(page.name, link) for page, link in links if not (page.parent / link).exists()] == []


@pytest.mark.skipif(find_spec("mkdocs") is None, reason="MkDocs is not installed (extra `docs`)")
def test_pages_of_the_documentation_are_built_without_a_warning(tmp_path):
    command = [
        sys.executable,
        "-m",
        "mkdocs",
        "build",
        "--strict",
        "--quiet",
        "--site-dir",
        str(tmp_path),
    ]
    subprocess.run(command, cwd=DOCS.parent, check=True)
    loads = [
        re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="https?:', path.read_text())
        for path in tmp_path.rglob("*.html")
    ]
    assert len(loads) > 10 and not any(loads)
    reference = (tmp_path / "api.html").read_text()
    assert "certified" in reference
    # methods that only the solver calls are not in the reference
    assert [name for name in ("release", "against", "queries") if f".{name}" in reference] == []


AGGREGATES = ("median", "min", "max")
METHODS = ("fw", "mfw", "swap", "swap2o", "auto")
RUNGS = (
    "printed",
    "as_run",
    "as_printed",
    "inner",
    "only_patience",
    "patient",
    "gap 0.01",
    "gap 0.001",
)
ROWS = (
    "printed",
    "inferred settings",
    "settings of the papers' text",
    "inner tolerance as in LibCVM",
    "only the patience as in LibCVM",
    "inner tolerance and patience as in LibCVM",
    "gap of 0.01",
    "gap of 0.001",
)
AUTHORS = [
    f"authors {method} {source}" for method in ("fw", "mfw") for source in ("ours", "printed")
]
# Columns of the tables of ratios: the median, the number of cases in which the peer is faster, and
# the lowest ratio.
RACE = [f"{peer} {each}" for peer in ("svc", "intelex") for each in ("median", "slower", "min")]
RACE_ROWS = {
    0.001: r"\| 0.001 \| # \| # of 54 \| # \| # \| # of 54 \| # \|",
    0.01: r"\| 0.01 .default. \| # \| # \| # \| # \| # \| # \|",
    0.1: r"\| 0.1 \| # \| # \| # \| # \| # \| # \|",
}
GRID = [f"{peer} {each}" for peer in ("SVC", "intelex") for each in ("median", "slower")]
GRID_ROWS = {
    "auto-0.001": r"Random problems .tests.*?\| 0.001 \| # \| # of 60 \| # \| # \|",
    "auto-0.01": r"Random problems .tests.*?\| 0.01 .default. \| # \| # \| # \| # \|",
    "auto-0.1": r"Random problems .tests.*?\| 0.1 \| # \| # \| # \| # \|",
}
VERDICTS = ("reproduced", "same direction", "not reproduced", "not contradicted")
THIRD = [f"third verdicts {which}" for which in ("in all", "that differ", "that are better")]
# Sentences with numbers of the released run (# in a pattern), and the names of these numbers.
QUOTED = [
    (
        "docs/results.md",
        "FW has a median speed-up of #, and the printed median is #. MFW has a median speed-up of"
        " #, and the printed median is #",
        AUTHORS,
    ),
    *(
        ("docs/benchmarks.md", row, [f"race {eps:g} {number}" for number in RACE])
        for eps, row in RACE_ROWS.items()
    ),
    *(
        ("docs/benchmarks.md", row, [f"grid {name} {number}" for number in GRID])
        for name, row in GRID_ROWS.items()
    ),
    (
        "docs/benchmarks.md",
        r"Without these instructions, at the default gap, `auto` is # times as fast as `SVC` in the"
        r" median, and slower on # problems. It is # times as fast as intelex in the median, and"
        r" slower on # problem",
        [f"grid-avx2 auto-0.01 {number}" for number in GRID],
    ),
    (
        "docs/benchmarks.md",
        r"SVC`, to its accuracy \| # .*scikit-learn's `SVC` \| # .*of 0.001 \| ≥ # \(# to #\)",
        [
            "svc_ratio median",
            "intelex_ratio median",
            *(f"libsvm_ratio {each}" for each in ("median", "min", "max")),
        ],
    ),
    (
        "docs/results.md",
        "accuracies.* is # percentage points for CVM. It is # points for FW and # points for MFW",
        [f"{m} from print" for m in ("cvm", "fw", "mfw")],
    ),
    (
        "docs/results.md",
        (
            r"The papers contain # quantitative statements.*\| reproduced \| # \|"
            r" \| not contradicted \| # \| \| same direction \| # \| \| not reproduced \| # \|"
            r" \| not run .could not be tested. \| # \|"
        ),
        ["statements", *OUTCOMES],
    ),
    (
        "docs/results.md",
        "For # statements .* program give .* Of the # verdicts, # differ .* Of these #"
        " verdicts, # are",
        [THIRD[place] for place in (0, 0, 1, 1, 2)],
    ),
    (
        "docs/results.md",
        "MFW is up to # times as fast as CVM on a1a to a4a. The printed factor is #, and the"
        " factor of our code is #",
        [f"mfw at most, {rung}" for rung in ("authors_program", "printed", "as_run")],
    ),
    (
        "docs/results.md",
        "on a1a to a4a, FW's median speed-up is # in print, # in the authors' program, and # in our"
        " runs",
        [f"fw in the median, {rung}" for rung in ("printed", "authors_program", "as_run")],
    ),
    (
        "docs/results.md",
        "FW's accuracy is # percentage points below CVM's in the median. In print, the difference"
        " is # points. With a patience of 7 samples, it is # points",
        [f"fw loses, {rung}" for rung in ("as_run", "printed", "only_patience")],
    ),
    (
        "docs/results.md",
        'Of the # verdicts, # change: # of the # "reproduced", # of the # "same direction", # of'
        ' the # "not reproduced", and # of the # "not contradicted"',
        [
            "statements",
            "sensitive",
            *(f"{sensitive}{verdict}" for verdict in VERDICTS for sensitive in ("sensitive ", "")),
        ],
    ),
    (
        "docs/results.md",
        "On w8a with the inferred settings, FW has an accuracy of # %, and CVM has an"
        " accuracy of # %. A model that always predicts the majority class has an accuracy of # %",
        ["fw on w8a", "cvm on w8a", "majority on w8a"],
    ),
    (
        "docs/results.md",
        "SWAP-2o loses less accuracy than FW. It also loses less accuracy than MFW, but this"
        " conclusion is not stable .finding 4.. On Web, SWAP-2o's accuracy is at most # percentage"
        " points below CVM's accuracy",
        ["swap2o loses on Web"],
    ),
    (
        "docs/index.md",
        "FW is slower than CVM on # of the # data sets. On usps-ext, time limits ended the runs",
        ["fw slower at 0.01", "sets"],
    ),
    (
        "docs/index.md",
        "FW is # times as fast as CVM in the median over the data sets.* FW has # times"
        " CVM's speed.* FW has at most # times CVM's speed",
        ["fw as_run", "fw inner", "fw patient"],
    ),
    *(
        ("docs/results.md", rf"\| [^|]*{row} \|" + n * r"\D*#", [f"{m} {r}" for m in METHODS[:n]])
        for r, row, n in zip(RUNGS, ROWS, (2, 4, 4, 4, 4, 4, 5, 5), strict=True)
    ),
]


def majority_of(dataset):
    """Return the accuracy (%) of the majority prediction in the released run."""
    rows = pd.read_csv(DOCS.parent / "figures/released/beyond-majority.csv").set_index("dataset")
    return rows.loc[dataset, "majority"].iloc[0]


def ratios(name, ratio):
    return {
        f"{name} median": ratio.median(),
        f"{name} slower": (ratio < 1).sum(),
        f"{name} min": ratio.min(),
    }


@cache
def facts():
    """Return a dict that maps names to the numbers of the released run and of the measured files
    that pages quote.
    """
    tables = DOCS.parent / "results" / "released" / "tables"
    names = ("claims", "frandi2013-table2")
    claims, accuracy = (pd.read_csv(tables / f"{name}.csv") for name in names)
    ladder = pd.read_csv(tables / "beyond-ladder-table.csv")
    # an unknown speed-up (both runs ended at a limit) counts as very large
    ladder["speedup"] = ladder["speedup"].fillna(1e9)
    by_set = ladder.set_index(["rung", "method", "dataset"]).sort_index()
    at_gap = by_set.loc["gap 0.01", "fw"]
    found = {
        "sets": len(at_gap),
        "fw slower at 0.01": (at_gap["speedup"][~at_gap["unknown"]] < 1).sum(),
        "swap2o loses on Web": -by_set.loc["as_run", "swap2o"]["difference"].filter(like="w").min(),
        **{
            f"mfw at most, {rung}": by_set.loc[rung, "mfw"].loc["a1a":"a4a", "speedup"].max()
            for rung in ("authors_program", "printed", "as_run")
        },
        **{
            f"fw in the median, {rung}": by_set.loc[rung, "fw"].loc["a1a":"a4a", "speedup"].median()
            for rung in ("authors_program", "printed", "as_run")
        },
        **{
            f"fw loses, {rung}": -by_set.loc[rung, "fw"]["difference"].median()
            for rung in ("as_run", "printed", "only_patience")
        },
        **{
            f"{method} on w8a": by_set.loc["as_run", method, "w8a"]["accuracy"]
            for method in ("fw", "cvm")
        },
        "majority on w8a": majority_of("w8a"),
    }
    found |= {
        f"{m} {r}": rows["speedup"].median() for (m, r), rows in ladder.groupby(["method", "rung"])
    }
    accuracy = accuracy[accuracy["protocol"] == "as_run"]
    found |= {
        f"{m} from print": accuracy[f"{m}_difference"].abs().median() for m in ("cvm", "fw", "mfw")
    }
    cells = race_cases(*released_race()).query("threads == 1 and width_factor == 0.5")
    names = {"svc_equal": "svc", "intelex_equal": "intelex", "libsvm_l2_default": "libsvm"}
    cells = cells[list(names)].rename(columns=lambda name: f"{names[name]}_ratio")
    found |= {
        f"{name} {each}": cells[name].agg(each)
        for name in cells.filter(like="_ratio")
        for each in AGGREGATES
    }
    race = pd.read_csv(DOCS / "benchmarks" / "race.csv").query("threads == 1")
    case = ["case", "C", "gamma_over_beta"]
    for eps in RACE_ROWS:
        ours = race[(race["method"] == "auto") & (race["eps"] == eps)].set_index(case)["seconds"]
        for peer in ("svc", "intelex"):
            ratio = race[race["method"] == peer].set_index(case)["seconds"] / ours
            found |= ratios(f"race {eps:g} {peer}", ratio)
    for file, names in (("grid", GRID_ROWS), ("grid-avx2", ["auto-0.01"])):
        drawn = pd.read_csv(DOCS / "benchmarks" / f"{file}.csv")
        drawn = drawn.pivot_table(index="problem", columns="solver", values="fit_cpu_s")
        for name in names:
            for peer in ("SVC", "intelex"):
                found |= ratios(f"{file} {name} {peer}", drawn[peer] / drawn[name])
    cost = pd.read_csv(tables / "beyond-cost.csv").query("protocol == 'authors'")
    for method in ("fw", "mfw"):
        medians = cost[cost["method"] == method][["ours", "printed"]].median()
        found |= {f"authors {method} {source}": value for source, value in medians.items()}
    counts = claims.loc[claims["headline"], "outcome"].value_counts()
    changes = claims["headline"] & ~claims["sensitivity"].fillna("no change").eq("no change")
    sensitive = claims.loc[changes, "outcome"].value_counts()
    found |= {"sensitive": sensitive.sum(), **sensitive.add_prefix("sensitive ")}
    judged = claims[
        claims["outcome_authors"].isin(OUTCOMES) & (claims["outcome_authors"] != NOT_RUN)
    ]
    places = judged[["outcome_authors", "outcome"]].map(OUTCOMES.index)
    by_authors, ours = places["outcome_authors"], places["outcome"]
    found |= zip(
        THIRD, (len(judged), (by_authors != ours).sum(), (by_authors < ours).sum()), strict=True
    )
    return found | counts.to_dict() | {"statements": counts.sum()}


@pytest.mark.parametrize(("page", "pattern", "names"), QUOTED)
def test_a_number_in_the_text_is_that_of_the_released_tables(page, pattern, names):
    text, known = " ".join((DOCS.parent / page).read_text().split()), facts()
    match = re.search(pattern.replace("#", r"(\d+(?:\.\d+)?)"), text)
    # `match` is None if the sentence has changed
    for number, name in zip(match.groups(), names, strict=True):
        assert abs(float(number) - known[name]) <= 0.5001 * 10.0 ** -len(
            number.partition(".")[2]
        ), name


def test_the_same_ladder_on_another_cpu():
    """A measured file has the speed-ups on three data sets on another CPU model than that of the
    released run.
    """
    rows = pd.read_csv(DOCS / "benchmarks" / "other-cpu.csv")
    here, released = rows["speedup"], rows["speedup_released"]
    differ = rows[(here > 1) != (released > 1)]
    assert "fw" not in set(differ["method"])
    text = " ".join((DOCS / "results.md").read_text().split())
    count = f"Of the {len(rows)} speed-ups over CVM, {len(rows) - len(differ)} are on the same side"
    assert count in text
    pairs = re.findall(r"(MFW|SWAP|SWAP-2o) on (\w+)[^(]*\((\S+), and (\S+) in the release\)", text)
    stated = [(method.lower().replace("-", ""), *rest) for method, *rest in pairs]
    expected = [
        (row.method, row.dataset, f"{row.speedup:.2f}", f"{row.speedup_released:.2f}")
        for row in differ.itertuples()
    ]
    assert sorted(stated) == sorted(expected)
    limits = " ".join((DOCS / "limits.md").read_text().split())
    assert (
        f"We measured {len(rows)} speed-ups on three sets again, on an Intel processor." in limits
    )
    assert f"The faster method changes in only {len(differ)}." in limits


def test_the_orders_with_libcvms_settings():
    """The introduction of the results compares MFW, SWAP and SWAP-2o with CVM on the two series."""
    rows = pd.read_csv(DOCS.parent / "results/released/tables/beyond-ladder-families.csv")
    order = rows.set_index(["measure", "rung", "method", "over"])["order"]
    text = " ".join((DOCS / "results.md").read_text().split())
    assert (
        "SWAP-2o is faster than CVM on Web and on Adult. MFW and SWAP are faster than CVM on Adult,"
        " and tie with CVM on Web."
    ) in text
    seconds, values = order["speedup"], order["speedup_in_kernel_values"]
    for method, on_web in (("swap2o", "faster"), ("mfw", "tie"), ("swap", "tie")):
        assert seconds["gap 0.01", method, "Adult"] == "faster"
        assert seconds["gap 0.01", method, "Web"] == on_web
    assert "even SWAP-2o requests more kernel values than CVM on Web and Adult" in text
    for series in ("Web", "Adult"):
        assert values["patient", "swap2o", series] == "slower"
        assert values["gap 0.01", "swap2o", series] == "faster"


def test_the_released_runs_are_counted():
    text = " ".join((DOCS / "results.md").read_text().split())
    runs = read_runs(DOCS.parent / "results/released/runs.tsv.gz")
    jobs = json.loads((DOCS.parent / "results/released/provenance.json").read_text())["jobs"]
    hours = sum(job["wall_s"] for job in jobs.values()) / 3600
    assert f"took {hours:.1f} hours of one core. The release has {len(runs):,} runs." in text
    disturbed, timed = int(runs["disturbed"].sum()), runs["disturbed"].count()
    share = f"{100 * disturbed / timed:.0f} %"
    assert f"{timed:,} runs whose time counts. Of these, {disturbed:,} ({share}) are" in text


UNITS_S = {"second": 1, "minute": 60}


def test_times_of_experiments_are_those_of_the_released_runs():
    text = (DOCS / "running.md").read_text()
    table = text[text.index("| experiments | CPU time |") :].split("\n\n")[0]
    rows = re.findall(r"^\| (.*) \| (\S+) (second|minute)s? \|$", table, re.MULTILINE)
    runs = read_runs(DOCS.parent / "results/released/runs.tsv.gz")
    seconds = runs.groupby("experiment")["train_cpu_s"].sum()
    assert len(rows) == len(table.splitlines()) - 2
    for words, number, unit in rows:
        named = [name for name in seconds.index if name in re.findall(r"\w+", words)]
        ours = seconds[named].sum() / UNITS_S[unit]
        assert float(number) == pytest.approx(ours, rel=0.1), words


def test_time_of_the_whole_pipeline_is_that_of_the_released_runs(load_study):
    table = costs(load_study("paper"), DOCS.parent / "results/released")
    alone = table["job_s"].sum() / 3600
    longest = table.groupby(["experiment", "dataset"])["job_s"].sum().max() / 3600
    shared = max(alone / 2, longest)
    text = " ".join((DOCS / "running.md").read_text().split())
    pattern = r"On two cores, this takes about (\d+) hours if .*? and otherwise about (\d+) hours"
    quoted = [int(number) for number in re.search(pattern, text).groups()]
    assert quoted == pytest.approx([shared, alone], rel=0.1)
    readme = (DOCS.parent / "README.md").read_text()
    assert "| `make paper` | {} to {} hours |".format(*quoted) in readme
