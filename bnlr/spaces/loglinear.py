"""The log-linear logistic regression: one predictor per complete subset of attributes.

Source: Feelders & Ivanovs 2006, section 3.2. A subset C has parameters for x_C without any
reference state. Every complete subset lies inside some φ(k) of a perfect graph; the first family
that holds it is its home. A table cell is then the sum of the parameters homed in its family whose
subset it holds: along each axis the columns (1, indicator of each other state), and their
Kronecker product over the axes.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.sparse import block_array, coo_array, csr_array, kron

from bnlr._typing import FloatArray, State, States
from bnlr.arguments import check_kind
from bnlr.design.families import Family
from bnlr.design.pack import relative
from bnlr.errors import StateError
from bnlr.spaces.l_model import LinearSpace, require_perfect
from bnlr.structure.dag import Structure

Term = tuple[tuple[str, int], ...]
"""A predictor: the (attribute, code) pairs it is the indicator of; () is the intercept."""


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
        self._terms: dict[Term, int] = {}
        zetas, moebius = [], []
        for family in self.layout.families:
            zetas.append(self._zeta(family))
            moebius.append(self._moebius(family))
        n = len(self._terms)
        self.basis = csr_array(block_array([[_widen(zeta, n)] for zeta in zetas]))
        self.inverse = csr_array(block_array([[_lengthen(m, n) for m in moebius]]))

    @property
    def reference(self) -> dict[str, State]:
        """The state of each attribute that is coded 0."""
        return {node: self.states[node][code] for node, code in self._reference.items()}

    @cached_property
    def predictor_names(self) -> tuple[str, ...]:  # type: ignore[override]
        terms = (", ".join(self._label(*pair) for pair in term) for term in self._terms)
        return tuple(term or "intercept" for term in terms)

    def _from_stacked(self, tables: FloatArray) -> FloatArray:
        """Parameters of ``tables``: each family's Möbius transform, summed over equal subsets."""
        return np.asarray(self.inverse @ relative(tables)).ravel()

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

    def _family_terms(self, family: Family) -> list[Term]:
        """The term of each Kronecker column: one per cell, the reference codes left out."""
        cells = np.ndindex(*family.shape)
        return [_term(zip(family.scope, cell, strict=True), self._reference) for cell in cells]

    def _zeta(self, family: Family) -> "_Block":
        """(cells, terms) of the terms that find their home here."""
        terms = self._family_terms(family)
        new = np.array([term not in self._terms for term in terms])
        for term in (term for term, is_new in zip(terms, new, strict=True) if is_new):
            self._terms[term] = len(self._terms)
        columns = np.array([self._terms[term] for term in terms])[new]
        return _Block(csr_array(self._product(family, _zeta_axis)[:, np.flatnonzero(new)]), columns)

    def _moebius(self, family: Family) -> "_Block":
        """(terms, cells): every term's coefficient in a table of this family."""
        rows = np.array([self._terms[term] for term in self._family_terms(family)])
        return _Block(self._product(family, _moebius_axis), rows)

    def _product(self, family: Family, axis: "_Axis") -> csr_array:
        product = csr_array(np.ones((1, 1)))
        for node, card in zip(family.scope, family.shape, strict=True):
            product = csr_array(kron(product, axis(card, self._reference[node])))
        return product


_Axis = Callable[[int, int], FloatArray]


class _Block(NamedTuple):
    matrix: csr_array
    places: np.ndarray


def _zeta_axis(card: int, reference: int) -> FloatArray:
    """Rows states, columns terms: the reference's column stands for the subset without the axis."""
    matrix = np.eye(card)
    matrix[:, reference] = 1.0
    return matrix


def _moebius_axis(card: int, reference: int) -> FloatArray:
    """Inverse of the zeta axis: a state's value less the reference's."""
    matrix = np.eye(card)
    matrix[:, reference] = -1.0
    matrix[reference, reference] = 1.0
    return matrix


def _term(pairs: Iterable[tuple[str, int]], reference: Mapping[str, int]) -> Term:
    return tuple(sorted((node, code) for node, code in pairs if code != reference[node]))


def _widen(block: _Block, n_columns: int) -> csr_array:
    coo = block.matrix.tocoo()
    shape = (block.matrix.shape[0], n_columns)
    return csr_array(coo_array((coo.data, (coo.row, block.places[coo.col])), shape=shape))


def _lengthen(block: _Block, n_rows: int) -> csr_array:
    coo = block.matrix.tocoo()
    shape = (n_rows, block.matrix.shape[1])
    return csr_array(coo_array((coo.data, (block.places[coo.row], coo.col)), shape=shape))
