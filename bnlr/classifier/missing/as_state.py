"""``missing="state"``: a missing cell as a state of its own, in columns that lack cells in fit."""

from collections.abc import Collection, Mapping
from dataclasses import replace

from bnlr._typing import States
from bnlr.data.dataset import Dataset
from bnlr.data.labels import in_order
from bnlr.data.missing_states import missing_label
from bnlr.data.narrow import smallest_dtype
from bnlr.errors import ModelFileError
from bnlr.io.models.fields import as_object
from bnlr.network import BayesianNetwork


def missing_as_states(data: Dataset, ordered: Collection[str]) -> tuple[Dataset, dict[str, str]]:
    """Return the rows with missing cells as states of their own, and that state of each column.

    It is the last one of the columns ``ordered``, whose states have an order of their own, such as
    intervals and categories; elsewhere it stands where it sorts.
    """
    added = {node: missing_label(data.states[node]) for node in data.missing_counts}
    if not added:
        return data, {}
    states = dict(data.states)
    for node, label in added.items():
        known = (*states[node], label)
        states[node] = known if node in ordered else tuple(in_order(known))
    order = {node: n for node, n in data.ordered.items() if states[node][:n] == data.states[node]}
    return data._mapped(_with_states, states, order, added), added


def _with_states(
    data: Dataset, states: States, order: Mapping[str, int], added: Mapping[str, str]
) -> Dataset:
    width = smallest_dtype([len(labels) for labels in states.values()])
    codes = data.codes.astype(width, order="F")
    for node, label in added.items():
        column, place = codes[:, data.nodes.index(node)], states[node].index(label)
        column += column >= place
        column[column < 0] = place
    return replace(data, codes=codes, states=states, order=order)


def content_to_labels(value: object, network: BayesianNetwork, where: str) -> dict[str, str]:
    """Read the labels from a JSON file's content.

    Raises
    ------
    ModelFileError
        A label that is no state of its column in the network.
    """
    labels: dict[str, str] = {}
    for name, label in as_object(value, where).items():
        if not isinstance(label, str) or label not in network.states.get(name, ()):
            raise ModelFileError(f"{where}[{name!r:.60}] must be one of the network's states")
        labels[name] = label
    return labels
