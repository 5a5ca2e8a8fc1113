"""Turn Markdown and SVG files into parts of an HTML page."""

import re
from functools import cache
from html import escape, unescape

from markdown_it import MarkdownIt
from markupsafe import Markup


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": True}).enable("table")
    parser.add_render_rule("table_open", lambda *_: '<div class="scroll"><table class="data">\n')
    parser.add_render_rule("table_close", lambda *_: "</table></div>\n")
    return parser


def html_of(markdown: str, places: dict[str, str]) -> Markup:
    """Turn Markdown into HTML. Tables scroll sideways; h3 becomes h2, since the page has the title.

    A cell that is a name of `places` becomes a link.
    """
    html = re.sub("(?<=<td>)([^<]+)", lambda found: linked(unescape(found[1]), places), _parser().render(markdown))
    html = re.sub(r' style="text-align:\s*right"', ' class="number"', html)
    return Markup(re.sub(r"<(/?)h3>", r"<\1h2>", html))


def linked(cell: str, places: dict[str, str]) -> Markup:
    """Turn a cell into a link if it is a known name, which a star may follow ("a6a*")."""
    place = places.get(cell.rstrip("*"))
    return Markup(f'<a href="{place}">{escape(cell)}</a>') if place else Markup(escape(cell))


def plain(markdown: str) -> str:
    """Remove links, tags and emphasis from Markdown."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)|<[^>]*>|\*\*", r"\1", markdown)
    return re.sub(r"\\([\\|*<])", r"\1", " ".join(text.split()))


def first_sentence(text: str) -> str:
    """Return the first sentence. A number or "e.g." does not end a sentence."""
    found = re.match(r".*?(?<!e\.g)(?<!i\.e)(?<!\bcf)(?<!\bvs)[.!?](?=\s+[A-Z0-9“(]|$)", text, re.DOTALL)
    return found[0] if found else text


def smaller(svg: str) -> str:
    """Round the coordinates of an SVG file to a hundredth of a point, and remove indents."""
    return re.sub(r' (?:d|x|y)="[^"]*"', _rounded, re.sub(r"(?<=\n)\s+", "", svg))


def inline_svg(svg: str, prefix: str, label: str) -> Markup:
    """Turn an SVG file into an element of a page, with a label for screen readers. The prefix makes its ids unique."""
    unseen = r"<metadata>.*?</metadata>|<title>.*?</desc>|<!--.*?-->"
    svg = re.sub(unseen, "", smaller(svg[svg.index("<svg") :]), flags=re.DOTALL)
    svg = re.sub(r"font-family: [^;\"]*(; )?", "", svg)
    used = dict.fromkeys(re.findall(r'(?:href="#|url\(#)([^")]+)', svg))
    short = {name: f"{prefix}{place}" for place, name in enumerate(used)}
    svg = re.sub(r' id="([^"]*)"', lambda found: f' id="{short[found[1]]}"' if found[1] in short else "", svg)
    svg = re.sub(r'(href="#|url\(#)([^")]+)', lambda found: found[1] + short[found[2]], svg)
    points = re.match(r'<svg[^>]*? width="([\d.]+)pt"', svg)
    width = f' style="--width:{float(points[1]) * 4 / 3:.0f}px"' if points else ""
    return Markup(svg.replace("<svg", f'<svg role="img" aria-label="{escape(label)}"{width}', 1))


def _rounded(attribute: re.Match) -> str:
    return re.sub(r"\d+\.\d{3,}(?!\d|e)", lambda found: f"{float(found[0]):.2f}".rstrip("0").rstrip("."), attribute[0])
