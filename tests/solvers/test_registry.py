"""The registry of methods: what a file must declare, and that a bad declaration fails at once."""

import importlib
import sys
from types import ModuleType

import numpy as np
import pytest
from numba import njit
from qp_oracles import STEP_METHODS

from fwsvm import FrankWolfeSVC
from fwsvm.base.compiled import compiled
from fwsvm.base.parameters import SELECTIONS as SELECTION_NAMES
from fwsvm.base.parameters import STOP_RULES
from fwsvm.reporting.style import method_label
from fwsvm.solvers import registry
from fwsvm.solvers.constants import StopRule
from fwsvm.solvers.method import Method, step_method
from fwsvm.solvers.methods import ALL_NAMES, GROUPS, NAMES
from fwsvm.solvers.passes import find_extremes
from fwsvm.solvers.registry import METHODS
from fwsvm.solvers.settings import SELECTIONS
from fwsvm.solvers.state import Choice, activate, choose, new_state, refresh_objective


@compiled
def pick(state, n, i, column_i):
    return 0, i, i


@compiled
def pick_of_other_arguments(state, i):
    return 0, i, i


def declared(monkeypatch, name, **content):
    """A file of that name with this content, in place of the folder's."""
    module = ModuleType(f"fwsvm.solvers.methods.{name}")
    vars(module).update(content)
    monkeypatch.setitem(sys.modules, module.__name__, module)


@pytest.mark.parametrize("name", ALL_NAMES)
def test_every_method_says_what_it_is(name):
    method = registry.METHODS[name]
    assert (method.name, method.label) == (name, method_label(name))
    assert len(method.source) > 10
    assert importlib.import_module(f"fwsvm.solvers.methods.{name}").__doc__.startswith(f"{method.label}: ")
    assert name in GROUPS[method.group]


def test_a_file_without_a_method_is_refused(monkeypatch):
    declared(monkeypatch, "empty")
    with pytest.raises(TypeError, match=r"methods\.empty must declare METHOD"):
        registry._registered("empty")


def test_a_method_of_another_name_is_refused(monkeypatch):
    declared(monkeypatch, "mine", METHOD=step_method("yours", "YOURS", "nowhere", pick))
    with pytest.raises(TypeError, match="of the name 'mine'"):
        registry._registered("mine")


def test_a_group_that_the_text_does_not_say_is_refused(monkeypatch):
    declared(monkeypatch, "fw", METHOD=Method("fw", "FW", "nowhere", print, group="fast"))
    with pytest.raises(TypeError, match='group="fast"'):
        registry._registered("fw")
    with pytest.raises(ValueError, match="group must be"):
        Method("fw", "FW", "nowhere", print, group="other")


@pytest.mark.parametrize("bad", [pick.py_func, pick_of_other_arguments])
def test_what_cannot_pick_is_refused(bad):
    with pytest.raises(TypeError, match="method 'mine': pick must"):
        step_method("mine", "MINE", "nowhere", bad)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", STEP_METHODS)
def test_loops_choose_as_the_method_picks(name, dtype):
    """Through its address, with the state and the column by theirs."""
    rng, state = np.random.default_rng(0), new_state(40)
    state.a[:8], state.s[:], state.diagonal[:] = 1 / 8, rng.random(40), 1.0 + rng.random(40)
    for i in range(8):
        activate(state, i)
    refresh_objective(state)
    find_extremes(state, 40)
    i, column = int(state.count[0]["fw_vertex"]), rng.random(40).astype(dtype)
    picked = METHODS[name].pick(state, 40, i, column)
    assert choose(Choice(METHODS[name].pick, state, dtype).handle, i, column) == picked


def test_unknown_method_names_the_registered():
    with pytest.raises(ValueError, match=", ".join(NAMES)):
        FrankWolfeSVC("swop").fit([[0.0], [1.0]], [0, 1])


def test_a_mix_up_of_the_numbers_of_a_state_does_not_compile():
    state = new_state(3)
    assert njit(lambda state: state.count[0].iterations)(state) == 0
    with pytest.raises(KeyError, match="iterations"):
        njit(lambda state: state.real[0].iterations)(state)
    with pytest.raises(ValueError, match="no field of name objective"):
        state.count[0]["objective"]


def test_codes_of_the_solvers_are_the_settings_of_the_record():
    assert tuple(rule.name.lower() for rule in StopRule) == STOP_RULES
    assert tuple(SELECTIONS) == SELECTION_NAMES
