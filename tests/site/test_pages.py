"""Test the pages of a generated run and of the released run: numbers, links and verdicts.

A page must not load a file from elsewhere.
"""

import itertools
import json
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pandas as pd
import pytest
from site_parts import Page, make_results, write_figure

from fwsvm.cli import main
from fwsvm.inputs.errors import DataError, UserError
from fwsvm.solvers.settings import METHODS
from fwsvm_papers.reporting.tables import (
    ArtefactData,
    Cell,
    Heading,
    Section,
    read_artefact_data,
)
from fwsvm_papers.result_files import write_json
from fwsvm_papers.site.build import write_gallery, write_site
from fwsvm_papers.site.comparison import in_short, kept_by_family, near_print
from fwsvm_papers.site.markup import (
    formula,
    gap,
    number,
    readable,
    smaller,
    tables_of,
    unbroken,
    unindented,
)
from fwsvm_papers.site.methods import ALGORITHMS, FIGURES, methods

CHECKOUT = Path(__file__).parents[2]
pytestmark = pytest.mark.xdist_group("report")  # the reason is in test_browser.py


def plain(text):
    """Return the text without the characters that prevent line breaks."""
    return " ".join(text.replace("\u2060", "").replace("\u00a0", " ").split())


def broken_links(folder, pages):
    """Return the links whose file does not exist, and the links to places that the page does not
    have.
    """
    found = []
    for page in pages.values():
        for link in page.links:
            parts = urlsplit(link)
            if parts.scheme:
                found += [] if link == "data:," else [(page.path.name, link)]
                continue
            target = folder / unquote(parts.path) if parts.path else page.path
            here = parts.fragment if "=" not in parts.fragment else ""
            if not target.is_file() or (here and here not in pages[target.stem].ids):
                found.append((page.path.name, link))
    return found


@pytest.mark.parametrize("which", ["made", "released"])
def test_pages_are_sound_and_load_nothing_from_elsewhere(which, request):
    folder, pages = request.getfixturevalue(f"{which}_folder"), request.getfixturevalue(which)
    assert broken_links(folder, pages) == []
    for path in (path for path in folder.rglob("*") if path.suffix in (".css", ".js", ".html")):
        loads = re.findall(
            r"(?:src|href)=[\"']?(?:https?:)?//|url\(['\"]?(?:https?:)?//|@import", path.read_text()
        )
        assert loads == [], path
    for name, page in pages.items():
        assert len(page.ids) == len(set(page.ids)), name
        levels = [int(tag[1]) for tag, _ in page.tags if re.fullmatch(r"h[1-6]", tag)]
        assert levels[0] == 1 and levels.count(1) == 1, name
        assert all(after <= before + 1 for before, after in itertools.pairwise(levels)), name
        assert all("alt" in attributes for tag, attributes in page.tags if tag == "img"), name
        for attributes in (attributes for tag, attributes in page.tags if tag == "svg"):
            assert attributes["role"] == "img" and len(attributes["aria-label"]) > 10


def test_smaller_figures_keep_marks_styles_and_names_that_are_used():
    svg = """<svg><g id="a"><defs><path id="m" d="M 0.123
L 2 3.456"/></defs><g id="b"/><g id="d" />
<g id="c" style="fill: red"><g><use href="#m" x="1.99" y="2"/></g>
</g></g><text transform="translate(1.25001 7.123) rotate(-90)">1.234</text></svg>"""
    assert smaller(svg) == (
        '<svg><defs><path id="m" d="M 0.1 L 2 3.5"/></defs><g style="fill:red">'
        '<use href="#m" x="2" y="2"/></g>'
        '<text transform="translate(1.3 7.1) rotate(-90)">1.234</text></svg>'
    )


def test_released_report_is_small_and_whole(released_folder, released):
    assert (
        sum(path.stat().st_size for path in released_folder.rglob("*") if path.is_file())
        < 15_000_000
    )
    assert {
        "index",
        "claims",
        "data",
        "methods",
        "runs",
        "provenance",
        "paper-singh",
        "data-a1a",
        "method-mfw",
    } <= set(released)


def test_an_artefact_has_its_words_its_numbers_and_its_claims(made):
    page = made["beyond-majority"]
    assert (
        "Fast is not good." in page.text
        and "12.35" in page.text
        and "files/beyond-majority.csv" in page.links
    )
    page = made["frandi2013-fig3"]
    assert (
        "Frandi et al. (2013), Figure 3" in page.text
        and "It is 14" in page.text
        and "a < b" in page.text
    )
    assert "not reproduced" in page.text and "needs protein" in made["paper-frandi2013"].text
    text = made["frandi2013-table2"].text
    assert "≥ 100" in text and "two | x" in text and "a note" in text and "It is 14" not in text


def test_every_page_of_a_released_result_begins_with_its_whole_finding(released_folder):
    seen = 0
    for folder in ("results/released/tables", "figures/released"):
        for path in sorted((CHECKOUT / folder).glob("*.json")):
            data = read_artefact_data(path)
            if data.skipped or data.protocol or data.id in ("claims", "summary"):
                continue
            page = (released_folder / f"{data.id}.html").read_text()
            lead = unescape(re.search('<p class="lead">(.*?)</p>', page, re.DOTALL)[1])
            finding = " ".join(data.finding.replace("`", "").split())
            assert lead.endswith("."), data.id
            assert not finding or plain(lead) == finding, data.id
            seen += bool(finding)
    assert seen > 40


def test_each_answer_of_the_overview_has_its_figure_first_and_its_links_last(released_folder):
    page = (released_folder / "index.html").read_text()
    sections = re.findall(r'<section class="question.*?</section>', page, re.DOTALL)
    assert 1 <= len(sections) <= 11
    for section in sections:
        places = [section.find(mark) for mark in ("<h3", "<figure", "<strong>", "<ul>")]
        assert places == sorted(places) and min(places) >= 0, section[:200]
        answer = re.search(r"<strong>(.*?)</strong>", section, re.DOTALL)
        assert answer and answer[1].strip().endswith("."), section[:200]
    assert (
        "(95 % interval:" in plain(sections[0]) and "Web" in sections[0] and "Adult" in sections[1]
    )
    assert 'loading="lazy"' not in page  # a picture that is loaded late would be missing on paper


def test_a_data_set_has_one_table_with_all_settings(released, released_folder):
    for name in ("w8a", "letter"):
        page = (released_folder / f"data-{name}.html").read_text()
        assert page.count("<table") == 1
        settings = set(re.findall(r'<td class="setting">(.*?)</td>', page))
        assert "Inferred settings" in settings and len(settings) >= 5
        assert page.index("Each row is one method under one setting") < page.index("<table")


def test_many_parts_of_a_table_are_one_table_with_a_filter():
    columns = (Heading("method", "", "l"), Heading("time", "", "r"))
    sections = tuple(
        Section(f"set{part}", ((Cell("FW"), Cell(str(part))), (Cell("CVM"), Cell("–"))))
        for part in range(9)
    )
    data = ArtefactData(kind="table", id="x", columns=columns, sections=sections)
    (whole,) = tables_of(data, {"set1": "data-set1.html"})
    assert [name for name, _ in whole["columns"]] == ["Part", "method", "time"]
    assert len(whole["rows"]) == 18 and whole["start"] == "set0"
    assert [cell for cell, _ in whole["rows"][2]] == [
        '<a href="data-set1.html">set1</a>',
        "FW",
        "1",
    ]
    few = tables_of(replace(data, sections=sections[:3]), {})
    assert [part["heading"] for part in few] == ["set0", "set1", "set2"]


def test_a_table_has_its_marks_and_only_columns_with_entries(made_folder):
    page = (made_folder / "frandi2013-table2.html").read_text()
    assert '<h2 id="part-0">full</h2>' in page
    assert '<th>data set</th><th class="number">FW ours</th></tr>' in page
    number = "97.5 <small>±\u00a00.25</small><sup>a</sup>"
    assert f'<td><a href="data-one.html">one</a></td><td class="number">{number}</td>' in page
    assert '<td>two | x</td><td class="number"><strong>9.8</strong></td>' in page
    assert "<p><sup>a</sup> a note</p>" in page


def test_the_methods_are_those_of_the_registry():
    found = methods()
    assert set(found) == {"auto", *METHODS} and list(found)[:3] == ["cvm", "fw", "mfw"]
    assert found["mfw_sparse"]["label"] == "sparse M-FW" and found["mfw_sparse"]["step"] == ""
    assert found["auto"]["definition"].startswith("SWAP-2o runs first")
    for name, one in found.items():
        source = (CHECKOUT / one["file"]).read_text()
        assert one["definition"].split()[-1] in source and one["step"] in source, name
        assert not one["step"] or one["step"].startswith("@compiled"), name


def test_variants_are_on_the_page_of_their_artefact(made, made_folder):
    page = made["frandi2013-fig3"]
    assert [tag for tag, _ in page.tags].count("svg") == 2
    assert "Another outcome." in page.text and "W." in page.text
    assert {"v-frandi2013-fig3", "v-frandi2013-fig3-libcvm"} <= set(page.ids)
    assert "frandi2013-fig3--libcvm" not in made
    # the picture of a variant is part of the page, but has no file of its own
    assert (made_folder / "files/frandi2013-fig3.svg").is_file()
    assert not (made_folder / "files/frandi2013-fig3--libcvm.svg").exists()


def test_claims_are_listed_once_with_their_other_verdicts(made):
    page = made["claims"]
    assert page.ids.count("c1") == 1 and "papers' text: reproduced" not in page.text
    chips = [
        attributes["class"]
        for tag, attributes in page.tags
        if "chip" in attributes.get("class", "")
    ]
    # each of these words is once in the legend
    assert [chips.count(f"chip {each}") for each in ("not-run", "not-reproduced")] == [1, 2]
    # once next to the verdict, once with its numbers, and once in the legend
    assert chips.count("chip same-direction") == 3
    assert "reproduced authors' program: same direction It is 14" in page.text
    assert (
        page.text.count("by the authors' program, on another machine: 12 [4 of 7 data sets]") == 1
    )
    assert "1 of 2 statements" in made["index"].text


def test_the_page_of_a_data_set_has_its_title(small_run):
    results = small_run.parent
    for path in (results / "describe").glob("*.json"):
        described = json.loads(path.read_text())
        name = described["dataset"]
        described["title"] = {"one": "flowers & leaves", "two": "two"}.get(name, name)
        path.write_text(json.dumps(described))
    site = write_site(results, small_run.parents[2] / "figures/mine", small_run).parent
    assert "flowers & leaves" in Page(site / "data-one.html").text
    pages = {path.name: Page(path).text for path in site.glob("data-*.html")}
    assert sum("flowers" in text for text in pages.values()) == 1


def test_the_end_of_a_run_says_what_it_leaves_out(small_run, capsys):
    results = small_run.parent
    assert main(["summary", "--profile", "mine"]) == 0
    printed = capsys.readouterr().out
    assert "left out" not in printed and "more data set" not in printed
    write_json({"missing": {"corn": "no copy", "rye": "no copy"}}, results / "inventory.json")
    runs = pd.read_csv(results / "runs.tsv", sep="\t")
    one = runs[runs["dataset"] == runs["dataset"].iloc[0]]
    more = [one.assign(dataset=f"set{number}") for number in range(5)]
    text = pd.concat([runs, *more]).to_csv(sep="\t", index=False)
    (results / "runs.tsv").write_text(text)
    compared = {name for name in runs["dataset"] if f"{name}, " in printed}
    assert main(["summary", "--profile", "mine"]) == 0
    printed = capsys.readouterr().out
    assert "left out   data sets that are not available: corn and rye\n" in printed
    others = len(compared) + 5 - 3
    assert f"{others} more data sets: times in the table above, speed-ups in results/" in printed


def test_a_run_that_tests_no_statement_is_not_compared_with_the_released_run(small_run, capsys):
    path = small_run.parent / "tables/claims.csv"
    claims = pd.read_csv(path).assign(outcome="not run", outcome_authors="", ours_authors="")
    claims.to_csv(path, index=False)
    site = write_site(small_run.parent, small_run.parents[2] / "figures/mine", small_run).parent
    index = Page(site / "index.html").text
    assert "verdicts" not in index and "statements that this run can test" not in index
    assert main(["summary", "--profile", "mine"]) == 0
    printed = capsys.readouterr().out
    assert "FW is" in printed and "statement" not in printed and "is small" not in printed


@pytest.fixture
def small_run(tmp_path, monkeypatch):
    """Write the report of a made-up run next to released verdicts. For one statement, the released
    verdict is different.
    """
    results, figures = make_results(tmp_path)
    tables = tmp_path / "results/released/tables"
    tables.mkdir(parents=True)
    released = pd.DataFrame(
        [
            {"id": "c1", "outcome": "not reproduced", "headline": True},
            {"id": "c1", "outcome": "same direction", "headline": False},
            {"id": "c2", "outcome": "not reproduced", "headline": True},
            {"id": "c3", "outcome": "reproduced", "headline": True},
        ]
    )
    released.to_csv(tables / "claims.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return write_site(results, figures, results / "site").parent


def test_released_verdicts_stand_next_to_those_of_a_small_run(small_run, capsys):
    claims = Page(small_run / "claims.html").text
    assert claims.count("released run: not reproduced") == 2
    assert "1 verdict of this small run differs from the released run" in claims
    index = Page(small_run / "index.html").text
    assert "1 of 2 statements that this run can test" in index
    assert "(released run: 0 of these 2; 1 verdict differs)" in index
    assert "1 of its verdicts differs from those of the released run" in index
    assert (
        "In the released run, the verdicts on these 2 statements are: 2 not reproduced."
        in Page(small_run / "paper-singh.html").text
    )
    assert main(["summary", "--profile", "mine"]) == 0
    printed = capsys.readouterr().out
    assert (
        "This run reproduces 1 of the 2 statements of the papers that it can test. The released"
        " run reproduces 0 of these 2."
    ) in printed
    assert "1 verdict differs from those of the released run, because this run is small" in printed


def test_a_small_run_without_released_verdicts_warns(made):
    assert "Verdicts on so few runs can differ from those on all runs." in made["index"].text


def test_small_numbers_gaps_and_formulas():
    assert [number(1e-7), number(1.25e-7), number(0.0125)] == ["1e-7", "1.25e-7", "0.01250"]
    assert [gap(0.02), gap(1.4)] == ["0.020", "1.4 (far from the optimum)"]
    text = "p: 2e-05; relative gap 2.5 at 100 points, relative gap 0.25"
    far = "p: 2e-5; relative gap 2.5 (far from the optimum) at 100 points, relative gap 0.25"
    assert readable(text) == far
    small = "relative gap 5e-05, relative gap 1.25e-07 and relative gap 0.9."
    assert readable(small) == small.replace("e-0", "e-")
    large = readable("relative gap 3e+02, relative gap 1,250, relative gap 4.")
    assert large.count(" (far from the optimum)") == 3
    assert re.findall(r"gap (\S+)", large) == ["3e+2", "1,250", "4"]
    assert formula("s_i* < Q_i*j* a_j") == ("s<sub>i*</sub> &lt; Q<sub>i*j*</sub> a<sub>j</sub>")


def test_the_overview_has_intervals_and_families_next_to_its_medians(released):
    page = released["index"]
    table = pd.read_csv(CHECKOUT / "results/released/tables/beyond-ladder-families.csv")
    table = table[(table["measure"] == "speedup") & (table["method"] == "fw")]
    row = table[(table["rung"] == "as_run") & (table["over"] == "all sets")].iloc[0]
    assert f"{row['median']:.0f} {row['low']:.1f} to {row['high']:.0f}" in page.text
    web = table[(table["rung"] == "as_run") & (table["over"] == "Web")].iloc[0]
    assert f"{web['median']:.0f} {web['low']:.0f} to {web['high']:.0f}" in page.text
    assert all(f"{over[:1].upper()}{over[1:]}" in page.text for over in table["over"].unique())
    assert "#words" in page.links
    questions = [one for one in page.tags if one[1].get("class") == "question"]
    assert 1 <= len(questions) <= 11


def test_distance_from_printed_accuracies_is_a_median_over_data_sets():
    rows = [("w1a", 1.0), ("w1a", -3.0), ("a1a", 5.0), ("usps", 0.5), ("usps", None)]
    table = pd.DataFrame(rows, columns=["dataset", "printed_accuracy"])
    found = near_print(table.assign(protocol="as_run", accuracy=0.0))
    assert {name: one.value for name, one in found.items()} == {
        "all sets": 2.0,
        "Adult": 5.0,
        "Web": 2.0,
        "others": 0.5,
    }


def test_cells_of_statements_have_names_for_narrow_pages(made):
    cells = [attributes for tag, attributes in made["frandi2013-fig3"].tags if tag == "td"]
    assert [cell["data-name"] for cell in cells if "data-name" in cell] == ["In the paper", "Ours"]


def test_pages_of_methods_have_two_lines_their_figure_and_speed_ups(released):
    assert {"cvm", "fw", "mfw", "swap", "swap2o", "auto"} <= set(ALGORITHMS) <= set(methods())
    assert all(len(lines) == 2 for lines in ALGORITHMS.values())
    for name, figure in FIGURES.items():
        page = released[f"method-{name}"]
        assert f"{figure}.html" in page.links, name
    text = released["method-fw"].text
    numbers = pd.read_csv(CHECKOUT / "results/released/tables/beyond-ladder-table.csv")
    numbers = numbers[(numbers["method"] == "fw") & (numbers["dataset"] == "w8a")]
    by = numbers.set_index("rung")["speedup"]
    assert f"w8a {by['as_run']:.0f} {by['inner']:.0f} {by['patient']:.1f}" in text


def test_names_and_numbers_stay_on_one_line_but_code_and_tags_as_they_are():
    text = '<a title="C = 4">L2-SVM, C = 4, 90 % of well-known</a> <code>C = 4</code>'
    kept = (
        '<a title="C = 4">L2-\u2060SVM, C\u00a0=\u00a04, 90\u00a0% of well-known</a> <code>C ='
        " 4</code>"
    )
    assert unbroken(text) == kept


def test_a_page_has_no_indentation_but_code_and_tags_stay_as_they_are():
    text = """\
  <p
    class="lead">
    One
    <b>word</b>

  </p>
  <pre>
    code
      block</pre>
  <tr>
    <td>1</td>
    <td>
      2
    </td>
  </tr>
"""
    close = """\
  <p
    class="lead">
One
<b>word</b>
</p>
<pre>
    code
      block</pre><tr><td>1</td><td>
2</td></tr>
"""
    assert unindented(text) == close


def test_a_data_set_has_its_numbers_and_its_picture(made, made_folder):
    text = made["data-two-b"].text
    assert "two <b>" in text and "75.00 %" in text and "1,234 features" in text and "8.12" in text
    assert (
        "files/data-one.png" in made["data-one"].links
        and (made_folder / "files/data-one.png").is_file()
    )
    assert not [link for link in made["data-two-b"].links if link.endswith(".png")]


def test_a_data_set_is_compared_with_cvm_under_every_protocol(made):
    """FW's mean time is 1 s, and CVM's is 0.25 s. The mean accuracies are 85 % and 95 %. The
    majority class has 75 %.
    """
    text = made["data-one"].text
    assert (
        "If all methods search all points, FW is 0.25 times as fast as CVM. The accuracy of FW is"
        " 85.0 %, and that of CVM is 95.0 %. Always predicting the majority class gives 75.0 %."
        in text
    )
    assert "If only CVM's inner tolerance is as in LibCVM, FW is 1.0 times as fast as CVM." in text
    assert (
        "C = 4, gamma = 0.25" in text and "50 85.00 82.50–87.50" in text and "1 0.500–1.50" in text
    )
    text = made["data-two-b"].text
    assert "FW is at most 4.1 times as fast as CVM" in text and "≤ 4.06" in text and "≥ 2" in text


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (["exact", "at least", "exact"], "at least 3.0"),
        (["exact", "unknown", "at most"], "at most 5.0"),
    ],
)
def test_a_median_that_depends_on_bounds_is_a_bound(bounds, said):
    table = pd.DataFrame(
        {"speedup": [2.0, None if "unknown" in bounds else 3.0, 5.0], "bound": bounds}
    )
    (found,) = in_short(table.assign(protocol="as_run", method="fw", kept=95.0), "fw").values()
    assert found["times"] == f"{said} times"


def test_shares_of_a_gain_are_counted_where_cvm_has_a_gain():
    table = pd.DataFrame({"dataset": ["a1a", "w1a", "usps"], "kept": [95.0, None, 40.0]})
    table = table.assign(protocol="as_run", method="fw", speedup=2.0, bound="exact")
    (found,) = in_short(table, "fw").values()
    assert (found["kept"], found["sets"]) == kept_by_family(table, "fw")["all sets"] == (1, 2)


def test_the_leaderboard_has_every_protocol_data_set_and_method(made_folder):
    page = (made_folder / "summary.html").read_text()
    data = json.loads(re.search(r'id="board-data">(.*?)</script>', page)[1])
    rows = zip(*(data["codes"][name] for name in ("protocol", "dataset", "method")), strict=True)
    names = [
        tuple(data["words"][key][code] for key, code in zip(data["words"], row, strict=True))
        for row in rows
    ]
    speed_up = dict(zip(names, data["values"]["speedup"], strict=True))
    assert speed_up[("all_points", "one", "fw")] == 0.25 and speed_up[("inner", "one", "fw")] == 1.0
    assert speed_up[("all_points", "two <b>", "cvm")] is None and len(names) == len(set(names)) == 6
    # On the second data set, FW ended at a limit, and CVM took longer than this limit.
    text = Page(made_folder / "summary.html").text
    assert (
        "FW is the fastest: at most 2.2 times as fast as CVM" in text
        and "0 of 1 (1 unknown)" in text
    )


def test_tables_lead_to_data_sets_and_the_search_finds_all(made, made_folder):
    assert (
        "data-one.html" in made["frandi2013-table2"].links
        and "data-one.html" in made["beyond-majority"].links
    )
    text = (made_folder / "assets/pages.js").read_text()
    found = json.loads(text.removeprefix("window.PAGES=").removesuffix(";\n"))
    assert ["data set", "two <b>", "data-two-b.html"] in found and [
        "reproduced",
        "it is 14",
        "claims.html#c1",
    ] in found
    assert all((made_folder / href.partition("#")[0]).is_file() for _, _, href in found)


def test_the_sizes_of_the_data_sets_are_a_number_or_a_range(made, released):
    assert "The benchmark has 2 data sets, with 40 training points." in made["data"].text
    assert re.search(r"with [\d,]+ to [\d,]+ training points", released["data"].text)


def test_every_run_is_in_the_script_of_runs(made_folder):
    text = (made_folder / "assets/runs.js").read_text()
    data = json.loads(text.removeprefix("window.RUNS=").removesuffix(";\n"))
    decoded = {
        name: [
            part["words"][value] if "words" in part and value >= 0 else value
            for value in part["values"]
        ]
        for name, part in data.items()
    }
    assert sorted(decoded["method"]) == ["cvm", "cvm", "fw", "fw", "fw"] and decoded["C"] == [4] * 5
    assert sorted(decoded["train_cpu_s"]) == [0.25, 0.5, 1.5, 2, 8.125]
    assert sorted(zip(decoded["method"], decoded["disturbed"], strict=True))[0] == ("cvm", "False")


def test_a_run_without_tables_and_figures_has_a_report(tmp_path):
    results, _ = make_results(tmp_path)
    for path in (results / "tables").glob("*"):
        path.unlink()
    folder = write_site(results, tmp_path / "none", results / "site").parent
    pages = {path.stem: Page(path) for path in folder.glob("*.html")}
    assert "claims" not in pages and broken_links(folder, pages) == []


@pytest.mark.parametrize("names", [("1489", "40996"), ("NA", "null")])
def test_names_of_digits_and_names_such_as_na_are_names(tmp_path, names):
    results, figures = make_results(tmp_path)
    files = [results / "runs.tsv", *results.rglob("*.csv"), *figures.glob("*.csv")]
    for path in [*files, *(results / "describe").glob("*.json")]:
        text = re.sub(r"\bone\b", names[0], path.read_text())
        path.write_text(re.sub(r"\btwo( <b>|\b)", names[1], text))
    folder = write_site(results, figures, tmp_path / "site").parent
    pages = {path.stem: Page(path) for path in folder.glob("*.html")}
    assert broken_links(folder, pages) == []
    for name in names:
        page = pages[f"data-{name.lower()}"]
        assert "Paper (s)" in page.text
        assert f"data-{name.lower()}.html" in pages["beyond-majority"].links
    board = json.loads(
        re.search(r'id="board-data">(.*?)</script>', (folder / "summary.html").read_text())[1]
    )
    assert board["words"]["dataset"] == list(names)
    # the ladder has a rung of the first data set
    assert "If only CVM's inner tolerance is as in LibCVM" in pages[f"data-{names[0].lower()}"].text


@pytest.mark.parametrize("absent", ["provenance.json", "describe", "tables"])
def test_a_report_without_some_results_has_no_broken_links_and_names_them(tmp_path, absent):
    results, figures = make_results(tmp_path)
    for path in [*results.glob(absent), *results.glob(f"{absent}/*")]:
        if path.is_file():
            path.unlink()
    folder = write_site(results, figures, tmp_path / "site").parent
    pages = {path.stem: Page(path) for path in folder.glob("*.html")}
    assert broken_links(folder, pages) == []
    said = "provenance.json , which records" in pages["provenance"].text
    assert said == (absent == "provenance.json")
    if absent == "describe":
        board = re.search(r'id="board-data">(.*?)</script>', (folder / "summary.html").read_text())
        assert json.loads(board[1])["places"] == ["", ""]


def test_a_damaged_picture_is_named(tmp_path):
    results, figures = make_results(tmp_path)
    picture = next(figures.glob("*.svg"))
    for content in (picture.read_bytes()[:100], b""):
        picture.write_bytes(content)
        with pytest.raises(DataError, match=f"{picture}: the file is damaged.* `rm {picture}`"):
            write_site(results, figures, tmp_path / "site")


def test_no_runs_no_report(tmp_path):
    with pytest.raises(UserError, match="to report"):
        write_site(tmp_path, tmp_path, tmp_path / "site")


def test_gallery_by_paper(tmp_path):
    for name, caption in {
        "singh-fig2": "It | falls. More.",
        "singh-fig1": "A.",
        "beyond-majority": "B. C.",
    }.items():
        write_figure(tmp_path, name, caption)
    write_figure(tmp_path, "singh-fig2--libcvm", "Not in the gallery.", "libcvm")
    assert (
        write_gallery(tmp_path, "somebody").read_text().startswith("<!-- Written by somebody. -->")
    )
    text = write_gallery(tmp_path).read_text()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Beyond the papers", "## Singh (report)"]
    rows = [line for line in text.splitlines() if line.startswith("| <a")]
    assert [
        "beyond-majority.svg" in rows[0],
        "singh-fig1.svg" in rows[1],
        "singh-fig2.svg" in rows[2],
    ] == [True] * 3
    assert rows[2].endswith("It \\| falls. |") and "(singh-fig2.md)" in rows[2]
