"""Read the csv file of a figure that compares the methods on data sets."""

INFERRED, OF_THE_TEXT = "as_run", "as_printed"
"""The protocols: the settings that were inferred, and the settings of the papers' text."""


def panel(frame, protocol, group, quantity, column="value"):
    """Return the numbers of one panel: a row for each data set, and a column for each method."""
    rows = frame[(frame["protocol"] == protocol) & (frame["group"] == group)]
    rows = rows[rows["quantity"] == quantity]
    assert not rows.duplicated(["dataset", "method"]).any()
    assert (rows["bound"] == "exact").all(), "a finding must say that a value is only a bound"
    return rows.pivot_table(index="dataset", columns="method", values=column)
