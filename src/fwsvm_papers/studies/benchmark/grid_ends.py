"""Functions that find tuned parameters that are the first or last value of their grid.

For such a parameter, a value outside the grid could give a higher accuracy.
"""

from pathlib import Path

from fwsvm_papers.reporting.text import listing
from fwsvm_papers.result_files import read_whole_json
from fwsvm_papers.runs.jobs import KERNELS

_LISTS = {"C": "C_exponents", "sigma2": "width_exponents", "gamma": "width_exponents"}


def grid_ends(tuned: dict) -> list[str]:
    """Return phrases about the tuned values at the ends of their grids, such as "C = 64 is the
    largest value of tuning.C_exponents".

    `tuned` is a result of `tune`. If the phrases for different protocols contradict each other,
    they name the protocols.
    """
    parts = {"the other protocols": tuned}
    parts |= {f"the protocol {name}": part for name, part in tuned.get("protocols", {}).items()}
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for protocol, part in parts.items():
        if not part.get("at_grid_edge"):
            continue
        section = "tuning.cross_validation" if "folds" in part else "tuning"
        for name, listed in _LISTS.items():
            values = sorted({row[name] for row in part["grid"] if name in row})
            if len(values) > 1 and part[name] in (values[0], values[-1]):
                end = "smallest" if part[name] == values[0] else "largest"
                phrase = f"{name} = {part[name]:g} is the {end} value of {section}.{listed}"
                of_list = found.setdefault((name, section), {})
                of_list.setdefault(phrase, []).append(protocol)
    return [
        phrase if len(of_list) == 1 else f"{phrase} under {listing(protocols)}"
        for of_list in found.values()
        for phrase, protocols in of_list.items()
    ]


def ends_by_dataset(results: str | Path) -> dict[str, list[str]]:
    """Return a dict that maps each data set in the folder `results` to its phrases (see
    `grid_ends`). Data sets without phrases are left out.
    """
    found: dict[str, dict[str, None]] = {}
    for folder, kernel in KERNELS.items():
        for path in sorted(Path(results, folder).glob("*.json")):
            for phrase in grid_ends(read_whole_json(path)):
                words = phrase if kernel == "rbf" else f"{phrase} for the {kernel} kernel"
                found.setdefault(path.stem, {})[words] = None
    return {name: list(phrases) for name, phrases in found.items()}


def advice(ends: dict[str, list[str]]) -> list[str]:
    """Return lines for a terminal with the phrases of `ends`, which is a result of
    `ends_by_dataset`. Data sets with the same phrase share a line. The first line advises wider
    grids. If there are no phrases, there are no lines.
    """
    by_phrase: dict[str, list[str]] = {}
    for name, phrases in ends.items():
        for phrase in phrases:
            by_phrase.setdefault(phrase, []).append(name)
    lines = [f"  {', '.join(names)}: {phrase}" for phrase, names in by_phrase.items()]
    head = (
        "These tuned values are the first or last value of their grid. A wider grid can give a"
        " higher accuracy:"
    )
    return [head, *lines] if lines else []
