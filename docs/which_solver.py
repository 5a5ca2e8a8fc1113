"""Write the tables of which-solver.md from the measured files: python docs/which_solver.py"""

from __future__ import annotations

import json
import math
import re
import textwrap
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter

from fwsvm_papers.reporting.style import figure_style
from fwsvm_papers.runs.records import read_runs

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs/which-solver.md"
GRID = ROOT / "docs/benchmarks/grid.csv"
GROWTH = ROOT / "docs/benchmarks/growth.csv"
CURVES = ("#1b62a5", "#a05a00", "#4a5160")
RELEASED = ROOT / "results/released"
# Large data sets, on which only SVC and our solver were run.
LARGE = ("w8a", "usps-ext", "kdd99-10pc")
# Sources of problems that `auto_grid.py` makes as sparse matrices. All other problems are arrays.
SPARSE = ("a9a", "w8a", "mushrooms", "covtype", "reuters", "kdd99-10pc", "binary", "sparse")
SOLVERS = ("SVC", "intelex", "auto-0.01")
OURS = "auto-0.01"
NAMES = ("`SVC`", "intelex", "ours")
# A fit counts as one of the fastest if its time divided by the shortest time is at most this
# number, because measured times are not exact.
NEARLY = 1.25


def number(value: float, down: bool = False) -> str:
    """Format with two digits: 0.0123 is 0.012, 123 is 120. With `down`, 178 is 170, not 180."""
    if not value > 0:
        return ""
    step = 10.0 ** (math.floor(math.log10(value)) - 1)
    rounded = math.floor(value / step) * step if down else float(f"{value:.2g}")
    return f"{rounded:,.{max(0, 1 - math.floor(math.log10(rounded)))}f}"


def grid() -> pd.DataFrame:
    """Return a row for each fit of a solver, at its default settings, to a random problem."""
    rows = pd.read_csv(GRID)
    pattern = r"\d+: (?P<kind>\S+) (?P<points>\d+) x (?P<features>\d+) classes=(?P<classes>\d+)"
    rows = rows.join(rows["problem"].str.extract(pattern))
    whole = ["points", "features", "classes"]
    rows[whole] = rows[whole].astype(int)
    rows["is_sparse"] = rows["kind"].isin(SPARSE)
    return rows[rows["solver"].isin(SOLVERS)]


def groups(rows: pd.DataFrame) -> dict[str, pd.Series]:
    """Return a mask of the rows of each group. The keys are the names of the groups."""
    points, features, classes = rows["points"], rows["features"], rows["classes"]
    return {
        "all": points > 0,
        "fewer than 2,000 points": points < 2000,
        "2,000 to 4,999 points": points.between(2000, 4999),
        "5,000 to 9,999 points": points.between(5000, 9999),
        "10,000 to 26,956 points": points >= 10_000,
        "2 features": features == 2,
        "3 to 64 features": features.between(3, 64),
        "65 to 8,343 features": features > 64,
        "dense": ~rows["is_sparse"],
        "sparse": rows["is_sparse"],
        "2 classes": classes == 2,
        "3 to 10 classes": classes.between(3, 10),
        "26 classes": classes == 26,
        "sparse, 2 classes": rows["is_sparse"] & (classes == 2),
        "sparse, or 65 features or more": rows["is_sparse"] | (features > 64),
        "dense, 3 or more classes, up to 64 features": ~rows["is_sparse"]
        & (classes > 2)
        & (features <= 64),
    }


def grid_row(rows: pd.DataFrame) -> list[str]:
    """Return the cells of a row: medians over the problems of a group, and the number of problems
    on which each solver is nearly fastest.
    """
    seconds, predicting, vectors = (
        rows.pivot_table(index="problem", columns="solver", values=value)
        for value in ("fit_cpu_s", "predict_cpu_s", "n_sv")
    )
    vectors = vectors.where(vectors > 0)  # -1 if the fit did not end
    has_ended = rows.assign(done=rows["end"] == "done")
    has_ended = has_ended.pivot_table(index="problem", columns="solver", values="done") == 1
    fast = seconds.le(NEARLY * seconds.min(axis=1), axis=0).sum()
    cells = [str(len(seconds))]
    for solver in SOLVERS:
        median = seconds[solver].median()
        unlimited = seconds[solver].where(has_ended[solver], np.inf)
        cells.append(("≥ " if unlimited.median() > median else "") + number(median))
    cells += [" / ".join(str(fast[solver]) for solver in SOLVERS)]
    cells += [number(predicting[solver].median()) for solver in SOLVERS]
    return [*cells, number((vectors[OURS] / vectors["SVC"]).median())]


def grid_table() -> str:
    heads = ["data", "problems", *(f"training: {name}" for name in NAMES)]
    heads += [f"nearly fastest: {' / '.join(NAMES)}"]
    heads += [*(f"prediction: {name}" for name in NAMES), "model size"]
    rows = grid()
    lines = [[name, *grid_row(rows[chosen])] for name, chosen in groups(rows).items()]
    return table(heads, lines)


def peers_table() -> str:
    """Return the table of the times and accuracies of all packages on the papers' data sets."""
    every = read_runs(RELEASED / "runs.tsv.gz")
    runs, seconds = every.query("experiment == 'peers'"), seconds_with_certificate(every)
    ladder = pd.read_csv(RELEASED / "tables/beyond-ladder-table.csv")
    ours = ladder[(ladder["method"] == "auto") & (ladder["rung"] == "gap 0.01")]
    ours = ours.set_index("dataset")
    compared = runs["dataset"][runs["method"] == "libsvm_l2"]
    lines = []
    for name in dict.fromkeys([*compared, *LARGE]):
        described = json.loads((RELEASED / f"describe/{name}.json").read_text())
        own = runs[runs["dataset"] == name]
        mine = ours.loc[name]
        line = [name, f"{described['m']:,}&nbsp;×&nbsp;{described['n']:,}", str(described["K"])]
        exact = ("svc", "intelex", "libsvm_l2")
        unfinished = "> " if mine["at_limit"] else ""
        line += [f"{unfinished}{number(seconds[name])} ({mine['accuracy']:.1f})"]
        line += [peer_cell(own[own["method"] == method]) for method in exact]
        is_map = own["method"] == "nystroem"
        line += [peer_cell(own[is_map & (own["sample_size"] == size)]) for size in (100, 1000)]
        vectors = own["support_vectors"][own["method"] == "svc"]
        line += [f"{vectors.iloc[0]:,}" if vectors.notna().all() else "unknown"]
        lines.append((described["m"], [*line, f"{mine['support_vectors']:,.0f}"]))
    heads = ["data set", "points × features", "classes", "ours", "`SVC`", "intelex", "LIBSVM L2"]
    heads += [
        "Nystroem 100",
        "Nystroem 1000",
        "support vectors: `SVC`",
        "support vectors: ours",
    ]
    return table(heads, [line for _, line in sorted(lines)])


def seconds_with_certificate(runs: pd.DataFrame) -> pd.Series:
    """Return the mean CPU seconds of a fit of `auto` to the default gap, for each data set."""
    own = runs[
        (runs["experiment"] == "ladder") & (runs["method"] == "auto") & (runs["eps"] == 0.01)
    ]
    return (own["train_cpu_s"] + own["certify_cpu_s"]).groupby(own["dataset"]).mean()


def peer_cell(rows: pd.DataFrame) -> str:
    if rows.empty:
        return "not run"
    run = rows.iloc[0]
    if run["stop_reason"] == "time_limit":
        return f"> {number(run['train_cpu_s'], down=True)}"
    return f"{number(run['train_cpu_s'])} ({100 * run['test_accuracy']:.1f})"


def growth_section() -> str:
    """Return the section on growing numbers of points, or an empty text if it was not measured."""
    if not GROWTH.exists():
        return ""
    rows = pd.read_csv(GROWTH)
    rows["name"] = rows["solver"] + rows["eps"].map(
        lambda eps: f", gap {eps:g}", na_action="ignore"
    ).fillna("")
    lines = []
    for points, own in rows.groupby("points"):
        for row in own.itertuples():
            is_done = row.end == "done"
            seconds = ("" if is_done else "> ") + number(row.cpu_s, down=not is_done)
            found = [f"{100 * row.accuracy:.1f}" if row.accuracy > 0 else "unknown"]
            found += ["unknown" if pd.isna(row.peak_mb) else number(row.peak_mb)]
            lines.append([f"{points:,}", row.name, seconds, *found])
    words = (
        "This section shows how the CPU seconds and the memory of a fit grow with the number of"
        " training points. The points are a random part of the data set covtype. The problem is"
        " to separate class 2 from all other classes, with standardised features and C = 1. The"
        " program `tests/solvers/growth.py` measured the times (commit 66adceb7). Every solver can"
        " keep up to 6,000 MB of kernel values. The time limit of training is 900 s. The sign >"
        " means that a solver reached this limit. The times of `auto` include the certificate,"
        " which can take up to 900 s more. Accuracies are measured on 20,000 test points, which are"
        " not used in training. The memory is the largest memory of the process minus the memory"
        " of the data. In the table, `auto` with the gap 0.01 is `FrankWolfeSVC` with its default"
        " method and gap. In the figure, an open mark is a run that reached the time limit. The"
        " legend of the figure gives a slope for each solver. A slope of 2 means that the time is"
        " proportional to the square of the number of points. We compute the slope from three runs"
        " of the solver: of the runs that ended within the time limit, the three with the most"
        " points."
    )
    picture = "![Training time and memory against the number of points](benchmarks/growth.svg)"
    heads = ["points", "solver", "train, s", "accuracy, %", "memory beyond the data, MB"]
    return "\n\n".join(["## Growth", textwrap.fill(words, 140), picture, table(heads, lines)])


def draw_growth() -> None:
    """Draw seconds and memory against the number of points. The legend has the slope of each
    solver's last three finished fits. Fits that were stopped have open marks.
    """
    rows = pd.read_csv(GROWTH).dropna(subset=["cpu_s"])
    with figure_style():
        figure = Figure(figsize=(6.5, 2.6), layout="constrained")
        panels = figure.subplots(1, 2)
        marks = zip(("auto", "intelex", "SVC"), ("o", "s", "^"), CURVES, strict=True)
        for solver, marker, color in marks:
            own = rows[rows["solver"] == solver].sort_values("points")
            done = own[own["end"] == "done"]
            if own.empty:
                continue
            for axes, column in zip(panels, ("cpu_s", "peak_mb"), strict=True):
                label = solver
                if column == "cpu_s" and len(last := done.tail(3)) > 1:
                    slope = np.polyfit(np.log(last["points"]), np.log(last[column]), 1)[0]
                    label = f"{solver} (slope {slope:.1f})"
                axes.plot(done["points"], done[column], marker=marker, color=color, label=label)
                ended = own[own["end"] != "done"]
                look = {"marker": marker, "color": color, "markerfacecolor": "none"}
                axes.plot(ended["points"], ended[column], linestyle="none", **look)
        titles = "training (CPU s)", "memory beyond the data (MB)"
        for axes, title in zip(panels, titles, strict=True):
            axes.set(xscale="log", yscale="log", xlabel="points")
            axes.xaxis.set_minor_formatter(NullFormatter())
            axes.set_xlim(4e3, 8e5)
            axes.set_title(title, loc="left")
            axes.legend()
        figure.savefig(GROWTH.with_suffix(".svg"), metadata={"Date": None})


def table(heads: list[str], lines: list[list[str]]) -> str:
    rule = "|---|" + "--:|" * (len(heads) - 1)
    return "\n".join(
        [f"| {' | '.join(heads)} |", rule, *(f"| {' | '.join(line)} |" for line in lines)]
    )


def written(text: str) -> str:
    """Return the page with its tables made again."""
    parts = {"grid": grid_table(), "peers": peers_table(), "growth": growth_section()}
    for name, part in parts.items():
        body = f"\n\n{part}\n\n" if part else "\n"
        text = re.sub(
            rf"(<!-- {name} -->).*?(<!-- end -->)",
            lambda found, body=body: found[1] + body + found[2],
            text,
            flags=re.DOTALL,
        )
    return text


if __name__ == "__main__":
    if GROWTH.exists():
        draw_growth()
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
