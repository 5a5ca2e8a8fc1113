"""Methods at the same certified relative gap: beyond-equal, beyond-convergence."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogFormatterMathtext, NullLocator

from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.axes import MAJORITY, limit_handle, logarithmic_x, majority_handle, method_handle, plain_number
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.style import METHODS, TEXT_WIDTH, figure_style, method_label, method_styles
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, significant, whole
from fwsvm.runs import LIMIT_REASONS
from fwsvm.runs.records import ordered
from fwsvm.studies.benchmark.numbers import datasets_in_order, experiment_runs, rows_in_order

_KEYS = ["relative_gap", "dataset", "method"]
_LIMIT_NOTE = "Ended at its time limit before the gap was reached, there or at a looser gap."
_PRECISION_NOTE = "Ended where rounding hides what is left of the gap."
# Data sets that are drawn.
PANELS = 4
# Window of the running median of the accuracy, in records.
_WINDOW = 15

_ROWS = (
    ("cpu_s", "CPU time (s)", "relative_gap"),
    ("requested_evaluations", "requested kernel values", "relative_gap"),
    ("cpu_s", "CPU time (s)", "accuracy"),
)


def equal_gap_numbers(runs: pd.DataFrame) -> pd.DataFrame:
    """Sum up the runs of ``equal_gap`` to each relative gap, which was asked for as ``eps``."""
    runs = runs.assign(
        relative_gap_asked=runs["eps"].astype(float),
        missed=(runs["stop_reason"] != "converged").fillna(True).astype(bool),
        ended=runs["stop_reason"].isin(LIMIT_REASONS),
    )
    groups = runs.groupby(["relative_gap_asked", "dataset", "method"], observed=True)
    found = groups.agg(
        time=("train_cpu_s", "median"), support_vectors=("support_vectors", "median"),
        accuracy=("test_accuracy", "mean"), certified_gap=("relative_gap", "max"), missed=("missed", "max"),
        ended=("ended", "max"),
    ).reset_index()  # fmt: skip
    rows = []
    gaps = sorted(found["relative_gap_asked"].unique(), reverse=True)
    for (dataset, method), part in found.groupby(["dataset", "method"], sort=False):
        last = None
        for gap in gaps:
            here = part[part["relative_gap_asked"] == gap]
            if len(here):
                last = here.iloc[0].to_dict()
            if last is not None and (len(here) or last["ended"]):
                rows.append({"relative_gap": gap, "dataset": dataset, "method": method, "time": float(last["time"]),
                             "support_vectors": float(last["support_vectors"]),
                             "accuracy": 100 * float(last["accuracy"]), "certified_gap": float(last["certified_gap"]),
                             "reached": not last["missed"], "ended": bool(last["ended"])})  # fmt: skip
    columns = [*_KEYS, "time", "support_vectors", "accuracy", "certified_gap", "reached", "ended"]
    frame = pd.DataFrame(rows, columns=columns)
    frame = rows_in_order(frame, ["dataset", "method"])
    return frame.sort_values("relative_gap", ascending=False, kind="stable", ignore_index=True)


def equal_gap_table(runs: pd.DataFrame, missing: Mapping[str, str] | None = None) -> Table:
    """Lay out `equal_gap_numbers`: a section per gap, a row per data set, time and size of every method."""
    runs = experiment_runs(runs, "equal_gap")
    if runs.empty:
        raise NotDrawableError(needs("the experiment equal_gap", []))
    frame, notes = equal_gap_numbers(runs), Footnotes()
    methods = ordered(frame["method"], tuple(METHODS))
    header = [("", "data set"), *(("CPU seconds", method_label(name)) for name in methods),
              *(("support vectors", method_label(name)) for name in methods)]  # fmt: skip
    sections = []
    for gap, part in frame.groupby("relative_gap", sort=False):
        rows = [
            _row(name, of_set.set_index("method"), methods, notes)
            for name, of_set in part.groupby("dataset", sort=False)
        ]
        sections.append(Section(f"relative gap {gap:g}", tuple(rows)))
    return Table(frame, tuple(header), tuple(sections), notes.listed())


def _row(name: str, of_set: pd.DataFrame, methods: Sequence[str], notes: Footnotes) -> tuple[Cell, ...]:
    fastest = of_set.loc[of_set["reached"], "time"].min()
    times, sizes = [], []
    for method in methods:
        time = size = Cell(NOTHING)
        row = of_set.loc[method] if method in of_set.index else None
        if row is not None and row["reached"]:
            time = Cell(significant(row["time"], 3), bold=bool(row["time"] == fastest))
            size = Cell(whole(row["support_vectors"]))
        elif row is not None and row["ended"]:
            time = Cell(f"≥ {significant(row['time'], 3)}", (notes.mark(_LIMIT_NOTE),))
        elif row is not None:
            time = Cell(NOTHING, (notes.mark(_PRECISION_NOTE),))
        times.append(time)
        sizes.append(size)
    return (Cell(name), *times, *sizes)


def convergence_frame(details: Sequence[Mapping]) -> pd.DataFrame:
    """Gather the records of all traced runs: a row each, with data set, method, and whether the run hit a limit."""
    names = ("iteration", "cpu_s", "requested_evaluations", "relative_gap", "support_vectors", "accuracy")
    frames = [
        pd.DataFrame({name: entry[name] for name in names}).assign(
            dataset=entry["dataset"], method=entry["method"], majority=entry["majority"],
            at_limit=entry["stop_reason"] in LIMIT_REASONS,
        )
        for entry in details
    ]  # fmt: skip
    return pd.concat(frames, ignore_index=True)[["dataset", "method", *names, "majority", "at_limit"]]


def convergence_chart(convergence: Sequence[Mapping], missing: Mapping[str, str] | None = None) -> Chart:
    """Draw the traced runs: a column per data set; gap against time and kernel values, accuracy against time."""
    if not convergence:
        raise NotDrawableError(needs("the experiment convergence", []))
    frame = convergence_frame(convergence)
    names = datasets_in_order(frame["dataset"].unique())[:PANELS]
    frame = frame[frame["dataset"].isin(names)]
    styles = method_styles(frame["method"].unique())
    with figure_style():
        fig = Figure(figsize=(TEXT_WIDTH, 5.6), layout="constrained")
        grid = fig.subplots(len(_ROWS), len(names), squeeze=False)
        for (x, x_label, y), panels in zip(_ROWS, grid, strict=True):
            for axes, name in zip(panels, names, strict=True):
                _draw(axes, frame[frame["dataset"] == name], styles, x, y)
                axes.set_xlabel(x_label, fontsize=7)
            panels[0].set_ylabel("relative gap" if y == "relative_gap" else "test accuracy (%)")
        for axes, name in zip(grid[0], names, strict=True):
            axes.set_title(name, loc="left", weight="bold")
        handles = [method_handle(style) for style in styles.values()] + [majority_handle()]
        handles += [limit_handle()] if frame["at_limit"].any() else []
        fig.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    return Chart(fig, frame)


def _draw(axes, rows: pd.DataFrame, styles: Mapping, x: str, y: str) -> None:
    """Draw the least gap so far, or the running median of the accuracies; what they are made of is pale."""
    for method, style in styles.items():
        line = rows[(rows["method"] == method) & (rows[x] > 0) & (rows["iteration"] > 0)]
        if line.empty:
            continue
        line = line.assign(accuracy=line["accuracy"].clip(lower=line["majority"]))  # first models swing between the two
        smooth = line[y].cummin() if y == "relative_gap" else line[y].rolling(_WINDOW, 1, center=True).median()
        axes.plot(line[x], line[y], color=style.color, linewidth=0.5, alpha=0.25, zorder=2)
        axes.plot(line[x], smooth, color=style.color, linewidth=1.1, zorder=3)
        face = "white" if line["at_limit"].iloc[-1] else style.color
        axes.plot(line[x].iloc[-1:], smooth.iloc[-1:], marker=style.marker, color=style.color, markerfacecolor=face,
                  linestyle="none", zorder=4)  # fmt: skip
    logarithmic_x(axes, ticks=5)
    if x == "requested_evaluations":
        axes.xaxis.set_major_formatter(LogFormatterMathtext())
    if y == "relative_gap":
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter(FuncFormatter(plain_number))
        axes.yaxis.set_minor_locator(NullLocator())
    else:
        majority = rows["majority"].iloc[0]
        axes.axhline(majority, **MAJORITY)
        best = max(rows["accuracy"].max(), majority + 1e-9)
        axes.set_ylim(majority - 0.1 * (best - majority), best + 0.1 * (best - majority) + 1e-9)
