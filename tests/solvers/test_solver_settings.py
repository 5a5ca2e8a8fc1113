"""Settings: presets and their overrides, and errors that name the argument."""

import numpy as np
import pytest
from qp_oracles import KERNELS, dual_problem, two_classes

from fwsvm import MatrixProblem, solve
from fwsvm.solvers.registry import METHODS
from fwsvm.solvers.settings import SELECTIONS, Selection, Settings


def test_presets_are_the_papers_text_and_their_code():
    assert not SELECTIONS["full"].sampled
    text, code = SELECTIONS["sampled_text"], SELECTIONS["sampled_libcvm"]
    assert (text.sample_size, text.patience, text.alternate, text.replacement) == (59, 1, False, False)
    assert (code.sample_size, code.patience, code.alternate, code.replacement) == (60, 7, True, True)


def resolve(selection, **changes):
    return Settings(selection=selection, **changes).selection


def test_presets_can_be_overridden_setting_by_setting():
    mine = resolve("sampled_text", sample_size=10, patience=3, alternate_classes=True)
    assert mine == Selection("sampled_text", True, 10, 3, alternate=True, replacement=False)
    assert resolve("sampled_libcvm", alternate_classes=False).alternate is False
    assert resolve("sampled_libcvm") == SELECTIONS["sampled_libcvm"]
    assert resolve(mine, patience=9).patience == 9
    assert resolve("full") == SELECTIONS["full"]


def test_overrides_reach_the_sampler():
    X, y = two_classes(0, 300)
    problem = dual_problem(X, y, KERNELS["rbf"], 5.0)
    seen = []

    def watch(driver):
        seen.append((driver.sampler.sample.copy(), driver.sampler.settings.tolist()))

    settings = dict(eps=1e-2, random_state=0, trace=True, callback=watch)
    solve(problem, "swap", selection="sampled_text", sample_size=6, alternate_classes=True, **settings)
    for sample, (alternate, replacement) in seen:
        assert (alternate, replacement) == (True, False)
        np.testing.assert_array_equal(y[sample], [1.0, -1.0] * 3)


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ({"method": "newton"}, f"method must be one of {', '.join(('auto', *METHODS))}, got 'newton'"),
        ({"selection": "some"}, "selection must be one of full, sampled_text, sampled_libcvm, got 'some'"),
        (
            {"init": "zeros"},
            "init must be one of random_meb, farthest_pair, closest_opposite_pair, random_point",
        ),
        ({"stop": "never"}, "stop must be one of meb, gap, relative, got 'never'"),
        ({"column_dtype": "float16"}, "column_dtype must be one of auto, float32, float64, got 'float16'"),
        ({"eps": 0.0}, "eps must be a positive finite number, got 0.0"),
        ({"eps": -1e-6}, "eps must be a positive finite number"),
        ({"eps": np.nan}, "eps must be a positive finite number"),
        ({"eps": np.inf}, "eps must be a positive finite number, got inf"),
        ({"inner_tolerance": 0.0}, "inner_tolerance must be a positive finite number"),
        ({"cache_mb": -1.0}, "cache_mb must be a positive finite number"),
        ({"max_iterations": 0}, "max_iterations must be an integer >= 1"),
        ({"time_limit": 0.0}, "time_limit must be a positive number"),
        ({"sample_size": 10}, "sample_size: only with a sampled selection"),
        ({"patience": 3, "alternate_classes": True}, "patience, alternate: only with a sampled selection"),
        ({"selection": "sampled_text", "sample_size": 0}, "sample_size must be an integer >= 1 or None, got 0"),
        ({"selection": "sampled_text", "sample_size": 2.5}, "sample_size must be an integer >= 1 or None, got 2.5"),
        ({"selection": "sampled_text", "patience": 0}, "patience must be an integer >= 1 or None, got 0"),
    ],
)
def test_settings_out_of_range_are_named(setting, message):
    with pytest.raises(ValueError, match=message):
        solve(MatrixProblem(np.eye(3)), **setting)


@pytest.mark.parametrize("Q", [np.ones((2, 3)), np.ones(4), np.zeros((0, 0))])
def test_matrix_must_be_square(Q):
    with pytest.raises(ValueError, match="Q must be a square matrix, got shape"):
        MatrixProblem(Q)


@pytest.mark.parametrize("Q", [[[1.0, np.nan], [np.nan, 1.0]], [[np.inf, 0.0], [0.0, 1.0]]])
def test_matrix_must_be_finite(Q):
    with pytest.raises(ValueError, match="Q must be finite, but it holds NaN or infinite values"):
        MatrixProblem(Q)


def test_matrix_must_be_symmetric():
    with pytest.raises(
        ValueError, match=r"Q must be symmetric, but Q\[1, 0\] = 0 and Q\[0, 1\] = 2: .* difference is 2"
    ):
        MatrixProblem([[1.0, 2.0], [0.0, 1.0]])


@pytest.mark.parametrize("C", [0.0, -1.0, np.nan, "1"])
def test_penalty_must_be_positive(C):
    X, y = two_classes(0, 10)
    with pytest.raises(ValueError, match="C must be a positive finite number or infinity"):
        dual_problem(X, y, KERNELS["rbf"], C)


@pytest.mark.parametrize("labels", [[0.0, 1.0] * 5, [1.0] * 9, [1.0, 2.0] * 5])
def test_labels_must_be_signs(labels):
    X, _ = two_classes(0, 10)
    with pytest.raises(ValueError, match=r"labels must be 10 values of -1 or \+1"):
        dual_problem(X, np.array(labels), KERNELS["rbf"], 1.0)
