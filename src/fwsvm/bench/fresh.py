"""Training in a fresh process, for its peak memory: `train_fresh` starts `python -m fwsvm.bench.fresh <task>`."""

import gc
import json
import subprocess
import sys

from threadpoolctl import threadpool_limits

from fwsvm.base.errors import DataError, UserError
from fwsvm.bench.points import load_points
from fwsvm.bench.timing import ENOUGH_S, SVC_CACHE_MB, Timing, facts_of, frank_wolfe_task, side_by_side, svc_task
from fwsvm.runs import measure

SVC = "svc"


def train_fresh(data_dir, points, method, C, gamma_over_beta, repeats=1, **parameters):
    """Train in a process of its own, where nothing else has used memory.

    Parameters
    ----------
    data_dir : str or path
    points : dict
        Arguments of `load_points`.
    method : str
        A method of FrankWolfeSVC, or "svc".
    C, gamma_over_beta : float
    repeats : int
    **parameters
        Of FrankWolfeSVC.

    Returns
    -------
    dict
        `m`, `features`, `seconds` (median CPU, after a first training), `baseline_mb` (resident after import and
        loading), `peak_mb` (of the first training, above the baseline, in MB of 1e6 bytes), and the facts of the
        model; of a process that failed only a `stop_reason` that says how.

    Raises
    ------
    DataError
        The data cannot be had.
    """
    task = dict(data_dir=str(data_dir), points=points, method=method, C=C, gamma_over_beta=gamma_over_beta)
    task |= {"repeats": repeats, "parameters": parameters}
    command = [sys.executable, "-m", "fwsvm.bench.fresh", json.dumps(task)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or [f"ended with status {done.returncode}"])[-1]
        return {"stop_reason": f"failed: {last}"}
    found = json.loads(done.stdout)
    if "unavailable" in found:
        raise DataError(found["unavailable"])
    return found


def _train(data_dir, points, method, C, gamma_over_beta, repeats, parameters):
    data = load_points(data_dir, **points)
    gamma = data.gamma(gamma_over_beta)
    gc.collect()
    measure.reset_peak_memory()
    baseline = measure.peak_memory_mb()
    if method == SVC:
        task = svc_task(data, C, gamma)
    else:
        task = frank_wolfe_task(data, method=method, C=C, gamma=gamma, **parameters)
    first_s, model = task()
    peak = measure.peak_memory_mb() - baseline
    # The first training loads the compiled code; its time counts only where that no longer matters.
    timing = Timing((first_s,), model)
    if first_s < ENOUGH_S:
        timing = side_by_side({method: task}, repeats, enough_s=ENOUGH_S / 2)[method]
    record = {
        "m": data.m,
        "features": data.X_train.shape[1],
        "gamma": gamma,
        "seconds": timing.median_s,
        "repeats": len(timing.times),
        "baseline_mb": baseline,
        "peak_mb": peak,
        "accuracy": model.score(data.X_test, data.y_test),
    }
    if method == SVC:
        return record | {"support_vectors": len(model.support_), "cache_mb": SVC_CACHE_MB}
    return record | facts_of(model)


if __name__ == "__main__":
    try:
        with threadpool_limits(1):
            print(json.dumps(_train(**json.loads(sys.argv[1]))))
    except UserError as error:
        print(json.dumps({"unavailable": str(error)}))
    except KeyboardInterrupt:
        sys.exit(130)
