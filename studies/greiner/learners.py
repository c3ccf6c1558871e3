"""The learners that meet: how each makes a network from the training rows of a fold."""

from math import prod
from typing import Any, NamedTuple

import bnlr
from studies.wrong_structure.run import LABELS

STRUCTURES = ("naive-bayes", "tan", "tpda")
COMPLETE = ("OFE", "ELR")
INCOMPLETE = ("ELR", "APN", "EM")
UNTUNED = LABELS["elr"]
"""ELR that goes on to its optimum."""

IN_THETA = ("ELR_θ", "APN_θ")
"""The same with the CPT entries themselves as coordinates, which the paper left for β."""

LEAST_THRESHOLD, LARGEST_CPT = 0.005, 4096
"""TPDA's threshold in nats, doubled until no CPT has more entries than this."""

MOST_ITERATIONS = 50
"""Of ELR, in cross tuning too, and of APN."""

MOST_EM_STEPS, EM_TOL = 200, 1e-6

_TUNED: dict[str, Any] = {"cross_tuning": "error", "max_iter": MOST_ITERATIONS}
_LEARNERS: dict[str, tuple[str, dict[str, Any]]] = {
    "OFE": ("frequencies", {}),
    "ELR": ("elr", _TUNED),
    UNTUNED: ("elr", {"solver": "l-bfgs"}),
    "APN": ("apn", {"solver": "cg-brent", "max_iter": MOST_ITERATIONS}),
    "EM": ("em", {"tol": EM_TOL, "max_iter": MOST_EM_STEPS}),
    "ELR_θ": ("elr", {**_TUNED, "space": "theta"}),
    "APN_θ": ("apn", {"space": "theta", "max_iter": MOST_ITERATIONS}),
}


class LearntNetwork(NamedTuple):
    """A network, and how many iterations made it."""

    network: bnlr.BayesianNetwork
    iterations: int
    converged: bool


OWN_TPDA = "ours"
TPDA_VARIANTS: dict[str, dict[str, Any]] = {
    OWN_TPDA: {},
    "threshold alone": {"penalty": "none"},
    "any number of rows": {"rows_per_df": 0},
    "absent colliders": {"colliders": "absent"},
    "all as in the paper": {"penalty": "none", "rows_per_df": 0, "colliders": "absent"},
}
"""Where bnlr's TPDA differs from the paper's, each difference undone alone, and all."""


def structure_of(name: str, train: bnlr.Dataset, train_whole: bnlr.Dataset) -> bnlr.Structure:
    """Learn a structure.

    Parameters
    ----------
    name
        One of `STRUCTURES`.
    train
        TAN is learnt from these, holes and all.
    train_whole
        The same rows without holes, which TPDA needs, as PowerConstructor did.
    """
    return general(train_whole) if name == "tpda" else bnlr.learn_structure(train, name)


def general(data: bnlr.Dataset, variant: str = OWN_TPDA) -> bnlr.Structure:
    """What TPDA finds, its threshold doubled until no CPT is too large."""
    threshold = LEAST_THRESHOLD
    while True:
        structure = bnlr.learn_structure(
            data, "tpda", threshold=threshold, **TPDA_VARIANTS[variant]
        )
        if _largest_cpt(structure, data) <= LARGEST_CPT:
            return structure
        threshold *= 2


def _largest_cpt(structure: bnlr.Structure, data: bnlr.Dataset) -> int:
    families = ((node, *structure.parents(node)) for node in structure.nodes)
    return max(prod(data.cards[node] for node in family) for family in families)


def learn(learner: str, structure: bnlr.Structure, train: bnlr.Dataset) -> LearntNetwork:
    """Fit the CPTs of a structure by one of the learners, which all start from OFE (add-one)."""
    kind, options = _LEARNERS[learner]
    result = bnlr.fit(structure, train, learner=kind, n_threads=1, random_state=0, **options)
    return LearntNetwork(result.network, result.n_iter, result.converged)


def n_wrong(network: bnlr.BayesianNetwork, test: bnlr.Dataset) -> int:
    """How many rows have another class than the network's most probable one."""
    return int((network.predict_proba(test).argmax(axis=1) != test.class_codes).sum())
