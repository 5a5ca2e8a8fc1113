"""Tables in Markdown."""


def markdown_rows(header, rows, align):
    """A table as text, from its header, its rows of texts (escaped before), and "l" or "r" for each column."""
    rule = ["---:" if side == "r" else "---" for side in align]
    return "\n".join("| " + " | ".join(map(str, row)) + " |" for row in [header, rule, *rows])
