"""Feed random inputs to the readers for so many seconds: python tests/fuzz/run.py --seconds 600 [--seed 1] [libsvm ...]

Ends with a table of inputs tried and read, and with exit code 1 and the smallest failing input if a reader failed.
"""

import argparse
import logging
import sys
import time
import traceback
from collections import Counter

from fuzz_targets import TARGETS
from hypothesis import HealthCheck, Phase, given, seed, settings

_ROUND = 50
"""Inputs between two looks at the clock."""


def fuzz(name, seconds, first_seed):
    """Try a target; returns (inputs tried, inputs read, the failure as text or None)."""
    target, counts = TARGETS[name], Counter()
    end, round_number = time.monotonic() + seconds, 0
    while round_number == 0 or time.monotonic() < end:

        @seed(first_seed + round_number)
        @settings(
            max_examples=_ROUND,
            deadline=None,
            database=None,
            derandomize=False,
            suppress_health_check=list(HealthCheck),
            phases=(Phase.generate, Phase.shrink),
        )
        @given(target.inputs)
        def try_inputs(case):
            counts["tried"] += 1
            counts["read"] += bool(target.check(case))

        try:
            try_inputs()
        except Exception:
            return counts["tried"], counts["read"], traceback.format_exc(limit=-6)
        round_number += 1
    return counts["tried"], counts["read"], None


def main(arguments=None):
    """Fuzz the chosen targets in turn, each for its share of the seconds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"default: all of {', '.join(TARGETS)}")
    options = parser.parse_args(arguments)
    if unknown := set(options.targets) - set(TARGETS):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    logging.disable(logging.WARNING)  # what readers warn of
    try:
        return _fuzz_all(options)
    finally:
        logging.disable(logging.NOTSET)


def _fuzz_all(options):
    names, failures = options.targets or list(TARGETS), []
    print(f"{'reader':<12}{'inputs':>9}{'read':>9}{'refused':>9}")
    for name in names:
        tried, read, failure = fuzz(name, options.seconds / len(names), options.seed)
        print(f"{name:<12}{tried:>9}{read:>9}{tried - read:>9}{'  FAILED' if failure else ''}", flush=True)
        failures += [f"\n{name}:\n{failure}"] if failure else []
    print(*failures, sep="\n", file=sys.stderr)
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
