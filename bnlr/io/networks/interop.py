"""Networks from and to the objects of pyAgrum and pgmpy, where these are installed.

Neither is imported before it is needed; from their objects, never: what is asked of one is what
its documentation names. States are text in pyAgrum and anything in pgmpy. Names and states are kept
as they are; the class travels as a property of the object where there is a place for one.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlr.arguments import check_kind
from bnlr.errors import BnlrError, InteropExtraError, ModelFileError, ParameterError
from bnlr.io.graph import build_structure
from bnlr.io.networks.escapes import CLASS
from bnlr.io.networks.probabilities import normalised
from bnlr.network import BayesianNetwork
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr._typing import FloatArray, State

__all__ = ["from_pgmpy", "from_pyagrum", "to_pgmpy", "to_pyagrum"]

_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
# pyAgrum takes larger numbers modulo 2^32, without a word.
_BEYOND = 2**31
# pgmpy has renamed its class twice.
_PGMPY_MODELS = ("DiscreteBayesianNetwork", "BayesianNetwork", "BayesianModel")


def from_pyagrum(model: Any, class_name: str | None = None) -> BayesianNetwork:
    """Turn a ``pyagrum.BayesNet`` into a network.

    Parameters
    ----------
    model : pyagrum.BayesNet
    class_name
        The class node; may be left out if `to_pyagrum` made the object.

    Returns
    -------
    BayesianNetwork
        Labels of range and integer variables are whole numbers, all others text.

    Raises
    ------
    ParameterError
        Another type of object, no class, or CPTs that do not sum to 1.
    """
    if not all(hasattr(model, name) for name in ("names", "variable", "cpt", "arcs")):
        raise ParameterError(f"expected a pyagrum.BayesNet, got {quoted(model)}")
    nodes = [model.variable(k).name() for k in sorted(model.nodes())]
    states = {node: _pyagrum_states(model.variable(node)) for node in nodes}
    parents, tables = {}, {}
    for node in nodes:
        cpt = model.cpt(node)
        child, *given = cpt.names
        if child != node:
            raise ParameterError(
                f"the CPT of {quoted(node)} begins with {quoted(child)}, not with it"
            )
        parents[node] = given
        # pyAgrum's arrays have the axes of its names in reverse: the node itself is the last.
        table = np.asarray(cpt.toarray(), dtype=np.float64)
        tables[node] = table.transpose([*reversed(range(table.ndim - 1)), table.ndim - 1])
    if class_name is None and model.existsProperty(CLASS):
        class_name = model.property(CLASS)
    return _assembled(nodes, parents, states, tables, class_name, "the pyAgrum network")


def to_pyagrum(network: BayesianNetwork) -> Any:
    """Turn a network into a ``pyagrum.BayesNet``; it needs pyAgrum.

    Whole numbers of 32 bits in ascending order become an integer variable, other states text.

    Raises
    ------
    ParameterError
        Two states of a node are the same as text, such as 1 and '1'; a name that is no valid text.
    InteropExtraError
        pyAgrum is not installed.
    """
    check_kind("network", network, BayesianNetwork, "a BayesianNetwork")
    gum = needed("pyagrum", "pyagrum")
    s = network.structure
    model = gum.BayesNet()
    for node in s.nodes:
        model.add(_pyagrum_variable(gum, node, network.states[node]))
    model.setProperty(CLASS, s.class_name)
    for node in s.nodes:
        for parent in s.parents(node):
            model.addArc(parent, node)
    for node in s.nodes:
        axes = (*s.parents(node), node)
        cpt = model.cpt(node)
        order = [axes.index(name) for name in reversed(cpt.names)]
        cpt.fillWith(np.transpose(network.cpts[node], order).ravel().tolist())
    return model


def from_pgmpy(model: Any, class_name: str) -> BayesianNetwork:
    """Turn a pgmpy ``DiscreteBayesianNetwork`` (``BayesianNetwork`` before 1.0) into a network.

    Parameters
    ----------
    model
    class_name
        The class node.

    Returns
    -------
    BayesianNetwork
        States in the CPDs' order; without state names they are 0, 1, ….

    Raises
    ------
    ParameterError
        Another type of object, a node without CPD, CPDs that disagree about states or do not sum
        to 1.
    """
    if not all(hasattr(model, name) for name in ("nodes", "edges", "get_cpds")):
        raise ParameterError(f"expected a pgmpy DiscreteBayesianNetwork, got {quoted(model)}")
    nodes = list(model.nodes())
    cpds = {node: model.get_cpds(node) for node in nodes}
    without = [node for node, cpd in cpds.items() if cpd is None]
    if without:
        raise ParameterError(f"the pgmpy network has no CPD of {quoted(without[0])}; add one")
    states = {node: _pgmpy_states(cpd, node) for node, cpd in cpds.items()}
    parents, tables = {}, {}
    for node, cpd in cpds.items():
        _, *parents[node] = cpd.variables
        table = np.moveaxis(np.asarray(cpd.values, dtype=np.float64), 0, -1)
        tables[node] = _reordered(table, [*parents[node], node], cpd, states)
    return _assembled(nodes, parents, states, tables, class_name, "the pgmpy network")


def to_pgmpy(network: BayesianNetwork) -> Any:
    """Turn a network into a pgmpy ``DiscreteBayesianNetwork``; it needs pgmpy.

    Older releases give their ``BayesianNetwork`` or ``BayesianModel``.

    Raises
    ------
    InteropExtraError
        pgmpy is not installed.
    """
    check_kind("network", network, BayesianNetwork, "a BayesianNetwork")
    models = needed("pgmpy.models", "pgmpy")
    tabular = needed("pgmpy.factors.discrete", "pgmpy").TabularCPD
    make = next(getattr(models, name) for name in _PGMPY_MODELS if hasattr(models, name))
    s = network.structure
    model = make()
    model.add_nodes_from(s.nodes)
    model.add_edges_from(s.edges)
    model.add_cpds(*[_pgmpy_cpd(tabular, network, node) for node in s.nodes])
    return model


def needed(module: str, package: str, what: str = "") -> Any:
    """Return another package's module.

    Raises
    ------
    InteropExtraError
        It is not installed; ``what`` says for what it is needed.
    """
    try:
        return import_module(module)
    except ImportError as error:
        raise InteropExtraError(
            f"{what or f'to make a network of {package}'} needs {package}; install it with pip "
            f"install {package}"
        ) from error


def _pyagrum_states(variable: Any) -> "tuple[State, ...]":
    labels = tuple(variable.labels())
    shown = str(variable)
    is_whole = "Range(" in shown or "Integer(" in shown
    return tuple(map(int, labels)) if is_whole and not shown.startswith("Label") else labels


def _pyagrum_variable(gum: Any, node: str, states: "Sequence[State]") -> Any:
    for text in (node, *states):
        # pyAgrum ends the process on some of these.
        if isinstance(text, str) and _NO_TEXT.search(text):
            raise ParameterError(
                f"{quoted(text)} of {quoted(node)} is no valid Unicode text, which pyAgrum needs; "
                "rename it"
            )
    numbers = [state for state in states if isinstance(state, int) and not isinstance(state, bool)]
    is_held = all(-_BEYOND <= number < _BEYOND for number in numbers)
    if len(numbers) == len(states) and numbers == sorted(numbers) and is_held:
        return gum.IntegerVariable(node, node, numbers)
    labels = [str(state) for state in states]
    if len(set(labels)) < len(labels):
        twice = next(label for label in labels if labels.count(label) > 1)
        raise ParameterError(
            f"two states of {quoted(node)} are {quoted(twice)} as text, which is all that pyAgrum "
            "keeps; rename one"
        )
    return gum.LabelizedVariable(node, node, labels)


def _pgmpy_states(cpd: Any, node: str) -> "tuple[State, ...]":
    names: Mapping[str, Sequence[State]] = getattr(cpd, "state_names", None) or {}
    return tuple(names.get(node, range(int(np.shape(cpd.values)[0]))))


def _reordered(
    table: "FloatArray", axes: Sequence[str], cpd: Any, states: "Mapping[str, tuple[State, ...]]"
) -> "FloatArray":
    """Return the table with every parent's states in the order of that parent's own CPD."""
    names: Mapping[str, Sequence[State]] = getattr(cpd, "state_names", None) or {}
    for place, axis in enumerate(axes):
        known = list(states.get(axis, ()))
        here = list(names.get(axis, known))
        if len(here) != len(known) or set(here) != set(known):
            raise ParameterError(
                f"the CPD of {quoted(axes[-1])} has states {quoted(here)} of {quoted(axis)}, "
                f"whose own are {quoted(known)}; make them agree"
            )
        table = np.take(table, [here.index(state) for state in known], axis=place)
    return table


def _pgmpy_cpd(tabular: Any, network: BayesianNetwork, node: str) -> Any:
    parents = network.structure.parents(node)
    cpt = network.cpts[node]
    values = cpt.reshape(-1, cpt.shape[-1]).T
    names = {name: list(network.states[name]) for name in (node, *parents)}
    if not parents:
        return tabular(node, cpt.shape[-1], values.tolist(), state_names=names)
    return tabular(
        node,
        cpt.shape[-1],
        values.tolist(),
        evidence=list(parents),
        evidence_card=list(cpt.shape[:-1]),
        state_names=names,
    )


def _assembled(
    nodes: Sequence[str],
    parents: Mapping[str, Iterable[str]],
    states: "Mapping[str, tuple[State, ...]]",
    tables: "Mapping[str, FloatArray]",
    class_name: str | None,
    source: str,
) -> BayesianNetwork:
    arcs = [(parent, node) for node in nodes for parent in parents[node]]
    try:
        structure = build_structure(arcs, class_name, list(nodes), source)
        cpts = {node: normalised(tables[node]) for node in nodes}
        return BayesianNetwork(structure, states, cpts)
    except ModelFileError as error:
        raise ParameterError(str(error)) from error
    except BnlrError as error:
        raise ParameterError(f"{source}: {error}") from error
