"""A study with one table, which shows the benchmark's methods, the majority class and
scikit-learn's SVC on every data set.
"""

from fwsvm_papers.reporting.artefact import table

ARTEFACTS = {"summary": table(f"{__name__}.artefacts", "summary_table", "runs descriptions")}
