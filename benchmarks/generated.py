"""Rows drawn from random networks, and the holes in them: seeded, and frozen here.

Generated codes are C-ordered (n_nodes, n_rows) bytes, the class first: each node's column is
contiguous.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

import bnlr

CLASS = "class"
_BLOCK = 2**17

Codes = NDArray[np.uint8]


def sample(
    n_rows: int,
    n_attributes: int,
    n_parents: int,
    seed: int,
    n_classes: int = 2,
    states: tuple[int, int] = (2, 4),
) -> tuple[Codes, list[int], list[list[int]]]:
    """Draw rows of a random network in which the class has a weak effect.

    Each attribute has the class and up to ``n_parents`` earlier attributes as parents; a tenth of
    its CPT (a fifth where it has no attribute parent) depends on the class. ``states`` are the
    least and the largest number of an attribute's states.

    Returns
    -------
    codes : (1 + n_attributes, n_rows), the class first
    cards : states of each node
    parents : the attribute parents of each node, by place
    """
    rng = np.random.default_rng(seed)
    cards = [n_classes, *rng.integers(states[0], states[1] + 1, n_attributes).tolist()]
    codes = np.empty((1 + n_attributes, n_rows), np.uint8)
    codes[0] = rng.integers(0, n_classes, n_rows)
    parents: list[list[int]] = [[]]
    for node in range(1, 1 + n_attributes):
        k = min(n_parents, node - 1)
        above = sorted((1 + rng.choice(node - 1, k, replace=False)).tolist()) if k else []
        parents.append(above)
        family = [0, *above]
        _draw(rng, codes, node, family, _cpt(rng, [cards[p] for p in family], cards[node]))
    return codes, cards, parents


def sample_dag(
    n_rows: int, n_nodes: int, most_parents: int, seed: int, states: tuple[int, int] = (2, 4)
) -> tuple[Codes, list[int], list[list[int]]]:
    """Draw rows of a random DAG whose first node, a root, is the class.

    Each node has 0 to ``most_parents`` of the nodes before it as parents, any number as likely as
    another, and CPT columns drawn uniformly from the simplex. What is returned is as in `sample`.
    """
    rng = np.random.default_rng(seed)
    cards = rng.integers(states[0], states[1] + 1, n_nodes).tolist()
    parents: list[list[int]] = []
    for node in range(n_nodes):
        k = min(int(rng.integers(0, most_parents + 1)), node)
        parents.append(sorted(rng.choice(node, k, replace=False).tolist()) if k else [])
    codes = np.empty((n_nodes, n_rows), np.uint8)
    for node, above in enumerate(parents):
        cpt = rng.dirichlet(np.ones(cards[node]), [cards[p] for p in above])
        _draw(rng, codes, node, above, cpt)
    return codes, cards, parents


def _cpt(rng: np.random.Generator, shape: Sequence[int], card: int) -> NDArray[np.float64]:
    """Conditional probabilities, (class, configurations of the other parents, states)."""
    n_configurations = int(np.prod(shape[1:]))
    effect = 0.1 if len(shape) > 1 else 0.2
    base = rng.dirichlet(np.ones(card), n_configurations)
    own = rng.dirichlet(np.ones(card), (shape[0], n_configurations))
    mixed: NDArray[np.float64] = ((1 - effect) * base + effect * own).reshape(*shape, card)
    return mixed


def _draw(
    rng: np.random.Generator,
    codes: Codes,
    node: int,
    parents: list[int],
    cpt: NDArray[np.float64],
) -> None:
    """Fill a node's column by inversion, in blocks so that little memory is used."""
    limits = cpt.cumsum(axis=-1)[..., :-1]
    for start in range(0, codes.shape[1], _BLOCK):
        block = codes[:, start : start + _BLOCK]
        thresholds = limits[tuple(block[p] for p in parents)]
        uniform = rng.random((block.shape[1], 1))
        block[node] = (uniform > thresholds).sum(axis=1)


def dataset(codes: Codes, cards: Sequence[int]) -> bnlr.Dataset:
    """Wrap generated codes; nodes are named class, x01, x02, …, and states v0, v1 and so on."""
    nodes = [CLASS, *(f"x{i:02d}" for i in range(1, len(cards)))]
    states = {n: tuple(f"v{s}" for s in range(card)) for n, card in zip(nodes, cards, strict=True)}
    # The transposed view is column-major already; from_codes would copy it.
    return bnlr.Dataset(codes.view(np.int8).T, states, CLASS)


def tree(data: bnlr.Dataset, parents: Sequence[Sequence[int]]) -> bnlr.Structure:
    """Return the TAN structure whose arcs between attributes are ``parents``."""
    nodes = data.nodes
    arcs = [(nodes[p], nodes[i]) for i, above in enumerate(parents) for p in above]
    return bnlr.Structure([*((CLASS, n) for n in nodes[1:]), *arcs], class_name=CLASS)


def hidden(data: bnlr.Dataset, rate: float, seed: int) -> bnlr.Dataset:
    """Hide each cell of the attributes with probability ``rate``; the class is kept."""
    is_attribute = np.array([node != data.class_name for node in data.nodes])
    rng = np.random.default_rng(seed)
    # Column by column: a block of uniforms as large as the codes would be eight times their size.
    columns = [
        np.where(is_attribute[j] & (rng.random(data.n_rows) < rate), np.int8(-1), data.codes[:, j])
        for j in range(len(data.nodes))
    ]
    return bnlr.Dataset(np.array(columns, dtype=np.int8).T, data.states, data.class_name)


def structure_of(data: bnlr.Dataset, parents: Sequence[Sequence[int]]) -> bnlr.Structure:
    """Return the structure whose arcs are ``parents`` alone, the class's included."""
    nodes = data.nodes
    arcs = [(nodes[p], nodes[i]) for i, above in enumerate(parents) for p in above]
    return bnlr.Structure(arcs, class_name=data.class_name, nodes=nodes)


def wide(
    n_rows: int, n_attributes: int, n_states: int, n_classes: int, n_parents: int, seed: int
) -> tuple[NDArray[np.int16], list[int], list[list[int]]]:
    """Draw rows in time and memory that follow the cells alone, whatever the size of the tables.

    A cell is, by chance, a state that hangs on the class, the sum of the parents (the node's up to
    ``n_parents`` earlier attributes), or a draw in which low states are frequent. The class is as
    hard to tell from few attributes as from many. What is returned is as in `sample`.
    """
    rng = np.random.default_rng(seed)
    cards = [n_classes, *[n_states] * n_attributes]
    effect = min(0.5 / n_attributes**0.5, 0.3)
    codes = np.empty((1 + n_attributes, n_rows), np.int16)
    codes[0] = rng.integers(0, n_classes, n_rows)
    parents: list[list[int]] = [[]]
    for node in range(1, 1 + n_attributes):
        k = min(n_parents, node - 1)
        parents.append(sorted((1 + rng.choice(node - 1, k, replace=False)).tolist()) if k else [])
        shown, chance = rng.integers(0, n_states, n_classes), rng.random(n_rows, np.float32)
        cells = (n_states * rng.random(n_rows, np.float32) ** 2).astype(np.int16)
        np.minimum(cells, n_states - 1, out=cells)
        if k:
            summed = codes[parents[-1]].sum(axis=0) % n_states
            np.copyto(cells, summed, where=chance > 0.7, casting="unsafe")
        np.copyto(cells, shown[codes[0]], where=chance < effect, casting="unsafe")
        codes[node] = cells
    return codes, cards, parents
