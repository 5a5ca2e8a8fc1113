"""What captions say: how the runs were made, what is missing. All taken from the runs themselves."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import pandas as pd

from fwsvm.reporting.text import listing
from fwsvm.runs.protocols import CERTIFIED_PROTOCOL, SERIES_RULE, title
from fwsvm.runs.table import CVM_PROTOCOL, LIMIT_REASONS

_MOST_NAMES = 8
_WIDTHS = {"1/(2 sigma2)": "1/(2 beta)", "1/beta": "1/beta", "2/beta": "2/beta"}

CVM_NOTE = (
    f"Where a protocol has no CVM of its own, CVM is that of LibCVM ({CVM_PROTOCOL}); under each heading CVM is the "
    "denominator of every speed-up. “CVM, certified” is CVM on all points."
)


def protocol_words(protocol: str) -> str:
    """Return a protocol in words."""
    return title(protocol)


def protocol_heading(runs: pd.DataFrame, protocol: str) -> str:
    """Name a protocol with its settings and repetitions as the runs have them.

    For example ``As LibCVM samples: gamma = 1/(2 beta), 60 points, classes alternating, patience 7 (5 repetitions)``.
    Of the sampling, that of the methods other than CVM counts, where there are any.
    """
    rows = runs[(runs["protocol"] == protocol).fillna(False)]
    others = rows[(rows["method"] != "cvm").fillna(False)]
    rows = others if len(others) else rows
    words = [part for part in (_width_words(rows), protocol_settings(rows), _c_words(rows)) if part]
    name = title(protocol)
    return f"{name[:1].upper()}{name[1:]}: {', '.join(words)} ({repetitions(rows)})"


def protocol_settings(rows: pd.DataFrame) -> str:
    """Say how vertices were selected: ``60 points, classes alternating, patience 7``, or ``all points``."""
    sizes = _distinct(rows["sample_size"])
    if not sizes:
        is_full = set(rows["selection"].dropna()) == {"full"} or set(rows["protocol"].dropna()) == {CERTIFIED_PROTOCOL}
        return "all points" if is_full else "settings not recorded"
    parts = [f"{listing(sizes, 'or')} points"]
    alternate = _distinct(rows["alternate"])
    if alternate:
        parts.append("classes alternating" if all(alternate) else "uniform" if not any(alternate) else "mixed")
    patience = _distinct(rows["patience"])
    return ", ".join([*parts, f"patience {listing(patience, 'or')}"] if patience else parts)


def _width_words(rows: pd.DataFrame) -> str:
    """The kernel width of most of the data sets; rules of single sets stand in the caption."""
    rules = rows["gamma_rule"].dropna().map(lambda rule: _WIDTHS.get(rule.split(",")[0], ""))
    return f"gamma = {rules.mode()[0]}" if len(rules) and rules.mode()[0] else ""


def _c_words(rows: pd.DataFrame) -> str:
    return "one C for a series" if (rows["C_rule"] == SERIES_RULE).any() else ""


def repetitions(rows: pd.DataFrame) -> str:
    """Say how often each data set, method and setting was run: ``5 repetitions``, ``1 to 5 repetitions``."""
    counts = rows.groupby(["protocol", "dataset", "method", "C", "patience"], dropna=False).size()
    if counts.empty:
        return "no runs"
    least, most = int(counts.min()), int(counts.max())
    if least == most:
        return f"{most} repetition{'s' if most > 1 else ''}"
    return f"{least} to {most} repetitions"


def conditions(runs: pd.DataFrame) -> str:
    """Say in sentences how the runs were made: kernel and width rule, start, stop rule, timing, limits."""
    if runs.empty:
        return "No runs."
    kernels = [{"rbf": "RBF", "poly": "polynomial"}.get(name, name) for name in _distinct(runs["kernel"])]
    width = _by_dataset(runs, "gamma_rule")
    eps = [f"{value:g}" for value in _distinct(runs["eps"])]
    inner = [f"{v:g}" for v in _distinct(runs.loc[(runs["method"] == "cvm").fillna(False), "inner_tolerance"])]
    parts = [
        f"Kernel {listing(kernels, 'or')}" + (f", width rule {width}" if width else ""),
        f"start {_by_dataset(runs, 'init') or 'not recorded'}",
        f"stop rule {_by_dataset(runs, 'stop_rule') or 'not recorded'} at eps = {listing(eps, 'or')}",
        *([f"inner tolerance of CVM {listing(inner, 'or')}"] if inner else []),
    ]
    return f"{'; '.join(parts)}. {_timing(runs)}{_trouble(runs)}"


def _timing(runs: pd.DataFrame) -> str:
    words = {
        "exclusive": "Times are CPU seconds, one training job at a time",
        "shared": "Times are CPU seconds of jobs sharing a machine, so indicative only",
    }
    timing = _distinct(runs["timing"])
    said = words.get(timing[0], f"Times are CPU seconds ({timing[0]})") if len(timing) == 1 else "Times are CPU seconds"
    threads = _distinct(runs["threads"])
    if threads:
        said += f", {listing(threads, 'or')} thread{'s' if max(threads) > 1 else ''}"
    return said + "."


def _trouble(runs: pd.DataFrame) -> str:
    limited = int(runs["stop_reason"].isin(LIMIT_REASONS).sum())
    disturbed = int(runs["disturbed"].fillna(False).sum())
    said = f" {limited} of {len(runs)} runs ended at a time or iteration limit." if limited else ""
    verb = "was" if disturbed == 1 else "were"
    return said + (f" {disturbed} of {len(runs)} runs {verb} timed on a busy machine." if disturbed else "")


def marks_disturbed(runs: pd.DataFrame) -> bool:
    """Tell whether runs timed on a busy machine are marked one by one; where most are, the caption is enough."""
    return not runs["disturbed"].fillna(False).astype(float).mean() > 0.5


def missing_sets(
    expected: Iterable[str], present: Iterable[str], missing: Mapping[str, str] | None = None, whose: str = "the paper"
) -> str:
    """List the data sets of an artefact that are not here; nothing where all are.

    Parameters
    ----------
    expected : iterable of str
        The data sets of the paper's artefact, in its order.
    present : iterable of str
        Those that are here.
    missing : mapping of str to str, optional
        Data set -> why it could not be had; the others were not asked for.
    whose : str
        Whose artefact it is.

    >>> missing_sets(["a1a", "a6a", "covtype"], ["a1a"], {"covtype": "no answer"})
    'Not available: covtype. Not run: a6a.'
    """
    present, missing = set(present), missing or {}
    absent = [name for name in expected if name not in present]
    groups = {
        "Not available": [name for name in absent if name in missing],
        "Not run": [name for name in absent if name not in missing],
    }
    return " ".join(
        f"{said}: {', '.join(names) if len(names) <= _MOST_NAMES else f'{len(names)} data sets of {whose}'}."
        for said, names in groups.items()
        if names
    )


def protocols_sentence(runs: pd.DataFrame, protocols: Iterable[str]) -> str:
    """List the protocols shown, with settings and repetitions."""
    return "Protocols: " + "; ".join(protocol_heading(runs, protocol) for protocol in protocols) + "."


def _distinct(values: pd.Series) -> list:
    return sorted(values.dropna().unique().tolist())


def _by_dataset(runs: pd.DataFrame, column: str) -> str:
    """Name the value of `column`; where data sets differ, the rarer values with their data sets."""
    known = runs[[column, "dataset"]].dropna().drop_duplicates()
    values = _distinct(known[column])
    if len(values) < 2 or known["dataset"].duplicated().any():
        return listing(values, "or") if values else ""
    sets = {value: _distinct(known.loc[known[column] == value, "dataset"]) for value in values}
    common = max(values, key=lambda value: len(sets[value]))
    rare = [f"{value} ({', '.join(sets[value])})" for value in values if value != common]
    return listing([*rare, f"{common} (the others)"])


def same_or_none(values: pd.Series):
    """Return the one value that all rows share, or None."""
    distinct = _distinct(values)
    return distinct[0] if len(distinct) == 1 else None
