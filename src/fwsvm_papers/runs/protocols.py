"""Functions that make solver settings from protocols.

A protocol is a set of rules for sampling, tuning and stopping.
"""

from fwsvm.inputs.parameters import of_method

# The protocols of the default configuration, in the order of tables and figures.
PROTOCOLS = ("as_run", "as_printed", "libcvm", "all_points")
LIBCVM_PATIENCE = 7  # LibCVM stops after this number of samples in a row without a violation
CVM_PROTOCOL = "libcvm"  # the protocol of studies whose CVM draws samples as LibCVM does
# the protocol of studies whose methods look at all points in every step
FULL_PROTOCOL = "all_points"
NO_PROTOCOL = "none"  # the protocol name of methods that have no protocol, such as LIBSVM
# Each protocol has two texts. The first is shown instead of the protocol's name. The second is a
# sentence for captions.
WORDS = {
    "as_run": ("inferred settings", "The settings are inferred from the authors' program."),
    "as_printed": (
        "settings of the papers' text",
        "The settings are those of the papers' text (for CVM's inner tolerance, LibCVM's).",
    ),
    "libcvm": (
        "settings of LibCVM",
        "The settings are those of LibCVM, the program of CVM's authors.",
    ),
    "all_points": ("all points", "Every step looks at all training points."),
}
# The value of the column `C_rule` if C is the same for all data sets of a series.
SERIES_RULE = "one for the series"
_OF_SAMPLES = ("sample_size", "patience", "replacement", "start_alternates")


def protocol_words(protocol: str) -> str:
    """Return a protocol in words.

    For a protocol that the user defined, the words are the name of the protocol with spaces instead
    of underscores.
    """
    return WORDS.get(protocol, (protocol.replace("_", " "),))[0]


def protocol_sentence(protocol: str) -> str:
    """Return a sentence for captions that explains a protocol. For a protocol that the user
    defined, return an empty text.
    """
    return WORDS.get(protocol, ("", ""))[1]


def solver_settings(protocol: dict, method: str) -> dict:
    """Return the solver settings of one method as a dict for JSON. The dict `protocol` is a block
    of the section `protocols` in the configuration.
    """
    settings = {name: protocol[name] for name in (*of_method(method), "init") if name in protocol}
    if protocol["selection"] == "full":
        return settings | {"selection": "full"}
    selection = {name: protocol[name] for name in _OF_SAMPLES if name in protocol}
    # `alternate` is "none", "cvm" or "all". It says for which methods samples are drawn from the
    # two classes in turn.
    alternating = protocol.get("alternate", "none")
    selection["alternate"] = alternating == "all" or alternating == method == "cvm"
    if method == "cvm" and protocol.get("reject_members") == "none":
        selection["reject_members"] = False
    if method != "cvm" and protocol.get("cooling") == "all":
        selection["cooling"] = True
    return settings | {"selection": selection}


def tuning_rule(config: dict, name: str, dataset: str) -> dict:
    """Return the rule by which the kernel width and C of a data set are chosen under a protocol."""
    protocol = config["protocols"][name]
    rule = {key: protocol.get(key, config["tuning"][key]) for key in ("width_factor", "ties")}
    given = [part["C"] for part in protocol.get("series_C", []) if dataset in part["datasets"]]
    return rule | ({"C": given[0]} if given else {})
