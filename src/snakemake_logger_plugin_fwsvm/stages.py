"""Stages of the pipeline: which rules belong to which, how many of their jobs are done, what is left."""

STAGES = {
    "fetch": "fetching data",
    "inventory": "fetching data",
    "prepare": "preparing data",
    "describe": "collecting results",
    "warm_up": "compiling solvers",
    "tune": "tuning",
    "train": "training",
    "sketches": "training",
    "collect": "collecting results",
    "details": "collecting results",
    "render": "tables and figures",
    "table": "tables and figures",
    "figure": "tables and figures",
}
"""Rule -> its stage, in the order in which they mostly end."""

_WIDTH = 20


class Stages:
    """Counts of jobs by stage, and the lines that show them.

    Parameters
    ----------
    clock : callable
        Seconds on a clock that never goes back.
    in_place : bool
        Whether the last line may be written again (on a terminal).
    """

    def __init__(self, clock, in_place):
        self.clock, self.in_place = clock, in_place
        self.totals, self.done, self.results = {}, {}, None
        self._stage_of, self._begun, self._printed, self._open = {}, {}, set(), ""
        self._earlier = None  # training runs that were done before this run of the pipeline

    def plan(self, stats):
        """Take the numbers of jobs by rule, as Snakemake counts them; jobs before a checkpoint it may count no more."""
        totals = {}
        for rule, count in stats.items():
            if rule in STAGES:
                totals[STAGES[rule]] = totals.get(STAGES[rule], 0) + count
        totals |= {stage: done for stage, done in self.done.items() if done > totals.get(stage, 0)}
        self.totals = {stage: totals[stage] for stage in dict.fromkeys(STAGES.values()) if stage in totals}
        self.done = {stage: self.done.get(stage, 0) for stage in self.totals}

    def started(self, job_id, rule, outputs):
        """A job has started."""
        if rule in STAGES:
            self._stage_of[job_id] = STAGES[rule]
            self._begun.setdefault(STAGES[rule], self.clock())
        if self.results is None:
            self.results = next(
                ("/".join(path.split("/")[:2]) for path in outputs if path.startswith("results/")), None
            )

    def finished(self, job_id):
        """A job has finished."""
        stage = self._stage_of.pop(job_id, None)
        if stage is not None:
            self.done[stage] = self.done.get(stage, 0) + 1
            self.totals[stage] = max(self.totals.get(stage, 0), self.done[stage])

    def lines(self, training=None):
        """Text to write now: a line for every stage that has ended, and the one that is open on a terminal."""
        text = ""
        for stage, total in self.totals.items():
            if self.done[stage] >= total and stage in self._begun and stage not in self._printed:
                self._printed.add(stage)
                text += f"{self._line(stage)}, {self._seconds(stage)}\n"
        text = self.interrupt() + text if text else ""
        return text + self.refresh(training) if self.in_place else text

    def refresh(self, training=None):
        """Text that shows the stage that is going on.

        Parameters
        ----------
        training : dict, optional
            Training runs ``done`` and ``left``, and the ``seconds`` that those left may take.
        """
        stage = self._current()
        if stage is None:
            return ""
        line = self._line(stage)
        if stage == "training" and training:
            line += f", {training['done']} of {training['done'] + training['left']} runs"
        line += self._time_left(stage, training)
        if not self.in_place:
            changed, self._open = line != self._open, line
            return f"{line}\n" if changed else ""
        pad = " " * max(0, len(self._open) - len(line))
        self._open = line
        return f"\r{line}{pad}"

    def interrupt(self):
        """Text that takes back the open line, so that something else can be printed."""
        if not (self.in_place and self._open):
            return ""
        text, self._open = "\r" + " " * len(self._open) + "\r", ""
        return text

    def end(self):
        """Text that ends the output."""
        return self.interrupt()

    def _current(self):
        """The stage with a job at work that is the furthest from its end."""
        working = set(self._stage_of.values())
        open_stages = [stage for stage in self.totals if stage in working and self.done[stage] < self.totals[stage]]
        return max(open_stages, key=lambda stage: self.totals[stage] - self.done[stage], default=None)

    def _line(self, stage):
        return f"{stage:<{_WIDTH}} {self.done[stage]:>3} of {self.totals[stage]}"

    def _seconds(self, stage):
        return f"{self.clock() - self._begun[stage]:.0f} s"

    def _time_left(self, stage, training):
        """At the pace so far of jobs or training runs; or what these expect, if that is less: large ones come first."""
        done, left, expected = self.done[stage], self.totals[stage] - self.done[stage], None
        if stage == "training" and training:
            if self._earlier is None:
                self._earlier = training["done"] if not done else 0
            self._earlier = min(self._earlier, training["done"])
            done, left, expected = training["done"] - self._earlier, training["left"], training["seconds"]
        if not done or not left:
            return ""
        seconds = (self.clock() - self._begun[stage]) / done * left
        seconds = seconds if expected is None else min(seconds, expected)
        if seconds < 120:
            return f", about {seconds:.0f} s left"
        return f", about {seconds / 60:.0f} min left" if seconds < 7200 else f", about {seconds / 3600:.1f} h left"
