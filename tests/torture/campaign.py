"""Runs of the pipeline that are killed, damaged, starved and confused, until each ends with the table of a quiet run.

    python tests/torture/campaign.py --kills 200 --damages 40 --seed 1

A tiny configuration on embedded data is run once in peace, in a copy of the checkout. Then every trial disturbs it,
lets it go on as the README says, and compares `runs.tsv` with that of the quiet run in all columns that are not
measured. What was tried is kept in the folder of the campaign, so that calling it again with larger numbers goes on. At
the end a table says for each kind of trial how many were survived; the exit code is 1 if one was not.
"""

import argparse
import json
import random
import sys
import time
from collections import Counter
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1] / "workflow")]

from trials import CONFUSIONS, KILLS, Refused, damage, kill_at  # noqa: E402
from victim import Victim  # noqa: E402

# Then it may end: a job that takes longer than the kills are apart would never be done.
_KILLS_OF_A_RUN = 5


def main():
    """Run the campaign. Returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--kills", type=int, default=200, metavar="N", help="default: %(default)s")
    parser.add_argument("--damages", type=int, default=40, metavar="N", help="damaged files; default: %(default)s")
    parser.add_argument("--confusions", type=int, default=1, metavar="N", help="of each kind; default: %(default)s")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="default: %(default)s")
    parser.add_argument("--folder", type=Path, default=Path("torture"), help="of the campaign; default: %(default)s")
    args = parser.parse_args()
    folder = (args.folder / f"seed-{args.seed}").resolve()
    folder.mkdir(parents=True, exist_ok=True)
    log = Log(folder / "trials.jsonl")
    victim = Victim(folder)
    kills(victim, log, args.kills, args.seed)
    for number in range(log.count("damage"), args.damages):
        one_trial(victim, log, "damage", random.Random(f"{args.seed} damage {number}"))
    for kind in CONFUSIONS:
        for _ in range(log.count("confusion", kind), args.confusions):
            one_trial(victim, log, "confusion", kind)
    print(log.table())
    return int(any(trial["outcome"] != "survived" for trial in log.trials))


def kills(victim, log, wanted, seed):
    """Kill runs at random moments, up to `_KILLS_OF_A_RUN` times; a kill is survived if its run then ends well."""
    number, begun, draws = log.count("kill"), [], 0
    victim.begin_anew()
    while number < wanted:
        draws += 1  # a run may end before the moment that was drawn
        chance = random.Random(f"{seed} kill {number} {draws}")
        kind, moment = chance.choice(list(KILLS)), chance.uniform(0, victim.quiet_s)
        run = victim.start()
        if kill_at(run, kind, moment, chance):
            begun.append({"kind": kind, "at_s": round(moment, 2), "number": number})
            number += 1
            victim.recover()
            print("killed", *begun[-1].values(), flush=True)
            if number < wanted and len(begun) < _KILLS_OF_A_RUN:
                continue
            run = victim.start()
        outcome = victim.judge(run)
        for trial in begun:
            log.add("kill", outcome, **trial)
        begun = []
        victim.begin_anew()


def one_trial(victim, log, group, chosen):
    """Damage a file or confuse a run, and see that it ends well."""
    victim.finish()
    try:
        if group == "damage":
            what = damage(victim, chosen)
        else:
            what = {"kind": chosen}
            CONFUSIONS[chosen](victim)
        outcome = victim.judge(victim.start())
    except Refused as why:
        what, outcome = {"kind": chosen, "why": str(why)}, "not possible here"
    except AssertionError as error:
        outcome = str(error)
    log.add(group, outcome, **what)
    if outcome not in ("survived", "not possible here"):
        victim.begin_anew()


class Log:
    """Trials so far, one JSON object per line."""

    def __init__(self, path):
        self.path = path
        self.trials = [json.loads(line) for line in path.read_text().splitlines()] if path.is_file() else []

    def add(self, group, outcome, **what):
        """Keep a trial."""
        trial = {"group": group, "outcome": outcome, "time": time.strftime("%H:%M:%S"), **what}
        self.trials.append(trial)
        with self.path.open("a") as file:
            file.write(json.dumps(trial) + "\n")
        print(*trial.values(), flush=True)

    def count(self, group, kind=None):
        """Trials of a group, or of a kind of it."""
        return sum(trial["group"] == group and kind in (None, trial["kind"]) for trial in self.trials)

    def table(self):
        """Survived and tried, for each kind."""
        tried = Counter((trial["group"], trial["kind"]) for trial in self.trials)
        survived = Counter((trial["group"], trial["kind"]) for trial in self.trials if trial["outcome"] == "survived")
        lines = ["| trial | kind | survived | tried |", "|---|---|--:|--:|"]
        lines += [f"| {group} | {kind} | {survived[group, kind]} | {n} |" for (group, kind), n in sorted(tried.items())]
        return "\n".join([*lines, f"| all | | {survived.total()} | {tried.total()} |"])


if __name__ == "__main__":
    sys.exit(main())
