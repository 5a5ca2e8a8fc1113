"""Reports of a few generated results and of the released run."""

from pathlib import Path

import pytest
from site_parts import Page, make_results

from fwsvm_papers.site.build import write_site

CHECKOUT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def made_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    results, figures = make_results(folder)
    return write_site(results, figures, results / "site").parent


@pytest.fixture(scope="session")
def made(made_folder):
    return {path.stem: Page(path) for path in made_folder.glob("*.html")}


@pytest.fixture(scope="session")
def released_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("released")
    return write_site(
        CHECKOUT / "results/released", CHECKOUT / "figures/released", folder / "site"
    ).parent


@pytest.fixture(scope="session")
def released(released_folder):
    return {path.stem: Page(path) for path in released_folder.glob("*.html")}
