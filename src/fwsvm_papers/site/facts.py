"""Arrange the files of a run for the pages: statements and verdicts, data sets, provenance."""

from collections import Counter
from collections.abc import Iterable, Mapping

from fwsvm_papers.claims.evaluation import STUDY
from fwsvm_papers.site.comparison import words_of
from fwsvm_papers.site.content import Content

# in display order
VERDICTS = ("reproduced", "same direction", "not reproduced", "not contradicted", "not run")


def statements(content: Content) -> list[dict]:
    """List the statements: each with its row under the deciding protocol, and its other rows
    in `others`.
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
    return list(found.values())


def counts_of_verdicts(claims: Iterable[Mapping]) -> dict:
    """List the verdicts in order, and count each by paper and in total."""
    by_paper: dict[str, Counter] = {}
    for claim in claims:
        by_paper.setdefault(claim["paper"], Counter())[claim["verdict"]] += 1
    total = sum(by_paper.values(), Counter())
    return {
        "verdicts": [one for one in VERDICTS if total[one]],
        "by_paper": by_paper,
        "total": total,
    }


def described_datasets(content: Content) -> dict[str, dict]:
    """Map each data set to its description, the share of its majority class, and the tuned
    parameters.
    """
    found = {}
    for name, described in content.descriptions.items():
        tested = sum(one["test"] for one in described["classes"])
        most = max(described["classes"], key=lambda one: one["train"])
        majority = 100 * most["test"] / tested if tested else None
        found[name] = described | {"majority": majority, "tuned": content.tuned(name)}
    return found


def counted_provenance(content: Content) -> dict:
    """Count the jobs by computer, commit and date, and list the versions and data that they
    used.
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
