"""The artificial data: rows of random networks named ``parents.attributes.domain.rows``.

The paper selects, for each attribute, the class and the preceding p − 1 attributes "(whenever
possible)" as parents, and every CPT row from a Dirichlet distribution with α = 1. The class has a
domain like the attributes'. A domain "2-3" is drawn, 2 or 3 with equal probability, for each node.
"""

import re
from dataclasses import dataclass
from math import prod

import numpy as np

import bnlr

CLASS = "class"

_WHOLE = r"([1-9]\d{0,8})"
_NAME = re.compile(rf"{_WHOLE}\.{_WHOLE}\.{_WHOLE}(?:-{_WHOLE})?\.{_WHOLE}", re.ASCII)
_MOST_CELLS = 10**8


@dataclass(frozen=True)
class NetworkName:
    """What a name such as "2.5.2-3.100" says; ``str`` gives the name back.

    Attributes
    ----------
    n_parents : int
        Parents of each attribute, the class among them.
    n_attributes : int
        Attributes beside the class.
    min_states, max_states : int
        Bounds of each node's number of states.
    n_rows : int
        Rows to draw.
    """

    n_parents: int
    n_attributes: int
    min_states: int
    max_states: int
    n_rows: int

    @classmethod
    def parse(cls, name: str) -> "NetworkName":
        """Read a name.

        Raises
        ------
        bnlr.ParameterError
            The text is no such name.
        """
        match = _NAME.fullmatch(name) if isinstance(name, str) else None
        if match is None:
            raise bnlr.ParameterError(_explained(name, "it is no parents.attributes.domain.rows"))
        parents, attributes, low, rows = map(int, match.group(1, 2, 3, 5))
        high = int(match[4] or low)
        if low < 2 or (match[4] and high <= low):
            raise bnlr.ParameterError(_explained(name, "a domain is d or low-high, from 2 upwards"))
        return cls(parents, attributes, low, high, rows)

    def __str__(self) -> str:
        low, high = self.min_states, self.max_states
        domain = str(low) if low == high else f"{low}-{high}"
        return f"{self.n_parents}.{self.n_attributes}.{domain}.{self.n_rows}"

    @property
    def structure(self) -> bnlr.Structure:
        """The class, then x1, x2, …; each attribute's parents are the class and those before it."""
        nodes = [CLASS, *(f"x{i}" for i in range(1, self.n_attributes + 1))]
        arcs = [
            (parent, node)
            for i, node in enumerate(nodes)
            if i > 0
            for parent in (CLASS, *nodes[max(1, i - self.n_parents + 1) : i])
        ]
        return bnlr.Structure(arcs, CLASS, nodes)


def _explained(name: object, reason: str) -> str:
    return f"the network name {name!r} cannot be used: {reason}; write one such as '2.5.2-3.100'"


def generate(name: str, seed: int) -> tuple[bnlr.BayesianNetwork, bnlr.Dataset]:
    """Draw a network and rows from it.

    Parameters
    ----------
    name : str
        As `NetworkName`.
    seed : int
        0 or larger. The same name and seed give the same bytes; names draw independently.

    Returns
    -------
    network : bnlr.BayesianNetwork
        The true one; ``network.structure`` is its graph.
    data : bnlr.Dataset
        Complete rows. States are the network's, whether they occur or not.

    Raises
    ------
    bnlr.ParameterError
        The name or the seed cannot be used.
    bnlr.TooLargeError
        The CPTs would have more than 10^8 entries.
    """
    parsed = NetworkName.parse(name)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise bnlr.ParameterError(f"seed is {seed!r}; give a whole number from 0")
    rng = np.random.default_rng([int(seed), *str(parsed).encode()])
    network = _draw_network(parsed, rng)
    frame = network.sample(parsed.n_rows, random_state=int(rng.integers(2**63)))
    return network, bnlr.Dataset.from_frame(frame, CLASS, states=network.states)


def _draw_network(parsed: NetworkName, rng: np.random.Generator) -> bnlr.BayesianNetwork:
    deepest = min(parsed.n_parents, parsed.n_attributes)
    _refuse_large(parsed, max(parsed.n_attributes, parsed.min_states ** min(deepest + 1, 64)))
    structure = parsed.structure
    drawn = rng.integers(parsed.min_states, parsed.max_states + 1, len(structure.nodes)).tolist()
    cards = dict(zip(structure.nodes, drawn, strict=True))
    shapes = {n: [cards[node] for node in (*structure.parents(n), n)] for n in structure.nodes}
    _refuse_large(parsed, sum(map(prod, shapes.values())))
    cpts = {node: rng.dirichlet(np.ones(shape[-1]), shape[:-1]) for node, shape in shapes.items()}
    return bnlr.BayesianNetwork(structure, {n: tuple(range(d)) for n, d in cards.items()}, cpts)


def _refuse_large(parsed: NetworkName, n_cells: int) -> None:
    if n_cells > _MOST_CELLS:
        raise bnlr.TooLargeError(
            f"the CPTs of {parsed} have {n_cells} entries or more, the limit is {_MOST_CELLS}; "
            "take fewer parents or smaller domains"
        )
