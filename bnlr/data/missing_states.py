"""A missing cell as a state of its own."""

from collections.abc import Iterable
from dataclasses import replace

from bnlr._typing import State
from bnlr.data.dataset import Dataset
from bnlr.data.narrow import smallest_dtype

_LABEL = "missing"


def add_missing_states(data: Dataset, nodes: Iterable[str]) -> Dataset:
    """Return the rows with a state more for the missing cells of each of ``nodes`` with some."""
    states = dict(data.states)
    for node in nodes:
        if node in data.missing_counts:
            states[node] = (*states[node], missing_label(states[node]))
    width = smallest_dtype([len(labels) for labels in states.values()])
    codes = data.codes.astype(width, order="F")
    for place, node in enumerate(data.nodes):
        if len(states[node]) > len(data.states[node]):
            codes[codes[:, place] < 0, place] = len(data.states[node])
    return replace(data, codes=codes, states=states, order=data.ordered)


def missing_label(states: tuple[State, ...]) -> str:
    """Return a label for missing cells that is none of the states."""
    label = _LABEL
    while label in states:
        label += "_"
    return label
