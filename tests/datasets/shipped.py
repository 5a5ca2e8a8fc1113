"""The names of the project's data sets, without those that users added, and their printed sizes."""

import csv
import importlib.resources

_NAMES = """
    a1a a2a a3a a4a a5a a6a a7a a8a a9a w1a w2a w3a w4a w5a w6a w7a w8a ijcnn1 usps pendigits letter
    protein shuttle mnist reuters usps-ext kdd99-10pc kdd99-full covtype australian breast-cancer
    diabetes german heart ionosphere iris iris-setosa mushrooms sonar magic miniboone checkerboard
    two-circles fourclass satimage breast_cancer digits checkerboard-1m two-circles-3000
"""
SHIPPED_NAMES = _NAMES.split()

COLUMNS = {
    "train_size": "m",
    "test_size": "t",
    "classes": "K",
    "max_pair_size": "m_max",
    "min_pair_size": "m_min",
    "features": "n",
}


def printed_sizes():
    """Return a dict from each data set to a dict of its sizes in frandi2013 table 1.

    The keys of a size are those of `describe`. The key ``name`` has the name of the data set in the
    paper.
    """
    text = (
        importlib.resources.files("fwsvm_papers.studies.frandi2013") / "printed/datasets.csv"
    ).read_text()
    rows = {row["dataset"]: row for row in csv.DictReader(text.splitlines())}
    return {
        name: (
            {ours: int(row[theirs]) for theirs, ours in COLUMNS.items()}
            | {"name": row["name_in_paper"]}
        )
        for name, row in rows.items()
    }
