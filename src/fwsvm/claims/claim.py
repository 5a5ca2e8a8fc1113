"""Claims of the papers: read from the files of their studies, checked, and judged by their rules."""

from __future__ import annotations

import difflib
import types
from collections.abc import Iterable
from dataclasses import dataclass, fields
from importlib import resources
from typing import Any

import pandas as pd
import yaml

from fwsvm.base.errors import UserError
from fwsvm.claims.evidence import Evidence
from fwsvm.claims.quantities import QUANTITIES
from fwsvm.claims.rules import (
    AGGREGATES,
    BASES,
    LIMITS,
    NOT_REPRODUCED,
    NOT_RUN,
    REPRODUCED,
    SAME_DIRECTION,
    TYPES,
    Finding,
    Rule,
)

_WORST = (NOT_RUN, NOT_REPRODUCED, SAME_DIRECTION, REPRODUCED)
_SECONDS = "printed seconds of another machine, which hardly any of today's could miss"


@dataclass(frozen=True)
class Verdict:
    """What the evidence says about a claim: its rules' findings, of which the worst decides.

    Attributes
    ----------
    outcome : str
        One of `fwsvm.claims.rules.OUTCOMES`.
    ours : str
        Our number or numbers; empty where nothing was run.
    reason : str
        What the numbers rest on, or why there are none.
    decided_by : tuple of Rule
        The rules with that outcome.
    findings : tuple of Finding
        One for each rule.
    """

    outcome: str
    ours: str
    reason: str
    decided_by: tuple[Rule, ...]
    findings: tuple[Finding, ...]


@dataclass(frozen=True)
class Claim:
    """A quantitative statement of a paper, as the file ``claims.yaml`` of its study has it.

    Attributes
    ----------
    id, paper, statement : str
    rules : tuple of Rule
        All have to hold.
    value : float, list of float, dict of str to float, or None
        The printed number or numbers (a dict names what each is of); None where only a direction is claimed.
    unit, note : str
    artefacts : tuple of str
        Tables and figures that it bears on.
    """

    id: str
    paper: str
    statement: str
    rules: tuple[Rule, ...]
    value: Any = None
    unit: str = ""
    note: str = ""
    artefacts: tuple[str, ...] = ()

    @property
    def printed(self) -> str:
        """The printed numbers in words."""
        pairs = self.value.items() if isinstance(self.value, dict) else [("", number) for number in _listed(self.value)]
        unit = f" {self.unit}" if self.unit else ""
        return ", ".join(f"{name} {number:g}".strip() for name, number in pairs) + (unit if pairs else "")

    @property
    def rule(self) -> str:
        """Its rules in words."""
        return "; ".join(f"{rule.subject}: {rule.threshold}" for rule in self.rules)

    @property
    def remark(self) -> str:
        """What makes the claim easy to meet: a bound in printed seconds; empty for the others."""
        in_seconds = (rule.quantity.unit == "seconds" and rule.basis == "printed" for rule in self.rules)
        return _SECONDS if any(in_seconds) else ""

    @property
    def about_benchmark(self) -> bool:
        """Whether a rule is about the benchmark, whose protocols differ; studies have one of their own."""
        return any(rule.quantity.of_benchmark for rule in self.rules)

    def judge(self, evidence: Evidence) -> Verdict:
        """Judge the claim: the worst outcome of its rules, where *not run* is worse than all others."""
        findings = tuple(rule.judge(evidence) for rule in self.rules)
        outcome = min((finding.outcome for finding in findings), key=_WORST.index)
        decisive = tuple(rule for rule, finding in zip(self.rules, findings, strict=True) if finding.outcome == outcome)
        if outcome == NOT_RUN:
            absent = [finding.sample.absent for finding in findings if finding.outcome == NOT_RUN]
            return Verdict(outcome, "", _joined(absent), decisive, findings)
        ours, basis = _joined(f.ours for f in findings), _joined(f.sample.basis for f in findings)
        return Verdict(outcome, ours, basis, decisive, findings)


class StudyClaims(dict):
    """The claims of a study by their ids, in the order of its file ``claims.yaml``.

    Parameters
    ----------
    package : str
        Of the study; its last part is the paper. The quantities of its rules must have been registered.
    """

    def __init__(self, package: str) -> None:
        file = resources.files(package).joinpath("claims.yaml")
        super().__init__(read_claims(file.read_text(encoding="utf-8"), package.rpartition(".")[2], str(file)))

    def quote(
        self,
        claim_id: str,
        runs: pd.DataFrame,
        tests: pd.DataFrame | None = None,
        protocol: str | None = None,
        **details,
    ) -> str:
        """Return a claim with its outcome as a sentence for captions: ``SWAP is ...: reproduced (SWAP 544×).``

        Parameters
        ----------
        tests : DataFrame, optional
            As for `Evidence`; claims that rest on significance tests need it.
        protocol : str, optional
            As for `Evidence`.
        **details : list of dict
            Of the studies, by name.
        """
        claim = self[claim_id]
        verdict = claim.judge(Evidence(runs, tests, details, protocol))
        number = f" ({verdict.ours})" if verdict.ours else ""
        return f"{claim.statement[:1].upper()}{claim.statement[1:]}: {verdict.outcome}{number}."


def read_claims(text: str, paper: str, file: str) -> dict[str, Claim]:
    """Read the claims of a paper.

    Parameters
    ----------
    text : str
        YAML, a list of mappings; docs/results.md describes the keys.
    file : str
        Named in errors.

    Raises
    ------
    UserError
        Names file, claim, rule and key of whatever is unknown, missing or of the wrong kind, with what would be right.
    """
    claims = {}
    for entry in _mappings(yaml.safe_load(text), f"{file}: the claims"):
        where = f"{file}: claim {entry.get('id', '(without id)')}"
        try:
            _check_keys(entry, {f.name for f in fields(Claim)} - {"paper"}, {"id", "statement", "rules"})
            if not entry["id"].startswith(f"{paper}-") or entry["id"] in claims:
                raise ValueError(f"id must be unique and begin with {paper}-")
            given = enumerate(_mappings(entry["rules"], "rules"), start=1)
            rules = tuple(_rule(rule, place, entry.get("value")) for place, rule in given)
        except (ValueError, TypeError, UserError) as error:
            raise UserError(f"{where}: {error}") from error
        artefacts = tuple(entry.get("artefacts", ()))
        claims[entry["id"]] = Claim(paper=paper, **entry | {"rules": rules, "artefacts": artefacts})
    return claims


def _rule(entry, place, value) -> Rule:
    where = f"rule {place}"
    for key, known in (("type", TYPES), ("quantity", QUANTITIES)):
        if entry.get(key) not in known:
            raise ValueError(f"{where}: unknown {key} {entry.get(key)!r}{_hint(entry.get(key), known)}")
    kind, chosen = TYPES[entry["type"]], QUANTITIES[entry["quantity"]]
    limits = {name: entry[name] for name in LIMITS if name in entry}
    allowed = {"type", "quantity", "basis", *(LIMITS if kind.has_limits else ()), *kind.parameters, *chosen.parameters}
    needed = {name for p in (kind, chosen) for name, key in p.parameters.items() if key.default is key.empty}
    _check_keys(entry, allowed, needed, f"{where}: ")
    if kind.has_limits and not limits:
        raise ValueError(f"{where}: needs a threshold: {', '.join(LIMITS)}")
    if kind.decide.__name__ == "factor" and value is None:
        raise ValueError(f"{where}: needs the printed number, `value` of the claim")
    options, parameters = (
        {name: _converted(f"{where}: {name}", entry, name, key) for name, key in p.parameters.items()}
        for p in (kind, chosen)
    )
    given = {"basis": "printed" if any(str(limit).startswith("printed") for limit in limits.values()) else "chosen"}
    given |= {name: entry[name] for name in ("basis",) if name in entry} | options
    for name, known in (("basis", BASES), ("aggregate", (*AGGREGATES, None))):
        if name in given and given[name] not in known:
            raise ValueError(f"{where}: {name}: unknown {given[name]!r}{_hint(given[name], filter(None, known))}")
    numbers = {name: _number(f"{where}: {name}", limit, value) for name, limit in limits.items()}
    return Rule(entry["type"], chosen, parameters, options, numbers, value, given["basis"])


def _converted(where, entry, name, key):
    """The value of a key, converted by the type or function that annotates its parameter; its default if left out."""
    if name not in entry:
        return key.default
    kind = key.annotation
    if kind in (bool, list) and not isinstance(entry[name], kind):
        raise ValueError(f"{where}: must be a {kind.__name__}, is {entry[name]!r}")
    try:
        return kind(entry[name]) if callable(kind) and not isinstance(kind, types.UnionType) else entry[name]
    except (ValueError, TypeError) as error:
        raise ValueError(f"{where}: {error}") from error


def _number(where, limit, value) -> float:
    """A threshold: a number, or the claim's (second, ...) printed one."""
    try:
        if isinstance(limit, str):
            first, _, place = limit.partition(" ")
            limit = dict(enumerate(_listed(value), start=1))[int(place or 1)] if first == "printed" else limit
        return float(limit)
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{where}: must be a number, `printed` or `printed 2`, is {limit!r}") from None


def _mappings(given, what) -> list[dict]:
    if not isinstance(given, list) or not given or not all(isinstance(entry, dict) for entry in given):
        raise UserError(f"{what} must be a list of mappings with at least one entry")
    return given


def _check_keys(entry, known, needed, where=""):
    for key in entry:
        if key not in known:
            raise ValueError(f"{where}unknown key {key!r}{_hint(key, known)}")
    lost = sorted(needed - entry.keys())
    if lost:
        raise ValueError(f"{where}needs {' and '.join(lost)}")


def _hint(word, known) -> str:
    known = list(known)
    near = difflib.get_close_matches(str(word), known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known are {', '.join(sorted(known))}"


def _listed(value) -> list:
    return [] if value is None else value if isinstance(value, list) else [value]


def _joined(parts: Iterable[str]) -> str:
    return "; ".join(dict.fromkeys(part for part in parts if part))
