"""Reference cases: numbers computed elsewhere, as bnlr objects.

Two formats share one class here: named cases (labels, files `<kind>_*.json`) and integer-coded
ones (folder `coded`). Files are found by their kind, so a new file is a new test. They stand
beside the checkout; frozen copies under `figures` keep the suite meaningful without them.

Tables of a case have their axes in the case's own parent order; `Case.aligned` turns them to the
structure's, `Case.model` keeps the case's order, for the oracles.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import ArrayLike, NDArray

import bnlr
from tests.oracles import Model, markov_blanket

HERE = Path(__file__).resolve().parent
BESIDE_CHECKOUT = HERE.parents[1] / "shared" / "cases"
CASES = BESIDE_CHECKOUT if BESIDE_CHECKOUT.is_dir() else HERE / "figures"

Array = NDArray[np.float64]
Bound = Callable[[ArrayLike], Array]


@dataclass(frozen=True)
class Case:
    """One network with data and the numbers to meet."""

    name: str
    nodes: tuple[str, ...]
    states: dict[str, tuple[str, ...]]
    edges: tuple[tuple[str, str], ...]
    class_name: str
    parents: dict[str, tuple[str, ...]]  # the case's own order, which fixes its tables' axes
    cpts: dict[str, Array] | None
    family_weights: dict[str, Array]
    rows: list[list[str | None]]
    weights: list[float] | None
    expected: dict[str, Any]
    tolerance: dict[str, float]

    # as bnlr objects

    @property
    def structure(self) -> bnlr.Structure:
        return bnlr.Structure(self.edges, class_name=self.class_name, nodes=self.nodes)

    @property
    def cards(self) -> dict[str, int]:
        return {node: len(labels) for node, labels in self.states.items()}

    def aligned(self, tables: Mapping[str, ArrayLike]) -> dict[str, Array]:
        """Tables with the axes that the structure's parent order asks for."""
        structure = self.structure
        aligned = {}
        for node, table in tables.items():
            own = (*self.parents[node], node)
            wanted = (*structure.parents(node), node)
            aligned[node] = np.transpose(np.asarray(table, float), [own.index(m) for m in wanted])
        return aligned

    def own_axes(self, entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Array]:
        """Tables that came with parent orders of their own, with the axes of the case's tables."""
        tables = {}
        for node, entry in entries.items():
            given = (*entry["parents"], node)
            axes = [given.index(member) for member in (*self.parents[node], node)]
            tables[node] = np.transpose(np.asarray(entry["table"], float), axes)
        return tables

    def network(self, cpts: Mapping[str, ArrayLike] | None = None) -> bnlr.BayesianNetwork:
        """The case's network, or its structure with other CPTs; nodes left out are uniform."""
        given = self.cpts if cpts is None else cpts
        assert given is not None, f"{self.name} has no CPTs"
        cards = self.cards
        uniform = {
            node: np.full([cards[m] for m in (*self.parents[node], node)], 1 / cards[node])
            for node in self.nodes
        }
        tables = self.aligned({**uniform, **given})
        # Printed digits leave sums that differ from 1 by a few units in the last place.
        tables = {node: t / t.sum(axis=-1, keepdims=True) for node, t in tables.items()}
        return bnlr.BayesianNetwork(self.structure, self.states, tables)

    def random_network(self, seed: int) -> bnlr.BayesianNetwork:
        """A start of one's own: columns drawn from a Dirichlet(1)."""
        rng, cards = np.random.default_rng(seed), self.cards
        above = {node: [cards[p] for p in self.parents[node]] for node in self.nodes}
        return self.network({n: rng.dirichlet(np.ones(cards[n]), above[n]) for n in self.nodes})

    def dataset(self, rows: Sequence[Sequence[str | None]] | None = None) -> bnlr.Dataset:
        """The case's rows, or others, over the case's states."""
        import pandas as pd

        own = rows is None
        frame = pd.DataFrame(self.rows if own else rows, columns=list(self.nodes), dtype=object)
        return bnlr.Dataset.from_frame(
            frame,
            class_name=self.class_name,
            states=self.states,
            weights=np.asarray(self.weights, float) if own and self.weights else None,
        )

    # for the oracles

    @property
    def model(self) -> Model:
        return Model(self.nodes, self.cards, self.parents, self.class_name)

    @property
    def codes(self) -> list[list[int | None]]:
        """Rows as codes, None where a cell is missing."""
        return [
            [
                None if label is None else self.states[node].index(label)
                for node, label in zip(self.nodes, row, strict=True)
            ]
            for row in self.rows
        ]

    @property
    def complete_rows(self) -> list[int]:
        return [i for i, row in enumerate(self.rows) if None not in row]

    @property
    def rows_with_blanket(self) -> list[int]:
        """Rows in which the class's whole Markov blanket is observed: no inference is needed."""
        at = [self.nodes.index(node) for node in markov_blanket(self.model)]
        return [i for i, row in enumerate(self.rows) if all(row[k] is not None for k in at)]

    # tolerances

    def bound(self, key: str = "default") -> Bound:
        """How far from an expected number a result may be, by the case's own rule."""
        if "abs" in self.tolerance:
            if key == "solver":
                return lambda x: np.full(np.shape(x), self.tolerance["solver_cll_abs"])
            return lambda x: self.tolerance["abs"] + self.tolerance["rel"] * np.abs(x)
        tol = self.tolerance.get(key, self.tolerance["default"])
        return lambda x: tol * np.maximum(1.0, np.abs(x))

    def check(self, actual: ArrayLike, expected: ArrayLike, key: str = "default") -> None:
        """Assert that a number, or every number of an array, is met."""
        actual, expected = np.asarray(actual, float), np.asarray(expected, float)
        assert actual.shape == expected.shape, f"{self.name}: {actual.shape} {expected.shape}"
        excess = np.abs(actual - expected) - self.bound(key)(expected)
        assert np.all(excess <= 0), (
            f"{self.name}, {key}: {actual} is not {expected}, off by {np.abs(actual - expected)}"
        )


def of_kind(kind: str) -> list[Any]:
    """pytest parameters: the named cases of a kind."""
    return [pytest.param(case, id=case.name) for case in named(kind)]


def coded_of_kind(kind: str) -> list[Any]:
    """pytest parameters: every network of the coded cases of a kind."""
    return [pytest.param(case, id=case.name) for case in coded(kind)]


@cache
def named(kind: str) -> list[Case]:
    return [_named(raw) for raw in _files(CASES) if raw["kind"] == kind]


@cache
def coded(kind: str) -> list[Case]:
    raws = [raw for raw in _files(CASES / "coded") if raw["kind"] == kind]
    return [case for raw in raws for case in _coded_parts(raw)]


def _files(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.json"))]


def _named(raw: dict[str, Any]) -> Case:
    structural = _parents(raw["nodes"], raw["edges"])
    given = {**raw.get("cpts", {}), **raw.get("family_weights", {})}
    own = {node: tuple(table["parents"]) for node, table in given.items()}
    return Case(
        name=raw["name"],
        nodes=tuple(raw["nodes"]),
        states={node: tuple(raw["states"][node]) for node in raw["nodes"]},
        edges=tuple((a, b) for a, b in raw["edges"]),
        class_name=raw["class"],
        parents=structural | own,
        cpts=_tables(raw["cpts"]) if "cpts" in raw else None,
        family_weights=_tables(raw.get("family_weights", {})),
        rows=raw.get("rows", []),
        weights=raw.get("weights"),
        expected=raw["expected"],
        tolerance=raw["tolerance"],
    )


def _coded_parts(raw: dict[str, Any]) -> list[Case]:
    """One case a network: the file's own, or each of those listed in its numbers."""
    expected, tolerance = raw["expected"], raw["tolerance"]
    parts = expected.get("networks") or expected.get("problems") or expected.get("runs")
    if parts:
        return [
            _coded(f"{raw['id']}_{k}", part["network"], part, part, tolerance)
            for k, part in enumerate(parts)
        ]
    samples = {key: part for key, part in expected.items() if _is_sample(part)}
    if not samples:
        return [_coded(raw["id"], raw["network"], raw, expected, tolerance)]
    common = {key: value for key, value in expected.items() if key not in samples}
    return [
        _coded(f"{raw['id']}_{key}", raw["network"], part, {**common, **part}, tolerance)
        for key, part in samples.items()
    ]


def _is_sample(part: object) -> bool:
    return isinstance(part, dict) and "rows" in part


def _coded(
    name: str,
    network: dict[str, Any],
    source: dict[str, Any],
    expected: dict[str, Any],
    tolerance: dict[str, float],
) -> Case:
    rows = source.get("rows") or source.get("attribute_rows") or []
    cards = dict(zip(network["nodes"], network["cards"], strict=True))
    arrays = {k: _arrays(source.get(k, network.get(k, {}))) for k in ("cpts", "eta")}
    return Case(
        name=name,
        nodes=tuple(network["nodes"]),
        states={node: tuple(str(code) for code in range(d)) for node, d in cards.items()},
        edges=tuple((a, b) for a, b in network["edges"]),
        class_name=network["class"],
        parents={node: tuple(network["parents"][node]) for node in network["nodes"]},
        cpts=arrays["cpts"] or None,
        family_weights=arrays["eta"],
        rows=[[None if code is None else str(code) for code in row] for row in rows],
        weights=source.get("weights"),
        expected=expected,
        tolerance=tolerance,
    )


def _parents(nodes: Sequence[str], edges: Sequence[Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {node: tuple(a for a, b in edges if b == node) for node in nodes}


def _tables(entries: Mapping[str, Mapping[str, Any]]) -> dict[str, Array]:
    return _arrays({node: entry["table"] for node, entry in entries.items()})


def _arrays(tables: Mapping[str, ArrayLike]) -> dict[str, Array]:
    return {node: np.asarray(table, float) for node, table in tables.items()}
