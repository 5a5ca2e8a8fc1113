"""Test reports of results from other people. Such results must not run a script, load a file from
elsewhere or change the style of the page.
"""

import re
from html.parser import HTMLParser
from xml.etree import ElementTree

import pytest
from site_parts import Page, make_results

from fwsvm_papers.reporting.tables import DARK, ArtefactData, Cell, Heading, Section
from fwsvm_papers.site.build import write_site
from fwsvm_papers.site.markup import inline_svg, tables_of
from fwsvm_papers.site.safe_svg import safe_svg

HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0'
    ' 0 9 9">'
)
PARTS = [
    "<script>alert(1)</script>",
    '<script href="data:text/javascript,alert(1)"/>',
    '<g onload="alert(1)"/>',
    "<rect width='9' height='9' OnClick='alert(1)'/>",
    '<a xlink:href="javascript:alert(1)"><text>x</text></a>',
    '<use xlink:href="https://example.org/x.svg#a"/>',
    '<use href="data:image/svg+xml;base64,PHN2Zy8+#a"/>',
    '<image xlink:href="https://example.org/x.png" width="9" height="9"/>',
    (
        "<foreignObject><body"
        ' xmlns="http://www.w3.org/1999/xhtml"><script>alert(1)</script></body></foreignObject>'
    ),
    '<x:script xmlns:x="http://www.w3.org/1999/xhtml">alert(1)</x:script>',
    '<animate attributeName="href" to="javascript:alert(1)"/>',
    '<set attributeName="onload" to="alert(1)"/>',
    "<style>@import url(https://example.org/x.css);</style>",
    "<style>body {display: none}</style>",
    f"<style>{DARK}body {{display: none}}</style>",
    '<rect style="fill: url(https://example.org/x.svg#a)"/>',
    '<rect fill="u\\72l(https://example.org/x.svg#a)"/>',
    "<text><![CDATA[<script>alert(1)</script>]]></text>",
    "<title>x</title><!-- </desc><script>alert(1)</script> -->",
    "<desc><script>alert(1)</script></desc>",
    '<?xml-stylesheet href="https://example.org/x.css"?>',
    """<g class=' id="' style="x"/><text>' onload=alert(1) y='</text>""",
    '<metadata><g onload="alert(1)"/><script>alert(1)</script></metadata>',
]
DOCUMENTS = [
    '<?xml-stylesheet type="text/xsl" href="x.xsl"?>' + HEAD + "</svg>",
    '<!DOCTYPE svg [<!ATTLIST svg onload CDATA "alert(1)">]>' + HEAD + "</svg>",
    '<!DOCTYPE svg [<!ENTITY x "<script>alert(1)</script>">]>' + HEAD + "&x;</svg>",
    HEAD.replace("<svg ", '<svg onload="alert(1)" ') + "</svg>",
    "<svg:svg xmlns:svg='http://www.w3.org/2000/svg'><svg:script>alert(1)</svg:script></svg:svg>",
]


class Dangers(HTMLParser):
    """A parser that lists the parts of a page that could run or load something. It reads the page
    like a browser.
    """

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag.rpartition(":")[2] in {
            "script",
            "iframe",
            "object",
            "embed",
            "foreignobject",
            "animate",
            "set",
            "a",
        }:
            self.found.append(tag)
        for name, value in attrs:
            if name.startswith("on") or re.search(
                r"javascript:|example\.org|\\|data:(?!image/png)", value or ""
            ):
                self.found.append((name, value))

    def handle_data(self, data):
        if "@import" in data or "display: none" in data:
            self.found.append(data)

    def handle_pi(self, data):
        if not data.startswith("xml "):
            self.found.append(data)

    def unknown_decl(self, data):
        self.found.append(data)


@pytest.mark.parametrize(
    "svg", [*(f"{HEAD}{part}<path d='M 0 1'/></svg>" for part in PARTS), *DOCUMENTS]
)
def test_a_picture_keeps_only_what_draws(svg):
    assert (
        Dangers(svg).found
        or "ENTITY" in svg
        or "CDATA" in svg
        or "<!--" in svg
        or "' onload" in svg
    )
    clean = safe_svg(svg)
    for text in (clean, inline_svg(clean, "p-", "a label")):
        assert Dangers(text).found == [] and "<script" not in text
        assert "[<!" not in text
    assert ("M 0 1" in clean) == ("M 0 1" in svg)
    assert ElementTree.fromstring(clean).tag.endswith("svg")
    assert safe_svg(clean) == clean


def test_a_picture_that_only_draws_stays_as_it_is():
    svg = (
        '<?xml version="1.0"?>\n<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">\n<!--'
        " made -->\n"
        + HEAD
        + '\n<style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}'
        + DARK
        + "</style>\n<g"
        ' style="fill: #ff0000; clip-path: url(#a)"><use xlink:href="#p" x="1"/><text>a &lt;'
        ' "b"</text></g>\n<image xlink:href="data:image/png;base64,\niVBOR/+="'
        ' width="1"/></svg>\n'
    )
    assert safe_svg(svg) == svg
    # the page itself darkens the picture, so the style in the file would darken it again
    assert "@media" not in inline_svg(svg, "p-", "a label")


@pytest.mark.parametrize("svg", ["", "<svg>", "<html/>", HEAD + "<x:a/></svg>"])
def test_a_file_that_is_no_picture_is_refused(svg):
    with pytest.raises((ElementTree.ParseError, ValueError)):
        safe_svg(svg)


WORDS = [
    "<script>alert(1)</script>",
    "<b onclick=alert(1)>x</b>",
    '<sup onclick="alert(1)">x</sup>',
    "[x](javascript:alert(1))",
    "![x](https://example.org/x.png)",
    "<iframe src=https://example.org></iframe>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<https://example.org>",
    '" onclick="alert(1)',
]


@pytest.mark.parametrize("words", [*WORDS, " ".join(WORDS)])
@pytest.mark.parametrize("align", ["l", "r"])
def test_a_table_shows_texts_as_texts(words, align):
    data = ArtefactData(
        kind="table",
        columns=(Heading(words, words, align),),
        sections=(
            Section(words, ((Cell(words, (words,)),), (Cell(f"1 ± 2 {words}", bold=True),))),
        ),
    )
    found = tables_of(data, {"one": "data-one.html"})
    names = [name for part in found for name, _ in part["columns"]]
    cells = [cell for part in found for row in part["rows"] for cell, _ in row]
    for html in [found[0]["heading"], *names, *cells]:
        assert Dangers(html).found == [] and "<script" not in html
        tags = set(re.findall(r"<(\w+)", html))
        assert tags <= {"sup", "strong", "small"}
        assert words in html.replace("</strong>", "").unescape().replace("\u00a0", " ")


def test_a_page_shows_the_texts_of_a_table_as_texts(tmp_path):
    """A page with dangerous texts must have the same elements as a page with harmless texts."""
    results, figures = make_results(tmp_path)
    path, elements = results / "tables/frandi2013-table2.json", []
    for words in ("harmless", " ".join(WORDS)):
        texts = dict.fromkeys(("title", "finding", "caption", "notes"), words)
        rows = ((Cell(words, (words,)),),)
        data = ArtefactData(
            kind="table",
            id="frandi2013-table2",
            columns=(Heading(words, words, "l"),),
            sections=(Section(words, rows),),
            footnotes=((words, words),),
            **texts,
        )
        data.write_json(path)
        write_site(results, figures, tmp_path / "site")
        page = Page(tmp_path / "site/frandi2013-table2.html")
        assert page.text.count(words) >= 6
        elements.append(page.tags)
    assert elements[0] == elements[1]


def test_the_report_of_a_hostile_folder(tmp_path):
    results, figures = make_results(tmp_path)
    picture = figures / "beyond-majority.svg"
    picture.write_text(HEAD + "".join(part for part in PARTS) + "</svg>")
    text = "<script>alert('figure')</script>"
    data = ArtefactData(kind="figure", id="beyond-majority", title=text, caption=text)
    data.write_json(figures / "beyond-majority.json")
    folder = write_site(results, figures, tmp_path / "site").parent
    for path in [*folder.glob("*.html"), folder / "files/beyond-majority.svg"]:
        text = path.read_text()
        assert (
            "alert(1)</script" not in text
            and "<script>alert" not in text
            and 'onload="' not in text
        ), path
