"""The models that alaiz2018 compares."""

EXPERIMENT = "alaiz2018"
MODELS = {"svm": "pfw", "mfw": "mfw_sparse", "mfw_fixed": "mfw_sparse"}
"""The paper's three models -> the method that trains them; the last one has a C that is fixed beforehand."""
