"""Functions that write headings and notes about protocols, repetitions and missing data sets.

All numbers in these texts are computed from the runs.
"""

from collections.abc import Iterable, Mapping, Sequence

import pandas as pd

from fwsvm_papers.reporting.text import capitalised, counted, listing
from fwsvm_papers.runs.protocols import FULL_PROTOCOL, SERIES_RULE, protocol_words

Details = Sequence[Mapping]
"""A list of mappings. Each mapping is the description of a data set, or has the details that a job
saved.
"""
Missing = Mapping[str, str] | None
"""Maps each unavailable data set to the reason why it is missing."""

_MOST_NAMES = 8
_WIDTHS = {"1/(2 sigma2)": "1/(2 β)", "1/beta": "1/β", "2/beta": "2/β"}


def protocol_heading(runs: pd.DataFrame, protocol: str) -> str:
    """Return a heading with the name, the settings and the number of repetitions of a protocol.

    The runs of CVM are ignored, unless CVM is the only method that ran. There is one exception: if
    CVM draws samples in another way than the other methods, the heading says so.
    """
    all_rows = runs[(runs["protocol"] == protocol).fillna(False)]
    rows = without_cvm(all_rows)
    rules = rows["gamma_rule"].dropna().map(lambda rule: _WIDTHS.get(rule.split(",")[0], ""))
    words = [f"gamma = {rules.mode()[0]}"] if len(rules) and rules.mode()[0] else []
    words += [
        protocol_settings(all_rows),
        *(["one C per series"] if (rows["C_rule"] == SERIES_RULE).any() else []),
    ]
    return f"{capitalised(protocol_words(protocol))}: {', '.join(words)} ({repetitions(rows)})"


def without_cvm(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the runs of all methods except CVM. If only CVM ran, return its runs."""
    others = rows[(rows["method"] != "cvm").fillna(False)]
    return others if len(others) else rows


def protocol_settings(rows: pd.DataFrame) -> str:
    """Return a text about the choice of points and the patience, such as ``samples of 60 points,
    drawn uniformly (CVM: classes alternating), patience 7``.

    The samples and the patience are those of `without_cvm`.
    """
    of_cvm = _draws(rows[(rows["method"] == "cvm").fillna(False)])
    rows = without_cvm(rows)
    sizes = _distinct(rows["sample_size"])
    if not sizes:
        is_full = set(rows["selection"].dropna()) == {"full"} or set(rows["protocol"].dropna()) == {
            FULL_PROTOCOL
        }
        return "all points" if is_full else "settings not recorded"
    parts = [f"samples of {listing(sizes, 'or')} points"]
    if draws := _draws(rows):
        parts.append(f"{draws} (CVM: {of_cvm})" if of_cvm not in ("", draws) else draws)
    patience = _distinct(rows["patience"])
    return ", ".join([*parts, f"patience {listing(patience, 'or')}"] if patience else parts)


def _draws(rows: pd.DataFrame) -> str:
    """Return a text that says how points are drawn. If no samples are drawn, it is empty."""
    alternate = _distinct(rows["alternate"])
    some = "" if all(alternate) else " in some runs"
    uniformly = "drawn uniformly" if alternate else ""
    return f"classes alternating{some}" if any(alternate) else uniformly


def repetitions(rows: pd.DataFrame) -> str:
    """Return a text with the number of runs for each combination of data set, method and setting,
    such as ``1 to 5 repetitions``.
    """
    counts = rows.groupby(["protocol", "dataset", "method", "C", "patience"], dropna=False).size()
    if counts.empty:
        return "no runs"
    least, most = int(counts.min()), int(counts.max())
    return counted(most, "repetition") if least == most else f"{least} to {most} repetitions"


def disturbed_runs(runs: pd.DataFrame) -> str:
    count = int(runs["disturbed"].fillna(False).sum())
    if not count:
        return ""
    return f"Mean times leave out disturbed runs ({count} of {len(runs)}) if others exist."


def missing_sets(
    expected: Iterable[str],
    present: Iterable[str],
    missing: Missing = None,
    whose: str = "the paper",
) -> str:
    """Return a sentence that lists the data sets of a table or figure that have no runs.

    The sentence also says which of these data sets are not available. The unavailable data sets are
    the keys of `missing`.
    """
    present, missing = set(present), missing or {}
    absent = [name for name in expected if name not in present]
    groups = {
        "not available": [name for name in absent if name in missing],
        "not run": [name for name in absent if name not in missing],
    }

    def sentence(names: Sequence[str], said: str) -> str:
        if len(names) > _MOST_NAMES:
            return f"{len(names)} data sets of {whose} were {said}."
        return f"{listing(names)} {'was' if len(names) == 1 else 'were'} {said}."

    return " ".join(sentence(names, said) for said, names in groups.items() if names)


def _distinct(values: pd.Series) -> list:
    return sorted(values.dropna().unique().tolist())
