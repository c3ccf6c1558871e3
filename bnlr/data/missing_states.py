"""A missing cell as a state of its own."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from bnlr._typing import CodeArray, State
from bnlr.data.dataset import Dataset
from bnlr.data.narrow import smallest_dtype

_LABEL = "missing"


def add_missing_states(data: Dataset, nodes: Iterable[str]) -> Dataset:
    """Return the rows with a state more for the missing cells of each of ``nodes`` with some."""
    incomplete = [node for node in nodes if node in data.missing_counts]
    columns = {node: data.column(node) for node in data.nodes}
    states = dict(data.states)
    for node in incomplete:
        columns[node], states[node] = missing_as_state(columns[node], states[node])
    width = smallest_dtype([len(labels) for labels in states.values()])
    codes = np.empty(data.codes.shape, width, order="F")
    for place, node in enumerate(data.nodes):
        codes[:, place] = columns[node]
    return replace(data, codes=codes, states=states, order=data.ordered)


def missing_as_state(
    codes: CodeArray, states: tuple[State, ...]
) -> tuple[CodeArray, tuple[State, ...]]:
    """Return missing cells as a state after the others, if there are any."""
    holes = codes < 0
    if not holes.any():
        return codes, states
    return np.where(holes, len(states), codes.astype(np.int64)), (*states, missing_label(states))


def missing_label(states: tuple[State, ...]) -> str:
    """Return a label for missing cells that is none of the states."""
    label = _LABEL
    while label in states:
        label += "_"
    return label
