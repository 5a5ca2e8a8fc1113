"""Markdown and SVG files of results as parts of an HTML page."""

from __future__ import annotations

import base64
import io
import re
from collections import Counter
from collections.abc import Iterable
from functools import cache
from html import escape
from importlib.util import find_spec
from pathlib import Path

from markdown_it import MarkdownIt
from markupsafe import Markup

_FONT = "mpl-data/fonts/ttf/DejaVuSans.ttf"


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll"><table class="data">\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


def html_of(markdown: str) -> Markup:
    """Turn Markdown of ours into HTML; each table stands in a box of its own that can be scrolled sideways."""
    html = _parser().render(markdown)
    html = re.sub(r' style="text-align:\s*right"', ' class="number"', html)
    return Markup(_first_heading(html))


def _first_heading(html: str) -> str:
    """Headings of sections as those of level 2, below the page's title."""
    return re.sub(r"<(/?)h3>", r"<\1h2>", html)


def plain(markdown: str) -> str:
    """Return a caption without Markdown: footnotes, links and emphasis are dropped."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]*>|\*\*", r"\1", markdown)
    return re.sub(r"\\([\\|*<])", r"\1", " ".join(text.split()))


def first_sentence(text: str) -> str:
    """Return the first sentence of a plain text.

    >>> first_sentence("At 1.5 times (e.g. w1a) it ends. More follows.")
    'At 1.5 times (e.g. w1a) it ends.'
    """
    found = re.match(r".*?(?<!e\.g)(?<!i\.e)(?<!\bcf)(?<!\bvs)[.!?](?=\s+[A-Z0-9“(]|$)", text, re.DOTALL)
    return found[0] if found else text


def inline_svg(svg: str, prefix: str, label: str) -> Markup:
    """Return an SVG file as an element of a page: named for screen readers, ids and classes made unique by a prefix.

    Parameters
    ----------
    svg : str
        The file.
    prefix : str
        Of every id and class.
    label : str
        What the picture shows, in a sentence.
    """
    svg = compact(svg, prefix)
    svg = re.sub(r'\bid="', f'id="{prefix}', svg[svg.index("<svg") :])
    svg = re.sub(r'(href="#|url\(#)', rf"\1{prefix}", svg)
    points = re.match(r'<svg[^>]*? width="([\d.]+)pt"', svg)
    width = f' style="--width:{float(points[1]) * 4 / 3:.0f}px"' if points else ""  # narrow windows show no less of it
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"{width}', 1))


def compact(svg: str, prefix: str = "") -> str:
    """Return an SVG file at less than half its size, for the same picture.

    The description goes, and identifiers that nothing refers to; coordinates keep two decimals; a style that stands at
    several elements becomes a class, its name beginning with `prefix`.
    """
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r'(?<= d=")[^"]*', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", " ".join(path[0].split())), svg)
    svg = re.sub(r'( [xy]="-?\d+\.\d\d)\d+"', r'\1"', svg)
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    svg = re.sub(r' id="([^"]*)"', lambda found: found[0] if found[1] in used else "", svg)
    styles = [style for style, count in Counter(re.findall(r' style="([^"]*)"', svg)).items() if count > 1]
    classes = {style: f"{prefix}s{place}" for place, style in enumerate(styles)}
    svg = re.sub(
        r' style="([^"]*)"', lambda found: f' class="{classes[found[1]]}"' if found[1] in classes else found[0], svg
    )
    rules = "".join(f".{name}{{{style}}}" for style, name in classes.items())
    return re.sub(r">\s+<", "><", re.sub(r"(<svg[^>]*>)", rf"\1<style>{rules}</style>", svg, count=1))


def has_text(svg: str) -> bool:
    """Tell whether an SVG keeps its words as text."""
    return "<text" in svg


def font_face(texts: Iterable[str]) -> str:
    """Return a CSS rule that carries the glyphs of DejaVu Sans that the figures use, so that their layout holds.

    Parameters
    ----------
    texts : iterable of str
        Everything that is written in the font.
    """
    from fontTools import subset

    options = subset.Options(flavor="woff", layout_features=[])
    options.drop_tables += ["FFTM"]  # dates, which it would warn of
    font = subset.load_font(str(Path(find_spec("matplotlib").submodule_search_locations[0], _FONT)), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(sorted(set("".join(texts)))))
    subsetter.subset(font)
    file = io.BytesIO()
    subset.save_font(font, file, options)
    encoded = base64.b64encode(file.getvalue()).decode()
    return f'@font-face{{font-family:"DejaVu Sans";src:url(data:font/woff;base64,{encoded})}}\n'
