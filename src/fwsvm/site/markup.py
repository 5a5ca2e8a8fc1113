"""Markdown and SVG files of results as parts of an HTML page."""

from __future__ import annotations

import base64
import io
import re
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
    """Return an SVG file as an element of a page: named for screen readers, its ids made unique by a prefix.

    Parameters
    ----------
    svg : str
        The file.
    prefix : str
        Of every id.
    label : str
        What the picture shows, in a sentence.
    """
    svg = compact(svg)
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\1{prefix}", svg)
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"', 1))


def compact(svg: str) -> str:
    """Return an SVG file without its description and with two decimals in the coordinates of its paths."""
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    return re.sub(r'(?<= d=")[^"]*', lambda path: re.sub(r"(\.\d\d)\d+", r"\1", path[0]), svg)


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
