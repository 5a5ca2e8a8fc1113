"""The numbers in the findings of beyond-gamma and beyond-splits."""

from findings_support import finding

TIE = 0.01
"""The tolerance in percentage points, from the caption of beyond-gamma."""


@finding("beyond-gamma")
def kernel_widths(frame):
    distance = (frame["mean"] - frame["printed"]).abs()
    smallest = distance.groupby(frame["dataset"]).transform("min")
    nearest = frame[distance <= smallest + TIE]
    sets = nearest.groupby("factor")["dataset"].agg(list)
    assert frame["factor"].nunique() == 3
    best = sets.str.len().idxmax()
    assert "shuttle" in sets[best]
    (other,) = set(nearest.loc[nearest["dataset"] == "shuttle", "factor"]) - {best}
    return [best, len(sets[best]), frame["dataset"].nunique(), other]


@finding("beyond-splits")
def validation_parts(frame):
    chosen = frame["C"].str.split()
    depends = chosen.map(lambda values: len(set(values)) > 1)
    spread = frame["accuracy_highest"] - frame["accuracy_lowest"]
    return [depends.sum(), len(frame), spread.median()]
