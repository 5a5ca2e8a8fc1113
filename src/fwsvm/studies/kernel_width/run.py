"""Train CVM at several kernel widths, with C tuned for each.

With beta the average squared distance, frandi2013 sec. 5.2 writes gamma = 1 / (2 beta), tsang2005 gamma = 1 / beta.
LibCVM uses gamma = 2 / beta.
"""

from dataclasses import replace

from fwsvm.studies.benchmark import training
from fwsvm.studies.benchmark.tune import tune


def run(prepared, job, settings):
    beta = prepared.meta["average_squared_distance"]
    rows, widths = [], []
    for factor in settings["factors"]:
        # gamma = factor / beta = 1 / (2 sigma^2)
        at_width = replace(prepared, meta={**prepared.meta, "sigma2": beta / (2 * factor)})
        tuned = tune(at_width, settings["tuning"])
        tuned["gamma_rule"] = f"{factor:g}/beta, beta = average squared distance"
        rows += training.run(at_width, tuned, job, settings)
        widths.append({"factor": factor, **{key: value for key, value in tuned.items() if key != "grid"}})
    return rows, {"tuned": widths}
