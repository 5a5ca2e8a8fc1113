"""One-class machines compared: how well they recognise novel points, how large they are, how long they take."""

from collections.abc import Mapping, Sequence

import pandas as pd

from fwsvm.reporting.artefact import NotDrawableError, needs
from fwsvm.reporting.axes import logarithmic
from fwsvm.reporting.figures import Chart
from fwsvm.reporting.panels import facets
from fwsvm.reporting.style import TEXT_WIDTH, figure_style, method_styles
from fwsvm.studies.tsang2005.scaling import NOT_RECORDED
from fwsvm.studies.tsang2005.series_figures import runs_of_part

COLUMNS = {"auc": "area under the ROC curve", "share": "support vectors (% of m)", "time": "CPU time (s)"}
"""Quantity -> title of its panel."""

_KEYS = ["dataset", "method", "gamma_rule", "partition", "C", "repetition"]


def oneclass(runs: pd.DataFrame, tsang2005: Sequence[Mapping], missing: Mapping[str, str] | None = None) -> Chart:
    """The one-class L2-SVM (tsang2005 sec. 3.2.1) next to scikit-learn's OneClassSVM, on real data."""
    rows = runs_of_part(runs, tsang2005, "one_class")
    if rows.empty:
        raise NotDrawableError(needs("the study tsang2005", ["usps"], missing))
    numbers = novelty_numbers(rows, [entry for entry in tsang2005 if entry["series"] == "one_class"])
    keys = ["dataset", "gamma_rule", "method", "partition", "nu"]
    named = numbers.assign(gamma_rule=numbers["gamma_rule"].fillna(NOT_RECORDED))
    long = named.melt(keys, list(COLUMNS), "quantity").groupby([*keys, "quantity"], as_index=False)["value"].mean()
    long["quantity"] = pd.Categorical(long["quantity"], COLUMNS)
    long["case"] = long["dataset"] + ", γ = " + long["gamma_rule"].str.replace("beta", "β")
    means = long.groupby(["case", "method", "nu", "quantity"], as_index=False, observed=True)["value"].mean()
    styles = method_styles(numbers["method"].unique())
    with figure_style():
        panels = facets(
            means, "nu", "value", row="case", col="quantity", styles=styles, titles=COLUMNS, logx=10,
            share=lambda row, col: (row, col), xlabel="ν = 1 / (C m)", size=(TEXT_WIDTH, 1.8),
        )  # fmt: skip
        for (case, quantity), axes in panels.items():
            shown = long[(long["case"] == case) & (long["quantity"] == quantity)]
            for (method, _), line in shown.groupby(["method", "partition"]):
                axes.plot(line["nu"], line["value"], color=styles[method].color, linewidth=0.5, alpha=0.4, zorder=1)
            if quantity != "auc":
                logarithmic(axes)
        figure = panels.finish()
    return Chart(figure, numbers)


def novelty_numbers(runs: pd.DataFrame, details: Sequence[Mapping]) -> pd.DataFrame:
    """One row per run, with its area under the ROC curve from the details and its support vectors in per cent of m."""
    notes = pd.DataFrame(
        {"dataset": job["dataset"], "method": job["method"], **run} for job in details for run in job["runs"]
    )
    frame = runs[[*_KEYS, "relative_gap"]].assign(
        share=100.0 * runs["support_vectors"].astype(float) / runs["task_size"].astype(float),
        time=runs["train_cpu_s"],
        partition=runs["partition"].astype(int),
        repetition=runs["repetition"].astype(int),
    )
    joined = frame.merge(notes[[*_KEYS, "nu", "auc"]], on=_KEYS, how="left").astype({"auc": float})
    columns = ["dataset", "method", "gamma_rule", "partition", "nu", "repetition", *COLUMNS, "relative_gap"]
    return joined[columns].sort_values(columns[:6], kind="stable", ignore_index=True)
