"""Which attributes may be joined to others by a structure learner.

An identifier, which has hardly more rows than labels, keeps the class as its only neighbour: its
plug-in information about any other attribute is nearly all there can be, so that it would become
the parent of all of them, of tables whose every row was seen once
(`bnlr.data.suspects.identifiers`).
Structures that a user gives, to start from or to fit, keep the arcs that they have.
"""

from dataclasses import replace

import numpy as np

from bnlr.data.dataset import Dataset
from bnlr.data.suspects.identifiers import find_identifiers


def possible_parents(data: Dataset) -> list[str]:
    """Return the attributes that may have arcs to and from others, in column order."""
    barred = find_identifiers(data)
    return [node for node in data.nodes if node != data.class_name and node not in barred]


def among_possible_parents(data: Dataset) -> Dataset:
    """Return the data without the attributes that may not, themselves if there are none."""
    kept = {data.class_name, *possible_parents(data)}
    return data if len(kept) == len(data.nodes) else data._mapped(_columns, kept)


def _columns(data: Dataset, kept: set[str]) -> Dataset:
    places = [place for place, node in enumerate(data.nodes) if node in kept]
    states = {node: data.states[node] for node in data.nodes if node in kept}
    codes = np.asfortranarray(data.codes[:, places])
    return replace(data, codes=codes, states=states)
