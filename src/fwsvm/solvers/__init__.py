"""Frank-Wolfe methods for the simplex QP of a kernel SVM."""
