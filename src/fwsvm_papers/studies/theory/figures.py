"""Figures of the papers' bounds next to observed numbers (artefacts beyond-theory-*)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from fwsvm_papers.reporting.artefact import needs, require
from fwsvm_papers.reporting.axes import (
    RING,
    add_legend,
    draw_method,
    logarithmic,
    logarithmic_x,
    method_handle,
)
from fwsvm_papers.reporting.figures import Chart
from fwsvm_papers.reporting.labels import label_aside
from fwsvm_papers.reporting.panels import facets
from fwsvm_papers.reporting.style import (
    ACCENT,
    MUTED,
    TEXT_WIDTH,
    MethodStyle,
    figure_style,
    method_styles,
)
from fwsvm_papers.reporting.text import counted
from fwsvm_papers.runs import LIMIT_REASONS
from fwsvm_papers.studies.benchmark.numbers import rows_in_order
from fwsvm_papers.studies.benchmark.protocol import Details, Missing
from fwsvm_papers.studies.theory import THEORY
from fwsvm_papers.studies.theory.bounds import (
    BETTER,
    VIOLATING,
    chance_of_best,
    diagonal,
    guarantee,
    most_core_vectors,
)
from fwsvm_papers.studies.theory.parts import GROWTH, RATES, RULE, SAMPLES

ALL_POINTS, IN_SAMPLES = "rule tested on all points", "rule tested on one sample"
TOP = 0.05
"""A point is one of the best if at most this share of all points has a smaller gradient. If a
sample has at least 59 points, the point that is chosen from it is one of the best with a
probability of at least 0.95.
"""

_BOUND = {"color": ACCENT, "linestyle": "--", "linewidth": 1.1, "zorder": 2}
_GUARANTEED = {"color": MUTED, "linestyle": "--", "linewidth": 1.0}
_FIT = {"color": "black", "linestyle": ":", "linewidth": 1.0, "zorder": 5}
_DROP = {"linestyle": "none", "marker": "|", "markersize": 7, "markeredgewidth": 0.9, "zorder": 6}
# the styles of the values of eps, from the largest to the smallest eps
_SHADES, _MARKERS = ("#b0b0b0", "#8c8c8c", "#525252", "#000000"), ("o", "s", "^", "D")
# The marks of the two kinds of samples are at the same places. Therefore, one kind has rings, and
# the other kind has smaller marks inside the rings.
_SAMPLED: tuple[dict, ...] = (
    {"color": "#6A51A3", "marker": "o", "markersize": 6.5, "markerfacecolor": "none"},
    {"color": "#B08D2E", "marker": "s", "markersize": 2.6},
)
_ALL_SAMPLES = {"color": "black", "marker": "D", "linestyle": "none", "zorder": 4}
_DATASETS_OF_RATES = 3
_APART = 1.12
"""For each eps, the marks of the methods are side by side. On the logarithmic axis, the positions
of two neighbours differ by this factor.
"""
_TEXT = {"fontsize": 7, "textcoords": "offset points"}


def part_frame(theory: Details, part: str, missing: Missing = None) -> pd.DataFrame:
    """Return a table with a row for each record of a part of the study. Each row also has the data
    set, C, and the number m of points.
    """
    parts = [
        {"dataset": entry["dataset"], "m": entry["m"], "C": entry["C"], **record}
        for entry in theory
        for record in entry.get(part, ())
    ]
    require(parts, needs(f"the part {part} of the experiment {THEORY}", [], missing))
    return pd.DataFrame(parts)


def with_guarantee(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a table with three further columns.

    The column `guarantee` has the guaranteed relative gap. The column `ratio` has the certified gap
    divided by the guaranteed gap. The column `at_limit` says whether the run ended at its limit of
    time or steps. It replaces the column `stop_reason`, which is also removed from `frame` itself.
    """
    frame = frame.assign(
        guarantee=guarantee(frame["eps"], diagonal(frame["C"]), frame["objective"]),
        at_limit=frame.pop("stop_reason").isin(LIMIT_REASONS),
    )
    return frame.assign(ratio=frame["relative_gap"] / frame["guarantee"])


def rule_numbers(theory: Details, missing: Missing = None) -> pd.DataFrame:
    """Return a table of the runs about the stopping rule that the papers state for the minimum
    enclosing ball. A row has a run's guaranteed and certified relative gap.
    """
    frame = with_guarantee(part_frame(theory, RULE, missing))
    frame["search"] = np.where(frame.pop("sampled"), IN_SAMPLES, ALL_POINTS)
    return rows_in_order(frame, ["search", "dataset", "method", "eps"], search=(ALL_POINTS,))


def rule_chart(theory: Details, missing: Missing = None) -> Chart:
    """Draw the certified gaps at the end of runs against the gaps that the stopping rule
    guarantees.
    """
    frame = rule_numbers(theory, missing)
    with figure_style():
        panels = facets(
            frame,
            "guarantee",
            "relative_gap",
            col="search",
            limited="at_limit",
            joined=False,
            logx=1,
            share=lambda row, col: "",
            xlabel="relative gap that the stopping rule guarantees",
            size=(TEXT_WIDTH, 2.6),
        )
        for axes in panels.axes.values():
            axes.set_yscale("log")
            axes.axline((1e-3, 1e-3), (1, 1), **_BOUND)
            logarithmic(axes)
        next(iter(panels.axes.values())).set_ylabel("certified relative gap at the end")
        largest = frame[frame["m"] == frame["m"].max()]
        largest = largest[largest["eps"] == largest["eps"].min()]
        for search, rows in largest.groupby("search"):
            panels.axes["", search].plot(rows["guarantee"], rows["relative_gap"], **RING)
        what = f"{largest['dataset'].iloc[0]}, ε = {_power(largest['eps'].iloc[0])}"
        lines = {"certified gap = guaranteed gap": _BOUND, what: RING}
        return Chart(
            panels.finish(*(Line2D([], [], label=label, **look) for label, look in lines.items())),
            frame,
        )


def steps_chart(theory: Details, missing: Missing = None) -> Chart:
    """Draw the number of steps and the size of the coreset (or model) against eps, together with
    the bound 2 / eps.

    If there are runs for several training set sizes m, also draw the size of CVM's coreset and its
    final gap against m.
    """
    by_eps, growing = _by_eps(theory, missing), _growing(theory)
    styles = method_styles(by_eps["method"].unique())
    panels = ["steps", "points", *(["core-set", "gap"] if len(growing) else [])]
    with figure_style():
        lines = len(panels) // 2
        figure = Figure(figsize=(TEXT_WIDTH, 0.5 + 2.2 * lines), layout="constrained")
        axes = dict(zip(panels, figure.subplots(lines, 2, squeeze=False).flat, strict=True))
        for panel in ("steps", "points"):
            _draw_against_eps(axes[panel], by_eps[by_eps["panel"] == panel], styles)
        sets = counted(by_eps["datasets"].max(), "data set")
        axes["steps"].set_title(f"steps, {sets}")
        axes["points"].set_title(f"size of coreset or model, {sets}")
        axes["steps"].set_ylabel("number of steps")
        axes["points"].set_ylabel("points in coreset or model")
        handles = [method_handle(style) for style in styles.values()]
        handles.append(Line2D([], [], label="bound 2/ε", **_BOUND))
        if len(growing):
            handles.append(Line2D([], [], label="gap that ε guarantees", **_GUARANTEED))
            _draw_growing(axes["core-set"], axes["gap"], growing)
        add_legend(figure, handles)
        if len(growing):
            figure.draw_without_rendering()  # the positions of names depend on the layout
            _name_eps(axes["core-set"], growing, "coreset_size")
            _name_eps(axes["gap"], growing, "relative_gap")
    return Chart(figure, pd.concat([by_eps, growing], ignore_index=True))


def _by_eps(theory: Details, missing: Missing) -> pd.DataFrame:
    """Return two numbers for each method and each eps: the number of steps, and the size of the
    coreset. Each number is the median over the data sets, with the range over the data sets.

    Only runs that search all points count. For CVM, only the size of the coreset is returned: its
    `iterations` are the steps of its inner QPs, which are no steps of the other methods.
    """
    frame = rule_numbers(theory, missing)
    frame = frame[frame["search"] == ALL_POINTS]
    require(len(frame), needs(f"runs of the experiment {THEORY} with all points", []))
    long = frame.melt(
        ["method", "eps", "at_limit"], ["iterations", "coreset_size"], "panel", "value"
    )
    long["panel"] = long["panel"].map({"iterations": "steps", "coreset_size": "points"})
    long = long[(long["panel"] == "points") | (long["method"] != "cvm")]
    groups = long.groupby(["panel", "method", "eps"], as_index=False)
    found = groups.agg(
        value=("value", "median"),
        low=("value", "min"),
        high=("value", "max"),
        at_limit=("at_limit", "any"),
        datasets=("value", "size"),
    )
    found["bound"] = most_core_vectors(found["eps"])
    return rows_in_order(found, ["panel", "method", "eps"], panel=("steps", "points"))


def _draw_against_eps(axes: Axes, shown: pd.DataFrame, styles: Mapping[str, MethodStyle]) -> None:
    methods = [method for method in styles if (shown["method"] == method).any()]
    for place, method in enumerate(methods):
        rows = shown[shown["method"] == method]
        # eps decreases from left to right, so methods that are drawn first have larger positions
        shift = _APART ** ((len(methods) - 1) / 2 - place)
        draw_method(axes, rows["eps"].to_numpy() * shift, rows, styles[method])
    eps = np.array([shown["eps"].max(), shown["eps"].min()])
    axes.plot(eps, most_core_vectors(eps), **_BOUND)
    logarithmic_x(axes)
    logarithmic(axes)
    axes.invert_xaxis()
    axes.set_xlabel("ε of the stopping rule (log scale), more accurate →")


def _growing(theory: Details) -> pd.DataFrame:
    """Return a table with a row for each training set size and eps. The table has the size of CVM's
    coreset, and CVM's certified and guaranteed gaps.
    """
    if not any(entry.get(GROWTH) for entry in theory):
        return pd.DataFrame()
    frame = with_guarantee(part_frame(theory, GROWTH))
    columns = ["dataset", "method", "size", "eps", "coreset_size", "objective", "relative_gap"]
    frame = frame[[*columns, "guarantee", "ratio", "at_limit"]].assign(panel="core-set")
    return rows_in_order(
        frame.assign(bound=most_core_vectors(frame["eps"])), ["dataset", "eps", "size"]
    )


def _draw_growing(cores: Axes, gaps: Axes, growing: pd.DataFrame) -> None:
    """Draw CVM's coreset and gaps against the training set size."""
    values = sorted(growing["eps"].unique(), reverse=True)
    for eps, color, marker in zip(values, _SHADES[-len(values) :], _MARKERS, strict=False):
        rows = growing[growing["eps"] == eps]
        look = {"color": color, "marker": marker, "markersize": 3.6}
        cores.plot(rows["size"], rows["coreset_size"], **look)
        gaps.plot(rows["size"], rows["relative_gap"], linestyle="none", **look)
        gaps.plot(rows["size"], rows["guarantee"], **_GUARANTEED | {"color": color})
    # A bound that is far above all coreset sizes is left out, since it would make the rest of the
    # panel too small.
    highest = growing["coreset_size"].max()
    for eps in values:
        if (bound := most_core_vectors(eps)) <= 5 * highest:
            cores.axhline(bound, **_BOUND)
            words = f"2/ε for ε = {_power(eps)}"
            cores.annotate(words, (growing["size"].min(), bound), (0, 2), color=ACCENT, **_TEXT)
    cores.set_title("CVM: size of its coreset")
    gaps.set_title("CVM: relative gap at the end")
    for axes, label in ((cores, "points in CVM's coreset"), (gaps, "certified relative gap")):
        logarithmic_x(axes)
        logarithmic(axes)
        # room for the texts at the end of the lines
        axes.set_xlim(right=4 * growing["size"].max())
        axes.set_xlabel(f"number of points m ({growing['dataset'].iloc[0]}, log scale)")
        axes.set_ylabel(label)


def _name_eps(axes: Axes, growing: pd.DataFrame, column: str) -> None:
    """Write the value of ε at the end of each line. The layout of the figure must be final before
    this call.
    """
    largest = growing["size"].max()
    ends = growing[growing["size"] == largest]
    names = [f"ε = {_power(eps)}" for eps in ends["eps"]]
    label_aside(axes, names, [largest] * len(ends), list(ends[column]), 1.4 * largest, size=7)


def _power(value: float) -> str:
    return f"$10^{{{np.log10(value):.0f}}}$"


def rates_chart(theory: Details, missing: Missing = None) -> Chart:
    """Draw h = (R - R*) / R* against the steps of each method on the first `_DATASETS_OF_RATES`
    data sets. Drop steps and fits are also drawn.
    """
    records = part_frame(theory, RATES, missing)
    names = list(records["dataset"].unique())[:_DATASETS_OF_RATES]
    records = rows_in_order(records[records["dataset"].isin(names)], ["dataset", "method"])
    styles = method_styles(records["method"].unique())
    parts = []
    with figure_style():
        figure = Figure(figsize=(TEXT_WIDTH, 3.4), layout="constrained")
        panels = figure.subplots(1, len(names), squeeze=False, sharey=True)[0]
        for axes, name in zip(panels, names, strict=True):
            drawn = records[records["dataset"] == name].to_dict("records")
            for place, record in enumerate(reversed(drawn)):
                style = styles[record["method"]]
                look = {"xycoords": "axes fraction", "color": style.color, **_TEXT}
                words = f"{style.label}: {_law_in_words(record['fits'])}"
                axes.annotate(words, (0, 1), (0, 4 + 10 * place), **look)
            parts += [_draw_rate(axes, record, styles[record["method"]]) for record in drawn]
            logarithmic_x(axes, ticks=7)
            axes.set_title(name, loc="left", pad=6 + 10 * len(drawn), weight="bold")
            axes.set_xlabel("step k (log scale)")
        logarithmic(panels[0])
        panels[0].set_ylabel("relative error h = (R − R*) / R*\n(log scale)")
        handles = [
            Line2D([], [], color=style.color, label=style.label) for style in styles.values()
        ]
        handles.append(Line2D([], [], label="drop step", color=MUTED, **_DROP))
        handles.append(Line2D([], [], label="fit to the second half", **_FIT))
        add_legend(figure, handles)
    return Chart(figure, pd.concat(parts, ignore_index=True))


def _draw_rate(axes: Axes, record: dict, style: MethodStyle) -> pd.DataFrame:
    """Draw a run and a fit. Of the two laws in `fitted_rates`, the one that explains more of the
    run's tail is drawn.

    Return a table of the curve. Each row has the drawn law, the parameter of this law, and the
    share of the variance that each of the two laws explains.
    """
    steps, h, fits = np.array(record["steps"], dtype=float), np.array(record["h"]), record["fits"]
    axes.plot(steps, h, color=style.color, zorder=3)
    axes.plot(record["drops"], record["drop_h"], color=style.color, **_DROP)
    law = law_of(fits)
    tail = steps[steps >= record["tail"]]
    places = tail if law == "linear" else np.log(tail)
    axes.plot(tail, np.exp(fits[law]["intercept"] + fits[law]["slope"] * places), **_FIT)
    return pd.DataFrame(
        {
            "dataset": record["dataset"],
            "method": record["method"],
            "step": steps,
            "h": h,
            "law": law,
            "halving_steps": np.log(0.5) / fits["linear"]["slope"] if law == "linear" else np.nan,
            "power": np.nan if law == "linear" else fits["power"]["slope"],
            "explained_by_linear": fits["linear"]["explained"],
            "explained_by_power": fits["power"]["explained"],
            "drop_steps": record["drop_steps"],
            "last_drop": record["last_drop"],
        }
    )


def law_of(fits: Mapping[str, Mapping[str, float]]) -> str:
    return max(("linear", "power"), key=lambda law: fits[law]["explained"])


def _law_in_words(fits: Mapping[str, Mapping[str, float]]) -> str:
    if law_of(fits) == "linear":
        return f"halves in {np.log(0.5) / fits['linear']['slope']:,.0f} steps"
    return f"like $k^{{{fits['power']['slope']:.2f}}}$"


def samples_chart(theory: Details, missing: Missing = None) -> Chart:
    """Draw how good the point chosen from a sample is, and how often a sample contains no point
    that violates the stopping rule.
    """
    records = part_frame(theory, SAMPLES, missing)
    ranks, misses = rank_numbers(records), miss_numbers(records)
    with figure_style():
        figure = Figure(figsize=(TEXT_WIDTH, 2.9), layout="constrained")
        left, *others = figure.subplots(1, 1 if misses.empty else 2, squeeze=False)[0]
        handles = []
        for (sample, rows), kind in zip(
            ranks.groupby("sample", sort=False), _SAMPLED, strict=False
        ):
            look = {"linestyle": "none", **kind}
            left.plot(100 * rows["better"], 100 * rows["found"], **look)
            handles.append(Line2D([], [], label=sample, **look))
        left.plot(100 * rows["better"], 100 * rows["expected"], **_BOUND)
        top = (100 * TOP, 95)
        left.plot([top[0], top[0], 0], [0, top[1], top[1]], color=MUTED, linewidth=0.8, zorder=1)
        words = f"95 % of random samples contain\none of the best {top[0]:g} % of the points"
        left.annotate(words, top, (5, -12), va="top", color=MUTED, **_TEXT)
        best = 100 * ranks.loc[ranks["better"] == 0, "found"].mean()
        left.annotate(f"the best point: {best:.0f} %", (0, best), (7, 3), **_TEXT)
        left.set_ylim(0, 102)
        left.set_title("How good is the best point of a sample?")
        left.set_xlabel("best points of the training set (%)")
        left.set_ylabel("samples with one of them (%)")
        for right in others:
            right.plot(100 * misses["violating"], 100 * misses["expected"], **_BOUND)
            right.plot(100 * misses["violating"], 100 * misses["missed"], **_ALL_SAMPLES)
            right.set_title("How often does a sample miss all violating points?")
            right.set_xlabel("points that violate the stopping rule (%)")
            right.set_ylabel("samples with none of them (%)")
            handles.append(Line2D([], [], label="both kinds of samples", **_ALL_SAMPLES))
        handles.append(Line2D([], [], label="probability for random samples", **_BOUND))
        add_legend(figure, handles)
    frame = pd.concat([ranks.assign(panel="vertex"), misses.assign(panel="violators")])
    few = "There is no right panel, since the share of violating points was never in its range."
    return Chart(figure, frame.reset_index(drop=True), few if misses.empty else "")


def sample_words(record: Mapping) -> str:
    how = "with" if record["replacement"] else "without"
    return f"{record['sample_size']} points, {how} replacement"


def rank_numbers(records: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a row for each kind of sample and each share in `BETTER`, over all data
    sets.

    ``found`` is the fraction of samples with a good point: at most this share of all points has a
    smaller gradient than the point chosen from the sample. ``expected`` is `chance_of_best` for
    this share.
    """
    found = []
    for sample, group in _kinds_of_samples(records):
        counts = np.sum(group["better"].to_list(), axis=0)
        size = int(group["sample_size"].iloc[0])
        chances = [chance_of_best(x, size) for x in BETTER]
        found.append(
            pd.DataFrame(
                {
                    "sample": sample,
                    "better": BETTER,
                    "found": counts / group["steps"].sum(),
                    "expected": chances,
                    "samples": group["steps"].sum(),
                }
            )
        )
    return pd.concat(found, ignore_index=True)


def miss_numbers(records: pd.DataFrame) -> pd.DataFrame:
    """Return a table with a row for each bin of the share of violating points.

    ``missed`` is the fraction of samples that contain no violating point. Samples of all kinds are
    counted together. ``expected`` is (1 - share)^size, where the share is the middle of the bin,
    and the size is that of the largest kind of sample. Bins without samples are left out.
    """
    drawn, missed = (np.sum(records[name].to_list(), axis=0) for name in ("violating", "missed"))
    middles = (VIOLATING[1:] + VIOLATING[:-1]) / 2
    size = records["sample_size"].max()
    frame = pd.DataFrame(
        {
            "violating": middles,
            "missed": missed / np.maximum(drawn, 1),
            "expected": (1.0 - middles) ** size,
            "samples": drawn,
            "samples_without": missed,
        }
    )
    return frame[drawn > 0]


def _kinds_of_samples(records: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield pairs. A pair has the name of a kind of sample, and the records of this kind on all
    data sets.
    """
    kinds = records.apply(sample_words, axis=1)
    yield from records.groupby(kinds, sort=False)
