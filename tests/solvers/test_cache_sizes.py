"""Memory for columns is a bound on memory: results agree within the certificates, whatever it is."""

import numpy as np
import pytest
from grids import parametrize_pairwise
from qp_oracles import KERNELS, METHODS, STEP_METHODS, dual_problem, two_classes

from fwsvm import KernelMatrix, KernelProblem, MatrixProblem, solve
from fwsvm.problems.column_cache import ColumnCache, room_for_columns

THREE_COLUMNS = 1e-6


@parametrize_pairwise(method=METHODS, selection=["full", "sampled_libcvm"], storage=["dense", "csr"])
def test_another_cache_size_gives_the_same_within_the_gap(method, selection, storage):
    m = 150
    X, y = two_classes(4, m, storage=storage)
    problem = dual_problem(X, y, KERNELS["rbf"], 3.0)
    eps = 1e-2 if method == "fw" else 1e-3 if selection != "full" else 1e-7
    settings = dict(selection=selection, stop="relative", eps=eps, random_state=0, max_iterations=20_000)
    for dtype in ("float32", "float64") if eps > 1e-4 else ("auto",):
        all_of_it, half, three = (
            solve(problem, method, column_dtype=dtype, cache_mb=mb, **settings)
            for mb in (200.0, 8e-6 * m * 60, THREE_COLUMNS)
        )
        for other in (half, three):
            assert other.stop_reason == all_of_it.stop_reason
            difference = abs(other.objective - all_of_it.objective)
            assert difference <= max(other.gap, all_of_it.gap)
            # the columns are the same numbers wherever they come from, so in fact nothing changes at all
            assert other.iterations == all_of_it.iterations
            assert difference <= 1e-12
        assert three.kernel_evaluations > all_of_it.kernel_evaluations


@pytest.mark.parametrize("method", METHODS)
def test_float32_and_float64_columns_agree(method):
    X, y = two_classes(9, 120)
    for kernel in KERNELS:
        problem = dual_problem(X, y, KERNELS[kernel], 1.0)
        settings = dict(eps=1e-5, stop="relative", random_state=0)
        if method == "fw":  # far from the optimum, so compared after as many steps
            settings["max_iterations"] = 2000
        single = solve(problem, method, column_dtype="float32", **settings)
        double = solve(problem, method, column_dtype="float64", **settings)
        assert single.column_dtype == "float32"
        assert double.column_dtype == "float64"
        # fw's many small steps turn differences of rounding into other steps
        assert single.objective == pytest.approx(double.objective, rel=1e-4 if method == "fw" else 1e-6)


@pytest.mark.parametrize("method", STEP_METHODS)
def test_no_column_is_computed_twice_while_there_is_room(method):
    X, y = two_classes(4, 100)
    problem = KernelProblem(KernelMatrix(X, KERNELS["rbf"]), y, 3.0)
    solution = solve(problem, method, column_dtype="float64", eps=1e-3, random_state=0, cache_mb=8e-6 * 100 * 130)
    columns = solution.kernel_evaluations / 100
    assert len(solution.support) <= columns <= 100


def test_a_run_uses_no_more_slots_than_its_bound():
    problem = MatrixProblem(np.eye(1000) + 1.0)
    for dtype, itemsize in (("float32", 4), ("float64", 8)):
        for mb in (1e-9, 1.0, 5.0, 1e4):
            cache = ColumnCache(problem, mb, dtype)
            slots, m = cache.arrays.columns.shape
            assert m == 1000
            assert slots == min(max(int(room_for_columns(mb) * 1e6 / (1000 * itemsize)), 3), 1000)
            assert slots * 1000 * itemsize <= max(mb * 1e6, 3 * 1000 * itemsize)
