"""A hook of MkDocs: adds files, a table and the examples, leaves out what no page loads, leads
links to the report.
"""

import ast
import re
from pathlib import Path

from mkdocs.structure.files import File

ROOT = Path(__file__).parents[1]
ORDER = ["train_and_certify", "c_path", "sparse_text", "one_class", "add_method"]
ADDED = {"CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}


def on_files(files, config):
    for file in [file for file in files if re.search(r"\.map$|/lunr/", file.src_uri)]:
        files.remove(file)
    for name, page in ADDED.items():
        text = (ROOT / name).read_text(encoding="utf-8").replace("](docs/", "](")
        files.append(File.generated(config, page, content=text))
    files.append(File.generated(config, "examples.md", content=_examples()))
    files.append(File.generated(config, "style.css", content=STYLE))
    files.append(File.generated(config, "shim.js", content=SHIM))
    return files


def _examples():
    """Make a page of the programs in examples/; the first line of each docstring is its title."""
    parts = ["# Examples"]
    for path in sorted((ROOT / "examples").glob("*.py"), key=lambda path: ORDER.index(path.stem)):
        text = path.read_text(encoding="utf-8")
        title, _, words = ast.get_docstring(ast.parse(text)).partition("\n")
        code = text.split('"""', 2)[2].strip()
        parts += [
            f"## {title.rstrip('.')}",
            words.strip(),
            f"`examples/{path.name}`",
            f"```python\n{code}\n```",
        ]
    return "\n\n".join(parts) + "\n"


def on_page_markdown(markdown, page, config, files):
    return re.sub(r"\[([^\]]*)\]\(\.\./([^)#]*)(#[^)]*)?\)", _led, markdown)


def _led(found):
    words, path = found[1], found[2]
    if path.startswith("examples"):
        return f"[{words}](examples.md)"
    if path in ADDED:
        return f"[{words}]({ADDED[path]})"
    if released := re.fullmatch(r"(?:results|figures)/released/(?:tables/)?([\w-]+)\.\w+", path):
        page = "index" if released[1] == "README" else released[1]
        return f'<a href="report/{page}.html">{words}</a>'
    return f"{words} (`{path}`)" if words != path and words != f"`{path}`" else f"`{path}`"


# Browsers start no worker from a file. The theme would load a replacement from the network; this
# one is enough.
SHIM = """if (location.protocol === "file:") window.Worker = class extends EventTarget {
  constructor(url) {
    super();
    const frame = Object.assign(document.createElement("iframe"), { hidden: true });
    document.body.append(frame);
    const inside = frame.contentWindow;
    const script = (src, onload) =>
      Object.assign(inside.document.createElement("script"), { src, onload });
    const load = (src) => new Promise((done) => inside.document.body.append(script(src, done)));
    inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
    inside.importScripts = (...urls) =>
      urls.reduce((before, one) => before.then(() => load(one)), Promise.resolve());
    this.postMessage = (data) =>
      this.ready.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
    this.ready = load(url);
  }
};
"""


# Tables fit a phone, or scroll within the column of the text and show a shadow at the edge behind
# which there is more; on paper nothing scrolls.
STYLE = """
.md-typeset__table { padding: 0; }
.md-typeset__scrollwrap { overflow-x: auto; margin: 1em 0; background:
  linear-gradient(to right, var(--md-default-bg-color) 30%, transparent)
    left / 2rem 100% no-repeat local,
  linear-gradient(to left, var(--md-default-bg-color) 30%, transparent)
    right / 2rem 100% no-repeat local,
  linear-gradient(to right, #8888, transparent) left / .7rem 100% no-repeat scroll,
  linear-gradient(to left, #8888, transparent) right / .7rem 100% no-repeat scroll; }
.md-typeset table:not([class]) { background: none; }
.md-typeset table:not([class]) :is(th, td) { min-width: 0; padding: .6em .8em; }
.md-grid { max-width: 66rem; }
@media screen and (max-width: 44em) {
  .md-typeset p:has(> img:only-child) { overflow-x: auto; }
  .md-typeset p > img:only-child { max-width: none; width: max(100%, 600px); }
  .md-typeset table:not([class]) :is(th, td) { padding: .35em .5em; }
  .md-typeset table:not([class]) { font-size: .6rem; }
  .md-typeset table code { word-break: normal; overflow-wrap: normal; }
  .md-typeset pre > code { white-space: pre-wrap; overflow-wrap: anywhere; }
}
@media screen {
  [data-md-color-scheme="slate"] img[src$=".svg"] { filter: invert(.92) hue-rotate(180deg); }
}
@media print {
  @page { size: A4; margin: 14mm; }
  html { font-size: 100%; }
  body, .md-container, .md-main { display: block; height: auto; min-height: 0; }
  .md-footer, .headerlink, .md-clipboard, .md-code__nav { display: none; }
  .md-main__inner { margin: 0; }
  .md-content__inner { margin: 0; padding: 0; }
  .md-content__inner::before { content: none; }
  .md-typeset { font-size: 9.5pt; line-height: 1.45; }
  .md-typeset h1 { font-size: 17pt; margin: 0 0 .8rem; color: inherit; }
  .md-typeset h2 { font-size: 13pt; margin: 1.2rem 0 .4rem; }
  .md-typeset img { max-height: 16cm; }
  .md-typeset :is(.md-typeset__scrollwrap, pre > code) {
    overflow: visible; background: none; white-space: pre-wrap; }
  .md-typeset table:not([class]) { font-size: 8pt; break-inside: auto; }
  .md-typeset table:not([class]) :is(th, td) {
    min-width: 0; padding: .3em .5em; white-space: normal; }
  .md-typeset :is(h1, h2, h3) { break-after: avoid; }
  .md-typeset :is(tr, pre, img) { break-inside: avoid; }
}
"""


def on_post_page(output, page, config):
    return output.replace("https://unpkg.com/iframe-worker/shim", "shim.js")


def on_post_template(output_content, template_name, config):
    # its links work only at the root of a domain
    return "" if template_name == "404.html" else output_content
