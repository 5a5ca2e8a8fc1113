"""The page that shows the figures on a code host."""

from site_parts import SVG

from fwsvm.site.build import write_gallery


def test_gallery_by_paper(tmp_path):
    captions = {"singh-fig2": "It | falls. More.", "singh-fig1": "Two circles. More.", "beyond-majority": "A. B.",
                "singh-fig1--other": "Not shown.", "frandi2013-fig3": "W. X."}  # fmt: skip
    for name, caption in captions.items():
        (tmp_path / f"{name}.md").write_text(f"![{name}]({name}.svg)\n\n{caption}\n")
        if name != "frandi2013-fig3":
            (tmp_path / f"{name}.svg").write_text(SVG.format("w"))
    text = write_gallery(tmp_path).read_text()
    headings = [line for line in text.splitlines() if line.startswith("## ")]
    assert headings == ["## Beyond the papers", "## Singh (report)"]
    rows = [line for line in text.splitlines() if line.startswith("| <a")]
    assert ["beyond-majority.svg" in rows[0], "singh-fig1.svg" in rows[1], "singh-fig2.svg" in rows[2]] == [True] * 3
    assert rows[2].endswith("It \\| falls. |") and "(singh-fig2.md)" in rows[2] and "Not shown" not in text
    assert write_gallery(tmp_path).read_text() == text
