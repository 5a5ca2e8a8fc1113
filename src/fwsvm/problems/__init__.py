"""Quadratic programs over the unit simplex: the dual of the L2-SVM, weighted and explicit ones; cached columns."""
