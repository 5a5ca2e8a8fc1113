"""The registry of peers, trainers that are not ours; importing it imports none of them."""

from collections.abc import Callable
from dataclasses import dataclass

SVC = "svc"
"""The peer that runs on every data set of the benchmark."""


@dataclass(frozen=True)
class Peer:
    """A trainer: the package it is in, the problem it solves, and its steps."""

    module: str
    problem: str
    steps: Callable
    own_features: bool = False
    has_components: bool = False


def _svc(module):
    def steps(gamma, C, settings, components, seed):
        return [(f"{module}.svm:SVC", {"gamma": gamma, "C": C, "cache_size": settings["cache_mb"]})]

    return steps


def _svc_without_bound(gamma, C, settings, components, seed):
    # The points' own features contain C; multipliers have no upper bound.
    return _svc("sklearn")(gamma, 1e12, settings, components, seed)


def _nystroem(gamma, C, settings, components, seed):
    # LIBLINEAR writes C sum(xi^2) where the benchmark's methods have C / 2 sum(xi^2); its bias is in the kernel too.
    return [
        ("sklearn.kernel_approximation:Nystroem", {"gamma": gamma, "n_components": components, "random_state": seed}),
        ("sklearn.svm:LinearSVC", {"C": C / 2, "random_state": seed}),
    ]


_HINGE = "hinge (L1) loss, free bias"

PEERS = {
    SVC: Peer("sklearn", _HINGE, _svc("sklearn")),
    "intelex": Peer("sklearnex", _HINGE, _svc("sklearnex")),
    "libsvm_l2": Peer("sklearn", "squared hinge (L2) loss, free bias", _svc_without_bound, own_features=True),
    "nystroem": Peer(
        "sklearn",
        "the benchmark's problem with an approximate kernel; one against the rest where there are several classes",
        _nystroem,
        has_components=True,
    ),
}
"""Name (column ``method``) -> peer."""
