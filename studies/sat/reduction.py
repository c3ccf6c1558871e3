"""From a formula to a network and an incomplete sample (the proof of Theorem 2)."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

import bnlr
from studies.sat.formula import Formula

CLASS = "A"
STATES = ("0", "1")


def structure_of(formula: Formula) -> bnlr.Structure:
    """X_i → C_j for the variables of clause j; D_j is the child of D_{j−1} and C_j.

    D_1 is C_1, and the last D is the class A.
    """
    arcs = [(f"X{abs(k)}", f"C{j}") for j, clause in _numbered(formula) for k in clause]
    n = len(formula.clauses)
    above = "C1"
    for j in range(2, n + 1):
        own = _conjunction(j, n)
        arcs += [(above, own), (f"C{j}", own)]
        above = own
    if n == 1:
        arcs.append(("C1", CLASS))
    return bnlr.Structure(arcs, class_name=CLASS, nodes=nodes_of(formula))


def nodes_of(formula: Formula) -> list[str]:
    """Variables, clauses, conjunctions, and the class last."""
    n = len(formula.clauses)
    variables = [f"X{i}" for i in range(1, formula.n_variables + 1)]
    conjunctions = [f"D{j}" for j in range(2, n)]
    return [*variables, *(f"C{j}" for j in range(1, n + 1)), *conjunctions, CLASS]


def states_of(formula: Formula) -> dict[str, tuple[str, ...]]:
    """Every node is false or true, "0" or "1"."""
    return dict.fromkeys(nodes_of(formula), STATES)


def sample_of(formula: Formula) -> bnlr.Dataset:
    """A row for each clause, its variables set so that it is false, with A false; one with A true.

    All other cells are missing.
    """
    rows: list[dict[str, str]] = []
    for clause in formula.clauses:
        cells = {f"X{abs(k)}": STATES[int(k < 0)] for k in clause}
        rows.append({**cells, CLASS: STATES[0]})
    rows.append({CLASS: STATES[1]})
    frame = pd.DataFrame(rows, columns=nodes_of(formula), dtype=object)
    return bnlr.Dataset.from_frame(frame, CLASS, states=states_of(formula))


def construction(
    formula: Formula, assignment: Sequence[bool], eps: float = 0.0
) -> bnlr.BayesianNetwork:
    """CPTs of the proof: clauses are disjunctions, the D and A conjunctions, X_i the assignment.

    P(X_i = assignment_i) = 1 − ``eps``. Under a satisfying assignment the CLL tends to 0 with eps.
    """
    structure = structure_of(formula)
    cpts = {}
    for i, value in enumerate(assignment, start=1):
        cpts[f"X{i}"] = np.array([eps, 1.0 - eps] if value else [1.0 - eps, eps])
    for j, clause in _numbered(formula):
        cpts[f"C{j}"] = _disjunction(structure, f"C{j}", clause)
    for node in structure.nodes:
        if node not in cpts:
            cpts[node] = _all_of(len(structure.parents(node)))
    return bnlr.BayesianNetwork(structure, states_of(formula), cpts)


def random_network(formula: Formula, seed: int) -> bnlr.BayesianNetwork:
    """CPTs from standard normal β, to start from."""
    rng = np.random.default_rng(seed)
    structure, states = structure_of(formula), states_of(formula)
    cpts = {}
    for node in structure.nodes:
        logits = np.exp(rng.standard_normal((2,) * (len(structure.parents(node)) + 1)))
        cpts[node] = logits / logits.sum(axis=-1, keepdims=True)
    return bnlr.BayesianNetwork(structure, states, cpts)


def _numbered(formula: Formula) -> list[tuple[int, tuple[int, ...]]]:
    return list(enumerate(formula.clauses, start=1))


def _conjunction(j: int, n: int) -> str:
    return CLASS if j == n else f"D{j}"


def _disjunction(structure: bnlr.Structure, node: str, clause: Sequence[int]) -> np.ndarray:
    parents = structure.parents(node)
    table = np.empty((2,) * len(parents) + (2,))
    for values in np.ndindex(table.shape[:-1]):
        own = {parent: bool(value) for parent, value in zip(parents, values, strict=True)}
        is_true = any(own[f"X{abs(k)}"] == (k > 0) for k in clause)
        table[values] = (0.0, 1.0) if is_true else (1.0, 0.0)
    return table


def _all_of(n_parents: int) -> np.ndarray:
    table = np.zeros((2,) * n_parents + (2,))
    table[..., 0] = 1.0
    table[(1,) * n_parents] = (0.0, 1.0)
    return table
