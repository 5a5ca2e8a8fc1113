"""The page `docs/datasets.md`: up to date, complete, and what it says of an entry."""

from pathlib import Path

from shipped import SHIPPED_NAMES

from fwsvm.datasets import load_catalogue
from fwsvm.datasets.describe import write_page

ROOT = Path(__file__).parents[2]


def test_page_is_what_the_catalogue_gives():
    """With the entries that a user added, or without them; every entry has its row and its section."""
    catalogue = load_catalogue(ROOT / "config/datasets.yaml")
    shipped = {name: entry for name, entry in catalogue.items() if name in SHIPPED_NAMES}
    page = (ROOT / "docs/datasets.md").read_text(encoding="utf-8")
    assert page in (write_page(shipped), write_page(catalogue)), "run: fwsvm datasets docs --output docs/datasets.md"
    for name in SHIPPED_NAMES:
        assert page.count(f"\n| [{name}](#{name}) | ") == page.count(f"\n## {name}\n") == 1
    for line in page.splitlines():
        assert len(line) <= 120 or line.startswith("|") or "](http" in line


def test_sections_say_what_an_entry_says(write_catalogue):
    file = {"name": "a/points.csv", "url": "https://example.org/points.csv", "sha256": "unverified"}
    entry = {
        "title": "Points",
        "source": {"files": {"train": file}, "format": "csv", "csv": {"label": 1}},
        "split": {"fraction": 0.2, "seed": 5},
        "scaling": {"minmax": [-1, 1]},
        "positive": ["a", 2],
        "sigma2": 0.5,
        "differs": {"m": "some are lost"},
        "note": "A note.",
    }
    page = write_page(load_catalogue(write_catalogue({"x": entry})))
    for line in (
        "* Source: [points.csv](https://example.org/points.csv)",
        "* Split: fraction: 0.2, seed: 5",
        "* Classes: 1 is a and 2 of the source, -1 all others",
        "* Scaling: minmax to [-1, 1]",
        "* Kernel width: sigma^2 = 0.5",
        "* Not as printed, m: some are lost",
        "A note.",
    ):
        assert f"\n{line}\n" in page
