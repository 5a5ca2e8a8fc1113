"""The figure beyond-race and its table, which show how much faster `auto` is than the SVMs of other
packages.
"""

from collections.abc import Mapping, Sequence
from itertools import cycle

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.path import Path

from fwsvm_papers.reporting.axes import add_legend, logarithmic_x, name_rows
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.style import MUTED, TEXT_WIDTH, figure_style
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import NOTHING, capitalised, fixed, is_missing, joined, significant
from fwsvm_papers.runs.comparison import lower_bounds
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.race.numbers import (
    DEFAULT_GAP,
    LARGEST_SCATTER,
    LOOSE_GAP,
    PEERS,
    race_cases,
)

_PANELS = {
    "svc": "training time:\nSVC / auto",
    "intelex": "training time:\nintelex / auto",
    "predict_ratio": "prediction time:\nSVC / auto",
    "vectors_ratio": "support vectors:\nauto / SVC",
}
_PLACES = {
    "default": f"at gap {DEFAULT_GAP:g}",
    "loose": f"at gap {LOOSE_GAP:g}",
    "equal": "at equal accuracy",
}
_TICKS = (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_MARKERS, _COLORS = "osD^vP", ("#0072B2", "#D55E00", "#009E73", "#A8327D")
_RIGHT = Path([(0, 0), (1, 0), (0.72, -0.2), (1, 0), (0.72, 0.2)], [1, 2, 1, 2, 2])


def race_chart(runs: pd.DataFrame, race: Details, missing: Missing = None) -> Chart:
    """Draw two marks for each case with the smallest number of threads: the ratio of training times
    at the default gap, and the ratio at a loose gap. A line joins the two marks.

    Further panels show the ratios of prediction times and of numbers of support vectors at the
    default gap.
    """
    frame = race_cases(runs, race)
    shown = frame[frame["threads"] == frame["threads"].min()]
    names = list(dict.fromkeys(shown["label"]))
    looks = _looks(shown)
    panels = {key: title for key, title in _PANELS.items() if _has_numbers(shown, key)}
    with figure_style():
        height = 1.6 + 0.12 * len(shown) + 0.08 * len(names)
        fig = Figure(figsize=(TEXT_WIDTH, height), layout="constrained")
        grid = fig.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for axes, (key, title) in zip(grid, panels.items(), strict=True):
            name_rows(axes, names)
            for place, case in zip(_places(shown, names), shown.to_dict("records"), strict=True):
                look = looks[case["width_factor"], case["C"]]
                if key in PEERS:
                    _dumbbell(axes, place, case, key, look)
                else:
                    _mark(axes, case[key], place, look)
            axes.set_title(title, loc="left")
            _finish_ratios(axes, key)
        add_legend(fig, _handles(looks, shown))
    return Chart(fig, frame, _notes(frame, race, missing, ("default", "loose")))


def _finish_ratios(axes: Axes, key: str) -> None:
    """Shade the side of the line at the ratio 1 on which `auto` is slower or has more support
    vectors. Write plain numbers at the ticks of the axis.
    """
    axes.axvline(1, color="black", linewidth=0.8, zorder=1)
    logarithmic_x(axes)
    low, high = axes.get_xlim()
    low, high = min(low, 0.6), max(high, 1.7)
    axes.set_xlim(low, high)
    axes.set_xticks([tick for tick in _TICKS if low <= tick <= high])
    few_vectors_are_better = key == "vectors_ratio"
    worse = (1, high) if few_vectors_are_better else (low, 1)
    axes.axvspan(*worse, facecolor="#f1e6e0", zorder=0)
    axes.set_xlabel(
        "← auto fewer | more →" if few_vectors_are_better else "← auto slower | faster →"
    )


def _looks(shown: pd.DataFrame) -> dict[tuple[float, float], dict]:
    """Return the look of each pair (width, C). The marker depends on C, and the colour depends on
    the width.
    """
    markers = dict(zip(sorted(shown["C"].unique()), cycle(_MARKERS), strict=False))
    colors = dict(zip(sorted(shown["width_factor"].unique()), cycle(_COLORS), strict=False))
    return {
        (width, C): {"marker": marker, "color": color, "markersize": 3.6, "linestyle": "none"}
        for width, color in colors.items()
        for C, marker in markers.items()
    }


def _places(shown: pd.DataFrame, names: Sequence[str]) -> np.ndarray:
    """Return the y positions of the cases. The cases of a data set are one below the other in the
    row of the data set.
    """
    number, size = (
        shown.groupby("label").cumcount(),
        shown.groupby("label")["C"].transform("size"),
    )
    return (shown["label"].map(names.index) + (number + 0.5) / size * 0.9 - 0.45).to_numpy(float)


def _has_numbers(shown: pd.DataFrame, key: str) -> bool:
    return bool(shown[f"{key}_default" if key in PEERS else key].notna().any())


def _dumbbell(axes: Axes, place: float, case: Mapping, peer: str, look: Mapping) -> None:
    ends = [case[f"{peer}_default"], case[f"{peer}_loose"]]
    if all(np.isfinite(end) and end > 0 for end in ends):
        axes.plot(ends, [place, place], color=look["color"], linewidth=0.9, zorder=2)
    _mark(axes, ends[1], place, {**look, "markerfacecolor": "white"})
    _mark(axes, ends[0], place, look)
    if case[f"{peer}_is_bound"] and ends[0] > 0:
        arrow = {"marker": _RIGHT, "markersize": 16, "markerfacecolor": "none"}
        axes.plot(ends[0], place, **{**look, **arrow})


def _mark(axes: Axes, value: float, place: float, look: Mapping) -> None:
    """Draw the mark of a ratio.

    A ratio of 0 means that `auto` did not reach the gap. Such a ratio is drawn as a cross at the
    left edge.
    """
    if value == 0:
        cross = {**look, "marker": "x", "clip_on": False}
        axes.plot(0, place, transform=axes.get_yaxis_transform(), **cross)
    elif np.isfinite(value):
        axes.plot(value, place, zorder=3, **look)


def _handles(looks: Mapping, shown: pd.DataFrame) -> list[Line2D]:
    grey = {"color": MUTED, "linestyle": "none"}
    handles = [
        Line2D([], [], label=f"{_PLACES['default']} (default)", marker="o", **grey),
        Line2D([], [], label=_PLACES["loose"], marker="o", markerfacecolor="white", **grey),
    ]
    some = {C: look["marker"] for (_, C), look in looks.items()}
    handles += [Line2D([], [], label=f"C = {C:g}", marker=m, **grey) for C, m in some.items()]
    some = {width: look["color"] for (width, _), look in looks.items()}
    handles += [
        Line2D([], [], label=f"gamma = {width:g} / β", color=color) for width, color in some.items()
    ]
    ratios = shown[[f"{peer}_{where}" for peer in PEERS for where in ("default", "loose")]]
    if (ratios == 0).any(axis=None):
        handles.append(Line2D([], [], label="auto did not reach the gap", marker="x", **grey))
    if shown[["svc_is_bound", "intelex_is_bound"]].any(axis=None):
        arrow = {"marker": _RIGHT, "markersize": 14, "markerfacecolor": "none"}
        handles.append(Line2D([], [], label="package stopped: at least", **grey, **arrow))
    return handles


def race_table(runs: pd.DataFrame, race: Details, missing: Missing = None) -> Table:
    """Return the table of the times and ratios of all cases, first at the default gap and then at
    equal accuracy.
    """
    frame = race_cases(runs, race)
    at_default, at_equal = _PLACES["default"], _PLACES["equal"]
    columns = [
        Column("data set", lambda row: row["label"], align="l", notes=_marks),
        Column("C", lambda row: f"{row['C']:g}"),
        Column("gamma β", lambda row: f"{row['width_factor']:g}"),
        *(_seconds(f"{PEERS[peer]} (s)", f"{peer}_s") for peer in ("svc", "intelex")),
        _seconds("auto (s)", "default_s", at_default),
        *(_ratio(peer, "default", at_default) for peer in PEERS),
        Column("gap", lambda row: fixed(row["gap"], "g"), at_equal),
        _seconds("auto (s)", "equal_s", at_equal),
        *(_ratio(peer, "equal", at_equal) for peer in ("svc", "intelex")),
        Column("SVC / auto", lambda row: significant(row["predict_ratio"], 2), "prediction"),
        Column("auto / SVC", lambda row: significant(row["vectors_ratio"], 2), "support vectors"),
    ]

    def heading(threads: int) -> str:
        return "One thread, CPU seconds" if threads == 1 else f"{threads} threads, wall seconds"

    notes = _notes(frame, race, missing, ("default", "equal"))
    return ours_beside_printed(frame, columns, "threads", heading, notes)


def _seconds(name: str, key: str, group: str = "") -> Column:
    return Column(
        name,
        lambda row: significant(row[key], 3) if np.isfinite(row[key]) else NOTHING,
        group,
    )


def _ratio(peer: str, where: str, group: str) -> Column:
    """Return a column of ratios. If `auto` is slower, the ratio is bold."""
    key = f"{peer}_{where}"

    def text(row: Mapping) -> str:
        if is_missing(row[key]):
            return NOTHING
        (bound,) = lower_bounds([row[f"{peer}_is_bound"]])
        return bound.before(significant(row[key], 2))

    return Column(f"{PEERS[peer]} / auto", text, group, bold=lambda row: row[key] < 1)


def _marks(row: Mapping) -> list[str]:
    said = {
        f"Times scatter by more than {100 * LARGEST_SCATTER:g} %.": row["scatter"]
        > LARGEST_SCATTER,
        "A time was measured only once.": row["once"],
        "Another program disturbed a run.": row["disturbed"],
    }
    return [text for text, is_true in said.items() if is_true]


def race_finding(frame: pd.DataFrame, places: Sequence[str] = ("default", "equal")) -> str:
    """Return sentences with the medians of the ratios, and with the number of cases in which `auto`
    is slower.

    The cases are those with the smallest number of threads. `places` are keys of `_PLACES`.
    """
    single = frame[frame["threads"] == frame["threads"].min()]
    sentences = []
    for where in places:
        times, slower = [], []
        for peer in ("svc", "intelex"):
            ratios = single[f"{peer}_{where}"].dropna()
            if len(ratios):
                name, median = PEERS[peer], significant(float(ratios.median()), 2)
                times.append(f"{name} takes {median} times as long as auto")
                slower.append(f"slower than {name} in {(ratios < 1).sum()} of {len(ratios)} cases")
        if times:
            place = capitalised(_PLACES[where])
            sentences.append(f"{place}, {' and '.join(times)}, in the median.")
            sentences.append(f"In this comparison, auto is {' and '.join(slower)}.")
    return joined(*sentences)


def _notes(frame: pd.DataFrame, race: Details, missing: Missing, places: Sequence[str]) -> str:
    marked = int((frame["scatter"] > LARGEST_SCATTER).sum())
    absent = [f"{name} ({why})" for name, why in (missing or {}).items()]
    return joined(
        race_finding(frame, places),
        f"In {marked} of {len(frame)} cases, times scatter by over {100 * LARGEST_SCATTER:g} %."
        if marked
        else "",
        f"CPU model: {'; '.join(sorted({_cpu_model(job) for job in race}))}.",
        f"Some data sets were not available: {', '.join(absent)}." if absent else "",
    )


def _cpu_model(job: Mapping) -> str:
    extensions = ", ".join(job["vector_extensions"])
    return f"{job['cpu']} ({extensions})" if extensions else job["cpu"]
