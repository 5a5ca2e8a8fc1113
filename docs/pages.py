"""A hook of MkDocs: adds two files, leaves out what no page loads, and leads links out of docs/ to the report."""

import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
ADDED = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def on_files(files, config):
    for file in [file for file in files if re.search(r"\.map$|/lunr/", file.src_uri)]:
        files.remove(file)
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


# Browsers start no worker from a file. The theme would load a replacement from the network; this one is enough.
SHIM = """<script>if (location.protocol === "file:") window.Worker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = Object.assign(document.createElement("iframe"), { hidden: true });
    document.body.append(frame);
    const inside = frame.contentWindow;
    const script = (src, onload) => Object.assign(inside.document.createElement("script"), { src, onload });
    const load = (src) => new Promise((done) => inside.document.body.append(script(src, done)));
    inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    inside.importScripts = (...urls) => urls.reduce((before, one) => before.then(() => load(one)), Promise.resolve());
    this.postMessage = (data) => this.ready.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
    this.ready = load(url);
  }
};</script>"""


def on_post_page(output, page, config):
    return re.sub(r'<script src="https://unpkg\.com/iframe-worker/shim"></script>', lambda _: SHIM, output)


def on_post_template(output_content, template_name, config):
    return "" if template_name == "404.html" else output_content  # its links work only at the root of a domain
