"""Test every function that judges a sample. Each possible outcome has some values that must give
it.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fwsvm_papers.claims.claim import (
    NOT_CONTRADICTED,
    NOT_REPRODUCED,
    NOT_RUN,
    REPRODUCED,
    SAME_DIRECTION,
    STUDY,
    benchmark_claim,
    claim,
    combined,
    thresholds_times,
)
from fwsvm_papers.claims.evaluation import evaluate
from fwsvm_papers.claims.evidence import Evidence, Sample, of_sets
from fwsvm_papers.claims.judging import (
    MOST,
    OFTEN,
    below_one_on,
    bound,
    differs,
    grows,
    lowest,
    near,
    no_difference,
    share,
    slope,
    within,
)
from fwsvm_papers.runs.comparison import Bound
from fwsvm_papers.runs.records import empty_runs


def made(unit, values, **more):
    """Return a sample of values.

    `values` is a list of the values of one method at the places a, b, c ..., or a dict from
    (method, place) to the value. By default, p-values are those of one-sided tests.
    """
    more = {"neutral": 0.5 if unit == "p" else None} | more
    if not isinstance(values, dict):
        values = {("M", "abcdefgh"[place]): value for place, value in enumerate(values)}
    sizes = [10.0 ** (place + 1) for place in range(len(values))]
    return Sample("it", unit, values, "some runs", sizes=sizes, absent="no runs", **more)


@pytest.mark.parametrize(
    ("unit", "judge", "reproduced", "weaker", "wrong"),
    [
        # values from a third of the printed number to three times the printed number are
        # reproduced; other values on the same side of 1 are weaker
        (
            "ratio",
            lambda s: near(s, 9),
            [[3.0], [9.0], [27.0]],
            [[2.9], [27.1], [1.1]],
            [[1.0], [0.9], [9.0, 0.5]],
        ),
        ("ratio", lambda s: near(s, 0.25), [[0.1], [0.75]], [[0.05], [0.95]], [[1.0], [2.0]]),
        ("ratio", lambda s: near(s, 9, "max"), [[0.1, 9.0]], [[0.1, 2.0]], [[0.1, 0.2]]),
        ("ratio", lambda s: near(s, 9, "median"), [[0, 9, 100]], [[1, 2, 2.5]], [[9, 0.1, 0.2]]),
        ("number", lambda s: near(s, 9), [[9.0]], [], [[2.0], [1.0]]),
        (
            "ratio",
            lambda s: share(s, ">", 1),
            [[1.1, 1.2]],
            [[1.1, 1.2, 1.0]],
            [[1.1, 0.9], [0.9, 0.8]],
        ),
        (
            "ratio",
            lambda s: share(s, ">", 10),
            [[11.0]],
            [[10.0, 2.0], [11.0, 11.0, 0.5]],
            [[0.9, 2.0]],
        ),
        ("ratio", lambda s: share(s, "<", 0.1), [[0.09]], [[0.1]], [[1.0]]),
        ("ratio", lambda s: share(s, ">=", 2), [[2.0]], [[1.9]], [[1.0]]),
        ("ratio", lambda s: share(s, ">", 10, MOST), [[11, 11, 0.5]], [[11, 2, 0.5]], [[11, 0.5]]),
        ("number", lambda s: share(s, "<", 5, 0.75), [[1, 1, 1, 9]], [], [[1, 1, 9], [1, 9], [9]]),
        (
            "ratio",
            lambda s: bound(s, ">", 1.5),
            [[1.0, 1.6, 9.0]],
            [[1.0, 1.5, 9.0]],
            [[0.5, 1.0, 9.0]],
        ),
        ("number", lambda s: bound(s, "<=", 14, "max"), [[1, 14]], [], [[1, 15], [float("nan")]]),
        ("number", lambda s: bound(s, ">=", 14, "min"), [[14, 15]], [], [[13, 15]]),
        ("number", lambda s: slope(s, 0.2), [[5, 5, 5], [5, 4]], [], [[1, 10], [1, 10, 100]]),
        ("number", grows, [[1, 2, 3]], [[1, 3, 2]], [[3, 2, 1], [2, 3, 1]]),
        (
            "p",
            lambda s: differs(s, 0.05),
            [[0.01, 0.049]],
            [[0.01, 0.05], [0.49]],
            [[0.5], [0.01, 0.9]],
        ),
        (
            "ratio",
            lambda s: below_one_on(s, "abz"),
            [[0.5, 0.5, 2]],
            [[0.5, 2, 2], [0.5, 1, 2], [0.5, 0.5, 0.5]],
            [[2, 2, 0.5]],
        ),
        ("ratio", lambda s: near(s, 102), [[34.0]], [[12.0]], [[11.0]]),
        ("number", lambda s: within(s, 60, 10), [[50.0], [0, 70, 99]], [], [[49.9], [60, 71, 71]]),
        ("number", lambda s: lowest(s, "ac"), [[1, 9, 2], [2, 9, 1]], [], [[1, 2, 9]]),
    ],
)
def test_outcomes(unit, judge, reproduced, weaker, wrong):
    for expected, tables in (
        (REPRODUCED, reproduced),
        (SAME_DIRECTION, weaker),
        (NOT_REPRODUCED, wrong),
    ):
        for values in tables:
            assert judge(made(unit, values)).outcome == expected, values
    assert below_one_on(made("ratio", [0.5, 2]), "yz").reason == "no runs on y, z"
    absent = judge(made(unit, []))
    assert (absent.outcome, absent.reason, absent.ours) == (
        NOT_RUN,
        "no runs",
        "",
    ) and absent.threshold


@pytest.mark.parametrize(
    ("p", "equal", "outcome"),
    [
        (0.2, 0.96, REPRODUCED),
        (0.2, 0.9, NOT_CONTRADICTED),
        (0.1, 0.96, NOT_REPRODUCED),
        (0.1, 0.9, NOT_REPRODUCED),
    ],
)
def test_no_difference_needs_more_than_a_large_p(p, equal, outcome):
    assert no_difference(made("p", [p], equivalence=lambda scale: [equal]), 0.1).outcome == outcome


@pytest.mark.parametrize(
    ("p", "equal", "outcome"),
    [
        ([0.2, 0.3], [0.96, 0.97], REPRODUCED),
        ([0.2, 0.3], [0.2, 0.97], NOT_CONTRADICTED),
        ([0.2, 0.3], [0.97, 0.2], NOT_CONTRADICTED),
        ([0.2, 0.05], [0.96, 0.97], NOT_REPRODUCED),
        ([0.05, 0.2], [0.97, 0.2], NOT_REPRODUCED),
    ],
)
def test_no_difference_is_shown_only_if_it_is_shown_for_every_pair(p, equal, outcome):
    assert no_difference(made("p", p, equivalence=lambda scale: equal), 0.1).outcome == outcome


def test_a_cost_that_falls_is_not_constant_but_does_not_grow():
    falling = made("number", [100, 10, 1])
    assert slope(falling, 0.2).outcome == NOT_CONTRADICTED
    assert slope(falling, 0.2, falling=NOT_REPRODUCED).outcome == NOT_REPRODUCED
    assert slope(falling, 1.1, falling=NOT_REPRODUCED).outcome == REPRODUCED


def test_chosen_thresholds_can_be_moved():
    for scale, outcome in ((0.5, NOT_REPRODUCED), (1, SAME_DIRECTION), (1.5, REPRODUCED)):
        with thresholds_times(scale):
            assert near(made("ratio", [3.0]), 12).outcome == outcome
    assert bound(made("ratio", [3.0]), ">", 2.5, chosen=True).outcome == REPRODUCED
    with thresholds_times(1.5):
        assert bound(made("ratio", [3.0]), ">", 2.5, chosen=True).outcome == SAME_DIRECTION
        assert bound(made("ratio", [3.0]), ">", 2.5).outcome == REPRODUCED


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize(
    # The limit is 1.5. On the logarithmic scale, its distance from 1 changes by the factor 1.5, so
    # the limits are 1.31, 1.5 and 1.84.
    ("value", "held"),
    [(1.2, [False] * 3), (1.4, [True, False, False]), (1.6, [True, True, False]), (2, [True] * 3)],
)
def test_the_limit_of_a_ratio_is_scaled_away_from_one(value, held, turned):
    sign, against, limit = ("<", ">=", 1 / 1.5) if turned else (">", "<=", 1.5)
    sample = made("ratio", [1 / value if turned else value])
    for scale, met in zip((1 / 1.5, 1, 1.5), held, strict=True):
        with thresholds_times(scale):
            for judge in (share, bound):
                beyond = judge(sample, sign, limit, chosen=True).outcome
                within_it = judge(sample, against, limit, chosen=True).outcome
                assert beyond == (REPRODUCED if met else SAME_DIRECTION)
                assert within_it == (NOT_REPRODUCED if met else REPRODUCED)


def test_a_test_without_a_direction_has_none():
    assert differs(made("p", [0.06], neutral=None), 0.05).outcome == NOT_REPRODUCED
    assert differs(made("p", [0.04], neutral=None), 0.05).outcome == REPRODUCED


@pytest.mark.parametrize(
    ("value", "what", "sign", "limit", "outcome"),
    [
        (0.5, Bound.AT_MOST, ">", 1, NOT_REPRODUCED),
        (1.5, Bound.AT_MOST, ">", 1, NOT_RUN),
        (1.5, Bound.AT_MOST, "<=", 2, REPRODUCED),
        (2.5, Bound.AT_MOST, "<=", 2, NOT_RUN),
        (1.5, Bound.AT_LEAST, ">", 1, REPRODUCED),
        (0.5, Bound.AT_LEAST, ">", 1, NOT_RUN),
        (1.5, Bound.AT_LEAST, "<=", 2, NOT_RUN),
        (2.5, Bound.AT_LEAST, "<=", 2, NOT_REPRODUCED),
        (5.0, Bound.AT_LEAST, ">=", 10, NOT_RUN),
        (float("nan"), Bound.UNKNOWN, ">", 1, NOT_RUN),
    ],
)
def test_a_number_that_limits_leave_open_is_left_out(value, what, sign, limit, outcome):
    alone = made("ratio", [value], bounds={("M", "a"): what})
    for judge in (share, bound):
        assert judge(alone, sign, limit).outcome == outcome
    if limit == 1:
        below = {NOT_REPRODUCED: REPRODUCED, REPRODUCED: NOT_REPRODUCED, NOT_RUN: NOT_RUN}
        assert below_one_on(alone, "a").outcome == below[outcome]
    # the same number together with a known number that meets the limit
    known = 0.1 if sign == "<=" else 11.0
    both = made("ratio", [value, known], bounds={("M", "a"): what})
    verdict = share(both, sign, limit)
    expected = REPRODUCED if outcome == NOT_RUN else outcome
    assert (verdict.outcome == REPRODUCED) == (expected == REPRODUCED)
    assert ("1 other case" in verdict.ours) == (outcome == NOT_RUN)


@pytest.mark.parametrize(
    ("value", "what", "outcome"),
    [
        (4.0, Bound.AT_MOST, NOT_REPRODUCED),
        (10.0, Bound.AT_MOST, NOT_RUN),
        (40.0, Bound.AT_MOST, NOT_RUN),
        (40.0, Bound.AT_LEAST, NOT_RUN),
        (61.0, Bound.AT_LEAST, SAME_DIRECTION),
        (400.0, Bound.AT_LEAST, NOT_REPRODUCED),
    ],
)
def test_a_bound_is_compared_with_a_printed_number(value, what, outcome):
    for summary in (None, "max", "median"):
        sample = made("ratio", [value], bounds={("M", "a"): what})
        assert near(sample, 20, summary).outcome == outcome
    known = made("ratio", [value, 30.0], bounds={("M", "a"): what})
    assert (near(known, 20).outcome == REPRODUCED) == (outcome == NOT_RUN)
    needed = near(known, {"a": 20, "b": 20}, needs_all=True)
    assert needed.outcome == outcome


def test_limits_hide_a_named_data_set():
    bounds = {("M", "a"): Bound.AT_LEAST, ("M", "c"): Bound.UNKNOWN}
    sample = made("ratio", [0.5, 1.5, float("nan")], bounds=bounds)
    for names in ("a", "c", "ac", "az"):
        verdict = below_one_on(sample, names)
        assert (verdict.outcome, verdict.reason) == (NOT_RUN, "limits hide the answer; some runs")
    assert below_one_on(sample, "yz").reason == "no runs on y, z"
    assert below_one_on(sample, "b").outcome == NOT_REPRODUCED


def test_fits_and_orders_leave_out_bounds():
    bounds = {("M", "b"): Bound.AT_MOST}
    rising = made("number", [1, 0.5, 2, 3], bounds=bounds)
    assert grows(rising).outcome == REPRODUCED and "1 other case" in grows(rising).ours
    assert lowest(made("ratio", [1, 2, 3], bounds=bounds), "a").outcome == NOT_RUN
    assert lowest(made("ratio", [2, 1, 3], bounds=bounds), "b").outcome == REPRODUCED
    assert lowest(made("ratio", [1, 2, 3], bounds={("M", "b"): Bound.AT_LEAST}), "b").outcome == (
        NOT_REPRODUCED
    )


@pytest.mark.parametrize(
    # Of 16 values, at most 4 can be exceptions. If this number is multiplied by 0.5 or 1.5, at most
    # 2 or 6 can be.
    ("held", "outcomes"),
    [
        (16, [REPRODUCED] * 3),
        (14, [REPRODUCED] * 3),
        (12, [SAME_DIRECTION, REPRODUCED, REPRODUCED]),
        (10, [SAME_DIRECTION, SAME_DIRECTION, REPRODUCED]),
        (9, [SAME_DIRECTION] * 3),
        (8, [NOT_REPRODUCED] * 3),
    ],
)
def test_often_allows_few_exceptions(held, outcomes):
    sample = made("ratio", {("M", place): 2.0 if place < held else 0.5 for place in range(16)})
    for scale, outcome in zip((0.5, 1, 1.5), outcomes, strict=True):
        with thresholds_times(scale):
            verdict = share(sample, ">", 1, OFTEN)
        assert verdict.outcome == outcome and verdict.threshold.endswith(
            "in at least 75 % of the cases (chosen here)"
        )


def test_a_bound_of_one_draw_is_not_contradicted_if_one_of_ours_meets_it():
    for values, outcome in (
        ([9, 9, 1], REPRODUCED),
        ([9, 1, 1], NOT_CONTRADICTED),
        ([1, 1, 1], NOT_REPRODUCED),
    ):
        assert bound(made("number", values), ">=", 9, of_one_draw=True).outcome == outcome
    assert bound(made("number", [9, 1, 1]), ">=", 9).outcome == NOT_REPRODUCED


def test_printed_numbers_by_method_or_by_data_set():
    values = {("FW", "a"): 10, ("MFW", "a"): 100}
    assert (
        near(made("ratio", values), {"FW": 12, "MFW": 90}, "median").ours
        == "median: FW 10×, MFW 100×"
    )
    assert near(made("ratio", values), {"FW": 90, "MFW": 12}).outcome == SAME_DIRECTION
    of_sets = made("ratio", {("FW", "a"): 10, ("FW", "b"): 100})
    assert near(of_sets, {"a": 12, "b": 90, "z": 5}).outcome == REPRODUCED
    needs_all = near(of_sets, {"a": 12, "b": 90, "z": 5}, needs_all=True)
    assert needs_all.outcome == NOT_RUN and "z" in needs_all.reason


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (999.4, "999×"),
        (999.5, "1,000×"),
        (999.6, "1,000×"),
        (1000, "1,000×"),
        (12345.6, "12,346×"),
        (0.1234, "0.123×"),
        (2, "2×"),
    ],
)
def test_ratios_have_three_digits_or_all_before_the_point(value, written):
    assert made("ratio", []).write(value) == written
    assert bound(made("ratio", [value]), ">", 0).ours == written


def test_effects_are_named_only_if_there_are_several():
    few, many, more = made("ratio", [2.0] * 5), made("ratio", [2.0] * 6), made("ratio", [3.0] * 6)
    more.name = "another"
    (one,) = {
        combined([bound(sample, ">", 1) for sample in chosen]).effect
        for chosen in ([many], [few, many, few])
    }
    assert one == "median M 2× (95 %: 2× to 2×)" and combined([bound(few, ">", 1)]).effect == ""
    both = combined([bound(many, ">", 1), bound(few, ">", 1), bound(more, ">", 1)]).effect
    assert both == f"it: {one}; another: median M 3× (95 %: 3× to 3×)"


def test_an_interval_covers_all_values_that_bounds_allow():
    """All eight values are 4, and half of them are only bounds."""
    places = [("M", at) for at in "abcdefgh"]

    def words(bound_of_half):
        bounds = dict.fromkeys(places[::2], bound_of_half)
        return made("ratio", [4.0] * len(places), bounds=bounds).effect_words()

    assert words(Bound.EXACT) == "median M 4× (95 %: 4× to 4×)"
    assert words(Bound.AT_MOST) == "median M ≤ 4× (95 %: 0× to 4×)"
    assert words(Bound.AT_LEAST) == "median M ≥ 4× (95 %: 4× to infinity)"


def test_the_print_agrees_with_itself_up_to_rounding():
    assert near(made("ratio", [20.0]), 15).outcome == REPRODUCED
    assert near(made("ratio", [20.0], of_print=True), 15).outcome == SAME_DIRECTION
    assert near(made("ratio", [15.4], of_print=True), 15).outcome == REPRODUCED


def test_each_method_separately():
    values = {("FW", "a"): 1, ("FW", "b"): 1, ("FW", "c"): 1, ("MFW", "a"): 9, ("MFW", "b"): 9}
    assert share(made("number", values), "<", 5, MOST).outcome == REPRODUCED
    assert share(made("number", values), "<", 5, MOST, each=True).outcome == NOT_REPRODUCED


@pytest.mark.parametrize(
    "found",
    [
        differs(made("p", [0.5], smallest=0.01), 0.001),
        no_difference(made("p", [0.5], smallest=0.01), 0.001),
        slope(made("number", [1]), 1),
        grows(made("number", [1, 2])),
        lowest(made("number", [1, 2]), "ab"),
        lowest(made("number", [1, 2, 3]), "az"),
    ],
)
def test_too_few_values_decide_nothing(found):
    assert found.outcome == NOT_RUN and found.reason != "no runs"


@given(st.floats(-2, 2), st.integers(2, 8))
def test_a_power_law_has_its_exponent(exponent, n):
    values = [10 ** (exponent * (place + 1)) for place in range(n)]
    assert float(slope(made("number", values), 0).ours.split()[-1]) == pytest.approx(
        exponent, abs=0.006
    )


@pytest.mark.parametrize(
    ("statement", "printed", "form", "stated", "shown"),
    [
        ("up to {}x", 15, "{}×", "up to 15x", "15×"),
        ("{}x, then {}x", {"w1a": 2, "w8a": 10}, "{}×", "2x, then 10x", "w1a 2×, w8a 10×"),
        (
            "MFW {MFW}x",
            {"MFW": 15.0, "SWAP-2o": 0.5},
            "{:g}×",
            "MFW 15.0x",
            "MFW 15×, SWAP-2o 0.5×",
        ),
        ("below {} % and {} %", (2, 0.5), "{} %", "below 2 % and 0.5 %", "2 %, 0.5 %"),
        ("{}x", (3.6, "a6a"), "{}× on {}", "3.6x", "3.6× on a6a"),
        ("only on {} and {}", ("a1a", "a2a"), "2 sets", "only on a1a and a2a", "2 sets"),
        ("{braces} stay", "p = 0.3", "{}", "{braces} stay", "p = 0.3"),
    ],
)
def test_a_printed_number_is_written_once(statement, printed, form, stated, shown):
    """The number that is given once is inserted into the statement, the text of the printed value
    and the note, and it is an argument of the function.
    """
    taken = []

    @claim(statement, printed, form, note=statement)
    def of_numbers(evidence, *numbers):
        taken.extend(numbers)
        return bound(made("ratio", [3.0]), ">", 1)

    assert of_numbers.judge(Evidence(empty_runs())).outcome == REPRODUCED
    assert (of_numbers.statement, of_numbers.printed) == (stated, shown)
    assert of_numbers.note == stated
    assert taken == ([] if isinstance(printed, str) else [printed])


def test_the_worst_finding_decides_and_parts_are_marked():
    @claim("It is so", "3", artefacts="table1")
    def of_three(evidence):
        found = made("ratio", [3.0])
        return bound(found, ">", 1), bound(found, ">", 100)

    verdict = of_three.judge(Evidence(empty_runs()))
    assert verdict.outcome == SAME_DIRECTION and verdict.ours == "(1) 3×; (2) 3×"
    first, second = verdict.threshold.split("; ")
    assert first.endswith(": met") and "100×" in second and second.endswith(": missed")
    assert of_three.id.endswith("-of-three") and of_three.artefacts.endswith("-table1")


@pytest.mark.parametrize(
    ("value", "chosen", "sensitivity"),
    [
        (3.0, True, "1.5 times larger: same direction; 1.5 times smaller: no change"),
        (2.0, True, "1.5 times larger: no change; 1.5 times smaller: reproduced"),
        (100.0, True, "no change"),
        (3.0, False, ""),  # this threshold is a number of the paper
    ],
)
def test_a_verdict_says_how_it_changes_with_the_thresholds_that_we_chose(
    value, chosen, sensitivity
):
    @claim("It is so", "2.5")
    def of_one(evidence):
        return bound(made("ratio", [value]), ">", 2.5, chosen=chosen)

    nothing = Evidence(empty_runs())
    table = evaluate([of_one], {STUDY: nothing}, {STUDY: nothing}, nothing, nothing)
    assert table["sensitivity"].tolist() == [sensitivity]


@pytest.mark.parametrize(
    ("judge", "contradicts"),
    [
        (lambda s: bound(s, ">", 5, chosen=True), False),  # the right direction, below our limit
        (lambda s: bound(s, ">", 5), True),
        (lambda s: near(s, 5), True),
        (lambda s: near(s, 3.1), False),
        (lambda s: bound(s, "<", 1, chosen=True), True),
        (lambda s: no_difference(s, 0.1), False),
    ],
)
def test_a_print_contradicts_a_statement_by_the_numbers_of_the_paper(judge, contradicts):
    @benchmark_claim("It is so", "2.5")
    def of_two(evidence):
        met = bound(made("ratio", [3.0], of_print=True), ">", 2, chosen=True)
        if not evidence.printed:
            return met
        sample = made("ratio", [3.0], of_print=True, equivalence=lambda scale: [0.5])
        return met, judge(sample)

    nothing, printed = Evidence(empty_runs()), Evidence(empty_runs(), printed=True)
    table = evaluate([of_two], {"as_run": nothing}, {"as_run": nothing}, printed, nothing)
    assert table["printed_inconsistent"].tolist() == [contradicts]
    assert ("the printed tables give: (1) 3×" in table["flags"].iloc[0]) == contradicts


def test_a_basis_names_what_is_missing():
    assert [of_sets(8, 8), of_sets(7, 8), of_sets(1)] == [
        "8 data sets",
        "7 of 8 data sets",
        "1 data set",
    ]


def test_our_numbers_are_in_words():
    """A single value is written out. The counts are given for each method, and each p-value for its
    pair of methods.
    """
    assert share(made("ratio", [3.0]), ">", 2).ours == "true in 1 of 1 case (3×)"
    values = {("FW", "a"): 3.0, ("FW", "b"): 1.0, ("MFW", "a"): 3.0, ("MFW", "b"): 3.0}
    on_sets = made("ratio", values, case=("on", "data set"))
    both = share(on_sets, ">", 2, MOST, each=True)
    assert both.ours == "true on 1 of 2 data sets with FW and 2 with MFW"
    assert both.threshold == "it is above 2× on more than half of the data sets, for each method"
    assert share(on_sets, ">", 2).threshold == "it is above 2× in all cases"
    below = below_one_on(made("ratio", [2.0, 3.0]), "ab")
    assert below.ours == "below 1× on 0 of 2 data sets"
    assert bound(made("points", [1.0]), "<", 1).threshold == "it is below 1 point in the median"


def test_p_values_stand_beside_those_without_stand_ins():
    one = made("p", {("A and B", ""): 0.01}, without={("A and B", ""): 0.04})
    found = differs(one, 0.05)
    assert found.ours == "p = 0.01; without stand-in data sets p = 0.04"
    assert found.p_values == (0.01,) and found.threshold == "it: p is below 0.05"
    pairs = made("p", {("A and B", ""): 0.01, ("A and C", ""): 0.02})
    assert differs(pairs, 0.05).ours == "p = 0.01 (A and B), 0.02 (A and C)"
