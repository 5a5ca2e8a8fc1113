"""Protocols: what is decided before a method runs, as data of the configuration, and the settings that follow."""

from fwsvm.base.parameters import of_method

PROTOCOLS = ("as_run", "as_printed", "libcvm", "all_points")
"""The protocols of the default configuration, in the order in which tables and figures show them."""

CVM_PROTOCOL = "libcvm"
"""Whose CVM stands under the protocols that have no CVM of their own."""

CERTIFIED_PROTOCOL = "all_points"
"""Under which CVM is an extra row, next to that of `CVM_PROTOCOL`."""

NO_PROTOCOL = "none"
"""Stands for the protocol of trainers that are not ours."""

TITLES = {
    "as_run": "settings of the authors' program",
    "as_printed": "settings of the papers' text",
    "libcvm": "samples of LibCVM",
    "all_points": "all points",
    "printed": "printed, not run",
}
"""What readers see instead of a protocol's name."""

MEANINGS = {
    "as_run": "settings of the authors' published program",
    "as_printed": "settings as the papers state them",
    "libcvm": "samples as LibCVM, by CVM's authors, draws",
    "all_points": "each step looks at all training points",
}
"""What captions say of a protocol."""

OF_SELECTION = {"sampled_text": "as_printed", "sampled_libcvm": "libcvm", "full": "all_points", "none": "none"}
"""Selection -> protocol of runs that were recorded before protocols had names."""

SERIES_RULE = "one for the series"
"""How the runs table names a C that a protocol gives to all data sets of a series."""

_OF_SAMPLES = ("sample_size", "patience", "replacement", "start_alternates")


def protocol_words(protocol):
    """A protocol in words; the name of a user's own, without its underscores."""
    return TITLES.get(protocol, protocol.replace("_", " "))


def protocol_sentence(protocol):
    """What a protocol means, as a sentence for captions; nothing of a user's own."""
    meaning = MEANINGS.get(protocol, "")
    return f"{meaning[:1].upper()}{meaning[1:]}." if meaning else ""


def solver_settings(protocol, method):
    """What a protocol prescribes to the solver for one method.

    Parameters
    ----------
    protocol : dict
        A block of `protocols` of the configuration.
    method : str

    Returns
    -------
    dict
        JSON-ready: `selection` ("full", or the fields of a `fwsvm.solvers.settings.Selection`) and other settings of
        the estimator.
    """
    settings = {name: protocol[name] for name in (*of_method(method), "init") if name in protocol}
    if protocol["selection"] == "full":
        return settings | {"selection": "full"}
    selection = {name: protocol[name] for name in _OF_SAMPLES if name in protocol}
    selection["alternate"] = _holds(protocol.get("alternate", "none"), method)
    if method == "cvm" and protocol.get("reject_members") == "none":
        selection["reject_members"] = False
    if method != "cvm" and protocol.get("cooling") == "all":
        selection["cooling"] = True
    return settings | {"selection": selection}


def tuning_rule(config, name, dataset):
    """How kernel width and C of a data set are found under a protocol.

    Returns
    -------
    dict
        `width_factor` (gamma = factor / beta), `ties` (which of equally good C) and, where the protocol gives the data
        set a value, `C`.
    """
    protocol = config["protocols"].get(name, {})
    rule = {key: protocol.get(key, config["tuning"][key]) for key in ("width_factor", "ties")}
    given = [part["C"] for part in protocol.get("series_C", []) if dataset in part["datasets"]]
    return rule | ({"C": given[0]} if given else {})


def _holds(methods, method):
    """Whether what a protocol says of "none", "cvm" or "all" methods holds for this one."""
    return methods == "all" or methods == method == "cvm"
