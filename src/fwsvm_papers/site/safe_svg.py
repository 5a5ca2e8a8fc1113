"""A filter that removes everything from an SVG file that could run a script, load a file, or change
the style of the page that shows it.

The filter is needed because a folder of results can come from another person. It keeps only
harmless elements, attributes and styles, such as those that Matplotlib writes. Of style sheets, it
keeps only the one that Matplotlib writes, with or without our style for dark pages. The HTML
parser of a browser ignores XML namespaces, so only names of SVG are kept, and the file is written
again without prefixes. The metadata of the file are removed.
"""

import re
from xml.etree import ElementTree

from fwsvm_papers.reporting.tables import DARK

_SVG, _HREF = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
_ELEMENTS = (
    "svg|g|defs|use|path|rect|circle|ellipse|line|polyline|polygon|text|tspan|title|desc|"
    "style|image|clipPath|mask|pattern|marker|linearGradient|radialGradient|stop"
)
# These elements hold only text. A browser would read elements in them as HTML.
_TEXTS = ("title", "desc", "style")
# These names are both attributes and properties of a style.
_PROPERTIES = (
    "clip-path|clip-rule|mask|fill|fill-opacity|fill-rule|opacity|stroke|stroke-opacity|"
    "stroke-width|stroke-dasharray|stroke-dashoffset|stroke-linecap|stroke-linejoin|"
    "stroke-miterlimit|text-anchor|font-size|font-family|font-weight|font-style|font-variant|"
    "font-stretch|stop-color|stop-opacity|image-rendering"
)
_ATTRIBUTES = (
    "id|transform|width|height|viewBox|version|type|x|y|x1|x2|y1|y2|cx|cy|r|rx|ry|d|points|offset|"
    f"clipPathUnits|patternUnits|preserveAspectRatio|{_PROPERTIES}"
)
# the style sheet that Matplotlib writes, followed by our style for dark pages or nothing
_STYLE_SHEET = rf"\s*\*\{{(stroke-line(join|cap): \w+;? ?)*\}}({re.escape(DARK)})?\s*"
_PART = r"#[\w.-]+"
_PICTURE = rf"{_PART}|data:image/(png|jpeg);base64,[\w+/=\s]*"
# A value can have only these functions: references to a part of the same file, colours and
# transformations.
_FUNCTION = (
    rf"(?<![\w-])(url\({_PART}\)|(rgba?|translate|rotate|scale|matrix|skew[XY])\([\d\s.,%e+-]*\))"
)


def safe_svg(svg: str) -> str:
    """Return the safe part of an SVG file.

    Raise an `xml.etree.ElementTree.ParseError` if the file is not well-formed, and a ValueError if
    it is not an SVG file.
    """
    root = ElementTree.fromstring(svg)
    if _name(root) != "svg":
        raise ValueError("it is not an SVG file")
    left = [root]
    while left:
        element = left.pop()
        _clean(element)
        left += element
    ElementTree.register_namespace("", _SVG[1:-1])
    ElementTree.register_namespace("xlink", _HREF[1:].partition("}")[0])
    return ElementTree.tostring(root, encoding="unicode")


def _clean(element: ElementTree.Element) -> None:
    """Remove the unsafe attributes and children of an element, and put its name into SVG's
    namespace.
    """
    element.tag = _SVG + _name(element)
    for name, value in list(element.items()):
        if not _is_safe_attribute(name, value):
            del element.attrib[name]
    for child in list(element):
        if not _is_safe_element(child):
            element.remove(child)


def _is_safe_element(element: ElementTree.Element) -> bool:
    name = _name(element)
    if name in _TEXTS and len(element):
        return False
    if name == "style":
        return _matches(_STYLE_SHEET, element.text or "")
    return _matches(_ELEMENTS, name)


def _is_safe_attribute(name: str, value: str) -> bool:
    if name in ("href", _HREF):
        return _matches(_PICTURE, value)
    if name == "style":
        names = [one.partition(":")[0].strip() for one in value.split(";") if one.strip()]
        allowed = all(_matches(_PROPERTIES, one) for one in names)
    else:
        allowed = _matches(_ATTRIBUTES, name)
    # A backslash is not allowed, since an escape could hide the name of a function.
    return allowed and not re.search(r"[()\\]", re.sub(_FUNCTION, "", value))


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def _name(element: ElementTree.Element) -> str:
    """Return the name of an element without the namespace of SVG. A name from another namespace
    keeps its namespace.
    """
    return element.tag.removeprefix(_SVG)
