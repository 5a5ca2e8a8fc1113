"""CVM with samples: its coreset, its stages and its end."""

import numpy as np
import pytest
from qp_oracles import KERNELS, dual_matrix, dual_problem, optimum, two_classes
from sampled_runs import StubbornCvmCoresetDriver, run_with

from fwsvm import solve
from fwsvm.solvers.cvm_loop import new_core, next_stage
from fwsvm.solvers.methods.cvm import CvmDriver
from fwsvm.solvers.sampling import draw
from fwsvm.solvers.settings import Settings
from fwsvm.solvers.state import Numbers


def test_stage_tolerances_halve_down_to_the_target():
    core = new_core(3, 3, Settings("cvm", eps=0.02))
    numbers, stages = Numbers(core.numbers), []
    stages.append(numbers.stage_eps)
    while next_stage(core, 0.02):
        stages.append(numbers.stage_eps)
    assert stages == [0.1, 0.05, 0.025, 0.02]
    late = new_core(3, 3, Settings("cvm", eps=0.5))
    assert Numbers(late.numbers).stage_eps == 0.5 and not next_stage(late, 0.5)


@pytest.mark.parametrize("driver", [StubbornCvmCoresetDriver, CvmDriver])
def test_cvm_never_draws_its_coreset_again(monkeypatch, driver):
    drawn = []

    def recording_draw(sampler, rejected):
        size = draw(sampler, rejected)
        drawn.append((sampler.sample[:size].copy(), rejected.copy()))
        return size

    X, y = two_classes(4, 80)
    monkeypatch.setattr("fwsvm.solvers.coreset_drivers.draw", recording_draw)
    solution, _ = run_with(
        monkeypatch, driver, dual_problem(X, y, KERNELS["rbf"], 5.0), "cvm", selection="sampled_libcvm", eps=1e-3
    )
    if driver is StubbornCvmCoresetDriver:
        assert len(drawn) == solution.samples > 50
        for sample, rejected in drawn:
            assert np.all(rejected[sample] < 0)
            assert np.count_nonzero(rejected >= 0) >= 2
        sizes = [np.count_nonzero(rejected >= 0) for _, rejected in drawn]
        assert sizes == sorted(sizes)
        assert sizes[-1] == solution.coreset_size
    assert solution.coreset_size >= len(solution.support)


@pytest.mark.parametrize("driver", [StubbornCvmCoresetDriver, CvmDriver])
def test_cvm_with_a_small_eps_is_exact(monkeypatch, driver):
    """tsang2005 sec. 4.2; sampled, with a patience that leaves nothing to chance."""
    X, y = two_classes(5, 70)
    C = 4.0
    solution, seen = run_with(
        monkeypatch, driver, dual_problem(X, y, KERNELS["rbf"], C), "cvm", selection="sampled_text",
        sample_size=20, patience=40, eps=1e-10, inner_tolerance=1e-11,
    )  # fmt: skip
    assert set(seen) == {driver.__name__}
    best, _ = optimum(dual_matrix(X, y, KERNELS["rbf"], C))
    assert solution.objective == pytest.approx(best, rel=1e-9)
    full = solve(dual_problem(X, y, KERNELS["rbf"], C), "cvm", eps=1e-11, random_state=0)
    assert full.objective == pytest.approx(best, rel=1e-9)
    assert full.stop_reason == "converged"


def test_cvm_halves_a_coarse_inner_tolerance_although_members_are_not_sampled():
    X, y = two_classes(5, 120)
    best, _ = optimum(dual_matrix(X, y, KERNELS["rbf"], 4.0))
    solution = solve(
        dual_problem(X, y, KERNELS["rbf"], 4.0), "cvm", selection="sampled_text", sample_size=20, patience=40,
        eps=1e-7, inner_tolerance=0.05, init="closest_opposite_pair", random_state=6,
    )  # fmt: skip
    assert solution.objective == pytest.approx(best, rel=1e-3)


@pytest.mark.parametrize("preset", ["sampled_text", "sampled_libcvm"])
@pytest.mark.parametrize("driver", [StubbornCvmCoresetDriver, CvmDriver])
@pytest.mark.parametrize(("n_positive", "m"), [(17, 600), (1, 300), (5, 12), (1, 2)])
def test_cvm_ends_although_a_class_is_used_up(monkeypatch, driver, preset, n_positive, m):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(m, 3)), np.full(m, -1.0)
    y[:n_positive] = 1.0
    solution, _ = run_with(
        monkeypatch, driver, dual_problem(X, y, KERNELS["rbf"], 100.0), "cvm", selection=preset, eps=1e-6,
        init="random_meb", trace_iterates=False, trace=False,
    )  # fmt: skip
    assert solution.stop_reason == "no_violation_in_samples"
    assert solution.weights.sum() == pytest.approx(1.0)
    assert solution.coreset_size >= min(n_positive, 2)
