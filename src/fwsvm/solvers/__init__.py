"""Solve the simplex QP of a kernel SVM by Frank-Wolfe methods."""
