"""How many examples suffice, in theory: sufficient numbers, and pessimistic ones.

All are real numbers, not rounded up (`math.ceil` gives a count), of examples drawn independently;
with probability at least 1 − delta the promise holds. Logarithms are natural, also in Theorem 7,
whose "log" names no base. N is the number of nodes, K that of CPT entries (`size_of` counts both).

Sources: Greiner, Grove and Schuurmans 1997 (queries); Greiner, Su, Shen and Zhou 2005, equations 8
and 10 (conditional likelihood and, after Dasgupta 1997, likelihood).
"""

from collections.abc import Mapping, Sized
from math import inf, log
from numbers import Real
from typing import SupportsIndex

from bnlr.errors import ParameterError, StateError
from bnlr.structure.dag import Structure


def size_of(structure: Structure, states: Mapping[str, Sized]) -> tuple[int, int]:
    """Count N nodes and K CPT entries, as the sample sizes take them.

    Parameters
    ----------
    structure : Structure
    states
        {node: its states} for every node, such as ``data.states``.

    Returns
    -------
    N, K
        K counts every cell of every CPT, those that follow from the others included.

    Raises
    ------
    ParameterError
        Anything but a structure and a mapping.
    StateError
        A node without states.

    Examples
    --------
    >>> import bnlr
    >>> s = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
    >>> bnlr.theory.size_of(s, {"a": "xy", "b": "xyz", "c": "no"})
    (3, 12)
    """
    if not isinstance(structure, Structure) or not isinstance(states, Mapping):
        raise ParameterError(
            f"size_of takes a bnlr.Structure and {{node: states}}, not {structure!r:.60} and "
            f"{states!r:.60}"
        )
    n_cells = 0
    for node in structure.nodes:
        cells = 1
        for member in (*structure.parents(node), node):
            if member not in states or not len(states[member]):
                raise StateError(f"states has none for node {member!r}; give all of its labels")
            cells *= len(states[member])
        n_cells += cells
    return len(structure.nodes), n_cells


def sample_size_labelled_queries(eps: float, delta: float) -> float:
    """Labelled queries after which a network's mean squared error on them is within eps of its own.

    ln(2/δ) / (2ε²): Theorem 3, for one network that was fixed before the queries were drawn.

    Parameters
    ----------
    eps
        Largest difference of the two mean squared errors, in (0, 1).
    delta
        Probability that the promise fails, in (0, 1).

    Raises
    ------
    ParameterError
        A number outside its domain.
    """
    _check(eps=eps, delta=delta)
    return log(2 / delta) / (2 * eps**2)


def sample_size_queries(eps: float, delta: float) -> float:
    """Unlabelled queries, labelled by the frequencies among events: M_SQ = 2 ln(4/δ) / ε².

    Theorem 4; each query needs `sample_size_events_per_condition` events that match its evidence.

    Raises
    ------
    ParameterError
        A number outside its domain.
    """
    _check(eps=eps, delta=delta)
    return 2 * log(4 / delta) / eps**2


def sample_size_events_per_condition(eps: float, delta: float) -> float:
    """Complete events that match each query's evidence: M'_D = 8 ln(2 M_SQ/δ) / ε².

    Theorem 4, M_SQ = `sample_size_queries`, not rounded.

    Raises
    ------
    ParameterError
        A number outside its domain.
    """
    return 8 * log(2 * sample_size_queries(eps, delta) / delta) / eps**2


def sample_size_events(eps: float, delta: float, lam: float) -> float:
    """Complete events in all, if every query's evidence has a probability of at least ``lam``.

    max{(2/λ) [M'_D + ln(4 M_SQ/δ)], (8/ε²) ln(4 M_SQ/δ)}: Corollary 5.

    Raises
    ------
    ParameterError
        A number outside its domain; ``lam`` lies in (0, 1].
    """
    per_condition = sample_size_events_per_condition(eps, delta)
    _check(lam=lam)
    rest = log(4 * sample_size_queries(eps, delta) / delta)
    return max(2 / lam * (per_condition + rest), 8 / eps**2 * rest)


def sample_size_query_learning(
    n_nodes: int, n_cells: int, eps: float, delta: float, c: float
) -> float:
    """Labelled queries after which the network of least error on them is within eps of the best.

    [ln(2/δ) + K ln(2K/ε) + N K ln(2 + c − ln ε)] / (4ε²): Theorem 7, over all networks of a
    structure that give every query's evidence a probability above 2^−(c^N).

    Parameters
    ----------
    n_nodes, n_cells
        N and K, see `size_of`.
    eps
        Largest difference of the mean squared errors, in (0, 1).
    delta
        Probability that the promise fails, in (0, 1).
    c
        Above 1.

    Raises
    ------
    ParameterError
        A number outside its domain.
    """
    _check(n_nodes=n_nodes, n_cells=n_cells, eps=eps, delta=delta, c=c)
    many = n_cells * log(2 * n_cells / eps) + n_nodes * n_cells * log(2 + c - log(eps))
    return (log(2 / delta) + many) / (4 * eps**2)


def sample_size_conditional_likelihood(
    n_nodes: int, n_cells: int, eps: float, delta: float, gamma: float
) -> float:
    """Rows after which the CPTs of the largest CLL are within eps nats a row of the best.

    18 (N ln γ / ε)² [ln(2/δ) + K ln(6K/(γε))]: Greiner et al. 2005, Theorem 1, equation 8.

    Parameters
    ----------
    n_nodes, n_cells
        N and K, see `size_of`.
    eps
        Largest difference of the mean log conditional likelihoods, nats a row, above 0.
    delta
        Probability that the promise fails, in (0, 1).
    gamma
        Least CPT entry that is allowed, in (0, 1); with add-one estimates 1 / (rows + states).

    Raises
    ------
    ParameterError
        A number outside its domain.
    """
    _check(n_nodes=n_nodes, n_cells=n_cells, delta=delta, gamma=gamma)
    _check_real("eps", eps, *_NATS)
    factor = 18 * (n_nodes * log(gamma) / eps) ** 2
    return max(factor * (log(2 / delta) + n_cells * log(6 * n_cells / (gamma * eps))), 0.0)


def sample_size_likelihood(n_nodes: int, n_cells: int, eps: float, delta: float) -> float:
    """Complete rows after which CPTs are within eps nats a row of the largest likelihood.

    288 N² K / ε² · ln²(1 + 3N/ε) · ln(18 N K ln(1 + 3N/ε) / (εδ)): Dasgupta 1997, as Greiner et
    al. 2005 quote it in equation 10.

    Raises
    ------
    ParameterError
        A number outside its domain.
    """
    _check(n_nodes=n_nodes, n_cells=n_cells, delta=delta)
    _check_real("eps", eps, *_NATS)
    spread = log(1 + 3 * n_nodes / eps)
    last = log(18 * n_nodes * n_cells * spread / (eps * delta))
    return max(288 * n_nodes**2 * n_cells / eps**2 * spread**2 * last, 0.0)


_NATS = (1e-100, inf, False)
# name: (above, up to, whether it may be the upper end)
_DOMAINS = {
    "eps": (1e-100, 1.0, False),
    "delta": (0.0, 1.0, False),
    "gamma": (0.0, 1.0, False),
    "lam": (0.0, 1.0, True),
    "c": (1.0, inf, False),
}


def _check(**numbers: object) -> None:
    for name, value in numbers.items():
        if name in _DOMAINS:
            _check_real(name, value, *_DOMAINS[name])
        else:
            _check_count(name, value)


def _check_real(name: str, value: object, low: float, high: float, is_closed: bool) -> None:
    known = isinstance(value, Real) and not isinstance(value, bool)
    if not known or not (low < value < high or (is_closed and value == high)):  # type: ignore[operator]
        end = "]" if is_closed else ")"
        raise ParameterError(f"{name} is {value!r}; it must be a number in ({low:g}, {high:g}{end}")


def _check_count(name: str, value: object) -> None:
    if not isinstance(value, SupportsIndex) or isinstance(value, bool) or value.__index__() < 1:
        raise ParameterError(f"{name} is {value!r}; it must be a whole number of 1 or more")
