"""Latent nodes: nodes of a structure that no column shows, which rows have as missing cells.

A node is latent where its states are given and the data have no column of it, and only there: a
column that is absent, or a name that is mistyped, is never taken for one.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from bnlr._typing import State, States
from bnlr.data.dataset import Dataset
from bnlr.data.labels import check_labels
from bnlr.data.narrow import smallest_dtype
from bnlr.errors import ParameterError
from bnlr.words import guess, listed, quoted


def with_latent(data: Dataset, states: States) -> Dataset:
    """Return the data with a column of missing cells for each of these nodes, the last ones.

    Parameters
    ----------
    data : Dataset
        Has none of the nodes; its rows may be elsewhere.
    states : mapping
        ``{node: labels}``, as `latent_states` returns them.
    """
    return data._mapped(_with_columns, dict(states)) if states else data


def _with_columns(data: Dataset, states: States) -> Dataset:
    every = {**data.states, **states}
    width = smallest_dtype([len(labels) for labels in every.values()])
    codes = np.full((data.n_rows, len(every)), -1, width, order="F")
    codes[:, : len(data.states)] = data.codes
    return replace(data, codes=codes, states=every)


def latent_states(
    states: Mapping[str, Collection[State]] | None,
    nodes: Collection[str],
    class_name: str,
    columns: Collection[str],
    known: States = MappingProxyType({}),
) -> dict[str, tuple[State, ...]]:
    """Return the checked states of a structure's latent nodes.

    Parameters
    ----------
    states : mapping or None
        ``{node: labels}`` as it was given; None for none.
    nodes, class_name
        The structure's.
    columns
        Those of the rows.
    known
        Their states where these are known: to give them again is no error.

    Raises
    ------
    DataError
        No mapping of nodes to labels, or labels that are none.
    ParameterError
        A node that the structure does not have, the class, or one that has a column.
    """
    if states is None:
        return {}
    given = check_labels(states)
    checked = {node: labels for node, labels in given.items() if known.get(node) != labels}
    for node in checked:
        if node not in nodes:
            raise ParameterError(
                f"states has {quoted(node)}, which is no node of the structure, only "
                f"{listed(nodes)}{guess(node, nodes)}"
            )
        if node == class_name:
            raise ParameterError(
                f"states has the class {quoted(node)}, which cannot be latent: it is what is "
                "learnt; leave it out of states"
            )
        if node in columns:
            raise ParameterError(
                f"states has {quoted(node)}, which has a column: its states are those of its "
                "cells; leave it out of states, or drop the column if the node is to be latent"
            )
    return checked
