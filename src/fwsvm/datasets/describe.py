"""What a data set is: the row of the papers' Table 1 with its sources, and the page `docs/datasets.md`."""

import textwrap

from fwsvm.base.result_files import markdown_rows
from fwsvm.datasets.entries import required_files
from fwsvm.datasets.storage import Prepared

PAPERS = {
    "frandi2013": "Frandi et al. (2013)",
    "nanculef2014": "Ñanculef et al. (2014)",
    "tsang2005": "Tsang et al. (2005)",
    "singh": "Singh (report)",
    "alaiz2018": "Alaíz and Suykens (2018)",
}
_GROUPS = {
    "adult": "Adult",
    "web": "Web",
    "single": "Single data sets",
    "small": "Small data sets",
    "spare": "Spares",
    "embedded": "Carried by scikit-learn",
    "generated": "Generated",
}
_HEAD = """\
<!-- Written by `fwsvm datasets docs`; edit config/datasets.yaml instead. -->

# Data sets

{count} data sets, one entry each in [config/datasets.yaml](../config/datasets.yaml), from which this page is written.
How to add one: [extending.md](extending.md).

    fwsvm datasets list                          # all of them, and whether they are here
    fwsvm datasets fetch NAME ...                # download the raw files and check them
    fwsvm datasets describe NAME                 # prepare one: sizes, classes, density, checksums
    fwsvm datasets describe NAME --picture X.png # the same, and its first two principal components

In the table, *m* is the number of training points, *t* of test points, *K* of classes, *n* of features. Whatever is
fitted to data (scaling, kernel width) is fitted to the training points only. Checksums are of the decompressed files:

* **verified**: taken from a real file that agrees with independent copies; a file with another sum is refused;
* **unverified**: no real file was available. The sum of the first download is recorded next to it (`<file>.sha256`),
  with a warning, and holds from then on;
* **embedded**, **generated**: the points come with scikit-learn, or from a seeded generator.

Of the sets marked **in the package** this package carries the very files, compressed: they need neither network nor
mirror. Whose they are, and their licence (CC BY 4.0): [embedded](../src/fwsvm/datasets/embedded/README.md).

"""
_WORST_FIRST = ("unverified", "not given", "verified", "generated", "embedded")


def describe(prepared):
    """Describe a prepared data set, or the content of its `meta.json`, as a dict.

    ``m``, ``t``: training and test points; ``K``: classes; ``m_max``, ``m_min``: training points of the largest and the
    smallest one-versus-one problem; ``n``: features; ``stand_in``: its neighbours and the seed of a stand-in, or None;
    ``checksum``: ``verified``, ``unverified`` (recorded at the first download only), ``not given`` (a file on disk),
    ``embedded`` (scikit-learn's) or ``generated``.
    """
    meta = prepared.meta if isinstance(prepared, Prepared) else prepared
    counts = sorted(meta["class_counts"]["train"])
    states = {source["checksum"] for source in meta["sources"]}
    return {
        "dataset": meta["name"],
        **{key: meta[key] for key in ("m", "t", "K")},
        "m_max": counts[-1] + counts[-2],
        "m_min": counts[0] + counts[1],
        "n": meta["n"],
        "classes": [
            {"label": label, "train": train, "test": test}
            for label, train, test in zip(
                meta["classes"], meta["class_counts"]["train"], meta["class_counts"]["test"], strict=True
            )
        ],
        **{key: meta[key] for key in ("density", "average_squared_distance", "sigma2", "positive", "storage")},
        "scaling": meta["scaling"]["method"],
        **{key: meta[key] for key in ("split", "subset", "sources", "built")},
        "stand_in": meta.get("stand_in"),
        "checksum": _worst(states),
    }


def checksum_of_entry(entry, catalogue):
    """The ``checksum`` of `describe`, which is known before a file is there."""
    kinds = {"sklearn": "embedded", "generator": "generated"}
    return kinds.get(entry.source.kind) or _worst({file.checksum for file in required_files(entry, catalogue).values()})


def _worst(states):
    return next(state for state in _WORST_FIRST if state in states)


def write_page(catalogue):
    """The page, as Markdown, of a catalogue (name -> `DatasetEntry`)."""
    groups = {group: [entry for entry in catalogue.values() if entry.group == group] for group in _GROUPS}
    for entry in catalogue.values():
        if entry.group not in _GROUPS:
            groups.setdefault(entry.group, []).append(entry)
    header = ("name", "what", "m", "t", "K", "n", "papers", "checksum")
    rows = [_row(entry, catalogue) for entries in groups.values() for entry in entries]
    parts = [_HEAD.format(count=len(catalogue)), markdown_rows(header, rows, "llrrrrll"), "\n"]
    for group, entries in groups.items():
        if not entries:
            continue
        parts.append(f"\n## {_GROUPS.get(group, group.capitalize())}\n")
        facts = [_facts(entry, catalogue) for entry in entries]
        shared = set.intersection(*map(set, facts)) if len(facts) > 1 else set()
        if shared:
            parts.append("\nIn common:\n\n" + _bullets(fact for fact in facts[0] if fact in shared))
        for entry, its_facts in zip(entries, facts, strict=True):
            bullets = _bullets(fact for fact in its_facts if fact not in shared)
            note = f"\n{_wrap(entry.note.strip())}\n" if entry.note else ""
            parts.append(f"\n### {entry.name}\n\n{entry.title}.\n\n{bullets}{note}")
    return "".join(parts)


def _row(entry, catalogue):
    sizes = (entry.expected.train, entry.expected.test, entry.expected.classes, entry.features)
    checksum = checksum_of_entry(entry, catalogue) + (", in the package" if _is_embedded(entry, catalogue) else "")
    numbers = ["-" if size is None else f"{size:,}" for size in sizes]
    return [f"[{entry.name}](#{entry.name})", entry.title, *numbers, ", ".join(entry.papers) or "-", checksum]


def _is_embedded(entry, catalogue):
    files = required_files(entry, catalogue).values()
    return bool(files) and all(file.embedded for file in files)


def _facts(entry, catalogue):
    """(label, text) of everything an entry says."""
    expected, scaling = entry.expected, entry.scaling
    low, high = scaling.minmax
    sizes = {
        "training points": expected.train,
        "test points": expected.test,
        "classes": expected.classes,
        "features": entry.features,
    }
    scalings = {
        "none": "none",
        "minmax": f"each feature to [{low:g}, {high:g}]",
        "standard": "each feature to mean 0 and standard deviation 1",
        "unit-length": "each point to length 1",
        "divide": f"all values divided by {scaling.divide:g}",
    }
    papers = ", ".join(PAPERS[paper] for paper in entry.papers)
    positive = " and ".join(map(str, entry.positive))
    is_average = entry.sigma2 == "average"
    width = "average squared distance of the training points" if is_average else f"{entry.sigma2:g}"
    facts = [
        ("Papers", papers + (f', as "{entry.paper_name}"' if papers and entry.paper_name != entry.name else "")),
        ("Sizes", ", ".join(f"{count:,} {what}" for what, count in sizes.items() if count is not None)),
        ("Source", _source(entry.source)),
        ("In the package", "a copy of the files, unchanged but compressed" if _is_embedded(entry, catalogue) else ""),
        ("Split", _split(entry.split)),
        ("Stand-in", _stand_in(entry.stand_in)),
        ("Classes", f"1 is {positive} of the source, -1 all others" if positive else ""),
        ("Scaling", scalings[scaling.method]),
        ("Kernel width", f"sigma^2 = {width}"),
        *((f"Not as printed, {column}", reason) for column, reason in entry.differs.items()),
        ("Checksum", checksum_of_entry(entry, catalogue)),
        ("Licence", entry.licence),
        ("Citation", entry.citation),
    ]
    return [(label, text.strip()) for label, text in facts if text]


def _source(source):
    if source.sklearn:
        return f"`sklearn.datasets.load_{source.sklearn}`"
    settings = {"seed": source.seed, **source.parameters} if source.generator else source.parameters
    settings = ", ".join(f"{key} {value}" for key, value in settings.items())
    if source.generator:
        return f"generator `{source.generator}`, {source.size:,} points ({settings})"
    files = ", ".join(
        f"[{file.name.rpartition('/')[2]}]({file.url})" if file.url else f"`{file.path}`"
        for file in source.files.values()
    )
    if source.builder:
        recipe = f"[{source.builder}](../src/fwsvm/datasets/builders/{source.builder}.py)"
        return f"built by {recipe}{', ' if settings else ''}{settings} from {files}"
    return f"{files} ({source.format})"


def _split(split):
    if split.fraction:
        return f"{split.fraction:.0%} of the rows at random for testing, seed {split.seed}"
    if split.complement_of:
        return f"test points are those of [{split.complement_of}](#{split.complement_of}) that are not training points"
    if split.test_size:
        return f"{split.test_size:,} further points for testing"
    return "as the builder makes it" if split.test == "builder" else "the files' own"


def _stand_in(stand_in):
    if stand_in is None:
        return None
    smaller, larger = (f"[{name}](#{name})" for name in (stand_in.smaller, stand_in.larger))
    return (
        f"where the file is missing: {smaller} and, to the exact size, rows drawn from those that only {larger} has"
        f" (seed {stand_in.seed}); marked wherever it appears ([recipe](../src/fwsvm/datasets/builders/nested.py))"
    )


def _bullets(facts):
    return "".join(_wrap(f"* {label}: {text}", "  ") + "\n" for label, text in facts)


def _wrap(text, indent=""):
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
