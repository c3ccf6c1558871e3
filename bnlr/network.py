"""A Bayesian network over discrete variables, and what complete rows can be asked of it."""

import warnings
from collections.abc import Mapping
from itertools import accumulate
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import CodeArray, FloatArray, State, States
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.tables import refuse_missing, row_scores
from bnlr.errors import BnlrWarning, DataError, ParameterError, StateError
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    import pandas as pd

_SUM_TOLERANCE = 1e-6


class BayesianNetwork:
    """Structure, states and conditional probability tables; immutable.

    Parameters
    ----------
    structure : Structure
    states
        {node: tuple of labels} for every node.
    cpts
        {node: array}, axes the node's parents in ``structure.parents(node)`` order, then the
        node; the last axis sums to 1.

    Raises
    ------
    StateError
        A node has no states, or the same label twice.
    ParameterError
        A CPT is missing, of the wrong shape, negative, not finite, or does not sum to 1.
    """

    __slots__ = ("cpts", "states", "structure")

    structure: Structure
    states: Mapping[str, tuple[State, ...]]
    cpts: Mapping[str, FloatArray]

    def __init__(
        self, structure: Structure, states: States, cpts: Mapping[str, FloatArray]
    ) -> None:
        checked_states = {node: _checked_states(states, node) for node in structure.nodes}
        checked = _checked_cpts(structure, checked_states, cpts)
        object.__setattr__(self, "structure", structure)
        object.__setattr__(self, "states", _ReadOnly(checked_states))
        object.__setattr__(self, "cpts", _ReadOnly(checked))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"BayesianNetwork is immutable; cannot set {name!r}")

    def __reduce__(self) -> tuple[object, ...]:
        return BayesianNetwork, (self.structure, dict(self.states), dict(self.cpts))

    @property
    def cards(self) -> dict[str, int]:
        """{node: number of states}."""
        return {node: len(labels) for node, labels in self.states.items()}

    @property
    def class_states(self) -> tuple[State, ...]:
        """The class's labels, in the order of ``predict_proba``'s columns."""
        return self.states[self.structure.class_name]

    def predict_proba(self, data: "Dataset | pd.DataFrame") -> FloatArray:
        """P(class | attributes) of every row, (n_rows, n_classes), in ``class_states`` order.

        The class column is not looked at and may be absent. A row that the network holds for
        impossible gets the class's own CPT given its parents, with one warning.

        Raises
        ------
        MissingCellsError
            A cell of the class's Markov blanket is missing.
        StateError
            A value is no state of its node.
        """
        scores = self._class_scores(self.encode(data))
        return np.exp(_log_normalised(scores))

    def predict_log_proba(self, data: "Dataset | pd.DataFrame") -> FloatArray:
        """Natural logarithm of ``predict_proba``; −inf where a probability is exactly 0."""
        return _log_normalised(self._class_scores(self.encode(data)))

    def conditional_log_likelihood(self, data: "Dataset | pd.DataFrame") -> float:
        """CLL = Σ weight · log P(class | attributes) over the rows with a class, natural log."""
        dataset = self.encode(data)
        rows = np.flatnonzero((dataset.class_codes >= 0) & (dataset.weights > 0))
        if len(rows) == 0:
            own = self.structure.class_name
            raise DataError(f"no row has a value of the class {own!r}; the CLL needs the classes")
        labelled = dataset.take(rows)
        logs = self.predict_log_proba(labelled)[np.arange(len(rows)), labelled.class_codes]
        return float(labelled.weights @ logs)

    def log_likelihood(self, data: "Dataset | pd.DataFrame") -> float:
        """LL = Σ weight · log P(row), natural log; a missing class is summed out.

        Raises
        ------
        MissingCellsError
            An attribute cell is missing.
        """
        dataset = self.encode(data)
        refuse_missing(dataset, self.structure.attributes)
        scores = self._class_scores(dataset, warn=False)
        classes = dataset.class_codes
        chosen = scores[np.arange(len(classes)), np.maximum(classes, 0)]
        logs = np.where(classes >= 0, chosen, np.logaddexp.reduce(scores, axis=1))
        own = self.structure.class_name
        for node in self.structure.nodes:
            if node != own and own not in self.structure.parents(node):
                logs = logs + self._log_entries(node, dataset)
        heavy = dataset.weights > 0
        return float(dataset.weights[heavy] @ logs[heavy])

    def sample(self, n: int, random_state: int | None = None) -> "pd.DataFrame":
        """Draw ``n`` complete rows in topological order; a frame with the nodes as columns."""
        import pandas as pd  # noqa: PLC0415  heavy, and needed only here

        rng = np.random.default_rng(random_state)
        codes: dict[str, CodeArray] = {}
        for node in self.structure.topological_order:
            parents = tuple(codes[parent] for parent in self.structure.parents(node))
            cumulated = self.cpts[node][parents].cumsum(axis=-1)
            draws = rng.random((n, 1)) * cumulated[..., -1:]
            below = (draws >= np.broadcast_to(cumulated, (n, cumulated.shape[-1]))).sum(axis=1)
            codes[node] = np.minimum(below, cumulated.shape[-1] - 1)
        columns = {node: _labels(self.states[node], codes[node]) for node in self.structure.nodes}
        return pd.DataFrame(columns)

    def encode(self, data: "Dataset | pd.DataFrame") -> Dataset:
        """Give ``data`` as a Dataset in this network's states."""
        if not isinstance(data, Dataset):
            return Dataset.from_frame(data, self.structure.class_name, states=self.states)
        for node in self.structure.nodes:
            if node not in data.states:
                raise StateError(f"node {node!r} of the network is not a column of the data")
            if tuple(data.states[node]) != self.states[node]:
                raise StateError(
                    f"column {node!r} has states {data.states[node]!r}, the network "
                    f"{self.states[node]!r}; encode the frame with states=network.states"
                )
        return data

    def _class_scores(self, data: Dataset, warn: bool = True) -> FloatArray:
        """Log P(c, the class's children | their other parents), (n_rows, n_classes)."""
        layout = TableLayout.of(self.structure, self.cards)
        with np.errstate(divide="ignore"):
            tables = np.log(layout.stack(self.cpts))
        scores = row_scores(layout, data, tables)
        if warn:
            self._mend_impossible(scores, data)
        return scores

    def _mend_impossible(self, scores: FloatArray, data: Dataset) -> None:
        impossible = np.flatnonzero(np.isneginf(scores).all(axis=1))
        if len(impossible) == 0:
            return
        own = self.structure.class_name
        parents = tuple(data.column(p)[impossible] for p in self.structure.parents(own))
        with np.errstate(divide="ignore"):
            scores[impossible] = np.log(self.cpts[own][parents])
        shown = ", ".join(map(str, impossible[:5])) + (" …" if len(impossible) > 5 else "")
        warnings.warn(
            f"{len(impossible)} rows ({shown}) have probability 0 under the network; they get the "
            f"probabilities of {own!r} given its parents alone",
            BnlrWarning,
            stacklevel=4,
        )

    def _log_entries(self, node: str, data: Dataset) -> FloatArray:
        axes = (*self.structure.parents(node), node)
        with np.errstate(divide="ignore"):
            logs: FloatArray = np.log(self.cpts[node])
        return logs[tuple(data.column(axis) for axis in axes)]

    def __repr__(self) -> str:
        n_cells = sum(cpt.size for cpt in self.cpts.values())
        return (
            f"<BayesianNetwork: class {self.structure.class_name!r} with {len(self.class_states)} "
            f"states, {len(self.structure.attributes)} attributes, "
            f"{len(self.structure.edges)} arcs, {n_cells} CPT cells>"
        )


def uniform_cpts(structure: Structure, states: States) -> dict[str, FloatArray]:
    """{node: CPT} with every column uniform."""
    cpts = {}
    for node in structure.nodes:
        shape = tuple(len(states[axis]) for axis in (*structure.parents(node), node))
        cpts[node] = np.full(shape, 1.0 / shape[-1])
    return cpts


class _ReadOnly(dict[str, object]):
    """A dict that refuses changes, so that a network stays what was validated."""

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a BayesianNetwork is immutable; build a new one from changed CPTs")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]


def _log_normalised(scores: FloatArray) -> FloatArray:
    result: FloatArray = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    return result


def _checked_states(states: States, node: str) -> tuple[State, ...]:
    if node not in states:
        raise StateError(f"node {node!r} has no states; give states[{node!r}]")
    labels = tuple(states[node])
    if not labels:
        raise StateError(f"node {node!r} has an empty tuple of states")
    if len(set(labels)) < len(labels):
        raise StateError(f"node {node!r} lists a state twice: {labels!r}")
    return labels


def _checked_cpts(
    structure: Structure, states: States, cpts: Mapping[str, FloatArray]
) -> dict[str, FloatArray]:
    """Read-only copies of the CPTs, all in one array: a search makes networks by the thousand."""
    given = [_shaped_cpt(structure, states, cpts, node) for node in structure.nodes]
    flat = np.concatenate([cpt.ravel() for cpt in given])
    flat.setflags(write=False)
    stops = accumulate(cpt.size for cpt in given)
    checked = {
        node: flat[stop - cpt.size : stop].reshape(cpt.shape)
        for node, cpt, stop in zip(structure.nodes, given, stops, strict=True)
    }
    cards = [cpt.shape[-1] for cpt in given]
    lengths = np.repeat(cards, [cpt.size // card for cpt, card in zip(given, cards, strict=True)])
    totals = np.add.reduceat(flat, np.cumsum(lengths) - lengths)
    # False for NaN too.
    if not (flat.min() >= 0.0 and (np.abs(totals - 1.0) <= _SUM_TOLERANCE).all()):
        for node, cpt in checked.items():
            _check_probabilities(states, (*structure.parents(node), node), cpt)
    return checked


def _shaped_cpt(
    structure: Structure, states: States, cpts: Mapping[str, FloatArray], node: str
) -> FloatArray:
    if node not in cpts:
        raise ParameterError(f"node {node!r} has no CPT; give cpts[{node!r}]")
    cpt = np.asarray(cpts[node], dtype=np.float64)
    axes = (*structure.parents(node), node)
    shape = tuple([len(states[axis]) for axis in axes])
    if cpt.shape != shape:
        raise ParameterError(
            f"the CPT of {node!r} has shape {cpt.shape}; its axes ({', '.join(axes)}) need {shape}"
        )
    return cpt


def _check_probabilities(states: States, axes: tuple[str, ...], cpt: FloatArray) -> None:
    *_, node = axes
    if not np.isfinite(cpt).all() or (cpt < 0).any():
        raise ParameterError(f"the CPT of {node!r} holds negative or non-finite probabilities")
    totals = cpt.sum(axis=-1)
    unequal = np.abs(totals - 1.0) > _SUM_TOLERANCE
    if not unequal.any():
        return
    wrong = tuple(np.argwhere(unequal)[0])
    given = ", ".join(f"{p}={states[p][code]}" for p, code in zip(axes, wrong, strict=False))
    raise ParameterError(
        f"P({node} | {given or 'no parents'}) sums to {totals[wrong]:.6g}, not 1; "
        "normalise the column"
    )


def _labels(states: tuple[State, ...], codes: CodeArray) -> np.ndarray:
    labels = np.empty(len(states), dtype=object)
    labels[:] = states
    return labels[codes]
