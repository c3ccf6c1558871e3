"""The penalty and its scaled centre by the letter: one row, one fold, one copy at a time."""

from __future__ import annotations

from hashlib import blake2b
from itertools import product
from math import exp, frexp, log
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

from tests.oracles.model import Array, Model

N_FOLDS = 5
MAX_SCALE = 10.0


def penalty(model: Model, tables: dict[str, Array], centre: dict[str, Array], strength: float):
    """½ · strength · the squares of what tables and centre differ in, where that is penalised.

    Both map the class and its children to arrays with CPT axes.
    """
    total = 0.0
    for node in model.class_families:
        axis = model.family(node).index(model.class_name)
        moved = tables[node] - centre[node]
        moved = moved - moved.mean(axis=axis, keepdims=True)
        if node == model.class_name:
            moved = moved - moved.reshape(-1, model.n_classes).mean(axis=0)
        total += float((moved**2).sum())
    return 0.5 * strength * total


def copies(model: Model, rows: list[dict[str, int]], weights: Any) -> list[dict[str, int]]:
    """Each row as often as it weighs, a whole number."""
    return [row for row, weight in zip(rows, weights, strict=True) for _ in range(int(weight))]


def dealt(
    rows: list[dict[str, int]],
    terms: list[tuple[str, ...]],
    model: Model,
    labels: Any,
    n_folds: int = N_FOLDS,
    n_terms: int | None = None,
) -> list[list[dict[str, int]]]:
    """Folds of rows, dealt in turn in the order of their hashes: sums over the sets ``terms``."""
    n_terms = sum(len(scope) for scope in terms) if n_terms is None else n_terms
    bits = 53 - frexp(n_terms)[1]

    def number(node: str, code: int, kept: int) -> int:
        text = f"{node}\0{(labels[node][code] if code >= 0 else None)!r}"
        return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big") >> (64 - kept)

    def key(row: dict[str, int]) -> tuple[int, int]:
        cells = sum(number(a, row[a], bits) for scope in terms for a in scope)
        return number(model.class_name, row[model.class_name], 53), cells

    ordered = sorted(rows, key=key)
    return [ordered[fold::n_folds] for fold in range(n_folds)]


def estimate(
    model: Model, rows: list[dict[str, int]], node: str, row: dict[str, int], pseudocount: float
) -> float:
    """P(node's state | its parents') of ``row``, smoothed; rows that lack a cell are left out."""
    family = model.family(node)
    seen = [r for r in rows if all(r[member] >= 0 for member in family)]
    own, given = model.class_name, [p for p in model.parents[node] if p != model.class_name]
    if node != own:
        seen = [r for r in seen if r[own] == row[own]]
    among = sum(r[node] == row[node] for r in seen)
    total, card = len(seen) + pseudocount * model.cards[node], model.cards[node]
    marginal = (among + pseudocount) / total if total else 1 / card
    if not given or all(model.cards[p] == 1 for p in given):
        return marginal
    here = [r for r in seen if all(r[p] == row[p] for p in given)]
    return (sum(r[node] == row[node] for r in here) + 5.0 * marginal) / (len(here) + 5.0)


def log_scores(
    model: Model, rows: list[dict[str, int]], row: dict[str, int], pseudocount: float
) -> tuple[list[float], list[float]]:
    """Log prior and log evidence of each class for one complete row, estimated from ``rows``."""
    prior, evidence = [], []
    for c in range(model.n_classes):
        as_c = {**row, model.class_name: c}
        plain = Model(model.nodes, model.cards, {model.class_name: ()}, model.class_name)
        known = [r for r in rows if all(r[m] >= 0 for m in model.family(model.class_name))]
        prior.append(log(estimate(plain, known, model.class_name, as_c, pseudocount)))
        logs = [log(estimate(model, rows, n, as_c, pseudocount)) for n in model.class_families]
        evidence.append(sum(logs) - prior[-1])
    return prior, evidence


def holed_scores(
    model: Model,
    rows: list[dict[str, int]],
    row: dict[str, int],
    pseudocount: float,
    other: dict[str, Array],
) -> tuple[list[float], list[float]]:
    """The same for a row with holes, by enumeration; ``other`` are CPTs outside the class's."""
    prior = log_scores(model, rows, {**row, **{n: max(row[n], 0) for n in row}}, pseudocount)[0]
    holes = [node for node in model.nodes if row[node] < 0]
    joint = np.zeros(model.n_classes)
    for filling in product(*(range(model.cards[node]) for node in holes)):
        for c in range(model.n_classes):
            whole = {**row, **dict(zip(holes, filling, strict=True)), model.class_name: c}
            joint[c] += exp(
                sum(
                    log(_probability(model, rows, n, whole, pseudocount, other))
                    for n in model.nodes
                )
            )
    logs = np.log(joint / joint.sum())
    return prior, [float(log_p) - p for log_p, p in zip(logs, prior, strict=True)]


def _probability(
    model: Model,
    rows: list[dict[str, int]],
    node: str,
    row: dict[str, int],
    pseudocount: float,
    other: dict[str, Array],
) -> float:
    if node in model.class_families:
        return estimate(model, rows, node, row, pseudocount)
    return float(other[node][tuple(row[member] for member in model.family(node))])


def best_scale(scored: list[tuple[list[float], list[float], int]]) -> tuple[float, Any]:
    """The a that maximises Σ log softmax(prior + a · evidence)[class], and that function."""

    def cll(a: float) -> float:
        total = 0.0
        for prior, evidence, own in scored:
            scores = np.array(prior) + a * np.array(evidence)
            total += scores[own] - scores.max() - log(sum(exp(s) for s in scores - scores.max()))
        return total

    found = minimize_scalar(
        lambda a: -cll(a), bounds=(0.0, MAX_SCALE), method="bounded", options={"xatol": 1e-9}
    )
    return float(found.x), cll
