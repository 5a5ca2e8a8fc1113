"""Functions that convert tables, SVG files, numbers and runs into parts of an HTML page."""

import json
import math
import re
from dataclasses import replace
from html import escape
from numbers import Real
from pathlib import Path
from typing import Any

import pandas as pd
from markupsafe import Markup

from fwsvm_papers.reporting.tables import DARK, ArtefactData, Cell, Section
from fwsvm_papers.reporting.text import NOTHING, significant, small_exponents

# A table with more sections than this number is shown as one long table, in which readers can
# filter by section.
_SECTIONS = 7
_PART = "Part"
# The width, in pixels, of a picture whose file does not state a width.
_USUAL_WIDTH = 688
# Parts of a page in which white space must not change: code, pictures and tags.
_KEPT = r"<(script|style|pre|svg|code)\b.*?</\1>|<[^>]*>"
# Maps the columns of the page about runs to their headings.
RUN_COLUMNS = {
    "dataset": "data set",
    "method": "method",
    "protocol": "protocol",
    "test_accuracy": "accuracy (%)",
    "train_cpu_s": "CPU time (s)",
    "relative_gap": "relative gap",
    "C": "C",
    "gamma": "gamma",
    "stop_reason": "stop reason",
    "support_vectors": "support vectors",
    "iterations": "iterations",
    "experiment": "experiment",
    "kernel": "kernel",
    "task_size": "training points",
    "repetition": "repetition",
    "partition": "partition",
    "disturbed": "disturbed",
}


def tables_of(data: ArtefactData, places: dict[str, str]) -> list[dict]:
    """Return a dict for each section of a table, with its `heading`, `columns` and `rows` for a
    page. Empty columns are left out.

    A column is a pair (name, CSS class), and a row is a list of pairs (cell, CSS class). A cell
    becomes a link if its text is a key of `places`, which maps names to pages. Bold cells and cells
    in columns of numbers do not become links. If there are more than `_SECTIONS` sections, the list
    has only one dict with all rows. The first column of this dict has the headings of the sections.
    """
    if len(data.sections) > _SECTIONS:
        return [_one_table(data, places)]
    found = []
    for section in data.sections:
        kept = [(k, data.columns[k]) for k in data.filled(section)]
        classes = ["number" if column.align == "r" else "" for _, column in kept]
        names = [small_deviation(f"{column.group} {column.name}".strip()) for _, column in kept]
        rows = [
            [_cell(row[k], places if column.align != "r" else {}) for k, column in kept]
            for row in section.rows
        ]
        found.append(
            {
                "heading": small_deviation(section.heading or ""),
                "columns": list(zip(names, classes, strict=True)),
                "rows": [list(zip(row, classes, strict=True)) for row in rows],
            }
        )
    return found


def _one_table(data: ArtefactData, places: dict[str, str]) -> dict:
    """Return all rows of a table in one dict, which has the form of the dicts in `tables_of`, and
    the further key `start` with the heading of the first section.
    """
    headings = [section.heading or "" for section in data.sections for _ in section.rows]
    joined = Section(None, tuple(row for section in data.sections for row in section.rows))
    (whole,) = tables_of(replace(data, sections=(joined,)), places)
    rows = [
        [(linked(heading, places), "setting"), *row]
        for heading, row in zip(headings, whole["rows"], strict=True)
    ]
    columns = [(_PART, "setting"), *whole["columns"]]
    return {"heading": "", "columns": columns, "rows": rows, "start": headings[0]}


def _cell(cell: Cell, places: dict[str, str]) -> Markup:
    if cell.bold:
        words = Markup("<strong>{}</strong>").format(small_deviation(cell.text))
    elif cell.text.rstrip(" *") in places:
        words = linked(cell.text, places)
    else:
        words = small_deviation(cell.text)
    marks = Markup("<sup>{}</sup>").format(",".join(sorted(cell.marks))) if cell.marks else ""
    return words + marks


def small_deviation(text: str) -> Markup:
    """Return a text in which a deviation, such as "± 0.2" after a number, is written in a smaller
    font. No line break is possible after "±".
    """
    html = small_exponents(str(escape(text))).replace(" ± ", "\u00a0±\u00a0")
    return Markup(re.sub(r"(?<=\d)\s(±\s[\d.e+-]+)", r" <small>\1</small>", html))


def cited(text: str, papers: dict[str, dict]) -> Markup:
    """Return a text in which the keys of papers, such as "frandi2013", are replaced by links to
    pages. The first letter of the text becomes a capital letter, and backticks are removed.
    """
    key = re.compile(rf"\b({'|'.join(papers)})\b")
    short = {name: re.sub("[()]", "", paper["short"]) for name, paper in papers.items()}
    html = key.sub(
        lambda found: f'<a href="paper-{found[1]}.html">{short[found[1]]}</a>', escape(text)
    )
    return Markup(f"{html[:1].upper()}{html[1:]}".replace("`", ""))


def unbroken(page: str) -> str:
    """Return a page in which browsers cannot break a line within words and numbers such as
    "speed-up", "SWAP-2o", "C = 4" and "90 %".

    Tags, pictures and code are not changed.
    """
    names = r"\b(?:speed|SWAP|L[12]|M)-(?=\w)|(?<=[\w)]) = (?=[\d.])|(?<=\d) %|[≤≥] (?=\d)"
    return re.sub(f"{_KEPT}|{names}", _joined, page, flags=re.DOTALL)


def unindented(page: str) -> str:
    """Return a page without the indentation of its template, and without line breaks between the
    cells of tables. The indentation and the line breaks would make the page much larger.

    Tags, pictures and code are not changed.
    """
    space = r"\n[ \n]*(?P<cell>(?=</?(?:td|th|tr|thead|tbody)\b))|\n[ \n]+"
    return re.sub(f"{_KEPT}|{space}", _closer, page, flags=re.DOTALL)


def _closer(found: re.Match) -> str:
    if found[0][0] == "<":
        return found[0]
    return "\n" if found["cell"] is None else ""


def _joined(found: re.Match) -> str:
    # A word joiner (U+2060) after a hyphen prevents a line break. The browser's search ignores it.
    return (
        found[0] if found[0][0] == "<" else found[0].replace(" ", "\u00a0").replace("-", "-\u2060")
    )


def formula(text: str) -> Markup:
    """Return a formula with subscripts in HTML, for example for ``s_i*`` and ``Q_i*j*``."""
    return Markup(re.sub(r"_((?:\w\*?){1,2}(?!\w))", r"<sub>\1</sub>", str(escape(text))))


def linked(cell: str, places: dict[str, str]) -> Markup:
    """Return a cell as a link if its text is a key of `places`, with or without a star ("a6a*")."""
    place = places.get(cell.rstrip(" *"))
    return Markup(f'<a href="{place}">{escape(cell)}</a>') if place else Markup(escape(cell))


def first_sentence(text: str) -> str:
    """Return the first sentence of a text. A decimal point or "e.g." does not end a sentence."""
    found = re.match(
        r".*?(?<!e\.g)(?<!i\.e)(?<!\bcf)(?<!\bvs)[.!?](?=\s+[A-Z0-9“(]|$)", text, re.DOTALL
    )
    return found[0] if found else text


def smaller(svg: str) -> str:
    """Return a smaller version of an SVG file.

    Coordinates are rounded to a tenth of a point, spaces in styles are removed, and marks with the
    same style share one definition of the style. Ids to which nothing refers are removed. The tags
    of groups without attributes are also removed, and the content of these groups is kept.
    """
    svg = re.sub(
        r' (?:d|x|y)="[^"]*"|(?<=translate\()[^)]*',
        _rounded,
        re.sub(r"(?<=\n)\s+", "", svg.replace('xlink:href="#', 'href="#')),
    )
    svg = re.sub(r'(?<= style=")[^"]*', lambda style: re.sub(r"([:;]) ", r"\1", style[0]), svg)
    svg = re.sub(
        r"(<g [^>]*)>((?:\n<use [^>]*>(?:<title>[^<]*</title></use>)?)+)\n</g>", _styled_once, svg
    )
    used = set(_references(svg))
    svg = re.sub(r' id="([^"]*)"', lambda name: name[0] if name[1] in used else "", svg)
    return _without_plain_groups(svg)


def _references(svg: str) -> list[str]:
    """List the ids to which the elements of an SVG file refer."""
    return re.findall(r'(?:href="#|url\(#)([^")]+)', svg)


def _without_plain_groups(svg: str) -> str:
    """Replace each group that has no attributes by its elements."""
    parts, is_plain = [], []
    for part in re.split(r"(</?g\b[^>]*>\n?)", svg):
        if part.startswith("<g") and not part.rstrip().endswith("/>"):
            is_plain.append(part.rstrip() == "<g>")
            keep = not is_plain[-1]
        elif part.startswith("</g>"):
            keep = not is_plain.pop()
        else:
            keep = "".join(part.split()) != "<g/>"
        if keep:
            parts.append(part)
    return "".join(parts)


def inline_svg(svg: str, prefix: str, label: str) -> Markup:
    """Return the safe part of an SVG file, a result of `safe_svg`, as an element of a page. `label`
    is the text of this element for screen readers.

    All ids are replaced by `prefix` and a number, so that they are unique in the page. The title
    and the description of the file and all font families are removed. The style for dark pages is
    also removed, because the page has its own style for this.
    """
    svg = svg.replace(DARK, "")
    svg = re.sub(r"<title>.*?</desc>", "", smaller(svg), flags=re.DOTALL)
    used = dict.fromkeys(_references(svg))
    short = {name: f"{prefix}{place}" for place, name in enumerate(used)}

    def shortened(tag: re.Match) -> str:
        text = re.sub(r"font-family:[^;\"]*;?", "", tag[0])
        text = re.sub(
            r' id="([^"]*)"',
            lambda found: f' id="{short[found[1]]}"' if found[1] in short else "",
            text,
        )
        return re.sub(r'(href="#|url\(#)([^")]+)', lambda found: found[1] + short[found[2]], text)

    svg = re.sub(r"<[^<>]*>", shortened, svg)
    pixels = _width_of_svg(svg)
    width = f' style="--width:{pixels}px"' if pixels else ""
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"{width}', 1))


def width_of(picture: Path | None) -> int:
    """Return the width of an SVG or PNG file in pixels of a page. If `picture` is None, or if the
    file does not state a width, return `_USUAL_WIDTH`.
    """
    if picture is None:
        return _USUAL_WIDTH
    if picture.suffix == ".svg":
        return _width_of_svg(picture.read_text(encoding="utf-8")) or _USUAL_WIDTH
    return int.from_bytes(picture.read_bytes()[16:20], "big") or _USUAL_WIDTH


def _width_of_svg(svg: str) -> int:
    points = re.search(r'<svg[^>]*? width="([\d.]+)pt"', svg)
    return round(float(points[1]) * 4 / 3) if points else 0


def number(value: object, digits: int = 4) -> str:
    """Return the text of a cell. A whole number below 1e15 is written in full. Any other number has
    `digits` significant digits, and below 1e6 at least all digits before the decimal point. A
    missing value is a dash.
    """
    if pd.isna(value):
        return NOTHING
    if not isinstance(value, Real) or isinstance(value, bool):
        return str(value)
    size = abs(float(value))
    if float(value).is_integer() and size < 1e15:
        return f"{int(float(value)):,}"
    if 1e-4 <= size < 1e6:
        return significant(float(value), digits)
    return small_exponents(f"{value:.{digits}g}")


def gap(value: float) -> str:
    """Return a relative gap as words for a sentence.

    If the relative gap is above 1, the words also say that the model is far from the optimum.
    """
    return f"{number(value, 2)} (far from the optimum)" if value > 1 else number(value, 2)


def readable(text: str) -> str:
    """Return a text with two changes: the exponents of small numbers are written as in 1e-7, and
    the words "far from the optimum" follow a relative gap above 1.
    """

    def said(found: re.Match) -> str:
        is_far = float(found[0].replace(",", "")) > 1
        return f"{found[0]} (far from the optimum)" if is_far else found[0]

    number = r"[\d,]*\.?\d+(?:e[+-]?\d+)?"
    return re.sub(f"(?<=relative gap ){number}", said, small_exponents(text))


def aligned(values: pd.Series) -> list[str]:
    """Return the cells of a column as texts. If all numbers of the column have similar sizes, they
    get the same number of decimals.
    """
    if not pd.api.types.is_float_dtype(values):
        return [number(value) for value in values]
    sizes = values.abs()
    sizes = sizes[sizes > 0]
    if (
        not len(sizes)
        or sizes.max() > 1e3 * sizes.min()
        or sizes.max() >= 1e6
        or (values.dropna() % 1 == 0).all()
    ):
        return [number(value) for value in values]
    decimals = max(0, 3 - math.floor(math.log10(sizes.median())))
    return [NOTHING if pd.isna(value) else f"{value:,.{decimals}f}" for value in values]


def runs_script(runs: pd.DataFrame) -> str:
    """Return a script that sets ``window.RUNS`` to the table of runs. A column is a list of
    numbers, or a list of indices into a list of words.

    The runs of the benchmark come first.
    """
    columns: dict[str, dict[str, Any]] = {}
    runs = runs.sort_values("experiment", key=lambda names: names != "benchmark", kind="stable")
    runs = runs.assign(test_accuracy=100 * runs["test_accuracy"])
    for name in (name for name in RUN_COLUMNS if name in runs and runs[name].notna().any()):
        values = runs[name]
        if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_bool_dtype(values):
            columns[name] = {
                "values": [None if pd.isna(value) else _short(value) for value in values]
            }
        else:
            codes, words = pd.factorize(values.astype("string"))
            columns[name] = {"values": codes.tolist(), "words": words.tolist()}
        columns[name]["title"] = RUN_COLUMNS[name]
    return f"window.RUNS={json.dumps(columns, separators=(',', ':'), ensure_ascii=False)};\n"


def _styled_once(group: re.Match) -> str:
    styles = set(re.findall(r' style="[^"]*"', group[2]))
    style = styles.pop() if len(styles) == 1 else ""
    return f"{group[1]}{style}>{group[2].replace(style, '')}\n</g>"


def _rounded(attribute: re.Match) -> str:
    return re.sub(
        r"\d+\.\d{2,}(?!\d|e)",
        lambda found: f"{float(found[0]):.1f}".removesuffix(".0"),
        re.sub(r"\s+", " ", attribute[0]),
    )


def _short(value: float) -> int | float:
    """Return a number rounded to six significant digits, as an int if it is whole."""
    value = float(value)
    return int(value) if value.is_integer() else float(f"{value:.6g}")
