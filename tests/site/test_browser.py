"""Open the report in a browser. Test for errors, sorting, filters, narrow and wide windows, and
accessibility (axe).
"""

import functools
import re
import shutil
from contextlib import contextmanager

import pytest

from fwsvm_papers.site.markup import inline_svg
from fwsvm_papers.site.safe_svg import safe_svg

api = pytest.importorskip(
    "playwright.sync_api", reason="playwright is not installed (extra `browser`)"
)
axe = pytest.importorskip(
    "axe_playwright_python.sync_playwright", reason="axe is not installed (extra `browser`)"
)
CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = [
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here"),
    # all tests run in one worker, so that the released report is written only once
    pytest.mark.xdist_group("report"),
]

KINDS = (
    "index",
    "paper-frandi2013",
    "frandi2013-fig3",
    "frandi2013-table2",
    "claims",
    "summary",
    "data-a1a",
    "method-swap2o",
    "runs",
    "provenance",
)
# Without these options, the browser starts further processes, which take time.
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--in-process-gpu", "--renderer-process-limit=1"]
NARROW, WIDE = 360, 1400
PORTRAIT, LANDSCAPE = 703, 1032
"""Widths of an A4 sheet without its margins, in pixels."""
LONG = ("provenance", "runs", "frandi2013-table2")
ROWS = 10
"""The number of rows of a table that are tested for accessibility. The other rows have the same
form.
"""
RULES = {
    "light": ["wcag2a", "wcag2aa", "wcag21aa", "best-practice"],
    # the colour scheme changes nothing else
    "dark": {"type": "rule", "values": ["color-contrast"]},
}


@pytest.fixture(scope="module")
def browser():
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def tab(browser):
    """Return a page that all tests use, and the list of its errors. Each new page would start a
    process.
    """
    page, errors = browser.new_page(), []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on(
        "console",
        lambda message: errors.append(message.text) if message.type == "error" else None,
    )
    page.on(
        "requestfailed",
        lambda one: None if one.failure == "net::ERR_ABORTED" else errors.append(one.url),
    )
    page.on(
        "request",
        lambda asked: None if asked.url[:5] in ("file:", "data:") else errors.append(asked.url),
    )
    return page, errors


@pytest.fixture
def visit(tab, made_folder, released_folder):
    """Return a function that opens a page of one of the reports, and checks that there are no
    errors.
    """

    @contextmanager
    def opened(name, folder="released", width=WIDE, scheme="light"):
        page, errors = tab
        errors.clear()
        page.goto("about:blank")  # without this line, the same address would not be loaded again
        show(page, width, scheme)
        page.goto(f"file://{made_folder if folder == 'made' else released_folder}/{name}")
        yield page
        assert errors == []

    return opened


def show(page, width, scheme="light"):
    """Resize the window, choose the colour scheme, and wait until the page is drawn."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(media="null", color_scheme=scheme)
    page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def test_the_first_page_takes_three_sheets_of_paper_at_most(visit):
    with visit("index.html") as page:
        sheets = re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True))
        assert 1 <= len(sheets) <= 3


@pytest.mark.parametrize(
    ("name", "most"), [("data-w8a", 3), ("provenance", 2), ("beyond-ladder-table", 3)]
)
def test_other_pages_are_short_on_paper(visit, name, most):
    with visit(f"{name}.html") as page:
        sheets = re.findall(rb"/Type\s*/Page\b(?!s)", page.pdf(prefer_css_page_size=True))
        assert 1 <= len(sheets) <= most


def test_nothing_is_cut_at_the_margin_of_paper(visit):
    with visit("index.html") as page:
        page.emulate_media(media="print")
        for name in ("index", "data-w8a", "beyond-robustness", "frandi2013-table3", "claims"):
            page.set_viewport_size({"width": PORTRAIT, "height": 900})
            page.goto(f"{page.url.rpartition('/')[0]}/{name}.html")
            if page.evaluate("getComputedStyle(document.body).page") == "wide":
                page.set_viewport_size({"width": LANDSCAPE, "height": 700})
            spilt = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            assert page.evaluate(spilt) <= 1, name


def test_on_phones_wide_tables_say_so_and_settings_have_labels(visit):
    hints = """[...document.querySelectorAll('.scroll:has(> .data)')]
        .filter(box => box.offsetParent && box.scrollWidth > box.clientWidth + 1)
        .map(box => getComputedStyle(box, '::before').content)"""
    with visit("data-w8a.html", width=NARROW) as page:
        for name in ("data-w8a", "frandi2013-table2", "data", "summary", "method-fw"):
            page.goto(f"{page.url.rpartition('/')[0]}/{name}.html")
            page.wait_for_function("document.querySelector('.scroll:not(.fits)')")
            said = page.evaluate(hints)
            assert said and all("scroll" in one for one in said), name
    with visit("data-w8a.html", width=NARROW) as page:
        for width in (NARROW, WIDE):
            show(page, width)
            label = "getComputedStyle(document.querySelector('.setting'), '::before').content"
            assert "data-label" in page.evaluate(label) or "Setting" in page.evaluate(label)
        # Even if only the rows of one method are shown, each row has the name of its setting.
        page.get_by_label("Method").select_option("FW")
        for width in (WIDE, NARROW):
            show(page, width)
            settings = column(page, 1)
            assert len(settings) == len(set(settings)) >= 5 and all(settings)


def test_a_table_of_many_parts_begins_with_the_first(visit):
    with visit("beyond-ladder-table.html") as page:
        first = page.get_by_label("Part").input_value()
        assert first and set(column(page, 1)) <= {first, ""}
        page.get_by_label("Part").select_option("w8a")
        assert set(column(page, 1)) <= {"w8a", ""} and len(column(page, 1)) > 5
        page.get_by_label("Part").select_option("")
        rows = page.locator("table.data tbody tr").count()
        for _ in range(2):
            assert page.locator("table.data tbody tr:visible").count() == rows
            page.reload()


def column(page, place, table="table.data"):
    cells = page.locator(f"{table} tbody tr:visible td:nth-child({place})")
    return [" ".join(text.split()) for text in cells.all_inner_texts()]


DC = "http://purl.org/dc/elements/1.1/"
ATTACKS = {
    "script": f'><script xmlns="{DC}">document.title = "ran"</script>',
    "image": f'><g xmlns:xlink="{DC}"><image xlink:href="http://127.0.0.1:9/x.png"/></g>',
    "style": " style=\"background-image: image-set('http://127.0.0.1:9/x.png' 1x)\">",
    "cover": ' style="fill: red; position: fixed; inset: 0">',
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_hostile_picture_runs_and_loads_nothing_and_stays_in_its_place(tab, attack):
    page, errors = tab
    errors.clear()
    drawn = safe_svg(f'<svg xmlns="http://www.w3.org/2000/svg"{ATTACKS[attack]}</svg>')
    page.goto("about:blank")
    page.set_content(f"<title>safe</title>{inline_svg(drawn, 'p-', 'a label')}")
    assert page.title() == "safe" and errors == []
    assert page.evaluate("getComputedStyle(document.querySelector('svg')).position") == "static"


def test_every_page_loads_without_errors(visit, made_folder):
    first, *others = sorted(made_folder.glob("*.html"))
    with visit(first.name, "made") as page:
        for path in (first, *others):
            if path is not first:
                page.goto(f"file://{path}")
            assert page.locator("h1").count() == 1, path.name


@pytest.mark.parametrize("kind", KINDS)
def test_pages_fit_narrow_and_wide_windows_and_are_accessible(visit, kind):
    with visit(f"{kind}.html", width=WIDE, scheme="dark") as page:
        check_fit(page)
        show(page, NARROW)
        check_fit(page)
        # For accessibility, a picture has one name, and its parts are not tested.
        left_out = f"tbody tr:nth-child(n+{ROWS + 1}), svg > *"
        page.evaluate(f"document.querySelectorAll('{left_out}').forEach(one => one.remove())")
        check_accessible(page, "light")
        # long pages have the same elements as other pages, but about ten times as many
        if kind not in LONG:
            show(page, WIDE, "dark")
            check_accessible(page, "dark")


def check_fit(page):
    spilt = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    assert page.evaluate(spilt) <= 0
    # wide tables scroll, and are not wider than the column of the text
    ends = "[...document.querySelectorAll('.scroll')].map(one => one.clientWidth)"
    column_of_text = page.evaluate("document.querySelector('main').clientWidth")
    assert max(page.evaluate(ends), default=0) <= column_of_text
    size = page.evaluate("getComputedStyle(document.querySelector('main p')).fontSize")
    assert float(size.removesuffix("px")) >= 14


def check_accessible(page, scheme):
    options = {"preload": False, "resultTypes": ["violations"], "runOnly": RULES[scheme]}
    broken = axe.Axe().run(page, options=options).response["violations"]
    assert [(one["id"], node["html"][:120]) for one in broken for node in one["nodes"]] == []


def test_columns_with_common_words_share_a_heading_and_names_are_found_as_typed(visit):
    with visit("nanculef2014-table2.html") as page:
        table = page.locator("table").first
        assert [text.split()[0] for text in table.locator("th[colspan]").all_inner_texts()] == [
            "p-value",
            "conclusion",
        ]
        page.get_by_label("Find").first.fill("swap-2o vs. swap")
        # one row for the time, and one for the accuracy
        assert table.locator("tbody tr:visible").count() == 2


def test_columns_sort_by_number_and_leave_nothing_out(visit):
    with visit("frandi2013-table2.html", "made") as page:
        assert column(page, 2) == ["97.5 ± 0.25a", "≥ 100", "9.8"]
        page.get_by_role("button", name="ours").click()
        assert column(page, 2) == ["9.8", "97.5 ± 0.25a", "≥ 100"]
        # the third row now has its name, which the row above showed before
        assert column(page, 1) == ["two | x", "one", "one"]
        page.get_by_role("button", name="ours").press("Enter")
        assert column(page, 2) == ["≥ 100", "97.5 ± 0.25a", "9.8"]
        assert page.locator("th[aria-sort=descending]").inner_text().startswith("FW ours")


def test_unknown_numbers_are_sorted_as_numbers_or_last(visit):
    with visit("frandi2013-table3.html", "made") as page:
        page.get_by_role("button", name="ratio").click()
        assert column(page, 1) == ["0.5", "? 1.9", "≥ 100", "?", "–"]
        page.get_by_role("button", name="ratio").click()
        assert column(page, 1) == ["≥ 100", "? 1.9", "0.5", "?", "–"]


def test_a_statement_that_the_search_finds_is_shown_even_if_a_filter_hid_it(visit):
    with visit("claims.html#Verdict=not%20reproduced") as page:
        hidden = page.locator("table.claims tr[hidden]").first
        name, words = hidden.get_attribute("id"), hidden.locator("td").nth(1).inner_text()
        row, box = page.locator(f"[id='{name}']"), page.get_by_label("Search")
        for _ in range(2):  # the second time, the address leads to the row before the search
            assert not row.is_visible()
            box.fill(words.strip().partition("\n")[0])
            page.locator(f"#found li[data-href$='#{name}']").click()
            row.wait_for(state="visible")
            assert page.url.endswith(f"claims.html#{name}")
            assert page.get_by_label("Verdict").input_value() == ""
            page.get_by_label("Find").fill("no such words")
        page.reload()
        assert row.is_visible() and page.locator("table.claims tr[hidden]").count() == 0


def test_an_unknown_protocol_in_the_address_shows_the_first(visit):
    variants = "[...document.querySelectorAll('.variant')].map(one => one.hidden)"
    for asked, hidden in (
        ("gone", [False, True]),
        ("v-frandi2013-fig3-libcvm", [True, False]),
    ):
        with visit(f"frandi2013-fig3.html#protocol={asked}", "made") as page:
            assert page.evaluate(variants) == hidden


def test_statements_are_filtered_by_verdict_and_paper_and_the_address_keeps_it(visit):
    with visit("claims.html") as page:
        total = len(column(page, 1))
        page.get_by_label("Verdict").select_option("reproduced")
        verdicts = page.locator("tbody tr:visible td:first-child > .chip").all_inner_texts()
        assert 0 < len(verdicts) < total and set(verdicts) == {"reproduced"}
        page.get_by_label("Paper").select_option(index=1)
        assert 0 < len(column(page, 1)) < len(verdicts) and len(set(column(page, 5))) == 1
        shown = column(page, 2)
        page.reload()
        assert column(page, 2) == shown
        page.get_by_label("Paper").select_option("")
        page.get_by_label("Find").fill("no such words")
        assert column(page, 2) == [] and "0 of" in page.locator("output").inner_text()


def test_the_leaderboard_switches_measure_and_protocol(visit):
    with visit("summary.html", "made") as page:
        shown = functools.partial(column, page, table="#board table")
        assert shown(1) == ["one", "two <b>"] and shown(2) == ["0.250", "≤ 4.06"]
        page.get_by_label("measure").focus()
        for _ in range(2):  # the list keeps the keyboard's focus
            page.keyboard.press("ArrowDown")
        assert page.get_by_label("measure").input_value() == "accuracy"
        assert shown(2) == ["95.00", "70.00"] and shown(3) == ["85.00", "80.00"]
        page.get_by_label("protocol").select_option("inner")
        page.reload()
        assert shown(1) == ["one"] and page.get_by_label("measure").input_value() == "accuracy"
        page.get_by_role("link", name="one", exact=True).click()
        assert page.locator("h1").inner_text() == "one"
        page.go_back()
        # without a description, a data set has no page to which a link could lead
        data = "JSON.parse(document.getElementById('board-data').textContent)"
        page.evaluate(f"board(document.getElementById('board'), {{...{data}, places: ['', '']}})")
        assert shown(1) == ["one"] and page.locator("#board a").count() == 0


def test_the_search_leads_to_data_sets_and_statements(visit):
    with visit("runs.html", "made") as page:
        box = page.get_by_label("Search")
        box.fill("it is 14")
        page.locator("#found li").first.wait_for()  # the index is loaded at the first use
        assert page.locator("#found li").all_inner_texts() == [
            "reproduced it is 14",
            "not reproduced it is 14",
        ]
        box.press("ArrowUp")
        box.press("ArrowUp")
        assert page.locator("#found li").nth(0).get_attribute("aria-selected") == "true"
        box.fill("two")
        box.press("ArrowDown")
        box.press("Enter")
        page.wait_for_url("**/data-two-b.html")


def test_runs_behind_a_data_set_are_those_of_the_table(visit):
    with visit("data-w1a.html") as page:
        link = page.get_by_role("link", name="rows")
        count = int(link.inner_text().split()[0].replace(",", ""))
        link.click()
        assert page.locator("output").inner_text().startswith(f"{count} of ")
        assert set(column(page, 1)) == {"w1a"} and len(column(page, 1)) == 50
        page.get_by_role("button", name="Next").click()
        assert page.locator(".pages span").inner_text().startswith("51 to ")
        page.get_by_label("method").first.select_option("cvm")
        assert set(column(page, 2)) == {"CVM"} and page.locator(
            ".pages span"
        ).inner_text().startswith("1 to ")
        page.get_by_role("button", name="CPU time").click()
        place = page.locator("th[aria-sort]").evaluate("head => head.cellIndex") + 1
        times = [float(text) for text in column(page, place) if text != "–"]
        assert times == sorted(times)
        page.goto(page.url.partition("#")[0] + "#dataset=a1a,w1a&method=fw,mfw")
        page.reload()
        assert set(column(page, 1)) <= {"a1a", "w1a"} and set(column(page, 2)) <= {"FW", "MFW"}
