"""Define quadratic programs over the unit simplex (L2-SVM dual, weighted, explicit) and caches of columns."""
