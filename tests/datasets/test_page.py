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
