"""Progress lines of a fit on standard output (`verbose`)."""

import time
from threading import Lock

_SECONDS_BETWEEN_LINES = {1: 1.0, 2: 0.1}


class Progress:
    """Prints a line at the end of every binary problem, and within one at most every second (verbose 2: ten a second).

    A single problem is not named, nor is a single C.
    """

    def __init__(self, name, verbose, problems, C_values):
        self.every = _SECONDS_BETWEEN_LINES.get(verbose)
        self.name, self.problems, self.C_values = name, problems, C_values
        self.lock, self.last, self.began = Lock(), time.perf_counter(), {}

    def report(self, place, position, driver):
        """At a time check: the driver of problem `place` and C number `position`."""
        if self.every is None:
            return
        now = time.perf_counter()
        with self.lock:
            begin = self.began.setdefault((place, position), now)
            if now - self.last < self.every:
                return
            self.last = now
        self._print(
            place, position, "training", driver.count.iterations, driver.objective,
            f"gap seen {driver.real.gap_seen:.3g}", driver.count.active_size, now - begin,
        )  # fmt: skip

    def end(self, place, position, solution):
        if self.every is not None:
            self._print(
                place, position, solution.stop_reason, solution.iterations, solution.objective,
                f"certified gap {solution.gap:.3g}", len(solution.support), solution.train_wall_s,
            )  # fmt: skip

    def _print(self, place, position, state, iterations, objective, gap, active, seconds):
        where = f" {place + 1}/{len(self.problems)} {self.problems[place]}" if len(self.problems) > 1 else ""
        where += f" C={self.C_values[position]:g}" if len(self.C_values) > 1 else ""
        print(
            f"[{self.name}]{where} {state}: {iterations} steps, objective {objective:.6g}, {gap}, "
            f"{active} active points, {seconds:.1f} s",
            flush=True,
        )
