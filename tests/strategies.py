"""hypothesis strategies: small structures, networks and data sets of every shape the library meets.

Sizes and kinds are hypothesis draws, so that a failure shrinks to few nodes, states and rows; arcs
and numbers come from a NumPy generator with a drawn seed. Drawn one by one, arcs would be few:
hypothesis leans towards small draws.

    structures, perfect_structures      any DAG; any DAG whose canonical form is perfect
    states_of, cpts_of, networks        labels (1-4 states), positive CPTs, BayesianNetwork
    frames, datasets, problems          DataFrame; Dataset; (Structure, Dataset)
    weights_of, tables_of               row weights; L-model tables of the class and its children
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from hypothesis import strategies as st

import bnlr

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import pandas as pd

    Draw = st.DrawFn
    Labels = tuple[object, ...]
    States = Mapping[str, Labels]
    Tables = dict[str, np.ndarray]

NAMES = ("c", "a", "b,1", 'the "x"', "age group", "x-ray", "z", "é", "9", "class=1")
CARDS = (2, 2, 2, 3, 3, 1, 4)
CLASS_CARDS = (2, 2, 2, 3, 3, 4)

seeds = st.integers(0, 2**32 - 1)
densities = st.sampled_from((0.5, 0.25, 0.75, 1.0))


def generators() -> st.SearchStrategy[np.random.Generator]:
    return seeds.map(np.random.default_rng)


# Structures


def sizes(low: int, high: int) -> st.SearchStrategy[int]:
    """From `low` to `high`, larger ones more often, shrinking to `low`."""
    return st.sampled_from([n for n in range(low, high + 1) for _ in range(n * n)])


@st.composite
def structures(draw: Draw, max_nodes: int = 6, min_nodes: int = 1) -> bnlr.Structure:
    """Any DAG on up to ten nodes; node order, arc order and the class are arbitrary."""
    n = draw(sizes(min_nodes, max_nodes))
    density, rng = draw(densities), draw(generators())
    order = _shuffled(rng, NAMES[:n])
    parents = {node: _some(rng, order[:k], density) for k, node in enumerate(order)}
    return _structure(rng, parents, str(rng.choice(order)))


@st.composite
def perfect_structures(
    draw: Draw, max_nodes: int = 6, min_nodes: int = 1, min_attributes: int = 0
) -> bnlr.Structure:
    """Any DAG that satisfies Condition 1: there is no other than those built here.

    The class's parents and the nodes above them form any DAG. A child of the class picks its
    witness, the class or an earlier child, and takes its parents from the witness and the
    witness's own. What is below takes any parents but the class, and is a parent of none of the
    class's family. Naive Bayes, TAN, FAN, k-DB and diagnostic networks are among them.
    `min_attributes` is the least number of parents and children of the class.
    """
    n = draw(sizes(max(min_nodes, 1 + min_attributes), max_nodes))
    density, rng = draw(densities), draw(generators())
    class_name, *others = _shuffled(rng, NAMES[:n])
    role = rng.choice(["child", "parent", "above", "below"], n - 1, p=draw(ROLES))
    outside = np.flatnonzero(np.isin(role, ["above", "below"]))
    role[outside[: max(0, min_attributes - (n - 1 - len(outside)))]] = "child"
    roles = {r: [m for m, own in zip(others, role, strict=True) if own == r] for r in set(role)}
    parents = _above_class(
        rng, class_name, roles.get("parent", []), roles.get("above", []), density
    )
    _add_children(rng, parents, class_name, roles.get("child", []), density)
    for node in roles.get("below", []):
        parents[node] = _some(rng, [p for p in parents if p != class_name], density)
    return _structure(rng, parents, class_name)


# Shares of children, parents, ancestors and descendants: mixed, children alone, diagnostic.
ROLES = st.sampled_from(
    [(0.55, 0.2, 0.1, 0.15), (1.0, 0.0, 0.0, 0.0), (0.6, 0.4, 0.0, 0.0), (0.0, 0.7, 0.3, 0.0)]
)


def _above_class(
    rng: np.random.Generator,
    class_name: str,
    class_parents: Sequence[str],
    above: Sequence[str],
    density: float,
) -> dict[str, list[str]]:
    order = _shuffled(rng, [*class_parents, *above])
    parents = {node: _some(rng, order[:k], density) for k, node in enumerate(order)}
    return {**parents, class_name: _shuffled(rng, class_parents)}


def _add_children(
    rng: np.random.Generator,
    parents: dict[str, list[str]],
    class_name: str,
    children: Sequence[str],
    density: float,
) -> None:
    for k, child in enumerate(children):
        witness = str(rng.choice([class_name, *children[:k]]))
        others = _some(rng, [p for p in parents[witness] if p != class_name], density)
        parents[child] = _shuffled(rng, dict.fromkeys([class_name, witness, *others]))


def _structure(
    rng: np.random.Generator, parents: Mapping[str, Sequence[str]], class_name: str
) -> bnlr.Structure:
    arcs = [(parent, node) for node, above in parents.items() for parent in above]
    shuffled = [arcs[k] for k in rng.permutation(len(arcs))]
    return bnlr.Structure(shuffled, class_name=class_name, nodes=_shuffled(rng, sorted(parents)))


def _shuffled(rng: np.random.Generator, items: Iterable[str]) -> list[str]:
    pool = list(items)
    return [pool[k] for k in rng.permutation(len(pool))]


def _some(rng: np.random.Generator, items: Sequence[str], density: float) -> list[str]:
    """Each item with this probability, in any order."""
    return _shuffled(rng, [item for item in items if rng.random() < density])


# Numbers on a structure


@st.composite
def states_of(
    draw: Draw, structure: bnlr.Structure, max_cells: int = 2_000, strings_only: bool = False
) -> dict[str, Labels]:
    """Labels of every node, in an order of its own; the largest family stays below `max_cells`."""
    rng = draw(generators())
    nodes = _shuffled(rng, structure.nodes)
    cards = {
        node: int(rng.choice(CLASS_CARDS if node == structure.class_name else CARDS))
        for node in nodes
    }
    for node in nodes:
        family = [node, *structure.parents(node)]
        while np.prod([cards[member] for member in family]) > max_cells:
            largest = max(family, key=lambda member: cards[member])
            cards[largest] -= 1
    return {node: _labels(rng, cards[node], strings_only) for node in nodes}


def _labels(rng: np.random.Generator, card: int, strings_only: bool) -> Labels:
    pools: list[Labels] = [
        tuple(_shuffled(rng, ["no", "yes", "10, or so", "ü"])[:card]),
        tuple(str(k) for k in range(card)),
    ]
    if not strings_only:
        pools.append(tuple(range(card)))
        pools += [(False, True)] if card == 2 else []
    return pools[rng.integers(len(pools))]


@st.composite
def cpts_of(draw: Draw, structure: bnlr.Structure, states: States) -> Tables:
    """Positive CPTs, every column drawn from a Dirichlet(1) and kept from 0 by a hundredth."""
    rng = draw(generators())
    cpts = {}
    for node in structure.nodes:
        above = tuple(len(states[parent]) for parent in structure.parents(node))
        card = len(states[node])
        cpts[node] = 0.99 * rng.dirichlet(np.ones(card), size=above) + 0.01 / card
    return cpts


@st.composite
def tables_of(draw: Draw, structure: bnlr.Structure, states: States, scale: float = 2.0) -> Tables:
    """L-model tables of the class and its children, axes as a CPT, normally distributed."""
    rng = draw(generators())
    families = [structure.class_name, *structure.children(structure.class_name)]
    return {
        node: scale
        * rng.standard_normal([len(states[member]) for member in (*structure.parents(node), node)])
        for node in families
    }


@st.composite
def networks(
    draw: Draw, structures: st.SearchStrategy[bnlr.Structure] | bnlr.Structure
) -> bnlr.BayesianNetwork:
    """A network on a given or a drawn structure."""
    structure = structures if isinstance(structures, bnlr.Structure) else draw(structures)
    states = draw(states_of(structure))
    return bnlr.BayesianNetwork(structure, states, draw(cpts_of(structure, states)))


# Data


Rows = int | tuple[int, int]


@st.composite
def weights_of(draw: Draw, n_rows: int) -> np.ndarray | None:
    """None, whole numbers or fractions; with some zeros among them, but never on a first row."""
    kind = draw(st.sampled_from(["none", "whole", "fractional", "with zeros"]))
    rng = draw(generators())
    if kind == "none":
        return None
    if kind == "whole":
        return rng.integers(1, 4, n_rows).astype(float)
    weights = rng.uniform(0.1, 3.0, n_rows)
    if kind == "with zeros":
        weights[rng.random(n_rows) < 0.3] = 0.0
    return weights


@st.composite
def frames(
    draw: Draw,
    structure: bnlr.Structure,
    states: States,
    *,
    n_rows: Rows = (1, 40),
    missing: bool = False,
) -> pd.DataFrame:
    """Rows of labels, columns in any order; one row of each class stands first.

    Attributes lean on the class, so that there is something to learn. There are never fewer rows
    than classes. With `missing`, about a fifth of the attribute cells is None.
    """
    import pandas as pd

    rng = draw(generators())
    n_classes = len(states[structure.class_name])
    low, high = (n_rows, n_rows) if isinstance(n_rows, int) else n_rows
    steps = sorted({int(n) for n in np.linspace(low, high, 9)})
    n = max(draw(st.sampled_from(steps)), n_classes)
    classes = np.concatenate(
        [rng.permutation(n_classes), rng.integers(0, n_classes, n - n_classes)]
    )
    columns = {}
    for node in _shuffled(rng, structure.nodes):
        codes = classes
        if node != structure.class_name:
            leaning = rng.random(n) < 0.3
            card = len(states[node])
            codes = np.where(leaning, classes % card, rng.integers(0, card, n))
        columns[node] = [states[node][code] for code in codes]
        if missing and node != structure.class_name:
            holes = rng.random(n) < 0.2
            cells = zip(columns[node], holes, strict=True)
            columns[node] = [None if hole else label for label, hole in cells]
    return pd.DataFrame(columns, dtype=object)


@st.composite
def datasets(
    draw: Draw,
    structure: bnlr.Structure,
    states: States,
    *,
    n_rows: Rows = (1, 40),
    weighted: bool | None = None,
    missing: bool = False,
) -> bnlr.Dataset:
    """A Dataset over the given states; every class has a row of positive weight.

    `weighted`: True always, False never, None now and then.
    """
    frame = draw(frames(structure, states, n_rows=n_rows, missing=missing))
    weights = None if weighted is False else draw(weights_of(len(frame)))
    if weighted and weights is None:
        weights = draw(generators()).uniform(0.1, 3.0, len(frame))
    if weights is not None:
        first = len(states[structure.class_name])
        weights[:first] = np.maximum(weights[:first], 0.5)
    return bnlr.Dataset.from_frame(
        frame, class_name=structure.class_name, states=dict(states), weights=weights
    )


@st.composite
def problems(
    draw: Draw,
    structures: st.SearchStrategy[bnlr.Structure] | None = None,
    *,
    n_rows: Rows = (1, 40),
    weighted: bool | None = None,
    missing: bool = False,
) -> tuple[bnlr.Structure, bnlr.Dataset]:
    """A structure (a perfect one if none is given) and data that fit it."""
    structure = draw(perfect_structures() if structures is None else structures)
    states = draw(states_of(structure))
    return structure, draw(
        datasets(structure, states, n_rows=n_rows, weighted=weighted, missing=missing)
    )
