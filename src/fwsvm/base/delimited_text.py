"""Tables as delimited text."""

import numpy as np
import pandas as pd


def delimited_text(frame: pd.DataFrame, separator: str = ",") -> str:
    """Return a table as text with every digit of its numbers.

    pandas writes floats as numpy prints them, and some libraries set numpy's old printing of 12 digits for the whole
    process when they are imported.
    """
    with np.printoptions(legacy=False):
        return frame.to_csv(sep=separator, index=False, lineterminator="\n")
