"""A hook of MkDocs: adds two files of the checkout's root, and leads links out of docs/ to the report or nowhere."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
ADDED = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def on_files(files, config):
    for name, page in ADDED.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown, page, config, files):
    return re.sub(r"\[([^\]]*)\]\(\.\./([^)#]*)(#[^)]*)?\)", _led, markdown)


def _led(found):
    words, path = found[1], found[2]
    if path in ADDED:
        return f"[{words}]({ADDED[path]})"
    if released := re.fullmatch(r"(?:results|figures)/released/(?:tables/)?([\w-]+)\.\w+", path):
        page = "index" if released[1] == "README" else released[1]
        return f'<a href="report/{page}.html">{words}</a>'
    return f"{words} (`{path}`)" if words != path and words != f"`{path}`" else f"`{path}`"
