"""A check of the syntax of tables in LaTeX."""

import re


def check_latex(text):
    """Check that braces and environments are balanced, that special characters are escaped, and
    that every row has as many cells as the header.
    """
    bare = re.sub(r"\\[\\%&_#${}]", "", text)
    assert bare.count("{") == bare.count("}")
    depth = 0
    for character in bare:
        depth += (character == "{") - (character == "}")
        assert depth >= 0
    body = "\n".join(
        line.removesuffix("%") for line in bare.splitlines() if not line.startswith("%")
    )
    assert not re.search(r"[%#$_]", body)
    assert text.isascii()
    assert sorted(re.findall(r"\\begin\{(\w+)\}", text)) == sorted(
        re.findall(r"\\end\{(\w+)\}", text)
    )
    spec = re.search(r"\\begin\{tabular\}\{(.*)\}\n", text).group(1)
    columns = len(re.sub(r">\{[^}]*\}|\{[^}]*\}", "", spec))
    for line in text.splitlines():
        if line.endswith(r" \\") and not line.startswith((r"\caption", r"\multicolumn")):
            spans = sum(int(n) - 1 for n in re.findall(r"\\multicolumn\{(\d+)\}", line))
            assert len(re.findall(r"(?<!\\)&", line)) + 1 + spans == columns, line
