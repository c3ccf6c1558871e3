"""The three examples: a structure, a true distribution of events, and what will be asked."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import bnlr

Codes = NDArray[np.int64]

N_ATTRIBUTES = 10
"""Of examples 4.2 and 4.3."""

BINARY = (0, 1)


@dataclass(frozen=True)
class Example:
    """A structure to be fitted, events drawn from the truth, and the queries with their answers.

    ``draw`` gives (n_rows, n_nodes) codes in the order of the structure's nodes.
    """

    name: str
    title: str
    short: str
    structure: bnlr.Structure
    queries: tuple[bnlr.Query, ...]
    draw: Callable[[int, np.random.Generator], Codes]

    @property
    def states(self) -> Mapping[str, tuple[int, ...]]:
        """Every node is 0 or 1."""
        return dict.fromkeys(self.structure.nodes, BINARY)

    def events(self, n_rows: int, rng: np.random.Generator) -> bnlr.Dataset:
        """Draw complete event rows."""
        frame = pd.DataFrame(self.draw(n_rows, rng), columns=list(self.structure.nodes))
        return bnlr.Dataset.from_frame(frame, self.structure.class_name, states=self.states)

    @property
    def unlabelled(self) -> bnlr.QuerySet:
        """The queries without their answers."""
        return bnlr.QuerySet(bnlr.Query(q.targets, q.evidence) for q in self.queries)


def _chain(n_rows: int, rng: np.random.Generator) -> Codes:
    a, x = rng.integers(0, 2, (2, n_rows))
    return np.column_stack([a, x, a])


def _naive_bayes(n_rows: int, rng: np.random.Generator) -> Codes:
    """P(C = 0) = 1/2, P(A_i = 0 | C = 0) = 1/2, P(A_i = 0 | C = 1) = 1/4."""
    c = rng.integers(0, 2, n_rows)
    zero = np.where(c == 0, 0.5, 0.25)
    a = (rng.random((n_rows, N_ATTRIBUTES)) >= zero[:, None]).astype(np.int64)
    return np.column_stack([c, a])


def _parity(n_rows: int, rng: np.random.Generator) -> Codes:
    """C = A1 ∧ parity(A2 … An): 1 in a quarter of the rows."""
    a = rng.integers(0, 2, (n_rows, N_ATTRIBUTES))
    return np.column_stack([a, a[:, 0] & a[:, 1:].sum(axis=1) % 2])


_ATTRIBUTES = [f"A{k}" for k in range(1, N_ATTRIBUTES + 1)]
_ALL_ZERO = dict.fromkeys(_ATTRIBUTES, 0)

EXAMPLES = {
    example.name: example
    for example in (
        Example(
            "4.1",
            "wrong structure",
            "wrong structure",
            bnlr.Structure([("A", "X"), ("X", "C")], class_name="C", nodes=["A", "X", "C"]),
            (bnlr.Query({"C": 1}, {"A": 1}, p=1.0), bnlr.Query({"C": 1}, {"A": 0}, p=0.0)),
            _chain,
        ),
        Example(
            "4.2",
            "right structure, evidence that is rare",
            "rare evidence",
            bnlr.Structure.naive_bayes(_ATTRIBUTES, class_name="C"),
            (bnlr.Query({"C": 0}, _ALL_ZERO, p=1.0 / (1.0 + 2.0**-N_ATTRIBUTES)),),
            _naive_bayes,
        ),
        Example(
            "4.3",
            "right structure, most of which no query asks about",
            "a marginal alone",
            bnlr.Structure(
                [(a, "C") for a in _ATTRIBUTES], class_name="C", nodes=[*_ATTRIBUTES, "C"]
            ),
            (bnlr.Query({"C": 1}, p=0.25),),
            _parity,
        ),
    )
}
