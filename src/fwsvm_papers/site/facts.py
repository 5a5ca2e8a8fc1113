"""Functions that arrange the results of a run for the pages: statements with their verdicts, data
sets, and the origin of the results.
"""

from collections import Counter
from collections.abc import Iterable, Mapping

from fwsvm_papers.claims.claim import STUDY
from fwsvm_papers.site.comparison import words_of
from fwsvm_papers.site.content import Content

# Outcomes that mean that a statement was not judged.
NO_VERDICT = ("", "not run")
# All outcomes that the pages show, in the order in which they are shown.
VERDICTS = ("reproduced", "same direction", "not reproduced", "not contradicted", "not run")


def statements(content: Content) -> list[dict]:
    """Return a list of the statements.

    Each statement is a dict with the cells of its row under the first protocol, and with further
    entries. `verdict` is its outcome, and `words` is the protocol in words. `others` lists its rows
    under the other protocols. `beside` is a list of pairs. Each pair has a source, such as
    "released run", and the verdict of this source. `same_by_authors` says whether the authors'
    program gives the same verdict. `differs` says whether the released run and this run have
    different verdicts.
    """
    known = [
        row
        | {
            "verdict": row["outcome"],
            "words": words_of(row["protocol"]) if row["protocol"] != STUDY else "",
        }
        for row in content.claims
    ]
    found = {row["id"]: row | {"others": []} for row in known if row["headline"] == "True"}
    for row in (row for row in known if row["headline"] != "True"):
        found[row["id"]]["others"].append(row)
    for row in found.values():
        released = content.released_verdicts.get(row["id"], "")
        text = next((o["verdict"] for o in row["others"] if o["protocol"] == "as_printed"), "")
        by_authors = row.get("outcome_authors", "")
        beside = {
            "released run": released,
            "papers' text": "" if text in NO_VERDICT else text,
            "authors' program": "" if by_authors in NO_VERDICT else by_authors,
        }
        row["beside"] = [(words, verdict) for words, verdict in beside.items() if verdict]
        row["same_by_authors"] = by_authors == row["verdict"]
        row["differs"] = released not in ("", row["verdict"]) and row["verdict"] != "not run"
    return list(found.values())


def counts_of_verdicts(claims: Iterable[Mapping], released_verdicts: Mapping[str, str]) -> dict:
    """Count the claims with each verdict, per paper and in total, for this run and for the released
    run.

    In the result, `by_paper` and `total` have the counts for this run. `released` (per paper) and
    `released_total` have the counts for the released run, which include only claims that were also
    judged in this run. `verdicts` lists the verdicts that occur in this run, and `verdict_order`
    lists all possible verdicts. Both lists are in the order of `VERDICTS`.
    """
    by_paper: dict[str, Counter] = {}
    released: dict[str, Counter] = {}
    for claim in claims:
        by_paper.setdefault(claim["paper"], Counter())[claim["verdict"]] += 1
        verdict = released_verdicts.get(claim["id"])
        if verdict and claim["verdict"] != "not run":
            released.setdefault(claim["paper"], Counter())[verdict] += 1
    total = sum(by_paper.values(), Counter())
    return {
        "released": released,
        "released_total": sum(released.values(), Counter()),
        "verdicts": [one for one in VERDICTS if total[one]],
        "verdict_order": VERDICTS,
        "by_paper": by_paper,
        "total": total,
    }


def described_datasets(content: Content) -> dict[str, dict]:
    """Return a dict that maps each data set to its description with two more entries.

    `tuned` has the tuned parameters. `majority` is the accuracy (%) of the majority prediction on
    the test points, or None if there are no test points.
    """
    found = {}
    for name, described in content.descriptions.items():
        tested = sum(one["test"] for one in described["classes"])
        most = max(described["classes"], key=lambda one: one["train"])
        majority = 100 * most["test"] / tested if tested else None
        found[name] = described | {"majority": majority, "tuned": content.tuned(name)}
    return found


def counted_provenance(content: Content) -> dict:
    """Return a dict about the jobs of a run.

    In this dict, `found` has numbers of jobs, for example for each processor, operating system,
    commit and date. `versions` lists the package versions, `sums` has the checksums of the data,
    and `hours` is the total wall time of the jobs. `jobs`, `record` and `missing` are parts of
    `content`.
    """
    jobs = content.provenance.get("jobs", {})
    kinds = ("cpu", "cores", "system", "commit", "date")
    sums = sorted(
        one for job in jobs.values() for one in (job.get("data_sha256") or {}).items() if one[1]
    )
    return {
        "jobs": jobs,
        "found": {
            kind: Counter(str(job[kind]) for job in jobs.values() if job.get(kind))
            for kind in kinds
        },
        "versions": sorted(
            {" ".join(one) for job in jobs.values() for one in job.get("versions", {}).items()}
        ),
        "sums": dict(sums),
        "record": content.provenance,
        "missing": content.missing,
        "hours": sum(job.get("wall_s") or 0 for job in jobs.values()) / 3600,
    }
