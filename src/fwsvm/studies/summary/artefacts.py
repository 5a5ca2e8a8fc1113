"""One table for any data sets: every method of the benchmark next to the majority class and scikit-learn's SVC."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from fwsvm.reporting.skipping import NotDrawableError, needs
from fwsvm.reporting.style import METHODS, method_label
from fwsvm.reporting.tables import Cell, Footnotes, Section, Table
from fwsvm.reporting.text import NOTHING, capitalised, is_missing, listing, significant, whole
from fwsvm.runs.protocols import protocol_words
from fwsvm.runs.records import ordered
from fwsvm.runs.stop_reasons import LIMIT_REASONS
from fwsvm.runs.table import CERTIFIED, of_method, protocols_of, summarise
from fwsvm.studies.benchmark.groups import OF_STUDIES
from fwsvm.studies.benchmark.numbers import (
    BENCHMARK,
    datasets_in_order,
    experiment_runs,
    has_certified,
    majority_accuracies,
    printed_numbers,
)
from fwsvm.studies.benchmark.protocol import (
    BORROWED_CVM,
    CERTIFIED_WORDS,
    protocol_settings,
    protocols_of_cvm,
    repetitions,
)

PEERS, SVC, MAJORITY = "peers", "svc", "majority"

COLUMNS = (
    "protocol", "dataset", "method", "repetitions", "accuracy", "printed_accuracy", "time", "printed_time",
    "support_vectors", "relative_gap", "limit",
)  # fmt: skip
_LABELS = {MAJORITY: "majority class"}
_MEASURES = {
    "accuracy": "test_accuracy",
    "time": "train_cpu_s",
    "support_vectors": "support_vectors",
    "relative_gap": "relative_gap",
}
_LIMITS = {"time_limit": "time limit", "iteration_limit": "iteration limit", "memory_limit": "memory limit"}
_MOST_NAMES = 8
_SVC_NOTE = (
    "Hinge (L1) loss with a free bias, at the kernel width and C of the protocol that looks at all points, which were "
    "tuned for the squared hinge (L2) loss of the other methods; its gap is not certified."
)
_MAJORITY_NOTE = "Test accuracy of the class that is the largest in the training set."
_UNCERTIFIED_NOTE = "Not certified: the certificate would have taken longer than training."
WIDEST = 100
"""Columns of the terminal that the text takes at most."""

_NAME, _METHOD = 20, 18
_HEADS = {
    "dataset": "data set", "method": "method", "accuracy": "accuracy %", "printed_accuracy": NOTHING, "time": "CPU s",
    "printed_time": NOTHING, "support_vectors": "SVs", "relative_gap": "gap",
}  # fmt: skip


def summary_numbers(runs: pd.DataFrame, descriptions: Sequence[Mapping]) -> pd.DataFrame:
    """Compute what the summary shows of the experiments ``benchmark`` and ``peers``."""
    benchmark, peers = experiment_runs(runs, BENCHMARK), experiment_runs(runs, PEERS)
    summary, printed = summarise(benchmark), {name: printed_numbers(_MEASURES[name]) for name in ("accuracy", "time")}
    methods = ordered(benchmark["method"].dropna(), tuple(METHODS))
    if has_certified(benchmark):
        methods.insert(methods.index("cvm") + 1, CERTIFIED)
    svc = {row["dataset"]: _of_svc(row) for row in peers[peers["method"] == SVC].to_dict("records")}
    constant = majority_accuracies(descriptions)
    majority = {name: {"method": MAJORITY, "accuracy": value} for name, value in constant.items()}
    records = []
    for protocol in protocols_of(benchmark):
        rows = {method: of_method(summary, protocol, method).to_dict("index") for method in methods}
        for dataset in datasets_in_order(benchmark["dataset"].dropna()):
            of_set = [
                _of_method(found[dataset], dataset, method, printed)
                for method, found in rows.items()
                if dataset in found
            ]
            others = [others[dataset] for others in (svc, majority) if others.get(dataset)]
            records += [{"protocol": protocol, "dataset": dataset, **record} for record in (*of_set, *others)]
    return pd.DataFrame(records, columns=list(COLUMNS)).astype({"repetitions": "Int64", "support_vectors": float})


def _of_method(row: Mapping, dataset: str, method: str, printed: Mapping[str, pd.DataFrame]) -> dict:
    """A row of `summarise` as one of the summary."""
    # Runs at a limit are the longest: where half of all or more ended at one, the median time is a bound.
    reason = max(LIMIT_REASONS, key=lambda name: row[f"stop_{name}"])
    is_bound = row["at_limit"] and 2 * row["at_limit"] >= row["repetitions"]
    return {
        "method": method,
        "repetitions": row["repetitions"],
        **{name: row[f"{measure}_median"] for name, measure in _MEASURES.items()},
        **{f"printed_{name}": _cell(table, dataset, f"{method}_mean") for name, table in printed.items()},
        "limit": reason if is_bound else None,
    }


def _cell(table: pd.DataFrame, row: str, column: str) -> float:
    return float(table.loc[row, column]) if row in table.index and column in table.columns else np.nan


def _of_svc(row: Mapping) -> dict:
    """A run of SVC as a row of the summary."""
    return {
        "method": SVC,
        "repetitions": 1,
        "accuracy": 100 * row["test_accuracy"],
        "time": np.nan if row["stop_reason"] == "memory_limit" else row["train_cpu_s"],
        "support_vectors": np.nan if is_missing(row["support_vectors"]) else row["support_vectors"],
        "limit": row["stop_reason"] if row["stop_reason"] in _LIMITS else None,
    }


def summary_table(
    runs: pd.DataFrame, descriptions: Sequence[Mapping], missing: Mapping[str, str] | None = None
) -> Table:
    """Lay out `summary_numbers`: a section per protocol, a row per data set and method."""
    numbers = _numbers(runs, descriptions)
    notes, compared = Footnotes(), _has_printed(numbers)
    explained = {SVC: _SVC_NOTE, MAJORITY: _MAJORITY_NOTE, CERTIFIED: CERTIFIED_WORDS}
    own = protocols_of_cvm(experiment_runs(runs, BENCHMARK))
    borrowed = {"cvm": BORROWED_CVM} if own else {}
    sides = ("ours", "printed") if compared else ("",)
    header = (("", "data set"), ("", "method"), *(("accuracy (%)", side) for side in sides))
    header += (*(("time (CPU s)", side) for side in sides), ("", "support vectors"), ("", "relative gap"))
    if not compared:
        header = tuple(("", f"{group} {side}".strip()) for group, side in header)
    sections = tuple(
        Section(
            _heading(runs, protocol),
            tuple(_rows(rows, compared, explained | (borrowed if protocol not in own else {}), notes)),
        )
        for protocol, rows in numbers.groupby("protocol", sort=False)
    )
    said = " ".join(_missing(missing))
    return Table(numbers, header, sections, notes.listed(), notes=said, align="ll" + "r" * (len(header) - 2))


def _numbers(runs: pd.DataFrame, descriptions: Sequence[Mapping]) -> pd.DataFrame:
    numbers = summary_numbers(runs, descriptions)
    if numbers.empty:
        raise NotDrawableError(needs("the benchmark", []))
    return numbers


def _has_printed(numbers: pd.DataFrame) -> bool:
    return bool(numbers[["printed_accuracy", "printed_time"]].notna().to_numpy().any())


def _heading(runs: pd.DataFrame, protocol: str) -> str:
    benchmark = experiment_runs(runs, BENCHMARK)
    rows = benchmark[benchmark["protocol"] == protocol]
    others = rows[rows["method"] != "cvm"]
    rows = others if len(others) else rows
    how = [] if protocol == "all_points" else [protocol_settings(rows)]
    words = protocol_words(protocol)
    return f"{capitalised(words)} ({'; '.join([*how, repetitions(rows)])})"


def _rows(
    numbers: pd.DataFrame, compared: bool, explained: Mapping[str, str], notes: Footnotes
) -> Iterator[tuple[Cell, ...]]:
    for dataset, rows in numbers.groupby("dataset", sort=False):
        for place, row in enumerate(rows.to_dict("records")):
            note = explained.get(row["method"])
            texts, uncertified = _texts(row), row["method"] not in (SVC, MAJORITY) and is_missing(row["relative_gap"])
            ours = ("accuracy", "printed_accuracy", "time", "printed_time") if compared else ("accuracy", "time")
            yield (
                Cell("" if place else dataset),
                Cell(texts["method"], (notes.mark(note),) if note else ()),
                *(Cell(texts[name]) for name in (*ours, "support_vectors")),
                Cell(texts["relative_gap"], (notes.mark(_UNCERTIFIED_NOTE),) if uncertified else ()),
            )


def _texts(row: Mapping) -> dict[str, str]:
    """The numbers of a row as words; what a run at its memory limit lacks is its time."""
    limit = row["limit"]
    time = significant(row["time"], 3)
    if not is_missing(limit):
        time = _LIMITS[limit] if is_missing(row["time"]) else f"≥ {time}"
    gap = row["relative_gap"]
    return {
        "method": _LABELS.get(row["method"]) or method_label(row["method"]),
        "accuracy": _two_decimals(row["accuracy"]),
        "printed_accuracy": _two_decimals(row["printed_accuracy"]),
        "time": time,
        "printed_time": NOTHING if is_missing(row["printed_time"]) else f"{row['printed_time']:g}",
        "support_vectors": whole(row["support_vectors"]),
        "relative_gap": NOTHING if is_missing(gap) else f"{gap:.1e}",
    }


def _two_decimals(value: float) -> str:
    return NOTHING if is_missing(value) else f"{value:.2f}"


def _missing(missing: Mapping[str, str] | None) -> Iterator[str]:
    """Name the data sets of the benchmark that could not be had, by reason."""
    reasons: dict[str, list[str]] = {}
    for name, reason in (missing or {}).items():
        if name not in OF_STUDIES:
            reasons.setdefault(reason, []).append(name)
    for reason, names in reasons.items():
        cut = (
            [*names[: _MOST_NAMES - 1], f"{len(names) - _MOST_NAMES + 1} others"] if len(names) > _MOST_NAMES else names
        )
        yield f"Missing: {listing(cut)} ({reason})."


def summary_text(runs: pd.DataFrame, descriptions: Sequence[Mapping]) -> str:
    """Return the summary as plain text, at most `WIDEST` columns wide, printed numbers in brackets."""
    numbers = _numbers(runs, descriptions)
    compared = _has_printed(numbers)
    lines = []
    for protocol, rows in numbers.groupby("protocol", sort=False):
        heading = _heading(runs, protocol)
        lines += [_cut(heading, WIDEST), _line(_HEADS, compared), "-" * len(_line(_HEADS, compared))]
        for dataset, of_set in rows.groupby("dataset", sort=False):
            for place, row in enumerate(of_set.to_dict("records")):
                lines.append(_line({"dataset": "" if place else dataset, **_texts(row)}, compared).rstrip())
        lines.append("")
    has = set(numbers["method"])
    lines.append("Medians over the repetitions. >=: ended at a limit. gap: certified relative duality gap.")
    lines += ["In brackets: printed in the papers."] if compared else []
    lines += ["SVC: hinge loss, kernel width and C as with all points, tuned for squared hinge."] if SVC in has else []
    return "\n".join(lines)


def _line(texts: Mapping[str, str], compared: bool) -> str:
    """One line: names left, numbers right, the printed ones in brackets after ours."""
    cells = [f"{_cut(texts['dataset'], _NAME):<{_NAME}}", f"{_cut(texts['method'], _METHOD):<{_METHOD}}"]
    for name, width in (("accuracy", 10), ("time", 12)):
        cells.append(f"{texts[name].replace('≥', '>='):>{width}}")
        if compared:
            printed = texts[f"printed_{name}"]
            cells.append(f"{'' if printed == NOTHING else f'({printed})':<9}")
    cells += [f"{texts['support_vectors']:>7}", f"{texts['relative_gap']:>8}"]
    return " ".join(cells)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else f"{text[: width - 1]}…"
