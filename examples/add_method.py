"""Add a Frank-Wolfe method to the solver.

A new method only has to choose the kind and the vertices of each step.

Line searches, updates, stopping rules and certificates are the same for all methods. The solver
finds a method in the folder `fwsvm/solvers/methods` by the name of its file. The method of this
example is added to `METHODS` instead, only for the running program.
"""

from sklearn.datasets import make_moons

from fwsvm import Kernel, KernelMatrix, KernelProblem, solve
from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.settings import METHODS
from fwsvm.solvers.state import Step
from fwsvm.solvers.vertices import highest_active


@compiled(inline=True)
def select_step(state, n, i, column_i):
    """Move weight from the active point with the highest gradient to i. In every tenth iteration,
    take a Frank-Wolfe step toward i instead.
    """
    if state.count.iterations % 10 == 0:
        return Step.TOWARD, i, i
    return Step.SWAP, i, highest_active(state)


METHODS["mostly_swap"] = step_method("mostly_swap", "MOSTLY_SWAP", "of this example", select_step)

X, y = make_moons(600, noise=0.2, random_state=0)
problem = KernelProblem(KernelMatrix(X, Kernel("rbf", gamma=2.0)), labels=2 * y - 1, C=10.0)
for method in ("mfw", "swap", "mostly_swap"):
    found = solve(problem, method=method, stop="relative", eps=1e-3, random_state=0)
    print(
        f"{method}: {found.iterations} iterations, objective {found.objective:.6f}, gap"
        f" {found.gap:.1e}"
    )
