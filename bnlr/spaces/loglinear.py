"""The log-linear logistic regression: one predictor per complete subset of attributes.

Source: Feelders & Ivanovs 2006, section 3.2. A subset C has parameters for x_C without any
reference state. Every complete subset lies inside some φ(k) of a perfect graph; the first family
that holds it is its home. A table cell is then the sum of the parameters homed in its family whose
subset it holds: along each axis the columns (1, indicator of each other state), and their
Kronecker product over the axes.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from itertools import product

import numpy as np
from scipy.sparse import coo_array, csr_array

from bnlr._typing import FloatArray, IntArray, State, States
from bnlr.arguments import check_kind
from bnlr.design.families import Family
from bnlr.design.pack import relative
from bnlr.errors import StateError
from bnlr.spaces.l_model import LinearSpace, require_perfect
from bnlr.structure.dag import Structure

_Entries = tuple[IntArray, IntArray, FloatArray]
"""Rows, columns and values of a sparse matrix."""


class LogLinear(LinearSpace):
    """Logistic regression with full column rank on data that show every configuration.

    Parameters
    ----------
    structure, states
        The network's graph and {node: labels}.
    reference
        {attribute: its state coded 0}; the first state where not given. The paper takes the most
        frequent one (``Dataset.most_frequent``). The class's reference is always its first state,
        whatever is given for it.

    Raises
    ------
    NotPerfectError
        The canonical form is not perfect; the message names the violations and the embedding.
    StateError
        A reference is no state of its attribute.
    """

    name = "loglinear"

    def __init__(
        self, structure: Structure, states: States, reference: Mapping[str, State] | None = None
    ) -> None:
        super().__init__(structure, states)
        require_perfect(self.report, type(self).__name__)
        self._reference = self._reference_codes({} if reference is None else reference)
        self._homes: list[tuple[Family, IntArray]] = []
        known: dict[tuple[str, ...], IntArray] = {}
        parts = [self._family(family, known) for family in self.layout.families]
        shape = self.layout.n_cells, sum(len(cells) for _, cells in self._homes)
        self.basis = _joined([zeta for zeta, _ in parts], shape)
        self._inverse = _joined([moebius for _, moebius in parts], shape[::-1])

    @property
    def reference(self) -> dict[str, State]:
        """The state of each attribute that is coded 0."""
        return {node: self.states[node][code] for node, code in self._reference.items()}

    @cached_property
    def predictor_names(self) -> tuple[str, ...]:  # type: ignore[override]
        names: list[str] = []
        for family, cells in self._homes:
            codes = np.unravel_index(cells, family.shape) if family.shape else ()
            by_name = sorted(zip(family.scope, codes, strict=True))
            for k in range(len(cells)):
                pairs = ((node, int(own[k])) for node, own in by_name)
                term = [self._label(*pair) for pair in pairs if pair[1] != self._reference[pair[0]]]
                names.append(", ".join(term) or "intercept")
        return tuple(names)

    def _from_stacked(self, tables: FloatArray) -> FloatArray:
        """Parameters of ``tables``: each family's Möbius transform, summed over equal subsets."""
        return np.asarray(self._inverse @ relative(tables)).ravel()

    def _reference_codes(self, reference: Mapping[str, State]) -> dict[str, int]:
        check_kind("reference", reference, Mapping, "{attribute: its state coded 0}, or None")
        codes = dict.fromkeys(self.layout.attributes, 0)
        for node, state in reference.items():
            if node == self.structure.class_name:
                continue  # so that Dataset.most_frequent can be passed as it is
            if node not in self.states or state not in self.states[node]:
                raise StateError(f"reference {state!r} is no state of {node!r}")
            if node in codes:
                codes[node] = self.states[node].index(state)
        return codes

    def _family(
        self, family: Family, known: dict[tuple[str, ...], IntArray]
    ) -> tuple[_Entries, _Entries]:
        """(cells, terms) of the terms that find their home here, and (terms, cells) of all.

        ``known`` are the numbers of the terms met before, subset by subset, an axis an attribute in
        the order of their names.
        """
        numbers = np.full(family.shape, -1, dtype=np.intp)
        n_before = sum(len(cells) for _, cells in self._homes)
        for subset, place in self._subsets(family):
            if subset in known:
                numbers[place] = _from_order(known[subset], family.scope, subset)
        new = np.flatnonzero(numbers.ravel() < 0)
        numbers.ravel()[new] = n_before + np.arange(len(new))
        for subset, place in self._subsets(family):
            known.setdefault(subset, _in_order(numbers[place], family.scope, subset))
        self._homes.append((family, new))
        term = numbers.ravel()
        rows, columns, signs = self._product(family)
        is_home = term[columns] >= n_before
        zeta = rows[is_home] + family.offset, term[columns[is_home]], np.ones(is_home.sum())
        return zeta, (term[rows], columns + family.offset, signs)

    def _subsets(self, family: Family) -> "Iterator[tuple[tuple[str, ...], tuple[IntArray, ...]]]":
        """Yield subsets of the scope, by name, and the cells that are off the reference in them."""
        references = [self._reference[node] for node in family.scope]
        states = [np.arange(card) for card in family.shape]
        others = [own[own != at] for own, at in zip(states, references, strict=True)]
        ends = [own[own == at] for own, at in zip(states, references, strict=True)]
        for is_in in product((False, True), repeat=len(family.scope)):
            chosen = [a if yes else b for a, b, yes in zip(others, ends, is_in, strict=True)]
            if all(map(len, chosen)):
                names = (node for node, yes in zip(family.scope, is_in, strict=True) if yes)
                yield tuple(sorted(names)), np.ix_(*chosen)

    def _product(self, family: Family) -> _Entries:
        """Kronecker product of the axes' Möbius matrices: (terms, cells), both C order.

        Along an axis the term of a state is its value less the reference's. Its inverse, the zeta
        matrix (cells, terms), has ones in the same places: the reference's column stands for the
        subset without the axis.
        """
        rows, columns, signs = np.zeros(1, np.intp), np.zeros(1, np.intp), np.ones(1)
        for node, card in zip(family.scope, family.shape, strict=True):
            own, at = np.arange(card), self._reference[node]
            others = own[own != at]
            row = np.concatenate([own, others])
            column = np.concatenate([own, np.full(len(others), at)])
            sign = np.repeat([1.0, -1.0], [card, len(others)])
            rows = (rows[:, None] * card + row).ravel()
            columns = (columns[:, None] * card + column).ravel()
            signs = (signs[:, None] * sign).ravel()
        return rows, columns, signs


def _in_order(numbers: IntArray, scope: tuple[str, ...], subset: tuple[str, ...]) -> IntArray:
    """``numbers``, an axis each of the scope, with one each of ``subset``."""
    kept = [scope.index(node) for node in subset]
    rest = [axis for axis in range(len(scope)) if axis not in kept]
    turned = numbers.transpose(kept + rest)
    return turned.reshape(turned.shape[: len(kept)])


def _from_order(known: IntArray, scope: tuple[str, ...], subset: tuple[str, ...]) -> IntArray:
    """Undo `_in_order`."""
    kept = [subset.index(node) for node in scope if node in subset]
    sizes = [known.shape[subset.index(node)] if node in subset else 1 for node in scope]
    return known.transpose(kept).reshape(sizes)


def _joined(parts: list[_Entries], shape: tuple[int, int]) -> csr_array:
    rows, columns, values = (np.concatenate(each) for each in zip(*parts, strict=True))
    return csr_array(coo_array((values, (rows, columns)), shape=shape))
