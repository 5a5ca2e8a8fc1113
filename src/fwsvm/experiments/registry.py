"""The registry of experiments: a new one is one module and its entry here.

A module names in `PARAMETERS` the tuned parameters that it trains with (a folder of the results, see
`fwsvm.experiments.tuning_plan`), and has two functions of the configuration: `jobs(config, datasets)`, the training
jobs on those data sets, and `settings(config, job)`, what one job needs.
"""

from fwsvm.experiments import benchmark, c_path, poly, stopping

EXPERIMENTS = {
    "benchmark": benchmark,
    "c_path": c_path,
    "poly": poly,
    "stopping": stopping,
}
"""Name in the configuration's list `experiments` -> module."""
