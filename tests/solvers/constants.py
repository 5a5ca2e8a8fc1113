"""Measure how training times change if a numeric constant of the solvers is halved or doubled.

constants.py > docs/benchmarks/constants.csv trains on the problems of `PROBLEMS` with each constant
unchanged, halved and doubled. All these fits alternate in one process. A row has the constant, its
value, and a ratio for each change. The ratio is the CPU time with the changed constant divided by
the CPU time with the unchanged constant. It is a geometric mean over the problems. Constants that
compiled functions use are marked. They are not changed here, because their values are part of the
machine code.
"""

import argparse
import ast
import csv
import importlib
import inspect
import math
import statistics
import sys
import time
import warnings
from pathlib import Path

import auto_grid
import numpy as np

import fwsvm.solvers
from fwsvm import FrankWolfeSVC

SOLVERS = Path(fwsvm.solvers.__file__).parent
# numbers of random problems (see auto_grid.py), and settings of `FrankWolfeSVC`
PROBLEMS = [
    *((number, {}) for number in (2, 5, 6, 9, 16, 25, 32, 49, 50)),
    *((number, {"C": 1e5}) for number in (18, 26, 30)),
    *(
        (number, {"method": name, "selection": "sampled_libcvm", "stop": "meb", "eps": 1e-4})
        for number in (3, 38)
        for name in ("cvm", "fw", "swap")
    ),
]
FITS = 1


def constants():
    """Return (module name, constant, value) of every numeric constant of the solvers' modules, but
    not of markers such as `INACTIVE`, whose absolute value is 1e18 or more.
    """
    found = []
    for path in sorted(SOLVERS.rglob("[!_]*.py")):
        module = ".".join(("fwsvm", *path.relative_to(SOLVERS.parent).with_suffix("").parts))
        for statement in ast.parse(path.read_text()).body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    names = target.elts if isinstance(target, ast.Tuple) else [target]
                    found += [(module, name.id) for name in names if isinstance(name, ast.Name)]
    found = [
        (module, name, getattr(importlib.import_module(module), name, None))
        for module, name in found
    ]
    numbers = (int, float, np.floating, np.integer)
    return [
        each
        for each in found
        if isinstance(each[2], numbers) and not isinstance(each[2], bool) and abs(each[2]) < 1e18
    ]


def is_compiled(module, name):
    """Test whether a compiled function of the package uses a module's constant."""
    for other in list(sys.modules.values()):
        if getattr(other, "__name__", "").startswith("fwsvm") and hasattr(other, name):
            for each in vars(other).values():
                function = getattr(each, "py_func", None)
                if function is not None and name in function.__code__.co_names:
                    return True
    return False


def users(module, name):
    """Return the modules that have the constant: its own module, and those that import it."""
    own = sys.modules[module]
    return [
        other
        for other in list(sys.modules.values())
        if getattr(other, "__name__", "").startswith("fwsvm.")
        and vars(other).get(name) is vars(own)[name]
        and (other is own or name[0] != "_")
    ]


def seconds(problem):
    X, y, C, gamma, given = problem
    best = math.inf
    for _ in range(FITS):
        model = FrankWolfeSVC(**{"C": C, "gamma": gamma, "random_state": 0} | given)
        begin = time.process_time()
        model.fit(X, y)
        best = min(best, time.process_time() - begin)
        if best > 1.0:
            break
    return best


def main():
    parser = argparse.ArgumentParser(description=inspect.cleandoc(__doc__))
    parser.add_argument("--only", nargs="*", help="names of constants")
    only = parser.parse_args().only
    warnings.simplefilter("ignore")
    problems = []
    for number, given in PROBLEMS:
        X, y, _, _, C, gamma, _ = auto_grid.draw(1, number, 30_000)
        problems.append((X, y, given.get("C", C), gamma, given))
    for problem in problems:
        seconds(problem)  # these fits load the machine code
    print(
        "seconds of a pass:",
        [round(seconds(problem), 2) for problem in problems],
        file=sys.stderr,
        flush=True,
    )
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerow(["module", "constant", "value", "compiled", "halved", "doubled"])
    for module, name, value in constants():
        if only and name not in only:
            continue
        row = [module, name, value, is_compiled(module, name)]
        if not row[3]:
            where = users(module, name)
            ratios = {0.5: [], 2.0: []}
            for problem in problems:
                before, found = seconds(problem), {}
                for factor in ratios:
                    changed = value * factor
                    if isinstance(value, int):
                        changed = max(int(changed), 1)
                    for other in where:
                        setattr(other, name, changed)
                    try:
                        found[factor] = seconds(problem)
                    finally:
                        for other in where:
                            setattr(other, name, value)
                # the first fit after a change of the problem is slower, so the faster of two fits
                # counts
                usual = min(before, seconds(problem))
                for factor, of in ratios.items():
                    of.append(math.log(found[factor] / usual))
            row += [round(math.exp(statistics.mean(of)), 3) for of in ratios.values()]
        out.writerow(row)
        sys.stdout.flush()


if __name__ == "__main__":
    main()
