"""Training to one relative gap after the other; a gap that took too long is the last."""

from fwsvm.runs import LIMIT_REASONS
from fwsvm.studies.benchmark import training


def run(prepared, tuned, job, settings):
    """Train and test as the benchmark does, to each of the gaps in turn, until no repetition reaches one in time."""
    rows = []
    for variant in settings["variants"]:
        rows += (reached := training.run(prepared, tuned, job, {**settings, "variants": [variant]}))
        if all(row["stop_reason"] in LIMIT_REASONS for row in reached):
            break
    return rows
