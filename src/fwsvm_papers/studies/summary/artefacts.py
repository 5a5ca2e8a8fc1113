"""One table that compares the benchmark's methods, the majority class and scikit-learn's SVC on all
data sets.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial

import pandas as pd

from fwsvm_papers.reporting.style import method_label
from fwsvm_papers.reporting.tables import Column, Table, ours_beside_printed
from fwsvm_papers.reporting.text import capitalised, fixed, is_missing, significant, whole
from fwsvm_papers.runs import ENDED_REASONS, LIMIT_REASONS
from fwsvm_papers.runs.comparison import Bound, shown_means
from fwsvm_papers.runs.protocols import protocol_words
from fwsvm_papers.runs.table import protocols_of, summarise
from fwsvm_papers.studies.benchmark import numbers
from fwsvm_papers.studies.benchmark import protocol as captions
from fwsvm_papers.studies.benchmark.groups import NANCULEF2014, OF_STUDIES
from fwsvm_papers.studies.benchmark.protocol import Details, Missing

SVC, MAJORITY = "svc", "majority"

COLUMNS = (
    "protocol",
    "dataset",
    "method",
    "repetitions",
    "accuracy",
    "printed_accuracy",
    "time",
    "printed_time",
    "support_vectors",
    "relative_gap",
    "limit",
)
_LABELS = {MAJORITY: "majority class"}
_SVC_NOTE = (
    "SVC trains an L1-SVM, and its bias is not penalised. Its kernel width and C are those of the"
    " inferred settings, which were tuned for the L2-SVM of the other methods. The gap of SVC is"
    " not certified."
)
_MAJORITY_NOTE = "This row shows the accuracy of always predicting the largest training class."
_UNCERTIFIED_NOTE = (
    "The gap is not certified, because the certificate would have taken longer than the time limit."
)
WIDEST = 100
"""Maximum width of the result of `summary_text`, in characters."""

_LONGEST_CELL = 20
_SHORT = {
    "accuracy (%)": "accuracy %",
    "time (CPU s)": "CPU s",
    "support vectors": "SVs",
    "relative gap": "gap",
}


def summary_numbers(runs: pd.DataFrame, descriptions: Details) -> pd.DataFrame:
    """Return the numbers of the summary table: those of the experiment ``benchmark``, those of SVC
    in the experiment ``peers``, and the accuracies of the majority prediction.
    """
    benchmark = numbers.drawable_runs(runs, numbers.BENCHMARK)
    peers = numbers.experiment_runs(runs, "peers")
    methods = numbers.methods_shown(
        benchmark, [name for name in NANCULEF2014 if (benchmark["method"] == name).any()]
    )
    peers = peers[peers["method"] == SVC].set_index("dataset")
    svc = peers[["method", "support_vectors"]].assign(
        repetitions=1,
        accuracy=100 * peers["test_accuracy"],
        time=peers["train_cpu_s"].mask(peers["stop_reason"] == "memory_limit"),
        limit=peers["stop_reason"].where(peers["stop_reason"].isin(ENDED_REASONS)),
    )
    majority = pd.DataFrame(
        {"accuracy": numbers.majority_accuracies(descriptions), "method": MAJORITY}
    )
    others = pd.concat([svc, majority.rename_axis("dataset")])
    others = others[others.index.isin(benchmark["dataset"])]
    summary, parts = summarise(benchmark), []
    for protocol in protocols_of(benchmark):
        own = shown_means(summary, [protocol], methods).set_index("dataset")
        reason = (
            own[[f"stop_{name}" for name in LIMIT_REASONS]].idxmax(axis=1).str.removeprefix("stop_")
        )
        own["limit"] = reason.where(own["at_limit"])
        part = (
            pd.concat([own, others]).rename_axis("dataset").reset_index().assign(protocol=protocol)
        )
        parts.append(numbers.rows_in_order(part, ["dataset"]))
    frame = pd.concat(parts, ignore_index=True)
    for name in ("accuracy", "time"):
        frame[f"printed_{name}"] = numbers.printed_means(
            numbers.MEASURES[name], frame["dataset"], frame["method"]
        )
    return frame[list(COLUMNS)].astype({"repetitions": "Int64", "support_vectors": float})


def summary_table(runs: pd.DataFrame, descriptions: Details, missing: Missing = None) -> Table:
    """Return the table of `summary_numbers`. It has a section per protocol, and a row per data set
    and method.
    """
    frame = summary_numbers(runs, descriptions)
    explained = {SVC: _SVC_NOTE, MAJORITY: _MAJORITY_NOTE}

    def method_notes(row: Mapping) -> Iterable[str]:
        return filter(None, [explained.get(row["method"])])

    def gap_notes(row: Mapping) -> list[str]:
        is_ours = row["method"] not in (SVC, MAJORITY)
        return [_UNCERTIFIED_NOTE] if is_ours and is_missing(row["relative_gap"]) else []

    absent = [name for name in missing or {} if name not in OF_STUDIES]
    notes, (shown, columns) = (
        captions.missing_sets(absent, [], missing, "the benchmark"),
        _layout(frame),
    )
    columns[1], columns[-1] = (
        replace(columns[1], notes=method_notes),
        replace(columns[-1], notes=gap_notes),
    )
    return ours_beside_printed(shown, columns, "protocol", partial(_heading, runs), notes, frame)


def summary_text(runs: pd.DataFrame, descriptions: Details) -> str:
    """Return the summary as plain text. Its lines have at most `WIDEST` characters."""
    frame = summary_numbers(runs, descriptions)
    (shown, columns), lines = _layout(frame), []
    names = [_SHORT.get(column.group or column.name, column.name) for column in columns]
    names = [
        "printed" if column.name == "printed" else name
        for column, name in zip(columns, names, strict=True)
    ]
    for protocol, rows in shown.groupby("protocol", sort=False):
        texts = [
            [_cut(column.text(row), _LONGEST_CELL) for column in columns]
            for row in rows.to_dict("records")
        ]
        widths = [max(map(len, texts_of)) for texts_of in zip(names, *texts, strict=True)]
        lines.append(_cut(_heading(runs, protocol), WIDEST))
        for line in (names, *texts):
            sized = zip(line, columns, widths, strict=True)
            cells = [
                f"{text:{'<' if column.align == 'l' else '>'}{width}}"
                for text, column, width in sized
            ]
            lines.append("  ".join(cells).rstrip())
        lines.append("")
    lines.append("Numbers are means over the repetitions.")
    if any(Bound.AT_LEAST.sign in line for line in lines):
        lines.append(
            "The sign >= marks a lower bound, because runs ended at a limit of time or steps."
        )
    lines.append("The column gap has the certified duality gap, divided by the objective.")
    lines.append("If this number is above 1, the model is far from the optimum.")
    if SVC in set(frame["method"]):
        lines.append(
            "SVC has the hinge loss. Its kernel width and C were tuned for the squared hinge loss."
        )
    return "\n".join(lines).replace(Bound.AT_LEAST.sign, ">=")


def _layout(frame: pd.DataFrame) -> tuple[pd.DataFrame, list[Column]]:
    """Return the rows and columns of `summary_table` and `summary_text`.

    The columns with numbers of the papers are omitted if they are empty.

    In the column `shown`, the first row of each data set has the name of the data set, and the
    other rows have "".
    """
    compared = frame[["printed_accuracy", "printed_time"]].notna().to_numpy().any()
    columns = [
        Column("data set", lambda row: row["shown"], align="l"),
        Column(
            "method",
            lambda row: _LABELS.get(row["method"]) or method_label(row["method"]),
            align="l",
        ),
    ]
    for group, ours, name, form in (
        ("accuracy (%)", lambda row: fixed(row["accuracy"], ".2f"), "printed_accuracy", ".2f"),
        ("time (CPU s)", _time, "printed_time", "g"),
    ):
        if compared:
            columns.append(Column("ours", ours, group))
            columns.append(
                Column("printed", lambda row, name=name, form=form: fixed(row[name], form), group)
            )
        else:
            columns.append(Column(group, ours))
    columns.append(Column("support vectors", lambda row: whole(row["support_vectors"])))
    columns.append(Column("relative gap", lambda row: significant(row["relative_gap"], 2)))
    repeated = frame.duplicated(["protocol", "dataset"])
    return frame.assign(shown=frame["dataset"].mask(repeated, "")), columns


def _time(row: Mapping) -> str:
    """Return the time as text. If runs ended at a limit, the time is only a lower bound, and the
    text begins with ≥.

    If there is no time because of a limit, return the name of the limit.
    """
    if is_missing(row["limit"]):
        return significant(row["time"], 3)
    if is_missing(row["time"]):
        return row["limit"].replace("_", " ")
    return Bound.AT_LEAST.before(significant(row["time"], 3))


def _heading(runs: pd.DataFrame, protocol: str) -> str:
    benchmark = numbers.experiment_runs(runs, numbers.BENCHMARK)
    rows = benchmark[benchmark["protocol"] == protocol]
    how = [] if protocol == "all_points" else [captions.protocol_settings(rows)]
    facts = [*how, captions.repetitions(captions.without_cvm(rows))]
    return f"{capitalised(protocol_words(protocol))} ({'; '.join(facts)})"


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
