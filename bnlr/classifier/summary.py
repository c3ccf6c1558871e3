"""A fitted classifier in words."""

from typing import TYPE_CHECKING

from bnlr._typing import FloatArray
from bnlr.data.labels import listed, shown
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.classifier.estimator import BNClassifier

_SHOWN_COLUMNS = 8


def describe(classifier: "BNClassifier") -> str:
    """Return class, structure and verdict, intervals, penalty, and how the fit went."""
    network = classifier.network_
    structure = network.structure
    origin = "given" if isinstance(classifier.structure, Structure) else str(classifier.structure)
    lines = [
        f"class        {structure.class_name}: {listed(network.class_states)}",
        f"structure    {origin}: {len(structure.attributes)} attributes, "
        f"{len(structure.edges)} arcs",
        *(f"             {line}" for line in str(classifier.report_).splitlines()),
        f"intervals    {_intervals(classifier._cut_points())}",
        f"penalty      {_penalty(classifier)}",
        classifier.result_.summary(),
    ]
    return "\n".join(lines)


def _penalty(classifier: "BNClassifier") -> str:
    if classifier.result_.penalty == 0:
        return "none"
    return f"{classifier.result_.penalty:g} towards {classifier.penalty_center}"


def _intervals(cut_points: dict[str, FloatArray]) -> str:
    if not cut_points:
        return "no column was cut"
    counts = [f"{shown(name)} into {len(cuts) + 1}" for name, cuts in cut_points.items()]
    rest = len(counts) - _SHOWN_COLUMNS
    more = f" and {rest} more columns" if rest > 0 else ""
    return ", ".join(counts[:_SHOWN_COLUMNS]) + more
