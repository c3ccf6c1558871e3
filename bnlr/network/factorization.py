"""A joint distribution as the product of its CPTs: what every answer of a network is made from."""

from collections.abc import Mapping, Sequence
from itertools import accumulate
from math import prod
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from bnlr._typing import FloatArray, IntArray, State, States
from bnlr.design.families import TableLayout
from bnlr.network.validate import ReadOnly, in_shape
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.network.exact import Exact


class Factorization:
    """Structure, states and CPTs that are known to fit together; immutable.

    The CPTs stand one after the other in one array, in node order. What is derived from them is
    worked out when it is first asked for, and is no part of a pickle.
    """

    __slots__ = (
        "_cpts",
        "_flat",
        "_inference",
        "_places",
        "_shapes",
        "latent",
        "states",
        "structure",
    )

    structure: Structure
    states: Mapping[str, tuple[State, ...]]
    latent: tuple[str, ...]
    _flat: FloatArray
    _shapes: Sequence[tuple[int, ...]]
    _cpts: Mapping[str, FloatArray] | None
    _places: IntArray | None
    _inference: "Exact | None"

    @classmethod
    def _of_flat(
        cls,
        structure: Structure,
        states: States,
        flat: FloatArray,
        shapes: Any,
        latent: tuple[str, ...] = (),
    ) -> Self:
        """Build from states and CPTs known to be valid, which nobody else will change.

        A structure search makes thousands of networks, and checking one again takes longer than to
        compute it.
        """
        network = cls.__new__(cls)
        known = states if isinstance(states, ReadOnly) else ReadOnly(states)
        network._fill(structure, known, flat, shapes, latent)
        return network

    def _fill(
        self,
        structure: Structure,
        states: Any,
        flat: FloatArray,
        shapes: Any,
        latent: tuple[str, ...],
    ) -> None:
        flat.setflags(write=False)
        self._set(structure=structure, states=states, latent=latent, _flat=flat, _shapes=shapes)
        self._set(_cpts=None, _places=None, _inference=None)

    def _set(self, **values: object) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable; cannot set {name!r}")

    def __reduce__(self) -> tuple[object, ...]:
        parts = self.structure, dict(self.states), dict(self.cpts)
        return type(self), (*parts, self.latent) if self.latent else parts

    @property
    def cpts(self) -> Mapping[str, FloatArray]:
        """{node: CPT}, read-only; axes as in the constructor."""
        if self._cpts is None:
            shaped = in_shape(self.structure.nodes, self._flat, self._shapes)
            self._set(_cpts=ReadOnly(shaped))
        assert self._cpts is not None  # noqa: S101  set above; for the type checker
        return self._cpts

    @property
    def cards(self) -> dict[str, int]:
        """{node: number of states}."""
        return {node: len(labels) for node, labels in self.states.items()}

    @property
    def class_states(self) -> tuple[State, ...]:
        """The class's labels, in the order of ``predict_proba``'s columns."""
        return self.states[self.structure.class_name]

    @property
    def _exact(self) -> "Exact":
        if self._inference is None:
            from bnlr.network.exact import Exact  # noqa: PLC0415  loads the inference room

            self._set(_inference=Exact.of(self.structure, self.cards, self.cpts))
        assert self._inference is not None  # noqa: S101  set above; for the type checker
        return self._inference

    @property
    def _observed(self) -> tuple[str, ...]:
        """The attributes that rows show: all but the latent ones."""
        return tuple(node for node in self.structure.attributes if node not in self.latent)

    def _about(self, node: str) -> Self:
        """Return the same with another class; the numbers and the engines are shared."""
        known = self.structure
        if node == known.class_name:
            return self
        structure = Structure(known.edges, node, known.nodes)
        latent = tuple(other for other in self.latent if other != node)
        other = self._of_flat(structure, self.states, self._flat, self._shapes, latent)
        other._set(_inference=self._exact.about(known.index(node)))
        return other

    def _with_latent(self, nodes: tuple[str, ...]) -> Self:
        """Return the same with these nodes latent; the numbers are shared."""
        return self._of_flat(self.structure, self.states, self._flat, self._shapes, nodes)

    def _stacked(self, layout: TableLayout) -> FloatArray:
        """``layout.stack(cpts)``, (n_cells, n_classes), for the network's own layout."""
        stacked: FloatArray = self._flat.take(self._places_in(layout))
        return stacked

    def _with_tables(self, layout: TableLayout, tables: FloatArray) -> Self:
        """Return the same with other CPTs, known to be valid, in the class's families."""
        flat, places = self._flat.copy(), self._places_in(layout)
        flat[places] = tables
        other = self._of_flat(self.structure, self.states, flat, self._shapes, self.latent)
        other._set(_places=places)
        return other

    def _places_in(self, layout: TableLayout) -> IntArray:
        if self._places is None:
            starts = dict(zip(self.structure.nodes, _starts(self._shapes), strict=True))
            self._set(_places=layout.places(starts))
        assert self._places is not None  # noqa: S101  set above; for the type checker
        return self._places


def uniform_cpts(structure: Structure, states: States) -> dict[str, FloatArray]:
    """{node: CPT} with every column uniform."""
    cpts = {}
    for node in structure.nodes:
        shape = tuple(len(states[axis]) for axis in (*structure.parents(node), node))
        cpts[node] = np.full(shape, 1.0 / shape[-1])
    return cpts


def _starts(shapes: Sequence[tuple[int, ...]]) -> list[int]:
    """First cell of each of several tables that stand one after the other."""
    return [0, *accumulate(map(prod, shapes))][:-1]
