"""Markdown and SVG as parts of a page."""

import pytest
from site_parts import SVG

from fwsvm.site import markup


def test_pictures_have_a_name_and_identifiers_of_their_own():
    svg = markup.inline_svg(SVG.format("w"), "x-", 'A "name" & more')
    assert svg.startswith('<svg role="img" aria-label="A &quot;name&quot; &amp; more"')
    assert 'id="x-p"' in svg and 'href="#x-p"' in svg and "url(#x-a)" in svg and "metadata" not in svg


@pytest.mark.parametrize(
    "text, first",
    [
        ("One. Two.", "One."),
        ("At eps = 1.5 it ends (e.g. w1a). Then more.", "At eps = 1.5 it ends (e.g. w1a)."),
        ("No end", "No end"),
        ("Is it? Yes.", "Is it?"),
    ],
)
def test_first_sentence(text, first):
    assert markup.first_sentence(text) == first


def test_plain_words():
    assert markup.plain("a **b** [c](d.md) x<sup>e</sup> 1 \\< 2\nf") == "a b c xe 1 < 2 f"


def test_tables_can_be_scrolled_and_keep_their_notes():
    html = markup.html_of("### h\n\n| a | b |\n| --- | ---: |\n| 1 \\| 2 | 3<sup>a</sup> |\n")
    assert '<div class="scroll"><table class="data">' in html and "<h2>h</h2>" in html
    assert '<td class="number">3<sup>a</sup></td>' in html and "1 | 2" in html
