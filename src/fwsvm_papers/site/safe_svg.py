"""A filter that removes everything from an SVG file that could run a script, load a file, or change
the style of the page that shows it.

The filter is needed because a folder of results can come from another person. It keeps only the
elements and attributes that Matplotlib writes, and our style for dark pages.
"""

import re
from xml.etree import ElementTree

from fwsvm_papers.reporting.tables import DARK

_SVG, _XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
_METADATA = (
    "{http://purl.org/dc/elements/1.1/}",
    "{http://creativecommons.org/ns#}",
    "{http://www.w3.org/1999/02/22-rdf-syntax-ns#}",
)
_ELEMENTS = (
    "svg|g|defs|use|path|rect|circle|ellipse|line|polyline|polygon|text|tspan|title|desc|"
    "metadata|style|image|clipPath|mask|pattern|marker|linearGradient|radialGradient|stop"
)
_ATTRIBUTES = (
    "id|class|style|transform|width|height|viewBox|version|type|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|d|"
    "points|offset|href|clip-path|clip-rule|clipPathUnits|mask|patternUnits|preserveAspectRatio|"
    "fill|fill-opacity|fill-rule|opacity|stroke|stroke-opacity|stroke-width|stroke-dasharray|"
    "stroke-linecap|stroke-linejoin|text-anchor|font-size|font-family|font-weight|font-style|"
    "stop-color|stop-opacity"
)
# the style sheet that Matplotlib writes, followed by our style for dark pages or nothing
_STYLE_SHEET = rf"\s*\*\{{(stroke-line(join|cap): \w+;? ?)*\}}({re.escape(DARK)})?\s*"
_PICTURE = r"#[^\s]+|data:image/(png|jpeg);base64,[\w+/=\s]*"
# In all other values, a reference must lead to a part of the same file. Backslashes are not
# allowed, since an escape could hide the word `url`.
_VALUE = r"(?!.*(url\((?!#)|\\|javascript:|@import|expression\()).*"

_TAG = r"""<[A-Za-z][\w:.-]*(\s+[\w:.-]+="[^"<>]*")*\s*/?>|</[A-Za-z][\w:.-]*\s*>"""
_PLAIN = (
    r"(<\?xml [^<>]*\?>)?\s*(<!DOCTYPE"
    rf" [^<>\[]*>)?(\s|<!--[^<>]*-->)*(?=<svg\b)({_TAG}|<!--[^<>]*-->|[^<])*+"
)


def safe_svg(svg: str) -> str:
    """Return the safe part of an SVG file. If all of the file is safe, return it unchanged.

    Raise an `xml.etree.ElementTree.ParseError` if the file is not well-formed, and a ValueError if
    it is not an SVG file.
    """
    root = ElementTree.fromstring(svg)
    if _name(root.tag) != "svg":
        raise ValueError("it is not an SVG file")
    removed, left = 0, [root]
    while left:
        element = left.pop()
        removed += _clean(element)
        left += element
    if not removed and re.fullmatch(_PLAIN, svg):
        return svg
    ElementTree.register_namespace("", _SVG[1:-1])
    ElementTree.register_namespace("xlink", _XLINK[1:-1])
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element) -> int:
    """Remove the attributes and the children of an element that are not safe.

    Return the number of removed attributes and elements.
    """
    attributes = [
        name for name, value in element.attrib.items() if not _is_safe_attribute(name, value)
    ]
    children = [child for child in element if not _is_safe_element(child)]
    for name in attributes:
        del element.attrib[name]
    for child in children:
        element.remove(child)
    return len(attributes) + len(children)


def _is_safe_element(element: ElementTree.Element) -> bool:
    if not isinstance(element.tag, str):
        return False
    if element.tag.startswith(_METADATA):
        return True
    name = _name(element.tag)
    if name == "style":
        return not len(element) and re.fullmatch(_STYLE_SHEET, element.text or "") is not None
    return re.fullmatch(_ELEMENTS, name) is not None


def _is_safe_attribute(name: str, value: str) -> bool:
    if name.startswith(_METADATA):
        return True
    name = name.removeprefix(_XLINK)
    if not re.fullmatch(_ATTRIBUTES, name):
        return False
    return (
        re.fullmatch(_PICTURE if name == "href" else _VALUE, value, re.DOTALL | re.IGNORECASE)
        is not None
    )


def _name(tag: str) -> str:
    """Return the name of an element without the namespace of SVG. A name from another namespace
    keeps its namespace.
    """
    return tag.removeprefix(_SVG)
