"""Protocols: what the configuration decides before a method runs, and the settings that follow."""

from fwsvm.base.parameters import of_method

PROTOCOLS = ("as_run", "as_printed", "libcvm", "all_points")
"""The protocols of the default configuration, in the order in which tables and figures show them."""

CVM_PROTOCOL = "libcvm"
"""Protocols without a CVM of their own show the CVM of this one."""

CERTIFIED_PROTOCOL = "all_points"
"""CVM under this protocol is an extra row, next to that of `CVM_PROTOCOL`."""

NO_PROTOCOL = "none"
"""For trainers that are not ours."""

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
"""How captions explain a protocol."""

SERIES_RULE = "one for the series"
"""What the runs table has for a C that a protocol gives to all data sets of a series."""

_OF_SAMPLES = ("sample_size", "patience", "replacement", "start_alternates")


def protocol_words(protocol):
    """A protocol in words; for a user-defined one its name without underscores."""
    return TITLES.get(protocol, protocol.replace("_", " "))


def protocol_sentence(protocol):
    """What a protocol means, as a sentence for captions; empty for a user-defined one."""
    meaning = MEANINGS.get(protocol, "")
    return f"{meaning[:1].upper()}{meaning[1:]}." if meaning else ""


def solver_settings(protocol, method):
    """What a block of `protocols` in the configuration prescribes to the solver for one method, JSON-ready."""
    settings = {name: protocol[name] for name in (*of_method(method), "init") if name in protocol}
    if protocol["selection"] == "full":
        return settings | {"selection": "full"}
    selection = {name: protocol[name] for name in _OF_SAMPLES if name in protocol}
    alternating = protocol.get("alternate", "none")  # which methods: none, cvm or all
    selection["alternate"] = alternating == "all" or alternating == method == "cvm"
    if method == "cvm" and protocol.get("reject_members") == "none":
        selection["reject_members"] = False
    if method != "cvm" and protocol.get("cooling") == "all":
        selection["cooling"] = True
    return settings | {"selection": selection}


def tuning_rule(config, name, dataset):
    """How kernel width and C of a data set are found under a protocol."""
    protocol = config["protocols"].get(name, {})
    rule = {key: protocol.get(key, config["tuning"][key]) for key in ("width_factor", "ties")}
    given = [part["C"] for part in protocol.get("series_C", []) if dataset in part["datasets"]]
    return rule | ({"C": given[0]} if given else {})
