"""Functions that describe a prepared data set (sizes, parameters, sources), and that write the page
`docs/datasets.md`.
"""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from fwsvm_papers.datasets.entries import required_files
from fwsvm_papers.result_files import markdown_rows

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fwsvm_papers.datasets.entries import DatasetEntry, Scaling, Source, Split
    from fwsvm_papers.datasets.storage import Prepared

_HEAD = """\
<!-- Written by `fwsvm datasets docs`; edit config/datasets.yaml instead. -->

# Data sets

The catalogue [config/datasets.yaml](../config/datasets.yaml) has an entry for each of the {count}
data sets. The command `fwsvm datasets docs` makes this page from the entries.
[extending.md](extending.md) explains how to add a data set. `fwsvm datasets --help` lists the
commands for data sets.

In the table, *m* is the number of training points, *t* is the number of test points, *K* is the
number of classes, and *n* is the number of features. The column *papers* gives the [short
names](words.md#papers) of the papers that use the data set. The column *checksum* says how the
program checks the files of the data set. The program computes checksums from the decompressed
files.

* **verified**: the catalogue has the checksums of all files. The program refuses a file with
  another checksum.
* **unverified**: for at least one file, the catalogue has no checksum. The program computes the
  checksum of the first download that it can read, and writes this checksum into a file beside the
  download. The program refuses later downloads with another checksum.
* **embedded**: the points come with scikit-learn.
* **generated**: the points come from a generator with a fixed seed.
* **in the package** (`embedded: true` in the catalogue): this package has compressed copies of the
  files, so no download is needed. The page about [these
  copies](../src/fwsvm_papers/datasets/embedded/README.md) names the authors and the licence (CC BY
  4.0).

After the table, each data set has a section. The sections use these terms:

* **Split** says where the test points come from. The text in brackets shows the keys and values in
  the catalogue. With `complement_of`, the test points are the rows of a larger data set that are
  not training points. If a row occurs several times in the larger data set, each of its copies
  among the training points removes only one copy from the test points.
* **Stand-in** names two data sets. If the file of a data set is missing, a
  [stand-in](words.md#experiments) replaces this data set. The stand-in has all training points of
  the first named data set, and further random training points of the second one. Tables mark
  stand-ins with a star.
* **Scaling** says how we scale the features. Only the training points determine this scaling. If
  the features are already scaled in the source, the end of the section says so.
* **Kernel width** gives beta. The width of the kernel depends on gamma, which is a multiple of 1 /
  beta. The [protocol](protocol.md#the-four-protocols) sets this multiple. For most data sets, beta
  is the average squared distance between training points.
* **m_max** and **m_min** are sizes of binary problems. If a data set has more than two classes,
  each pair of classes gives one binary problem. The largest of these problems has *m_max* training
  points, and the smallest has *m_min* training points.

"""
_WORST_FIRST = ("unverified", "not given", "verified", "generated", "embedded")


def describe(prepared: Prepared) -> dict:
    """Return a dict for JSON that describes a prepared data set."""
    meta = prepared.meta
    counts = sorted(meta["class_counts"]["train"])
    return {
        "dataset": meta["name"],
        **{key: meta[key] for key in ("m", "t", "K")},
        "m_max": counts[-1] + counts[-2],
        "m_min": counts[0] + counts[1],
        "n": meta["n"],
        "classes": count_classes(prepared),
        **{
            key: meta[key]
            for key in ("density", "average_squared_distance", "sigma2", "positive", "storage")
        },
        "scaling": meta["scaling"]["method"],
        **{key: meta[key] for key in ("split", "subset", "sources", "built")},
        "stand_in": meta.get("stand_in"),
        "checksum": min((source["checksum"] for source in meta["sources"]), key=_WORST_FIRST.index),
    }


def count_classes(prepared: Prepared) -> list[dict]:
    """Return a dict for each class: its label, and its numbers of training and test points."""
    meta = prepared.meta
    counts = meta["class_counts"]["train"], meta["class_counts"]["test"]
    return [
        {"label": label, "train": train, "test": test}
        for label, train, test in zip(meta["classes"], *counts, strict=True)
    ]


def checksum_of_entry(entry: DatasetEntry, catalogue: dict[str, DatasetEntry]) -> str:
    """Return the state of the checksums of an entry's files, such as ``unverified``.

    If the files have different states, the weakest state is returned. If the entry has no files,
    ``embedded`` (points from scikit-learn) or ``generated`` is returned. The files are not read.
    """
    if not (files := required_files(entry, catalogue)):
        return "embedded" if entry.source.sklearn else "generated"
    return min((file.checksum for file in files.values()), key=_WORST_FIRST.index)


def write_page(catalogue: dict[str, DatasetEntry]) -> str:
    """Return a Markdown page about a catalogue (a mapping from names to `DatasetEntry`)."""
    header = ("name", "what", "m", "t", "K", "n", "papers", "checksum")
    rows = [_row(entry, catalogue) for entry in catalogue.values()]
    parts = [_HEAD.format(count=len(catalogue)), markdown_rows(header, rows, "llrrrrll"), "\n"]
    for entry in catalogue.values():
        bullets = [
            _wrap(f"* {label}: {text.strip()}", "  ") for label, text in _facts(entry) if text
        ]
        parts.append(f"\n## {entry.name}\n\n{entry.title}.\n\n" + "\n".join(bullets) + "\n")
        if entry.note:
            parts.append(f"\n{_wrap(entry.note.strip())}\n")
    return "".join(parts)


def _row(entry: DatasetEntry, catalogue: dict[str, DatasetEntry]) -> list[str]:
    files = required_files(entry, catalogue).values()
    is_embedded = bool(files) and all(file.embedded for file in files)
    checksum = checksum_of_entry(entry, catalogue) + (", in the package" if is_embedded else "")
    sizes = (entry.expected.train, entry.expected.test, entry.expected.classes, entry.features)
    numbers = ["-" if size is None else f"{size:,}" for size in sizes]
    return [
        f"[{entry.name}](#{entry.name})",
        entry.title,
        *numbers,
        ", ".join(entry.papers) or "-",
        checksum,
    ]


def _facts(entry: DatasetEntry) -> Iterator[tuple[str, str | None]]:
    """Yield pairs (label, text) with the facts of an entry that are not in the table of the page.
    The text can be None.
    """
    stand_in = entry.stand_in
    yield "Source", _source(entry.source)
    yield "Split", _split(entry.split)
    if stand_in:
        yield (
            "Stand-in if the file is missing",
            f"all training points of {stand_in.smaller}, and random training points of"
            f" {stand_in.larger}",
        )
    if entry.positive:
        yield (
            "Classes",
            (
                "class 1 has the points of class"
                f" {' or '.join(map(str, entry.positive))} of the source, and class -1 has all"
                " other points"
            ),
        )
    yield "Scaling", _scaling(entry.scaling)
    yield (
        "Kernel width",
        "beta is the average squared distance between training points"
        if entry.sigma2 == "average"
        else f"beta is {entry.sigma2:g}",
    )
    for column, reason in entry.differs.items():
        yield f"Why {column} differs from the paper's value", reason
    yield "Licence", entry.licence
    yield "Citation", entry.citation


def _split(split: Split) -> str:
    """Return a phrase that says where the test points come from, according to the keys of the data
    set's entry in the catalogue. The phrase ends with these keys.
    """
    keys = split.model_dump(exclude_none=True)
    if split.fraction:
        share = f"{100 * split.fraction:.4f}".rstrip("0").rstrip(".")
        words = f"the test points are a random {share} % of all points"
        if split.stratify:
            words += ", and each class has this share of test points"
    elif split.complement_of:
        words = (
            f"the test points are the rows of {split.complement_of} that are not training points"
        )
    elif split.test_size:
        words = f"the generator makes {split.test_size:,} test points"
    elif split.test == "file":
        words = "the test points are in a separate file"
    else:
        words = "the program that builds the data set also makes the test points"
    return f"{words} (`{', '.join(f'{key}: {value}' for key, value in keys.items())}`)"


def _scaling(scaling: Scaling) -> str:
    """Return a phrase that says how the features are scaled."""
    low, high = scaling.minmax
    return {
        "none": "none",
        "minmax": f"the range of each feature in the training points becomes [{low:g}, {high:g}]",
        "standard": "each feature has mean 0 and standard deviation 1 in the training points",
        "unit-length": "each point has length 1",
        "divide": f"all values are divided by {scaling.divide:g}",
    }[scaling.method]


def _source(source: Source) -> str:
    if source.sklearn:
        return f"`sklearn.datasets.load_{source.sklearn}`"
    if source.openml:
        chosen = source.openml
        drop = [f"without {', '.join(source.openml.drop)}"] if source.openml.drop else []
        target = [f"target {chosen.target}"] if chosen.target else []
        return ", ".join([f"OpenML [{chosen}]({chosen.file.url})", *target, *drop])
    settings, made_by = source.parameters, ""
    if source.generator:
        made_by = f"made by the generator `{source.generator}`"
        settings = {"points": f"{source.size:,}", "seed": source.seed, **settings}
    elif source.builder:
        recipe = f"[{source.builder}](../src/fwsvm_papers/datasets/builders/{source.builder}.py)"
        made_by = f"built by the program {recipe}"
    values = ", ".join(f"{key}: {value}" for key, value in settings.items())
    links = ", ".join(
        f"[{file.name.rpartition('/')[2]}]({file.url})" if file.name else f"`{file.path}`"
        for file in source.files.values()
    )
    if not made_by:
        return links
    return made_by + (f" ({values})" if values else "") + (f" from {links}" if links else "")


def _wrap(text: str, indent: str = "") -> str:
    return textwrap.fill(
        text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )
