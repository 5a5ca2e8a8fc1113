"""FCFW: fully corrective Frank-Wolfe with blocks of vertices; a solver for speed, of none of the papers.

It starts from the points that a low-rank kernel finds below the margin (`fwsvm.solvers.low_rank`), where there are
enough points for that. A round looks at the scores of all points, adds a block of the worst violators (toward vertices)
to the active points, and minimises over the convex hull of them all, by Newton's method (`fwsvm.solvers.restricted`),
to a tolerance that shrinks with the violation. Points that have lost their weight and lie far outside the margin leave.
The block contains the toward vertex of Frank-Wolfe, so each round decreases the objective at least as far as fully
corrective Frank-Wolfe with one vertex: its linear convergence over polytopes covers this (Lacoste-Julien and Jaggi
2015, Theorem 1 for FCFW; the correction of Jaggi 2013, Algorithm 4, here approximate).
"""

from fwsvm.solvers.method import own_loop

METHOD = own_loop(
    "fcfw", "FCFW", "Fully corrective Frank-Wolfe with blocks of vertices (Jaggi 2013 Alg. 4)",
    "fwsvm.solvers.corrective_driver", samples=False,
)  # fmt: skip
