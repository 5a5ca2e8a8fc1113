"""Fill the templates of the report's pages."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from importlib import resources

import jinja2

from fwsvm.runs.protocols import protocol_words
from fwsvm.site import markup
from fwsvm.site.content import CLAIMS, Content, Drawn, methods, read_table
from fwsvm.site.numbers import RANKED, number, ranks_of, runs_script
from fwsvm.studies.about import BEYOND, about, papers, questions

HERO = "beyond-majority"  # the figure of the entry page
VERDICTS = ("reproduced", "not contradicted", "same direction", "not reproduced", "not run")  # in this order
_MOST_ROWS = 300


class Pages:
    """Make all pages of a run."""

    def __init__(self, content: Content) -> None:
        self.content, self.methods, self.ranks = content, methods(), ranks_of(content.summary)
        self.environment = jinja2.Environment(
            loader=jinja2.PackageLoader(__package__),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self.environment.filters |= {"slug": slug, "number": number, "words": protocol_words}
        self.environment.globals |= {
            "papers": papers(),
            "profile": content.profile,
            "takeaway": self.takeaway,
            "has_claims": bool(content.claims),
            "drawn": content.drawn,
            "titles_of": lambda artefact_id: about(artefact_id).title,
            "thumbnail": lambda artefact_id: getattr(self.content.drawn[artefact_id][0].picture, "name", ""),
        }

    def files(self) -> Iterator[tuple[str, str | bytes]]:
        """Yield the name and the content of every file of the report."""
        hero, asked = self._shown(HERO)[:1], self._by_question()
        yield "index.html", self._page("index", hero=hero, questions=asked, **self._counts())
        for name, paper in [*papers().items(), (BEYOND, _BEYOND)]:
            given = {
                "artefacts": [about(one) for one in self.content.drawn if about(one).paper == name and one != CLAIMS],
                "claims": [claim for claim in self.claims if claim["paper"] == name],
                "skipped": {one: why for one, why in self.content.skipped.items() if about(one).paper == name},
            }
            titles = {one: about(one) for one in given["skipped"]}
            yield f"paper-{name}.html", self._page("paper", name=name, paper=paper, titles=titles, **given)
        for artefact_id in self.content.drawn:
            if artefact_id != CLAIMS:
                yield f"{artefact_id}.html", self._artefact(artefact_id)
        if self.claims:
            yield "claims.html", self._page("claims", claims=self.claims, **self._counts())
        yield "data.html", self._page("data", datasets=self.datasets)
        for name in self.datasets:
            yield f"data-{slug(name)}.html", self._dataset(name)
        yield "methods.html", self._page("methods", methods=self.methods, ranks=self.ranks, ranked=RANKED)
        for name, method in self.methods.items():
            ranks = {protocol: table[name] for protocol, table in self.ranks.items() if name in table}
            pages = [about(one) for one in self.content.drawn if self._shows(one, name)]
            given = {
                "ranks": ranks,
                "ranked": RANKED,
                "pages": pages,
                "rows": (self.content.runs["method"] == name).sum(),
            }
            yield f"method-{slug(name)}.html", self._page("method", method=method, **given)
        yield "runs.html", self._page("runs", total=len(self.content.runs), file=self.content.runs_file.name)
        yield "provenance.html", self._page("provenance", **self._provenance())
        yield from self._files()

    def _files(self) -> Iterator[tuple[str, str | bytes]]:
        """Yield the files that pages load or link."""
        yield "assets/runs.js", runs_script(self.content.runs)
        assets = resources.files(__package__).joinpath("assets")
        yield "assets/style.css", assets.joinpath("style.css").read_text(encoding="utf-8")
        yield "assets/site.js", assets.joinpath("site.js").read_text(encoding="utf-8")
        yield f"files/{self.content.runs_file.name}", self.content.runs_file.read_bytes()
        for shown in self.content.drawn.values():
            for one in shown:
                for path in _linked(one):
                    if path.suffix in (".csv", ".tex", ".svg") or path == one.picture:
                        yield f"files/{path.name}", path.read_bytes()
        for name in self.content.descriptions:
            if picture := self.content.picture_of(name):
                yield f"files/data-{slug(name)}{picture.suffix}", picture.read_bytes()

    def _page(self, template: str, **values) -> str:
        return self.environment.get_template(f"{template}.html").render(**values)

    def takeaway(self, artefact_id: str) -> str:
        """Return the first sentence of the caption, as plain text."""
        return markup.first_sentence(markup.plain(_head(self.content.drawn[artefact_id][0])))

    def _artefact(self, artefact_id: str) -> str:
        entry = about(artefact_id)
        claims = [claim for claim in self.claims if artefact_id in claim["artefacts"].split()]
        asked = {key: words for key, words in questions().items() if key in entry.questions}
        return self._page("artefact", about=entry, shown=self._shown(artefact_id), claims=claims, asked=asked)

    def _shown(self, artefact_id: str) -> list[dict]:
        """Return the values that the page of an artefact shows, for each variant."""
        return [
            {
                "name": one.name,
                "words": protocol_words(one.variant) if one.variant else "As in the paper's own comparison",
                "takeaway": markup.first_sentence(markup.plain(_head(one))),
                "caption": markup.plain(_head(one)).removeprefix(markup.first_sentence(markup.plain(_head(one)))),
                "figure": self._figure(one),
                "table": markup.html_of(one.caption.partition("\n\n")[2]) if one.picture is None else None,
                "data": _frame_html(one) if one.picture is not None else None,
                "files": [path for path in _linked(one) if path.suffix in (".csv", ".tex", ".svg")],
            }
            for one in self.content.drawn.get(artefact_id, ())
        ]

    def _figure(self, one: Drawn):
        if one.picture is None:
            return None
        label = f"{about(one.id).title}. {markup.first_sentence(markup.plain(one.caption))}"
        if one.picture.suffix != ".svg":
            tag = '<img src="files/{}" alt="{}">'
            return markup.Markup(tag).format(one.picture.name, label)
        return markup.inline_svg(one.picture.read_text(encoding="utf-8"), f"{slug(one.name)}-", label)

    @cached_property
    def claims(self) -> list[dict]:
        """Make an entry per statement: its row under the deciding protocol, and `others` under further protocols."""
        found: dict[str, dict] = {}
        for row in sorted(self.content.claims, key=lambda row: row["headline"] != "True"):
            row = row | {"verdict": row["outcome"], "words": protocol_words(row["protocol"]), "others": []}
            first = found.setdefault(row["id"], row)
            if first is not row:
                first["others"].append(row)
        order = list(dict.fromkeys(row["id"] for row in self.content.claims))
        return [found[name] for name in order]

    def _counts(self) -> dict:
        """List the verdicts in order, and count each by paper and in total."""
        by_paper = {
            paper: Counter(claim["verdict"] for claim in self.claims if claim["paper"] == paper)
            for paper in dict.fromkeys(claim["paper"] for claim in self.claims)
        }
        total = sum(by_paper.values(), Counter())
        return {"verdicts": [one for one in VERDICTS if total[one]], "by_paper": by_paper, "total": total}

    def _by_question(self) -> list[tuple[str, str, list]]:
        """List each question with its artefacts. Questions without artefacts are left out."""
        shown = [about(one) for one in self.content.drawn if one != CLAIMS]
        listed = [(key, words, [one for one in shown if key in one.questions]) for key, words in questions().items()]
        return [entry for entry in listed if entry[2]]

    @cached_property
    def datasets(self) -> dict[str, dict]:
        """Map each data set to its description, the share of its majority class, and the tuned parameters."""
        found = {}
        for name, described in self.content.descriptions.items():
            tested = sum(one["test"] for one in described["classes"])
            most = max(described["classes"], key=lambda one: one["train"])
            majority = 100 * most["test"] / tested if tested else None
            found[name] = described | {"majority": majority, "tuned": self.content.tuned(name)}
        return found

    def _dataset(self, name: str) -> str:
        summary, picture = self.content.summary, self.content.picture_of(name)
        rows = summary[summary["dataset"] == name] if len(summary) else summary
        parts = rows.groupby("protocol", sort=False) if len(rows) else ()
        sections = {key: part.to_dict("records") for key, part in parts}
        return self._page(
            "dataset",
            name=name,
            described=self.datasets[name],
            sections=sections,
            picture=f"data-{slug(name)}{picture.suffix}" if picture else "",
            labels=self._label,
            rows=(self.content.runs["dataset"] == name).sum(),
        )

    def _label(self, method: str) -> str:
        known = {"svc": "SVC (scikit-learn)", "majority": "majority class"}
        return self.methods[method]["label"] if method in self.methods else known.get(method, method)

    def _shows(self, artefact_id: str, method: str) -> bool:
        """Test whether the csv of an artefact contains the name of the method."""
        if artefact_id == CLAIMS:
            return False
        longer = "|".join(name.removeprefix(method) for name in self.methods if name.startswith(f"{method}_"))
        named = re.compile(rf"(?<![a-z0-9]){re.escape(method)}(?![a-z0-9]{f'|{longer}' if longer else ''})")
        files = (path for path in self.content.drawn[artefact_id][0].files if path.suffix == ".csv")
        return any(named.search(path.read_text(encoding="utf-8")) for path in files)

    def _provenance(self) -> dict:
        jobs = self.content.provenance.get("jobs", {})
        versions: dict[str, Counter] = {}
        for job in jobs.values():
            for package, version in job.get("versions", {}).items():
                versions.setdefault(package, Counter())[version] += 1
        sums = {name: digest for job in jobs.values() for name, digest in (job.get("data_sha256") or {}).items()}
        return {
            "jobs": jobs,
            "versions": versions,
            "sums": dict(sorted(sums.items())),
            "config_hash": self.content.provenance.get("config_hash", ""),
            "distinct": lambda key: Counter(str(job[key]) for job in jobs.values() if key in job),
            "side_by_side": self.content.provenance.get("side_by_side"),
            "hours": sum(job.get("wall_s") or 0 for job in jobs.values()) / 3600,
        }


_BEYOND = {
    "title": "Beyond the papers",
    "authors": "",
    "short": "Beyond the papers",
    "summary": "What no paper shows: what speed costs in accuracy, where runs stop, and what they depend on.",
}


def slug(name: str) -> str:
    """Turn a name into a part of a file name: lower case, without blanks."""
    return "-".join("".join(c if (c.isalnum() and c.isascii()) or c in "_" else " " for c in name.lower()).split())


def _linked(one: Drawn) -> list:
    """List the files to download. The picture of a variant is only in the page."""
    return [path for path in one.files if not (one.variant and path.suffix == ".svg")]


def _head(one: Drawn) -> str:
    return one.caption if one.picture is not None else one.caption.split("\n\n", 1)[0]


def _frame_html(one: Drawn):
    """Return the numbers of a figure as HTML; None without its csv."""
    path = next((path for path in one.files if path.suffix == ".csv"), None)
    if path is None:
        return None
    frame = read_table(path)
    rows = [[number(value) for value in row] for row in frame.head(_MOST_ROWS).itertuples(index=False)]
    return {"columns": list(frame.columns), "rows": rows, "total": len(frame)}
