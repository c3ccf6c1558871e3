"""Networks for inference: random ones of any shape, and large ones of a known shape."""

from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

import bnlr
from bnlr.inference.cpts import FlatCPTs
from tests.oracles.enumeration import Joint
from tests.strategies import densities, seeds, sizes, structures


class Case(NamedTuple):
    """CPTs of a network, a target and rows."""

    flat: FlatCPTs
    theta: np.ndarray
    target: int
    codes: np.ndarray
    weights: np.ndarray

    def joint(self, theta=None):
        tables = self.flat.unflatten(self.theta if theta is None else theta)
        return Joint(self.flat.cards.tolist(), self.flat.parents, list(tables.values()))


def flat_of(parents, cards, target=0):
    """The layout of nodes x0, x1, … with these parents and numbers of states."""
    names = [f"x{i}" for i in range(len(cards))]
    arcs = [(names[p], names[i]) for i, above in enumerate(parents) for p in above]
    structure = bnlr.Structure(arcs, class_name=names[target], nodes=names)
    return FlatCPTs.of(structure, dict(zip(names, map(int, cards), strict=True)))


def random_theta(rng, flat, zeros=0.0):
    """Dirichlet columns, a share of whose cells is exactly 0; now and then a sure state."""
    columns = []
    for length in flat.column_lengths:
        column = rng.dirichlet(np.ones(length))
        column[rng.random(length) < zeros] = 0.0
        column[rng.integers(length)] += column.sum() == 0
        columns.append(column / column.sum())
    return np.concatenate(columns)


def random_codes(rng, flat, n_rows, missing):
    codes = rng.integers(0, flat.cards, (n_rows, flat.n_nodes))
    codes[rng.random(codes.shape) < missing] = -1
    return codes


def random_network(rng, n_nodes, max_parents, cards, window=None):
    """Each node has up to `max_parents` parents, none further back than `window` nodes."""
    parents = []
    for i in range(n_nodes):
        above = np.arange(max(0, i - (window or i)), i)
        count = min(len(above), rng.integers(0, max_parents + 1))
        parents.append(tuple(rng.choice(above, count, replace=False).tolist()))
    return flat_of(parents, rng.choice(cards, n_nodes))


@st.composite
def cases(draw, max_nodes=8, most_rows=5, zeros=(0.0, 0.3)):
    """Any DAG, 1-4 states, positive CPTs or some with zeros, any rows, any weights."""
    structure = draw(structures(max_nodes=max_nodes))
    rng = np.random.default_rng(draw(seeds))
    cards = rng.integers(1, 5, len(structure.nodes))
    while np.prod(cards) > 3_000:
        cards[np.argmax(cards)] -= 1
    flat = FlatCPTs.of(structure, dict(zip(structure.nodes, map(int, cards), strict=True)))
    theta = random_theta(rng, flat, draw(st.sampled_from(zeros)))
    codes = random_codes(rng, flat, draw(sizes(1, most_rows)), draw(densities))
    target = structure.index(structure.class_name)
    return Case(flat, theta, target, codes, rng.uniform(0.1, 3.0, len(codes)))


def large_case(seed, n_rows=300, missing=0.25):
    """Alarm's size: 37 nodes, up to 4 parents, 2-4 states."""
    rng = np.random.default_rng(seed)
    flat = random_network(rng, 37, 4, (2, 3, 4), window=6)
    theta, codes = random_theta(rng, flat), random_codes(rng, flat, n_rows, missing)
    return Case(flat, theta, int(rng.integers(37)), codes, rng.uniform(0.1, 3.0, n_rows))
