"""P(targets | evidence): both by name, which become places and codes."""

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import Any

from bnlr._typing import FloatArray, State
from bnlr.arguments import is_number
from bnlr.data.intervals import cut_texts
from bnlr.data.labels import as_label, key_of, positions
from bnlr.errors import ImpossibleEvidenceError, ParameterError, StateError
from bnlr.network.factorization import Factorization
from bnlr.words import guess, listed, quoted


def query(
    network: Factorization, targets: Sequence[str], evidence: Mapping[str, State]
) -> FloatArray:
    """P(targets | evidence); see `BayesianNetwork.query`."""
    known = _checked_evidence(network, evidence)
    exact = network._exact
    result = exact.engine().query(exact.theta, _checked_targets(network, targets), known)
    if not result.any():
        given = ", ".join(f"{node}={quoted(label)}" for node, label in evidence.items())
        raise ImpossibleEvidenceError(
            f"the evidence {given} has probability 0 under the network, so nothing follows from "
            "it; leave some of it out"
        )
    return result


def _checked_targets(network: Factorization, targets: Sequence[str]) -> list[int]:
    if isinstance(targets, str) or not isinstance(targets, Iterable):
        raise ParameterError(
            f"targets is {quoted(targets)}; give a list of nodes, for instance [{quoted(targets)}]"
        )
    places = [check_node(network, target) for target in targets]
    if not places:
        raise ParameterError("there are no targets; name at least one node to ask for")
    for k, (place, target) in enumerate(zip(places, targets, strict=True)):
        if place in places[:k]:
            raise ParameterError(f"the target {quoted(target)} is named twice; name it once")
    return places


def _checked_evidence(network: Factorization, evidence: Mapping[str, State]) -> dict[int, int]:
    if not isinstance(evidence, Mapping):
        raise ParameterError(
            f"evidence is {quoted(evidence)}; give a dictionary of nodes and their states"
        )
    return {
        check_node(network, node): _code(network, node, label) for node, label in evidence.items()
    }


def check_node(network: Factorization, node: str) -> int:
    """Return a node's place.

    Raises
    ------
    ParameterError
        The network has no such node.
    """
    nodes = network.structure.nodes
    if not isinstance(node, str) or node not in nodes:
        raise ParameterError(
            f"the network has no node {quoted(node)}, only {listed(nodes)}{guess(node, nodes)}"
        )
    return network.structure.index(node)


def _code(network: Factorization, node: str, value: object) -> int:
    states = network.states[node]
    label = as_label(value)
    code = None if label is None else positions(states).get(key_of(label))
    if code is None:
        remedy = _interval_of(value, states) or (
            "leave a node that was not observed out of the evidence"
        )
        raise StateError(
            f"{quoted(value)} is no state of {quoted(node)}, which has {listed(states)}; {remedy}"
        )
    return code


def _interval_of(value: Any, states: Sequence[State]) -> str:
    """Say which interval holds a number, empty where the states are none, or it is no number."""
    cuts = list(map(float, cut_texts(states)))
    is_nan = isinstance(value, float) and isnan(value)
    if not cuts or not is_number(value) or is_nan:
        return ""
    return f"give the interval that holds it, {quoted(states[bisect_left(cuts, value)])}"
