"""Arcs that a network has beyond the structure that was given or judged, in a classifier's file.

A structure that is not perfect may be fitted inside a larger one (`bnlr.learn.supergraph`,
`bnlr.learn.embed`); the file holds the larger one, and these tell the smaller ones.
"""

from bnlr.errors import ModelFileError
from bnlr.io.models.fields import as_list, as_names, as_object, require_keys
from bnlr.network import BayesianNetwork
from bnlr.structure.dag import Structure

NONE: dict[str, object] = {"judged": [], "given": []}
"""The smaller structures: that of ``report_``, and the parameter ``structure``."""


def added_to_content(
    network: BayesianNetwork, judged: Structure, given: object
) -> dict[str, object]:
    """Return the arcs of the network that are not in each of the smaller structures."""
    return {
        "judged": _beyond(judged, network),
        "given": _beyond(given, network) if isinstance(given, Structure) else [],
    }


def content_to_smaller(
    value: object, network: BayesianNetwork, where: str
) -> tuple[Structure, Structure]:
    """Return the structures judged and given.

    Raises
    ------
    ModelFileError
        Something else than arcs of the network.
    """
    fields = as_object(value, where)
    require_keys(fields, tuple(NONE), where)
    judged, given = (_without(network, fields[name], f"{where}.{name}") for name in NONE)
    return judged, given


def _beyond(smaller: Structure, network: BayesianNetwork) -> list[list[str]]:
    present = set(smaller.edges)
    return [list(arc) for arc in network.structure.edges if arc not in present]


def _without(network: BayesianNetwork, value: object, where: str) -> Structure:
    whole = network.structure
    arcs = {tuple(as_names(arc, where)) for arc in as_list(value, where)}
    if not arcs <= set(whole.edges):
        raise ModelFileError(f"{where} must hold arcs of the network")
    kept = [arc for arc in whole.edges if arc not in arcs]
    return Structure(kept, whole.class_name, whole.nodes) if arcs else whole
