"""The pages of the report, made from templates."""

import json
from collections import Counter
from collections.abc import Iterator
from functools import cached_property
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlencode
from xml.etree import ElementTree

import jinja2

from fwsvm_papers.reporting.text import capitalised, listing
from fwsvm_papers.result_files import damaged_result
from fwsvm_papers.site import comparison as compare
from fwsvm_papers.site import markup
from fwsvm_papers.site.addresses import slug
from fwsvm_papers.site.comparison import words_of
from fwsvm_papers.site.content import CLAIMS, SUMMARY, Content, Drawn, read_table
from fwsvm_papers.site.facts import (
    NO_VERDICT,
    counted_provenance,
    counts_of_verdicts,
    described_datasets,
    statements,
)
from fwsvm_papers.site.methods import methods
from fwsvm_papers.site.safe_svg import safe_svg
from fwsvm_papers.site.words import WORDS
from fwsvm_papers.studies.about import BEYOND, about, leading, papers, questions
from fwsvm_papers.studies.benchmark.groups import ADULT, OF_STUDIES, WEB

# Of these figures, the first page shows the first one that was drawn.
HEROES = ("beyond-ladder", "beyond-majority")
# The page of a figure shows at most this number of rows. The csv file has all rows.
_ROWS_SHOWN = 300
# Below the answer to a question, this number of links is always visible. Further links are visible
# after a click.
_LINKS = 2


class Pages:
    """All pages of the report of a run."""

    def __init__(self, content: Content, docs: str = "") -> None:
        self.content, self.methods = content, methods()
        self.labels = {compare.SVC: "SVC (scikit-learn)"} | {
            name: one["label"] for name, one in self.methods.items()
        }
        self.datasets = described_datasets(content)
        self.claims = statements(content)
        self.counts = counts_of_verdicts(self.claims, content.released_verdicts)
        # number of verdicts that depend on thresholds that we chose
        self.counts["depends"] = sum(one.get("sensitivity") not in _SAME for one in self.claims)
        self.provenance = counted_provenance(content)
        self.majority = {name: one["majority"] for name, one in self.datasets.items()}
        self.table = compare.board_table(
            content.runs, content.summary, content.ladder, self.majority
        )
        self.families = {
            name: found
            for name in self.methods
            if (found := compare.by_family(content.families, name))
        }
        self.short = {
            name: said
            for name in self.methods
            if (said := compare.in_short(self.table, name, self.families.get(name)))
        }
        self.stand_ins = [
            name for name, described in content.descriptions.items() if described.get("stand_in")
        ]
        self.pages = [about(one) for one in content.drawn if one != CLAIMS]
        self.environment = jinja2.Environment(
            loader=jinja2.PackageLoader(__package__),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        filters = {
            "slug": slug,
            "number": markup.number,
            "gap": markup.gap,
            "readable": markup.readable,
            "words": words_of,
            "capital": capitalised,
            "listing": listing,
        }
        filters["formula"] = markup.formula
        self.environment.filters |= filters | {"cited": lambda text: markup.cited(text, papers())}
        self.environment.globals |= {
            "papers": papers(),
            "profile": content.profile,
            "docs": docs,
            "takeaway": self.takeaway,
            "has_claims": bool(content.claims),
            "has_verdicts": any(claim["verdict"] != "not run" for claim in self.claims),
            "has_board": len(self.table) > 0,
            "is_part": content.is_part,
            "differing": [claim for claim in self.claims if claim["differs"]],
            "has_released": bool(content.released_verdicts),
            "runs": content.runs,
            "datasets": self.datasets,
            "methods": self.methods,
            "labels": self.labels,
            "short": self.short,
            "families": self.families,
            "fastest": compare.fastest(self.short, self.labels),
            "stand_ins": self.stand_ins,
            "made": self.provenance,
            "drawn": content.drawn,
            "text_of": about,
            "thumbnail": lambda artefact_id: getattr(
                self.content.drawn[artefact_id][0].picture, "name", ""
            ),
            "width_of": lambda artefact_id: markup.width_of(
                self.content.drawn[artefact_id][0].picture
            ),
        }

    def files(self) -> Iterator[tuple[str, str | bytes]]:
        """Yield the name and the content of every file of the report."""
        hero = next((self._shown(name)[:1] for name in HEROES if name in self.content.drawn), [])
        given = {
            "hero": hero,
            "questions": self._by_question(),
            "near": compare.near_print(self.table),
            "kept": compare.kept_by_family(self.table, "fw"),
            "words_used": WORDS,
        }
        yield "index.html", self._page("index", **given, **self.counts)
        for name, paper in [*papers().items(), (BEYOND, _BEYOND)]:
            given = {
                "artefacts": [one for one in self.pages if one.paper == name],
                "claims": [claim for claim in self.claims if claim["paper"] == name],
                "skipped": {
                    one: why
                    for one, why in self.content.skipped.items()
                    if about(one).paper == name
                },
            }
            yield (
                f"paper-{name}.html",
                self._page("paper", name=name, paper=paper, **given, **self.counts),
            )
        for one in self.pages:
            if one.id != SUMMARY or self.table.empty:
                yield f"{one.id}.html", self._artefact(one.id)
        if len(self.table):
            yield f"{SUMMARY}.html", self._board()
        if self.claims:
            pairs = Counter(
                (one["verdict"], o["protocol"], o["verdict"])
                for one in self.claims
                for o in one["others"]
            )
            given = {
                "claims": self.claims,
                "fails": pairs["reproduced", "as_printed", "not reproduced"],
                "weaker": pairs["reproduced", "as_printed", "same direction"],
                "better": sum(
                    count
                    for (ours, protocol, of_text), count in pairs.items()
                    if protocol == "as_printed" and ours != of_text == "reproduced"
                ),
                "by_authors": [
                    one
                    for one in self.claims
                    if one.get("outcome_authors") not in (None, *NO_VERDICT)
                ],
            }
            yield "claims.html", self._page("claims", **given, **self.counts)
        yield "data.html", self._data()
        for name in self.datasets:
            yield f"data-{slug(name)}.html", self._dataset(name)
        yield "methods.html", self._page("methods")
        for name, method in self.methods.items():
            yield (
                f"method-{slug(name)}.html",
                self._page(
                    "method",
                    method=method,
                    said=self.short.get(name, {}),
                    per_set=compare.per_set(self.table, name),
                ),
            )
        names = self.labels | {
            one: words_of(one) for one in self.content.runs["protocol"].dropna().unique()
        }
        yield (
            "runs.html",
            self._page("runs", file=self.content.runs_file.name, links=self._places, names=names),
        )
        yield "provenance.html", self._page("provenance", **self.provenance)
        yield from self._files()

    def _files(self) -> Iterator[tuple[str, str | bytes]]:
        """Yield the files that pages load or link to."""
        yield "assets/runs.js", markup.runs_script(self.content.runs)
        yield "assets/pages.js", f"window.PAGES={json.dumps(self._index(), ensure_ascii=False)};\n"
        assets = resources.files(__package__).joinpath("assets")
        yield "assets/style.css", assets.joinpath("style.css").read_text(encoding="utf-8")
        yield "assets/site.js", assets.joinpath("site.js").read_text(encoding="utf-8")
        yield f"files/{self.content.runs_file.name}", self.content.runs_file.read_bytes()
        for path in (
            path for shown in self.content.drawn.values() for one in shown for path in _linked(one)
        ):
            yield (
                f"files/{path.name}",
                markup.smaller(_read_svg(path)) if path.suffix == ".svg" else path.read_bytes(),
            )
        for name in self.content.descriptions:
            if picture := self.content.picture_of(name):
                yield f"files/data-{slug(name)}{picture.suffix}", picture.read_bytes()

    def _page(self, template: str, **values: Any) -> str:
        page = self.environment.get_template(f"{template}.html").render(**values)
        return markup.unbroken(markup.unindented(page))

    def takeaway(self, artefact_id: str) -> str:
        """Return the first sentence of an artefact's finding, as plain text. If the artefact has no
        finding, return the first sentence of its caption.
        """
        return markup.first_sentence(self.content.drawn[artefact_id][0].words)

    def _artefact(self, artefact_id: str) -> str:
        entry = about(artefact_id)
        claims = [claim for claim in self.claims if artefact_id in claim["artefacts"].split()]
        asked = {key: words for key, words in questions().items() if key in entry.questions}
        given = {"shown": self._shown(artefact_id), "claims": claims, "asked": asked}
        return self._page("artefact", about=entry, behind=self._behind(artefact_id), **given)

    def _behind(self, artefact_id: str) -> list[tuple[str, str]]:
        """Return a list with a pair for each experiment that an artefact shows, if this run has
        runs of the experiment.

        A pair has the name of the experiment and a query string. On the page of runs, the query
        string selects the runs that the artefact shows.
        """
        file, found = self.content.drawn[artefact_id][0].csv, []
        shown = read_table(file) if file else {}
        for name in about(artefact_id).experiments:
            own = self.content.runs[self.content.runs["experiment"] == name]
            filters = [("experiment", name)]
            for column in (column for column in ("dataset", "method") if column in shown):
                chosen, ran = set(shown[column].dropna()), set(own[column])
                filters += (
                    [(column, ",".join(sorted(chosen & ran)))]
                    if chosen & ran and not ran <= chosen
                    else []
                )
            found += [(name, urlencode(filters))] if len(own) else []
        return found

    def _board(self) -> str:
        board = compare.board(self.table, self.labels)
        names = board["words"]["dataset"]
        board["places"] = [self._places.get(name, "") for name in names]
        board["words"]["dataset"] = [name + "*" * (name in self.stand_ins) for name in names]
        data = json.dumps(board, separators=(",", ":")).replace("<", "\\u003c")
        files = [
            path
            for one in self.content.drawn.get(SUMMARY, ())[:1]
            for path in one.files
            if path.suffix != ".md"
        ]
        return self._page("board", data=markup.Markup(data), files=files)

    def _index(self) -> list[tuple[str, str, str]]:
        """Return a list of (kind, words, address) for everything that the search box can find."""
        named = {f"data-{slug(name)}": ("data set", name) for name in self.datasets}
        named |= {
            f"method-{slug(name)}": (
                "method",
                f"{one['label']}: {markup.first_sentence(one['definition'])}",
            )
            for name, one in self.methods.items()
        }
        named |= {
            f"paper-{name}": ("paper", f"{one['short']}: {one['title']}")
            for name, one in papers().items()
        }
        named |= {one.id: (one.number or "page", f"{one.title} ({one.id})") for one in self.pages}
        claims = [
            (one["verdict"], one["statement"], f"claims.html#{one['id']}") for one in self.claims
        ]
        return [*((*words, f"{name}.html") for name, words in named.items()), *claims]

    def _shown(self, artefact_id: str) -> list[dict]:
        """Return a list with a dict for each variant of an artefact. A dict has the values that the
        page of the artefact shows.
        """
        shown = []
        for one in self.content.drawn.get(artefact_id, ()):
            is_figure = one.picture is not None
            shown.append(
                {
                    "name": one.data.id,
                    "words": words_of(one.data.protocol)
                    if one.data.protocol
                    else "As in the paper's own comparison",
                    "lead": one.lead,
                    "caption": one.words.removeprefix(one.lead),
                    "figure": self._figure(one) if is_figure else None,
                    "tables": markup.tables_of(one.data, self._places),
                    "footnotes": [
                        (mark, markup.small_deviation(text)) for mark, text in one.data.footnotes
                    ],
                    "data": self._numbers(one) if is_figure else None,
                    "files": _linked(one),
                }
            )
        return shown

    def _figure(self, one: Drawn) -> markup.Markup:
        label = f"{about(one.id).title}. {markup.first_sentence(one.words)}"
        picture = one.picture
        assert picture is not None, one.id
        if picture.suffix != ".svg":
            return markup.Markup('<img src="files/{}" alt="{}">').format(picture.name, label)
        return markup.inline_svg(_read_svg(picture), f"{slug(one.data.protocol) or 'p'}-", label)

    def _by_question(self) -> list[dict]:
        """Return a list with a dict for each question that a table or figure answers. The dict has
        a figure, the answer, and links.

        The answer is the finding of the first artefact that has a finding. If an artefact was
        already used for an earlier question, this question only links to it, unless all artefacts
        of this question were already used.
        """
        listed, used = [], set()
        for key, words in questions().items():
            order = {name: place for place, name in enumerate(leading().get(key, ()))}
            own = [one for one in self.pages if key in one.questions]
            own.sort(key=lambda one: order.get(one.id, len(order)))
            if not own:
                continue
            fresh = [one for one in own if one.id not in used] or own
            # only artefacts of the released run have a finding
            finding = {
                one.id: self.takeaway(one.id)
                for one in own
                if self.content.drawn[one.id][0].data.finding
            }
            answer = next((one for one in fresh if one.id in finding), None)
            pictured = [one for one in fresh if self.content.drawn[one.id][0].picture]
            figure = answer if answer in pictured else next(iter(pictured), None)
            used |= {one.id for one in (answer, figure) if one}
            links = [one for one in own if one not in (answer, figure)]
            # list each further artefact only under its first question
            more = [one for one in links[_LINKS:] if one.questions[0] == key]
            listed.append(
                {"key": key, "words": words, "figure": figure, "answer": answer}
                | {"finding": finding, "links": links[:_LINKS], "more": more}
            )
        return listed

    def _data(self) -> str:
        """Return the page of all data sets.

        The page has the results under the first protocol of the benchmark, and the values of C
        under the first two protocols.
        """
        used = compare.parameters(self.content.runs)
        first = self.table["protocol"].iloc[:1].tolist()
        own = self.table[self.table["protocol"].isin(first)].set_index(["dataset", "method"])
        numbers = {name: own.loc[name].to_dict("index") for name in own.index.unique("dataset")}
        settings = [
            name for name in self.table["protocol"].unique() if any(name == key[0] for key in used)
        ][:2]
        series = {name: group.name for group in (ADULT, WEB) for name in group.datasets}
        absent = [name for name in self.content.missing if name not in OF_STUDIES]
        given = {"first": first, "numbers": numbers, "settings": settings, "used": used}
        return self._page("data", series=series, absent=absent, **given)

    def _dataset(self, name: str) -> str:
        picture, rows = self.content.picture_of(name), self.table[self.table["dataset"] == name]
        used = compare.parameters(self.content.runs[self.content.runs["dataset"] == name])
        sections = [
            (one, used.get((one, name), ""), part.to_dict("records"))
            for one, part in rows.groupby("protocol", sort=False)
        ]
        return self._page(
            "dataset",
            name=name,
            described=self.datasets[name],
            answers=compare.answers(rows, "fw"),
            sections=sections,
            has=set(rows.dropna(axis="columns", how="all")),
            grid_ends=self.content.grid_ends.get(name, ()),
            picture=f"data-{slug(name)}{picture.suffix}" if picture else "",
            picture_width=markup.width_of(picture) if picture else 0,
        )

    @cached_property
    def _places(self) -> dict[str, str]:
        """Return a dict that maps the names of data sets and methods to their pages. The names are
        spelled as in tables.
        """
        found = {name: f"data-{slug(name)}.html" for name in self.datasets}
        for name, one in self.methods.items():
            found |= dict.fromkeys(
                (name, one["label"], one["written"]), f"method-{slug(name)}.html"
            )
        return found

    def _numbers(self, one: Drawn) -> dict | None:
        """Return a dict with the numbers of a figure for its page, or None if the figure has no csv
        file.
        """
        if one.csv is None:
            return None
        frame = read_table(one.csv)
        columns = [markup.aligned(frame[name].head(_ROWS_SHOWN)) for name in frame]
        rows = [
            [markup.linked(cell, self._places) for cell in row]
            for row in zip(*columns, strict=True)
        ]
        return {"columns": list(frame.columns), "rows": rows, "total": len(frame)}


# values of `sensitivity` that mean that other thresholds give the same verdict
_SAME = (None, "", "no change")
_BEYOND = {
    "title": "Beyond the papers",
    "short": "Beyond the papers",
    "authors": "",
    "summary": "These figures and tables do not appear in any paper.",
}


def _read_svg(path: Path) -> str:
    try:
        return safe_svg(path.read_text(encoding="utf-8"))
    except (ElementTree.ParseError, ValueError) as error:
        raise damaged_result(path, str(error)) from error


def _linked(one: Drawn) -> list[Path]:
    """List the files that a page offers for download.

    The SVG picture of a variant is shown on the page, but not offered for download.
    """
    chosen = [
        path for path in one.files if path == one.picture or path.suffix in (".csv", ".tex", ".svg")
    ]
    return [path for path in chosen if not (one.data.protocol and path.suffix == ".svg")]
