"""Claims with one threshold turned round: what reproduces a claim must not reproduce these."""

from dataclasses import replace

_OPPOSITE = {"above": "at_most", "below": "at_least", "at_least": "below", "at_most": "above"}
_OPPOSITE_TESTS = {"test": "no_difference", "no_difference": "test"}


def flipped(claim):
    """Yield the claim with each threshold of each rule replaced by its opposite; none for rules without thresholds."""
    for place, rule in enumerate(claim.rules):
        turned = [replace(rule, type=_OPPOSITE_TESTS[rule.type])] if rule.type in _OPPOSITE_TESTS else []
        for name, limit in rule.limits.items():
            others = {other: value for other, value in rule.limits.items() if other != name}
            turned.append(replace(rule, limits={**others, _OPPOSITE[name]: limit}))
        for changed in turned:
            yield replace(claim, rules=(*claim.rules[:place], changed, *claim.rules[place + 1 :]))
