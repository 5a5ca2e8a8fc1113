"""A function that makes the addresses of pages from names."""


def slug(name: str) -> str:
    """Return a form of `name` that can be part of a file name: in lower case, with hyphens instead
    of blanks and special characters.
    """
    return "-".join(
        "".join(
            c if (c.isalnum() and c.isascii()) or c in "_" else " " for c in name.lower()
        ).split()
    )
