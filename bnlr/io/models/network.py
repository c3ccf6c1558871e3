"""What a network's JSON file holds.

Content of kind "network": ``class``, ``nodes``, ``edges`` ([parent, child], in the order that fixes
the CPTs' axes), ``states`` and ``cpts``, {node: {"axes", "shape", "values"}} in row-major order;
``latent``, the nodes that rows do not show, where there are some.
JSON keeps text, whole numbers, decimals and booleans apart, so states keep their type, and writes
doubles so that they read back to the last bit.
"""

from math import prod
from typing import TYPE_CHECKING

from bnlr.errors import BnlrError, ModelFileError
from bnlr.io.models.fields import Fields, as_list, as_names, as_object, read_graph, require_keys
from bnlr.machine import refuse_many_axes

if TYPE_CHECKING:
    import numpy as np

    from bnlr._typing import FloatArray, State
    from bnlr.network import BayesianNetwork
    from bnlr.structure.dag import Structure

_KEYS = ("class", "nodes", "edges", "states", "cpts")
_CPT_KEYS = ("axes", "shape", "values")


def network_to_content(network: "BayesianNetwork") -> dict[str, object]:
    """Return what a network's file holds, in JSON's types.

    Raises
    ------
    ModelFileError
        A state that is neither text, boolean nor finite number.
    """
    s = network.structure
    states = _checked_states(dict(network.states), s.class_name, "the network")
    return {
        "class": s.class_name,
        "nodes": list(s.nodes),
        "edges": [list(arc) for arc in s.edges],
        "states": {node: list(states[node]) for node in s.nodes},
        "cpts": {node: _cpt_to_content(s, node, network.cpts[node]) for node in s.nodes},
        **({"latent": list(network.latent)} if network.latent else {}),
    }


def content_to_network(content: object, source: str = "the model") -> "BayesianNetwork":
    """Rebuild a network from its content, trusting nothing in it.

    Parameters
    ----------
    content
        As `network_to_content` returned it.
    source
        What errors call the file.

    Raises
    ------
    ModelFileError
        With the place of what is wrong.
    """
    from bnlr.network import BayesianNetwork  # noqa: PLC0415  checking a structure needs none

    fields = dict(as_object(content, f"{source}: the content"))
    latent = as_names(fields.pop("latent", []), f"{source}: latent")
    require_keys(fields, _KEYS, f"{source}: the content")
    structure = read_graph(fields, source)
    states = _read_states(fields["states"], structure, source)
    tables = as_object(fields["cpts"], f"{source}: cpts")
    require_keys(tables, structure.nodes, f"{source}: cpts")
    cards = {node: len(labels) for node, labels in states.items()}
    cpts = {n: _read_cpt(tables[n], structure, cards, n, source) for n in structure.nodes}
    try:
        return BayesianNetwork(structure, states, cpts, latent)
    except BnlrError as error:
        raise ModelFileError(f"{source}: {error}") from error


def _cpt_to_content(structure: "Structure", node: str, cpt: "FloatArray") -> Fields:
    return {
        "axes": [*structure.parents(node), node],
        "shape": list(cpt.shape),
        "values": cpt.ravel().tolist(),
    }


def _read_states(
    value: object, structure: "Structure", source: str
) -> dict[str, "tuple[State, ...]"]:
    given = as_object(value, f"{source}: states")
    require_keys(given, structure.nodes, f"{source}: states")
    for node, labels in given.items():
        as_list(labels, f"{source}: states[{node!r:.60}]")
    return _checked_states(given, structure.class_name, source)


def _checked_states(
    states: dict[str, object], class_name: str, source: str
) -> dict[str, "tuple[State, ...]"]:
    from bnlr.data.labels import check_states  # noqa: PLC0415  loads NumPy

    try:
        return check_states(states, class_name)
    except BnlrError as error:
        raise ModelFileError(f"{source}: {error}") from error


def _read_cpt(
    value: object, structure: "Structure", cards: dict[str, int], node: str, source: str
) -> "np.ndarray":
    """Return a CPT after comparing what it claims with the graph and with the values there."""
    import numpy as np  # noqa: PLC0415  checking a structure needs none

    where = f"{source}: cpts[{node!r:.60}]"
    fields = as_object(value, where)
    require_keys(fields, _CPT_KEYS, where)
    axes = (*structure.parents(node), node)
    if as_names(fields["axes"], f"{where}.axes") != list(axes):
        raise ModelFileError(f"{where}.axes must be {list(axes)!r:.200}, the parents and the node")
    shape = [cards[axis] for axis in axes]
    if fields["shape"] != shape or any(
        isinstance(n, bool) for n in as_list(fields["shape"], where)
    ):
        raise ModelFileError(f"{where}.shape must be {shape}, the numbers of states of its axes")
    values = as_list(fields["values"], f"{where}.values")
    if len(values) != prod(shape):
        raise ModelFileError(f"{where}.values holds {len(values)} numbers, not {prod(shape):,}")
    refuse_many_axes(f"{source}: node {node!r:.60}", len(axes))
    cells = [_as_probability(v, f"{where}.values[{k}]") for k, v in enumerate(values)]
    return np.array(cells, dtype=np.float64).reshape(shape)


def _as_probability(value: object, where: str) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value < 2:
        raise ModelFileError(f"{where} must be a probability, got {value!r:.60}")
    return float(value)
