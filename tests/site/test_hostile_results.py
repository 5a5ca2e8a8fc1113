"""Test reports of results from other people. Such results must not run a script, load a file from
elsewhere or change the style of the page.
"""

import re
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from site_parts import Page, make_results

from fwsvm_papers.reporting.tables import DARK, ArtefactData, Cell, Heading, Section
from fwsvm_papers.site.build import write_site
from fwsvm_papers.site.markup import inline_svg, tables_of
from fwsvm_papers.site.safe_svg import safe_svg

CHECKOUT = Path(__file__).parents[2]
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
    '<g><script xmlns="http://purl.org/dc/elements/1.1/">alert(1)</script></g>',
    '<text><iframe xmlns="http://creativecommons.org/ns#" src="https://example.org"/></text>',
    '<g xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#" r:onload="alert(1)"/>',
    (
        '<g xmlns:xlink="http://purl.org/dc/elements/1.1/">'
        '<image xlink:href="https://example.org/x.png"/></g>'
    ),
    "<rect style=\"fill: image-set('https://example.org/x.png' 1x)\"/>",
    "<rect style=\"background-image: image-set('https://example.org/x.png' 1x)\"/>",
    '<rect style="fill: url(#a), url(//example.org/x.svg#a)"/>',
    '<g style="fill: red; position: fixed; inset: 0"/>',
    '<rect class="banner"/>',
    "<desc><title/></desc>",
    "<title><g><style>*{}</style></g></title>",
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
        self.found, self.text_of = [], ""
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
            "metadata",
        }:
            self.found.append(tag)
        # In a page, a title without an end would hide everything that follows.
        if {self.text_of, tag} <= {"desc", "title", "g", "style"}:
            self.found.append((self.text_of, tag))
        self.text_of = tag if tag in ("desc", "title") else ""
        for name, value in attrs:
            if name.rpartition(":")[2].startswith("on") or re.search(
                r"javascript:|example\.org|\\|data:(?!image/png)|position:|banner", value or ""
            ):
                self.found.append((name, value))

    def handle_endtag(self, tag):
        self.text_of = ""

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


def test_a_picture_that_only_draws_keeps_all_its_marks():
    marks = (
        '<style type="text/css">*{stroke-linejoin: round; stroke-linecap: butt}'
        + DARK
        + "</style>\n<g"
        ' style="fill: #ff0000; clip-path: url(#a); stroke-dasharray: 2.1,1.68; font-family:'
        ' \'DejaVu Sans\', sans-serif; stroke: rgb(1, 2, 3)"><use xlink:href="#p-1" x="1"'
        ' transform="translate(1 2) scale(0.5 -1e-3)" /><text>a &lt;'
        ' "b"</text></g>\n<image xlink:href="data:image/png;base64, iVBOR/+="'
        ' width="1" style="image-rendering:crisp-edges;image-rendering:pixelated" />'
    )
    metadata = (
        '<metadata><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"'
        ' rdf:about="x"/></metadata>'
    )
    kind = '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "svg11.dtd">'
    svg = f'<?xml version="1.0"?>\n{kind}\n<!-- made -->\n{HEAD}{metadata}{marks}</svg>\n'
    assert safe_svg(svg) == f"{HEAD}{marks}</svg>"
    # the page itself darkens the picture, so the style in the file would darken it again
    assert "@media" not in inline_svg(safe_svg(svg), "p-", "a label")


def test_the_pictures_of_the_release_keep_all_their_marks():
    for path in sorted((CHECKOUT / "figures/released").glob("*.svg")):
        before, after = (
            [
                (one.tag, one.attrib, one.text)
                for one in ElementTree.fromstring(text).iter()
                if one.tag.startswith("{http://www.w3.org/2000/svg}")
                and not one.tag.endswith("}metadata")
            ]
            for text in (path.read_text(), safe_svg(path.read_text()))
        )
        assert before == after, path.name


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
