"""Test the registry of methods and the settings. A wrong declaration gives an error at once, and so
does a value outside its range. The error names what is wrong.
"""

import importlib
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest
from qp_oracles import KERNELS, dual_problem, two_classes

from fwsvm import Kernel, MatrixProblem, solve
from fwsvm.machine_code.compiled import compiled
from fwsvm.solvers.method import step_method
from fwsvm.solvers.methods import ALL_NAMES
from fwsvm.solvers.sampling import random_below
from fwsvm.solvers.settings import METHODS, SELECTIONS, Selection, Settings
from fwsvm.solvers.state import Step
from fwsvm.solvers.vertices import highest_active
from fwsvm_papers.reporting.style import method_label


@compiled
def select_step(state, n, i, column_i):
    return 0, i, i


@compiled
def select_step_of_other_arguments(state, i):
    return 0, i, i


@pytest.mark.parametrize("name", ALL_NAMES)
def test_every_method_says_what_it_is(name):
    method = METHODS[name]
    assert (method.name, method.label) == (name, method_label(name))
    assert len(method.source) > 10
    assert method.definition.endswith(".") and len(method.definition.split()) > 10
    docstring = importlib.import_module(f"fwsvm.solvers.methods.{name}").__doc__
    assert docstring.startswith(f"{method.label}: ")


@pytest.mark.parametrize("bad", [select_step.py_func, select_step_of_other_arguments])
def test_what_cannot_select_steps_is_refused(bad):
    with pytest.raises(TypeError, match="method 'mine': select_step must"):
        step_method("mine", "MINE", "nowhere", bad)


def test_presets_can_be_changed_setting_by_setting():
    with pytest.raises(ValueError, match="reject_members"):
        Settings("auto", Selection("x", True, 5, 1, reject_members=True))
    with pytest.raises(ValueError, match="sample_size must be at least 1, got 0"):
        Selection("mine", True)
    text, code = SELECTIONS["sampled_text"], SELECTIONS["sampled_libcvm"]
    assert (text.sample_size, text.patience, text.alternate, text.replacement) == (
        59,
        1,
        False,
        False,
    )
    assert (code.sample_size, code.patience, code.alternate, code.replacement) == (
        60,
        7,
        True,
        True,
    )
    mine = Settings("mfw", "sampled_text", sample_size=10, patience=3, alternate_classes=True)
    assert mine.selection == Selection(
        "sampled_text", True, 10, 3, alternate=True, replacement=False
    )
    assert replace(mine, patience=9, eps=0.1).selection == replace(mine.selection, patience=9)
    assert (
        Settings(selection="sampled_libcvm", alternate_classes=False).selection.alternate is False
    )
    with pytest.raises(FrozenInstanceError):
        mine.eps = 1.0


BAD = {
    "method": ["newton"],
    "selection": ["some", 3, Kernel()],
    "init": ["zeros", -1, True, 1.5, 3],
    "stop": ["never", ["meb"]],
    "column_dtype": ["float16"],
    "eps": [0.0, -1e-6, np.nan, np.inf, "small", 10**400],
    "inner_tolerance": [0.0],
    "inner_fixed": [1],
    "inner_steps": [0, 2.5],
    "clipped_gain": ["yes"],
    "certify": ["no"],
    "cache_mb": [-1.0, np.inf],
    "max_iterations": [0, 1.5, 2**63],
    "time_limit": [0.0, "short"],
    "threads": [0, 10**400],
    "random_state": ["a", -1],
    "trace_every": ["a", -3, 0, 0.5, np.nan, np.inf, True, None],
    "sample_size": [0, 2.5, 10],
    "patience": [0, 3],
    "alternate_classes": ["no"],
    "reject_members": [Selection("x", True, 5, 1, reject_members=True)],
    "cooling": [Selection("x", True, 5, 1, cooling=False)],
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in BAD.items() for value in values]
)
def test_settings_out_of_range_are_named(name, value):
    given = {"selection": value, "method": "cvm" if name == "cooling" else "fw"}
    with pytest.raises(ValueError, match=name):
        solve(
            MatrixProblem(np.eye(3)), **(given if isinstance(value, Selection) else {name: value})
        )


@pytest.mark.parametrize("method", [name for name, method in METHODS.items() if not method.samples])
def test_methods_that_need_all_points_refuse_samples(method):
    with pytest.raises(ValueError, match="selection"):
        Settings(method, "sampled_text")


BAD_MATRICES = [
    np.ones((2, 3)),
    np.ones(4),
    np.zeros((0, 0)),
    [[1.0, np.nan], [np.nan, 1.0]],
    [[1.0, 2.0], [0.0, 1.0]],
]


@pytest.mark.parametrize("Q", BAD_MATRICES)
def test_a_matrix_must_be_square_finite_and_symmetric(Q):
    with pytest.raises(ValueError, match=r"Q must be (a square|finite|symmetric)"):
        MatrixProblem(Q)


@pytest.mark.parametrize(
    ("labels", "C", "word"),
    [
        *(([1.0, -1.0] * 5, C, "C must") for C in (0.0, -1.0, np.nan, "1", 10**400)),
        *((labels, 1.0, "labels") for labels in ([0.0, 1.0] * 5, [1.0] * 9, [1.0, 2.0] * 5)),
    ],
)
def test_problems_are_checked(labels, C, word):
    with pytest.raises(ValueError, match=word):
        dual_problem(two_classes(0, 10)[0], np.array(labels), KERNELS["rbf"], C)


@compiled
def random_select_step(state, n, i, column_i):
    return (
        (Step.TOWARD, i, i)
        if random_below(state.random, 2)
        else (Step.SWAP, i, highest_active(state))
    )


def test_a_random_choice_of_a_method_follows_the_random_state(monkeypatch):
    monkeypatch.setitem(METHODS, "mine", step_method("mine", "MINE", "nowhere", random_select_step))
    problem = dual_problem(*two_classes(0, 60), KERNELS["rbf"], 5.0)
    runs = [
        solve(problem, "mine", init=0, random_state=s, trace=True, max_iterations=50).trace.step
        for s in (1, 1, 2)
    ]
    assert runs[0] == runs[1] != runs[2]


@compiled
def wrong_select_step(state, n, i, column_i):
    return Step.TOWARD, highest_active(state), i


def test_steps_of_length_zero_end_training(monkeypatch):
    monkeypatch.setitem(METHODS, "mine", step_method("mine", "MINE", "nowhere", wrong_select_step))
    solution = solve(
        MatrixProblem(np.diag([1.0, 2.0, 3.0])), "mine", init="farthest_pair", random_state=0
    )
    assert (solution.stop_reason, solution.iterations) == ("no_progress", 1000)
