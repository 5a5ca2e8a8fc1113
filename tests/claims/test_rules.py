"""Each type of rule on tables for which it must give each outcome, and files of claims that are refused."""

import pandas as pd
import pytest
import yaml

from fwsvm.base.errors import UserError
from fwsvm.claims import quantities
from fwsvm.claims.claim import read_claims
from fwsvm.claims.evidence import Evidence
from fwsvm.claims.quantities import QUANTITIES, Sample, quantity, sample
from fwsvm.claims.rules import NOT_REPRODUCED, NOT_RUN, REPRODUCED, SAME_DIRECTION, TYPES
from fwsvm.runs.records import empty_runs


def even(number):
    if number % 2:
        raise ValueError(f"{number} is odd")
    return int(number)


@pytest.fixture(autouse=True)
def given(monkeypatch):
    """Quantities that return what a test puts into `table`: (what, where) -> value, and training points."""
    monkeypatch.setattr(quantities, "QUANTITIES", dict(QUANTITIES))
    monkeypatch.setattr("fwsvm.claims.claim.QUANTITIES", quantities.QUANTITIES)
    table = {}

    def made():
        found = sample(table, "some runs", absent="no runs")
        sizes = pd.Series([10.0 ** (k + 1) for k in range(len(table))], found.values.index) if table else None
        return Sample(found.values, found.basis, found.absent, sizes, found.values * 0 + 0.001)

    @quantity("the ratio", "ratio", neutral=1.0)
    def ratio(evidence) -> Sample:
        return made()

    @quantity("the number of {kind}", "number")
    def number(evidence, kind: str = "things", twice: even = 2) -> Sample:
        return made()

    @quantity("a test", "p")
    def p(evidence) -> Sample:
        return made()

    return table


def read(rule, value=None, **more):
    entry = {"id": "paper-claim", "statement": "It is so", "value": value, "rules": [rule], **more}
    return read_claims(yaml.safe_dump([entry]), "paper", "claims.yaml")["paper-claim"]


def outcome(given, rule, values, value=None, printed=False):
    """Judge `values`: a list for places a, b, c ... of one method, or a dict (method, place) -> value."""
    given.clear()
    given.update(values if isinstance(values, dict) else {("M", "abcdefgh"[k]): v for k, v in enumerate(values)})
    return read(rule, value).judge(Evidence(empty_runs(), printed=printed))


RATIO, NUMBER, P = ({"quantity": name} for name in ("ratio", "number", "p"))


@pytest.mark.parametrize(
    ("rule", "value", "reproduced", "weaker", "wrong"),
    [
        # a third of the printed number and three times it; weaker: on its side of 1
        ({"type": "factor", **RATIO}, 9, [[3.0], [9.0], [27.0]], [[2.9], [27.1], [1.1]], [[1.0], [0.9], [9.0, 0.5]]),
        ({"type": "factor", **RATIO}, 0.25, [[0.1], [0.75]], [[0.05], [0.95]], [[1.0], [2.0]]),
        ({"type": "factor", **RATIO, "factor": 2}, 9, [[4.5, 18.0]], [[4.4]], [[0.1]]),
        ({"type": "factor", **RATIO, "aggregate": "max"}, 9, [[0.1, 9.0]], [[0.1, 2.0]], [[0.1, 0.2]]),
        ({"type": "factor", **RATIO, "aggregate": "median"}, 9, [[0, 9, 100]], [[1, 2, 2.5]], [[9, 0.1, 0.2]]),
        ({"type": "factor", **NUMBER}, 9, [[9.0]], [], [[2.0], [1.0]]),
        ({"type": "share", **RATIO, "above": 1}, None, [[1.1, 1.2]], [[1.1, 1.2, 1.0]], [[1.1, 0.9], [0.9, 0.8]]),
        ({"type": "share", **RATIO, "above": 10}, None, [[11.0]], [[10.0, 2.0], [11.0, 11.0, 0.5]], [[0.9, 2.0]]),
        ({"type": "share", **RATIO, "below": 0.1}, None, [[0.09]], [[0.1]], [[1.0]]),
        ({"type": "share", **RATIO, "at_least": 2}, None, [[2.0]], [[1.9]], [[1.0]]),
        ({"type": "share", **RATIO, "above": 1, "share": "most"}, None, [[2.0, 2.0, 0.5]], [], [[2.0, 0.5], [0.5]]),
        ({"type": "share", **RATIO, "above": 10, "share": "most"}, None, [[11, 11, 0.5]], [[11, 2, 0.5]], [[11, 0.5]]),
        ({"type": "share", **NUMBER, "below": 5, "share": 0.75}, None, [[1, 1, 1, 9]], [], [[1, 1, 9], [1, 9], [9]]),
        ({"type": "bound", **RATIO, "above": 1.5}, None, [[1.0, 1.6, 9.0]], [[1.0, 1.5, 9.0]], [[0.5, 1.0, 9.0]]),
        ({"type": "bound", **RATIO, "below": 1}, None, [[0.9]], [], [[1.0], [1.1]]),
        ({"type": "bound", **NUMBER, "at_most": "printed", "aggregate": "max"}, 14, [[1, 14]], [], [[1, 15]]),
        ({"type": "bound", **NUMBER, "at_least": "printed", "aggregate": "min"}, 14, [[14, 15]], [], [[13, 15]]),
        ({"type": "bound", **NUMBER, "below": "printed 2", "aggregate": "mean"}, [1, 14], [[13, 14]], [], [[14, 14]]),
        ({"type": "bound", **NUMBER, "at_least": 63, "at_most": 77}, None, [[63], [77]], [], [[62], [78]]),
        ({"type": "slope", **NUMBER, "below": 0.2}, None, [[5, 5, 5], [5, 4]], [], [[1, 10], [1, 10, 100]]),
        ({"type": "correlation", **NUMBER, "above": 0}, None, [[1, 2, 3], [1, 3, 2]], [], [[3, 2, 1], [2, 3, 1]]),
        ({"type": "test", **P, "level": 0.05}, None, [[0.01, 0.049]], [[0.01, 0.05], [0.49]], [[0.5], [0.01, 0.9]]),
        ({"type": "no_difference", **P, "level": 0.1}, None, [[0.11, 0.9]], [], [[0.1], [0.9, 0.01]]),
        ({"type": "names", **RATIO, "below": 1, "names": ["a", "b", "z"]}, None, [[0.5, 0.5, 2]],
         [[0.5, 2, 2], [0.5, 0.5, 0.5]], [[2, 2, 0.5], [2, 2, 2]]),
        ({"type": "count", **RATIO, "below": 1, "names": ["a", "b", "z"]}, None, [[0.5, 0.5, 2], [2, 0.5, 0.5]], [],
         [[0.5, 2, 2], [0.5, 0.5, 0.5]]),
        ({"type": "ordering", **NUMBER, "lowest": ["a", "c"]}, None, [[1, 9, 2], [2, 9, 1]], [], [[1, 2, 9]]),
    ],
)  # fmt: skip
def test_outcomes_of_each_type(given, rule, value, reproduced, weaker, wrong):
    for expected, tables in ((REPRODUCED, reproduced), (SAME_DIRECTION, weaker), (NOT_REPRODUCED, wrong)):
        for values in tables:
            assert outcome(given, rule, values, value).outcome == expected, (rule, values)
    absent = outcome(given, rule, [], value)
    assert (absent.outcome, absent.ours, absent.reason) == (NOT_RUN, "", "no runs")


def test_every_type_has_its_row_above():
    rows = test_outcomes_of_each_type.pytestmark[0].args[1]
    assert {row[0]["type"] for row in rows} == set(TYPES)


def test_each_method_by_itself(given):
    rule = {"type": "share", **NUMBER, "below": 5, "share": "most"}
    values = {("FW", "a"): 1, ("FW", "b"): 1, ("MFW", "a"): 9, ("MFW", "b"): 9, ("FW", "c"): 1}
    assert outcome(given, rule, values).outcome == REPRODUCED
    verdict = outcome(given, rule | {"each": True}, values)
    assert (verdict.outcome, verdict.ours) == (NOT_REPRODUCED, "FW 3 of 3, MFW 0 of 2")


def test_printed_numbers_by_method_or_by_place(given):
    rule = {"type": "factor", **RATIO, "aggregate": "median"}
    values = {("FW", "a"): 10, ("MFW", "a"): 100}
    assert outcome(given, rule, values, {"FW": 12, "MFW": 90}).ours == "median FW 10×, MFW 100×"
    assert outcome(given, rule, values, {"FW": 90, "MFW": 12}).outcome == SAME_DIRECTION
    rule = {"type": "factor", **RATIO}
    values = {("FW", "a"): 10, ("FW", "b"): 100}
    assert outcome(given, rule, values, {"a": 12, "b": 90, "z": 5}).outcome == REPRODUCED
    verdict = outcome(given, rule | {"complete": True}, values, {"a": 12, "b": 90, "z": 5})
    assert (verdict.outcome, verdict.reason) == (NOT_RUN, "no runs on z")


@pytest.mark.parametrize(
    ("rule", "values", "told"),
    [
        ({"type": "test", **P, "level": 0.0001}, [0.5], "some runs cannot be significant at 0.01 %"),
        ({"type": "slope", **NUMBER, "below": 1}, [1], "1 of at least 2 sizes; some runs"),
        ({"type": "correlation", **NUMBER, "above": 0}, [1, 2], "2 of at least 3 sizes; some runs"),
        ({"type": "ordering", **NUMBER, "lowest": ["a", "b"]}, [1, 2], "needs a and b and another set; have a, b"),
        (
            {"type": "ordering", **NUMBER, "lowest": ["a", "z"]},
            [1, 2, 3],
            "needs a and z and another set",
        ),
    ],
)
def test_too_few_values_decide_nothing(given, rule, values, told):
    verdict = outcome(given, rule, values)
    assert verdict.outcome == NOT_RUN and verdict.reason.startswith(told)


def test_slopes_and_correlations_are_those_of_the_law(given):
    """Training points are 10, 100, 1000 ...: m^0.7 has the slope 0.7; ranks 1 3 2 4 have the correlation 0.8."""
    law = [10 ** (0.7 * (k + 1)) for k in range(4)]
    (slope,) = outcome(given, {"type": "slope", **NUMBER, "below": 1}, law).findings
    assert slope.numbers == pytest.approx((0.7,))
    found = outcome(given, {"type": "correlation", **NUMBER, "above": 0}, [1, 30, 2, 400])
    assert found.findings[0].numbers == pytest.approx((0.8,)) and found.ours == "correlation 0.80"


def test_a_value_that_no_run_attains_reproduces_nothing(given):
    verdict = outcome(given, {"type": "bound", **NUMBER, "below": 5}, [float("nan")])
    assert (verdict.outcome, verdict.ours) == (NOT_REPRODUCED, "none")


def test_the_print_agrees_with_itself_up_to_rounding(given):
    rule = {"type": "factor", **RATIO}
    assert outcome(given, rule, [20.0], 15).outcome == REPRODUCED
    assert outcome(given, rule, [20.0], 15, printed=True).outcome == SAME_DIRECTION
    assert outcome(given, rule, [15.4], 15, printed=True).outcome == REPRODUCED


def test_the_worst_rule_decides(given):
    rules = [{"type": "bound", **RATIO, "above": limit} for limit in (1, 2, 100)]
    text = yaml.safe_dump([{"id": "paper-claim", "statement": "So", "rules": rules}])
    given["M", "a"] = 3.0
    claim = read_claims(text, "paper", "claims.yaml")["paper-claim"]
    verdict = claim.judge(Evidence(empty_runs()))
    assert verdict.outcome == SAME_DIRECTION and verdict.ours == "3×"
    assert [rule.threshold for rule in verdict.decided_by] == ["> 100×, median"]


def test_rules_are_put_into_words_with_where_the_threshold_comes_from():
    claim = read({"type": "bound", **NUMBER, "at_most": "printed", "kind": "cats"}, 14, unit="cats")
    assert (claim.rule, claim.printed) == ("the number of cats: <= 14, median", "14 cats")
    assert claim.rules[0].basis == "printed"
    assert read({"type": "share", **RATIO, "above": 1, "basis": "paper"}).rules[0].basis == "paper"
    assert read({"type": "share", **RATIO, "above": 1}).rules[0].basis == "chosen"
    assert read({"type": "factor", **RATIO}, {"FW": 2, "MFW": 3.5}).printed == "FW 2, MFW 3.5"


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        ({"type": "bond", **NUMBER, "below": 1}, "rule 1: unknown type 'bond'; did you mean 'bound'?"),
        ({"type": "bound", "quantity": "numbr", "below": 1}, "unknown quantity 'numbr'; did you mean 'number'?"),
        ({"type": "bound", **NUMBER, "bellow": 1}, "rule 1: unknown key 'bellow'; did you mean 'below'?"),
        ({"type": "test", **P, "level": 0.1, "below": 1}, "rule 1: unknown key 'below'"),
        ({"type": "test", **P}, "rule 1: needs level"),
        ({"type": "bound", **NUMBER}, "rule 1: needs a threshold: above, below, at_least, at_most"),
        ({"type": "bound", **NUMBER, "below": "2x"}, "below: must be a number, `printed` or `printed 2`, is '2x'"),
        ({"type": "bound", **NUMBER, "below": "printed 9"}, "rule 1: below: must be a number, `printed`"),
        ({"type": "bound", **NUMBER, "below": 1, "aggregate": "sum"}, "rule 1: aggregate: unknown 'sum'"),
        ({"type": "bound", **NUMBER, "below": 1, "basis": "print"}, "unknown 'print'; did you mean 'printed'?"),
        ({"type": "bound", **NUMBER, "below": 1, "twice": 3}, "rule 1: twice: 3 is odd"),
        ({"type": "names", **NUMBER, "below": 1, "names": "a"}, "rule 1: names: must be a list, is 'a'"),
        ({"type": "bound", **NUMBER, "below": "printed 0"}, "rule 1: below: must be a number, `printed`"),
        ({"type": "share", **NUMBER, "below": 1, "share": "alll"}, "share: must be all, most, or a number"),
        ({"type": "share", **NUMBER, "below": 1, "share": 80}, "share: must be all, most, or a number above 0 up to 1"),
        ({"type": "factor", **RATIO}, "rule 1: needs the printed number, `value` of the claim"),
    ],
)  # fmt: skip
def test_bad_rules_are_refused_with_what_would_be_right(rule, told):
    with pytest.raises(UserError) as error:
        read(rule)
    assert str(error.value).startswith("claims.yaml: claim paper-claim: ") and told in str(error.value)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        ({"id": "paper-claim", "statement": "So"}, "claim paper-claim: needs rules"),
        (
            {"id": "paper-claim", "statement": "So", "rules": [], "valeu": 1},
            "unknown key 'valeu'; did you mean 'value'",
        ),
        ({"id": "paper-claim", "statement": "So", "rules": []}, "rules must be a list of mappings"),
        ({"id": "paper-claim", "statement": "So", "rules": ["bound"]}, "rules must be a list of mappings"),
        ("paper-claim", "claims.yaml: the claims must be a list of mappings"),
        ({"id": "claim", "statement": "So", "rules": []}, "claim claim: id must be unique and begin with paper-"),
        ({"statement": "So", "rules": []}, "claim (without id): needs id"),
    ],
)
def test_bad_claims_are_refused(entry, told):
    with pytest.raises(UserError) as error:
        read_claims(yaml.safe_dump([entry]), "paper", "claims.yaml")
    assert told in str(error.value)


def test_a_method_without_a_printed_number_is_named(given):
    with pytest.raises(UserError, match="has no number of SWAP; it has FW"):
        outcome(given, {"type": "factor", **RATIO, "aggregate": "max"}, {("FW", "a"): 1, ("SWAP", "a"): 2}, {"FW": 2})


def test_a_quantity_has_one_meaning():
    with pytest.raises(ValueError, match="'number' is registered twice"):

        @quantity("other", "ratio")
        def number(evidence) -> Sample:
            return sample({})

    with pytest.raises(ValueError, match="unknown unit 'furlong'"):

        @quantity("far", "furlong")
        def far(evidence) -> Sample:
            return sample({})
