"""The page `docs/datasets.md`: up to date, complete, and what it says of an entry."""

from pathlib import Path

from shipped import SHIPPED_NAMES

from fwsvm.datasets import load_catalogue
from fwsvm.datasets.describe import write_page

PAGE = Path(__file__).parents[2] / "docs/datasets.md"
CATALOGUE = Path(__file__).parents[2] / "config/datasets.yaml"


def test_page_is_what_the_catalogue_gives():
    """With the entries that a user added, or without them."""
    catalogue = load_catalogue(CATALOGUE)
    shipped = {name: entry for name, entry in catalogue.items() if name in SHIPPED_NAMES}
    pages = [write_page(shipped), write_page(catalogue)]
    assert PAGE.read_text(encoding="utf-8") in pages, "run: fwsvm datasets docs --output docs/datasets.md"


def test_every_entry_has_its_row_and_its_section():
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    for name in SHIPPED_NAMES:
        (row,) = [line for line in lines if line.startswith(f"| [{name}](#{name}) | ")]
        assert row.count(" | ") == 7
        assert f"### {name}" in lines
    for line in lines:
        assert len(line) <= 120 or line.startswith("|") or "](http" in line


def test_sections_say_what_an_entry_says(write_catalogue):
    file = {"name": "a/points.csv", "url": "https://example.org/points.csv", "sha256": "unverified"}
    entry = {
        "title": "Points",
        "paper_name": "PTS",
        "papers": ["frandi2013"],
        "features": 3,
        "expected": {"train": 1000, "classes": 2},
        "source": {"files": {"train": file}, "format": "csv", "csv": {"label": 1}},
        "split": {"fraction": 0.2, "seed": 5},
        "scaling": "unit-length",
        "positive": ["a", 2],
        "sigma2": 0.5,
        "differs": {"m": "some are lost"},
        "note": "A note.",
    }
    other = {"source": {"files": {"train": {"path": "x.svm"}}}, "split": {"complement_of": "x"}, "scaling": "standard"}
    page = write_page(load_catalogue(write_catalogue({"x": entry | {"group": "mine"}, "y": other | {"source": {
        "files": {"train": {"path": "x.csv"}}, "format": "csv", "csv": {"label": 1}}}})))  # fmt: skip
    section = page.split("### x\n")[1].split("### y\n")[0]
    for line in (
        '* Papers: Frandi et al. (2013), as "PTS"',
        "* Sizes: 1,000 training points, 2 classes, 3 features",
        "* Source: [points.csv](https://example.org/points.csv) (csv)",
        "* Split: 20% of the rows at random for testing, seed 5",
        "* Classes: 1 is a and 2 of the source, -1 all others",
        "* Scaling: each point to length 1",
        "* Kernel width: sigma^2 = 0.5",
        "* Not as printed, m: some are lost",
        "* Checksum: unverified",
        "A note.",
    ):
        assert f"\n{line}\n" in section
    assert "## Mine" in page
    assert "* Split: test points are those of [x](#x) that are not training points" in page
    assert "* Scaling: each feature to mean 0 and standard deviation 1" in page
