"""Turn Markdown and SVG files into parts of an HTML page."""

import re
from functools import cache
from html import escape

from markdown_it import MarkdownIt
from markupsafe import Markup


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll"><table class="data">\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


def html_of(markdown: str) -> Markup:
    """Turn Markdown into HTML. Tables scroll sideways; h3 becomes h2, since the page has the title."""
    html = _parser().render(markdown)
    html = re.sub(r' style="text-align:\s*right"', ' class="number"', html)
    return Markup(re.sub(r"<(/?)h3>", r"<\1h2>", html))


def plain(markdown: str) -> str:
    """Remove links, tags and emphasis from Markdown."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]*>|\*\*", r"\1", markdown)
    return re.sub(r"\\([\\|*<])", r"\1", " ".join(text.split()))


def first_sentence(text: str) -> str:
    """Return the first sentence. A number or "e.g." does not end a sentence."""
    found = re.match(r".*?(?<!e\.g)(?<!i\.e)(?<!\bcf)(?<!\bvs)[.!?](?=\s+[A-Z0-9“(]|$)", text, re.DOTALL)
    return found[0] if found else text


def inline_svg(svg: str, prefix: str, label: str) -> Markup:
    """Turn an SVG file into an element of a page, with a label for screen readers. The prefix makes its ids unique."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg[svg.index("<svg") :], flags=re.DOTALL)
    svg = re.sub(r'\bid="', f'id="{prefix}', svg)
    svg = re.sub(r'(href="#|url\(#)', rf"\1{prefix}", svg)
    points = re.match(r'<svg[^>]*? width="([\d.]+)pt"', svg)
    width = f' style="--width:{float(points[1]) * 4 / 3:.0f}px"' if points else ""
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"{width}', 1))
