"""What a prepared data set is: the row of the papers' Table 1, and where it comes from."""

from fwsvm.datasets.checksums import checksum_state
from fwsvm.datasets.entries import GeneratedSource, PackageSource, required_files
from fwsvm.datasets.storage import Prepared

_WORST_FIRST = ("unverified", "not given", "verified", "generated", "embedded")


def describe(prepared):
    """Describe a prepared data set.

    Parameters
    ----------
    prepared : Prepared or dict
        Opened prepared data, or the content of their `meta.json`.

    Returns
    -------
    dict
        ``dataset``; ``m``, ``t``: training and test points; ``K``: classes; ``m_max``, ``m_min``: training
        points of the largest and the smallest one-versus-one problem; ``n``: features; ``classes``: list of
        ``label``, ``train``, ``test``; ``density``; ``average_squared_distance`` and ``sigma2`` rule;
        ``positive``: labels of the source that make class 1, if any; ``storage``; ``scaling``; ``split``;
        ``subset``; ``sources``; ``built``: recipe and findings of a built set, or None; ``stand_in``: its neighbours
        and the seed of a stand-in, or None; ``checksum``: ``verified``,
        ``unverified`` (recorded at the first download only), ``not given`` (a file on disk), ``embedded``
        (scikit-learn's) or ``generated``.
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
    if isinstance(entry.source, PackageSource):
        return "embedded"
    if isinstance(entry.source, GeneratedSource):
        return "generated"
    return _worst({checksum_state(file) for file in required_files(entry, catalogue).values()})


def _worst(states):
    return next(state for state in _WORST_FIRST if state in states)
