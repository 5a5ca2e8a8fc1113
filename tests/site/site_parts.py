"""Functions that generate results for the report, and read the pages of a report."""

import base64
import json
from html.parser import HTMLParser

import pandas as pd

from fwsvm_papers.reporting.tables import ArtefactData, Cell, Heading, Section
from fwsvm_papers.runs.records import conform, write_runs

SVG = (
    '<?xml version="1.0"?>\n<!DOCTYPE svg\n SYSTEM "of.dtd">\n<svg viewBox="0 0 9'
    ' 9"><metadata>a\nb</metadata><g id="a" transform="scale(0.015625)"><path id="p" d="M 0.123456'
    ' 2"/><use href="#p" clip-path="url(#a)"/><text>{}</text></g></svg>'
)
PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAG7buVgAAAABJRU5ErkJggg=="
)
CLAIM = {
    "paper": "singh",
    "statement": "it is 14",
    "rule": "at most 14",
    "printed": "14",
    "note": "",
    "artefacts": "",
    "printed_inconsistent": "False",
    "reason": "5 draws",
}


def write_figure(figures, name, caption, protocol=""):
    (figures / f"{name}.svg").write_text(SVG.format("words"))
    data = ArtefactData(kind="figure", id=name, caption=caption, protocol=protocol)
    data.write_json(figures / f"{name}.json")


def make_results(folder):
    """Write the results of a run on two data sets, and return the folders of the results and of the
    figures.

    There are figures (one of them under two protocols, and one that was skipped), tables, a
    summary, a ladder (a comparison in stages) and claims.
    """
    results, figures = folder / "results/mine", folder / "figures/mine"
    rows = [
        {
            "experiment": "benchmark",
            "dataset": name,
            "method": method,
            "protocol": "all_points",
            "repetition": number,
            "train_cpu_s": seconds,
            "test_accuracy": accuracy,
            "stop_reason": reason,
            "disturbed": name != "one",
            "C": 4.0,
            "gamma": 0.25,
            "relative_gap": 0.02,
        }
        for name, method, number, seconds, accuracy, reason in (
            ("one", "fw", 0, 1.5, 0.875, "converged"),
            ("one", "fw", 1, 0.5, 0.825, "converged"),
            ("one", "cvm", 0, 0.25, 0.95, "converged"),
            ("two <b>", "fw", 0, 2.0, 0.8, "time_limit"),
            ("two <b>", "cvm", 0, 8.125, 0.7, "converged"),
        )
    ]
    write_runs(conform(pd.DataFrame(rows)), results / "runs.tsv")
    for name, caption in (
        ("beyond-majority", "`Fast` is not good. Marks are sets."),
        ("frandi2013-fig3", "W. Rest."),
    ):
        figures.mkdir(parents=True, exist_ok=True)
        write_figure(figures, name, caption)
    write_figure(figures, "frandi2013-fig3--libcvm", "Another outcome. Rest.", "libcvm")
    skipped = ArtefactData(kind="figure", id="frandi2013-fig6", skipped="needs protein")
    skipped.write_json(figures / "frandi2013-fig6.json")
    (figures / "beyond-majority.csv").write_text(
        "dataset,share,mfw_sparse_n,mfw2o-pfw\none,12.34567,1,2\ntwo,,3,4\n"
    )
    tables = results / "tables"
    tables.mkdir()
    rows = (
        (Cell("one"), Cell("97.5 ± 0.25", ("a",)), Cell("")),
        (Cell(""), Cell("≥ 100"), Cell("–")),
        (Cell("two | x"), Cell("9.8", bold=True), Cell("")),
    )
    table = ArtefactData(
        kind="table",
        id="frandi2013-table2",
        caption="Accuracy in per cent. More.",
        columns=(Heading("data set", "", "l"), Heading("ours", "FW", "r"), Heading("no", "", "r")),
        sections=(Section("full", rows),),
        footnotes=(("a", "a note"),),
    )
    table.write_json(tables / "frandi2013-table2.json")
    (tables / "frandi2013-table2.csv").write_text("dataset,ours\none,97.5\n")
    signs = tuple((Cell(text),) for text in ("? 1.9", "?", "≥ 100", "–", "0.5"))
    table = ArtefactData(
        kind="table",
        id="frandi2013-table3",
        caption="Speed-ups, of which some are unknown.",
        columns=(Heading("ratio", "", "r"),),
        sections=(Section(None, signs),),
    )
    table.write_json(tables / "frandi2013-table3.json")
    (tables / "frandi2013-table3.csv").write_text("ratio\n0.5\n")
    summary = {
        "protocol": "all_points",
        "repetitions": 1,
        "printed_accuracy": None,
        "printed_time": 4,
        "limit": None,
        "support_vectors": 7,
        "relative_gap": 0.02,
    }
    numbers = [
        ("one", "cvm", 90, 2.0),
        ("one", "fw", 80, 1.0),
        ("one", "majority", 75, None),
        ("two <b>", "cvm", 60, 1),
    ]
    numbers.append(("two <b>", "fw", 70, 3.25))
    frame = pd.DataFrame(
        [
            summary | dict(zip(("dataset", "method", "accuracy", "time"), row, strict=True))
            for row in numbers
        ]
    )
    for name in ("summary", "claims"):
        data = ArtefactData(kind="table", id=name, caption=f"What {name} is.")
        data.write_json(tables / f"{name}.json")
    frame.to_csv(tables / "summary.csv", index=False)
    claims = [
        CLAIM
        | {
            "id": "c1",
            "outcome": "reproduced",
            "protocol": "all_points",
            "headline": True,
            "ours": "11",
            "outcome_authors": "same direction",
            "ours_authors": "12 [4 of 7 data sets]",
        },
        CLAIM
        | {
            "id": "c1",
            "outcome": "not run",
            "protocol": "as_printed",
            "headline": False,
            "ours": "",
        },
        CLAIM
        | {
            "id": "c2",
            "outcome": "not reproduced",
            "protocol": "all_points",
            "headline": True,
            "ours": "a < b",
            "artefacts": "frandi2013-fig3",
        },
    ]
    pd.DataFrame(claims).to_csv(tables / "claims.csv", index=False)
    rungs = [
        ("printed", "fw", 3.0),
        ("all_points", "fw", 0.25),
        ("inner", "fw", 1.0),
        ("inner", "cvm", 1.0),
    ]
    pd.DataFrame(
        [
            {
                "dataset": "one",
                "rung": rung,
                "method": method,
                "speedup": speed_up,
                "kept": 46.0,
                "bound": "exact",
                "accuracy": 85.0,
                "time": 1.0,
                "relative_gap": 0.5,
                "at_limit": False,
            }
            for rung, method, speed_up in rungs
        ]
    ).to_csv(tables / "beyond-ladder-table.csv", index=False)
    (results / "describe").mkdir()
    for place, name in enumerate(("one", "two <b>")):
        classes = [{"label": -1, "train": 30, "test": 75}, {"label": 1, "train": 10, "test": 25}]
        source = (
            {"name": "a/b", "kind": "file", "role": "train"} if place else {"kind": "generator"}
        )
        described = {
            "dataset": name,
            "m": 40,
            "t": 100,
            "n": 1234,
            "K": 2,
            "classes": classes,
            "density": 0.5,
            "average_squared_distance": 2.0,
            "differs": {},
            "checksum": "verified",
            "sources": [source],
        }
        (results / "describe" / f"{place}.json").write_text(json.dumps(described))
    (results / "describe" / "one.png").write_bytes(base64.b64decode(PIXEL))
    job = {
        "cpu": "a processor",
        "commit": "0123456789abcdef",
        "versions": {"numpy": "2.0"},
        "wall_s": 3600.0,
    }
    (results / "provenance.json").write_text(
        json.dumps({"config_hash": "beef", "jobs": {"benchmark/one": job}})
    )
    return results, figures


class Page(HTMLParser):
    """A page of the report, with its links, ids and words."""

    def __init__(self, path):
        super().__init__()
        self.path, self.links, self.ids, self.words, self.tags = path, [], [], [], []
        self.feed(path.read_text(encoding="utf-8"))
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.tags.append((tag, attributes))
        self.links += [attributes[name] for name in ("href", "src") if attributes.get(name)]
        self.ids += [attributes["id"]] if "id" in attributes else []

    def handle_data(self, data):
        self.words.append(data)
