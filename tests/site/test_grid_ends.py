"""Test that the report says which tuned values are at the end of their grid. It must name the key
of the configuration by which a user can extend the grid.
"""

import json

import pytest
from site_parts import Page, make_results

from fwsvm.cli import main
from fwsvm_papers.site.build import write_site
from fwsvm_papers.studies.benchmark.grid_ends import advice, ends_by_dataset, grid_ends


def validated(C, exponents, at_edge):
    return {
        "C": C,
        "gamma": 0.3,
        "at_grid_edge": at_edge,
        "grid": [{"C": 2.0**k} for k in exponents],
    }


def crossed(C, width, variable="gamma"):
    grid = [{variable: 2.0**j, "C": 2.0**k, "folds": 3} for j in (-3, 1, 3) for k in (0, 2, 4)]
    sigma2, gamma = (width, 0.5 / width) if variable == "sigma2" else (0.5 / width, width)
    return {
        "C": C,
        "sigma2": sigma2,
        "gamma": gamma,
        "folds": 3,
        "at_grid_edge": True,
        "grid": grid,
    }


@pytest.mark.parametrize(
    ("tuned", "expected"),
    [
        (validated(16.0, (0, 2, 4), True), ["C = 16 is the largest value of tuning.C_exponents"]),
        (validated(1.0, (0, 2, 4), True), ["C = 1 is the smallest value of tuning.C_exponents"]),
        (validated(4.0, (0, 2, 4), False), []),
        (validated(4.0, (2,), False), []),
        (
            crossed(16.0, 0.125),
            [
                "C = 16 is the largest value of tuning.cross_validation.C_exponents",
                "gamma = 0.125 is the smallest value of tuning.cross_validation.width_exponents",
            ],
        ),
        (
            crossed(4.0, 8.0, "sigma2"),
            ["sigma2 = 8 is the largest value of tuning.cross_validation.width_exponents"],
        ),
        (
            validated(4.0, (0, 2, 4), False)
            | {
                "protocols": {
                    "as_run": validated(1.0, (0, 2, 4), True),
                    "libcvm": validated(1.0, (0, 2, 4), True),
                }
            },
            ["C = 1 is the smallest value of tuning.C_exponents"],
        ),
        (
            validated(16.0, (0, 2, 4), True)
            | {
                "protocols": {
                    "as_run": validated(1.0, (0, 2, 4), True),
                    "mine": validated(4.0, (0, 2, 4), False),
                    "libcvm": validated(1.0, (0, 2, 4), True),
                }
            },
            [
                "C = 16 is the largest value of tuning.C_exponents under the other protocols",
                "C = 1 is the smallest value of tuning.C_exponents under the protocol as_run and"
                " the protocol libcvm",
            ],
        ),
    ],
)
def test_ends_are_named_once_with_their_list(tuned, expected):
    assert grid_ends(tuned) == expected


@pytest.fixture
def results(tmp_path, monkeypatch):
    """Return the folder of a made-up run of the data sets `one` and `two <b>`.

    For `one`, C is at the end of two grids.
    """
    folder, _ = make_results(tmp_path)
    for place, C in (("params", 16.0), ("params-poly", 1.0)):
        (folder / place).mkdir()
        (folder / place / "one.json").write_text(
            json.dumps(validated(C, (0, 2, 4), True) | {"gamma_rule": "1/(2 sigma2)"})
        )
        (folder / place / "other.json").write_text(json.dumps(validated(4.0, (0, 2, 4), False)))
    monkeypatch.chdir(tmp_path)
    return folder


ENDS = [
    "C = 16 is the largest value of tuning.C_exponents",
    "C = 1 is the smallest value of tuning.C_exponents for the poly kernel",
]


def test_ends_of_a_results_folder(results):
    assert ends_by_dataset(results) == {"one": ENDS}
    assert advice({}) == []
    assert advice({"a": ENDS[:1], "b": ENDS[:1]})[1:] == [f"  a, b: {ENDS[0]}"]


def test_the_summary_and_the_page_of_the_data_set_show_them(results, capsys):
    assert main(["summary", "--profile", "mine"]) == 0
    printed = capsys.readouterr().out
    assert all(f"  one: {words}" in printed for words in ENDS) and "wider" in printed
    folder = write_site(results, results.parents[1] / "figures/mine", results / "site").parent
    assert all(words in Page(folder / "data-one.html").text for words in ENDS)
    assert "end of a grid" not in Page(folder / "data-two-b.html").text
