"""One task of the study: the CLL along segments, or random structures and their embeddings."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import bnlr
from studies.common import Task

Array = NDArray[np.float64]

_ATTRIBUTES = ("a", "b", "c")
_TREE = (("a", "b"), ("b", "c"))
STRUCTURES = {
    "naive Bayes": bnlr.Structure.naive_bayes(_ATTRIBUTES, class_name="class"),
    "TAN": bnlr.Structure([*(("class", node) for node in _ATTRIBUTES), *_TREE], "class"),
}
"""Both meet Condition 1, so that all maxima are global, along no constraint."""

N_POINTS = 401
"""Of a segment."""
RISE = 1e-9
"""Smaller dips along a segment are rounding, relative to the CLL."""
N_ROWS = 40

SIZES = (5, 8, 12, 20)
DEGREES = (1.0, 2.0, 3.0)
"""Nodes of random structures, and how many parents they have on average."""


def run_task(task: Task) -> dict[str, Any]:
    """Do a task of either part.

    Returns
    -------
    dict
        wrinkles: of so many random segments between two networks, on how many the CLL has a local
        maximum that is not the segment's best, going straight in the CPTs (``cpts``) or in the
        L-model's tables (``tables``).
        embeddings: for each random structure whether it ``holds`` already and once embedded
        (``embedded``), the ``arcs`` added, and its CPT cells of the class and its children
        ``before`` and ``after``.
    """
    rng = np.random.default_rng(task.seed)
    return wrinkles(task, rng) if task["part"] == "wrinkles" else embeddings(task, rng)


def wrinkles(task: Task, rng: np.random.Generator) -> dict[str, Any]:
    """Count segments with a local maximum that is not their best."""
    structure = STRUCTURES[str(task["structure"])]
    states = dict.fromkeys(structure.nodes, (0, 1))
    space = bnlr.Roos(structure, states)
    n_segments = int(str(task["segments"]))
    found = {"cpts": 0, "tables": 0}
    for _ in range(n_segments):
        codes = rng.integers(0, 2, (N_ROWS, len(structure.nodes)))
        data = bnlr.Dataset.from_codes(codes, states, "class")
        one, other = (_drawn(structure, states, rng) for _ in range(2))
        first, last = space.from_network(one), space.from_network(other)
        along = [space.cll(first + t * (last - first), data) for t in _steps()]
        found["tables"] += has_other_maximum(np.array(along))
        straight = [space.cll(space.from_network(_between(one, other, t)), data) for t in _steps()]
        found["cpts"] += has_other_maximum(np.array(straight))
    return {"segments": n_segments, **found}


def has_other_maximum(values: Array) -> bool:
    """Whether a sequence falls and rises again, by more than rounding."""
    slack = RISE * max(1.0, float(np.abs(values).max()))
    highest_before = np.maximum.accumulate(values)
    highest_after = np.maximum.accumulate(values[::-1])[::-1]
    return bool((np.minimum(highest_before, highest_after) - values > slack).any())


def _steps() -> Array:
    return np.linspace(0.0, 1.0, N_POINTS)


def _drawn(
    structure: bnlr.Structure, states: Any, rng: np.random.Generator
) -> bnlr.BayesianNetwork:
    cpts = {}
    for node in structure.nodes:
        first = rng.uniform(0.01, 0.99, (2,) * len(structure.parents(node)))
        cpts[node] = np.stack([first, 1.0 - first], axis=-1)
    return bnlr.BayesianNetwork(structure, states, cpts)


def _between(
    one: bnlr.BayesianNetwork, other: bnlr.BayesianNetwork, t: float
) -> bnlr.BayesianNetwork:
    cpts = {node: (1 - t) * one.cpts[node] + t * other.cpts[node] for node in one.cpts}
    return bnlr.BayesianNetwork(one.structure, one.states, cpts)


def embeddings(task: Task, rng: np.random.Generator) -> dict[str, Any]:
    """Embed random structures over binary nodes."""
    rows: dict[str, list[Any]] = {k: [] for k in ("holds", "embedded", "arcs", "before", "after")}
    for _ in range(int(str(task["structures"]))):
        structure = random_structure(int(str(task["nodes"])), float(str(task["degree"])), rng)
        cards = dict.fromkeys(structure.nodes, 2)
        verdict = bnlr.analyze(structure, cards)
        larger = bnlr.analyze(structure.with_arcs(verdict.embedding), cards)
        rows["holds"].append(verdict.satisfies_condition_1)
        rows["embedded"].append(larger.satisfies_condition_1)
        rows["arcs"].append(len(verdict.embedding))
        rows["before"].append(_cells(verdict))
        rows["after"].append(_cells(larger))
    return rows


def random_structure(n_nodes: int, degree: float, rng: np.random.Generator) -> bnlr.Structure:
    """A DAG with each arc along a random order equally likely; the class is any node."""
    nodes = [f"V{k}" for k in range(n_nodes)]
    chance = min(1.0, 2.0 * degree / (n_nodes - 1))
    arcs = [(nodes[i], nodes[j]) for j in range(n_nodes) for i in range(j) if rng.random() < chance]
    return bnlr.Structure(arcs, nodes[int(rng.integers(n_nodes))], nodes)


def _cells(verdict: bnlr.StructureReport) -> int:
    counts: Any = verdict.parameter_counts
    return int(counts["beta"])
