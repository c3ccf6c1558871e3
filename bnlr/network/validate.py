"""Whether states and CPTs make a network, and copies of them that nobody can change."""

from collections.abc import Iterable, Mapping
from math import prod

import numpy as np

from bnlr._typing import FloatArray, State, States
from bnlr.data.labels import are_unordered
from bnlr.errors import ParameterError, StateError
from bnlr.machine import refuse_many_axes
from bnlr.structure.dag import Structure
from bnlr.words import described, guess, listed, quoted

_SUM_TOLERANCE = 1e-6


class ReadOnly(dict[str, object]):
    """A dict that refuses changes, so that a network stays what was validated."""

    def _refuse(self, *_: object, **__: object) -> None:
        raise TypeError("a BayesianNetwork is immutable; build a new one from changed CPTs")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse  # type: ignore[assignment]


def checked_states(states: States, node: str) -> tuple[State, ...]:
    """Return a node's labels.

    Raises
    ------
    StateError
        There are none, or one twice; or a set, whose order the CPTs' axes cannot have.
    """
    if node not in states:
        raise StateError(f"node {node!r} has no states; give states[{node!r}]")
    if are_unordered(states[node]):
        raise StateError(
            f"the states of node {node!r} are {described(states[node])}, whose order is not that "
            "of the CPTs' axes; give a tuple of labels"
        )
    try:
        labels = tuple(states[node])
        n_labels = len(set(labels))
    except TypeError as error:
        raise StateError(
            f"the states of node {node!r} are {described(states[node])}; give a tuple of labels"
        ) from error
    if not labels:
        raise StateError(f"node {node!r} has an empty tuple of states")
    if n_labels < len(labels):
        raise StateError(f"node {node!r} lists a state twice: {labels!r}")
    return labels


def checked_latent(structure: Structure, latent: Iterable[str]) -> tuple[str, ...]:
    """Return the latent nodes in the structure's order.

    Raises
    ------
    ParameterError
        Something else than attributes of the structure.
    """
    if isinstance(latent, str) or not isinstance(latent, Iterable):
        raise ParameterError(f"latent is {described(latent)}; give a list of nodes")
    asked = list(latent)
    for node in asked:
        if node not in structure.attributes:
            raise ParameterError(
                f"latent names {quoted(node)}, which is no attribute of the structure, only "
                f"{listed(structure.attributes)}{guess(node, structure.attributes)}"
            )
    return tuple(node for node in structure.nodes if node in asked)


def checked_cpts(
    structure: Structure, states: States, cpts: Mapping[str, FloatArray]
) -> tuple[FloatArray, list[tuple[int, ...]]]:
    """Return copies of the CPTs, one after the other in node order, and their shapes.

    Raises
    ------
    ParameterError
        A CPT is missing, of the wrong shape, negative, not finite, or does not sum to 1.
    TooLargeError
        A node of more parents than an array has axes.
    """
    for node in structure.nodes:
        refuse_many_axes(f"node {node!r}", len(structure.parents(node)) + 1)
    given = [_shaped_cpt(structure, states, cpts, node) for node in structure.nodes]
    flat = np.concatenate([cpt.ravel() for cpt in given])
    shapes = [cpt.shape for cpt in given]
    cards = [shape[-1] for shape in shapes]
    lengths = np.repeat(cards, [cpt.size // card for cpt, card in zip(given, cards, strict=True)])
    totals = np.add.reduceat(flat, np.cumsum(lengths) - lengths)
    # False for NaN too.
    if not (flat.min() >= 0.0 and (np.abs(totals - 1.0) <= _SUM_TOLERANCE).all()):
        for node, cpt in zip(structure.nodes, given, strict=True):
            _check_probabilities(states, (*structure.parents(node), node), cpt)
    return flat, shapes


def in_shape(
    nodes: Iterable[str], flat: FloatArray, shapes: Iterable[tuple[int, ...]]
) -> dict[str, FloatArray]:
    """Each node's CPT, a view of ``flat``, in which they stand one after the other."""
    cpts, start = {}, 0
    for node, shape in zip(nodes, shapes, strict=True):
        stop = start + prod(shape)
        cpts[node] = flat[start:stop].reshape(shape)
        start = stop
    return cpts


def _shaped_cpt(
    structure: Structure, states: States, cpts: Mapping[str, FloatArray], node: str
) -> FloatArray:
    if node not in cpts:
        raise ParameterError(f"node {node!r} has no CPT; give cpts[{node!r}]")
    axes = (*structure.parents(node), node)
    try:
        cpt = np.asarray(cpts[node], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise ParameterError(
            f"the CPT of {node!r} is {described(cpts[node])}; give an array of probabilities"
        ) from error
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
