"""Which structure the estimator was given, and what its nodes are in X and y."""

import os
from pathlib import Path
from typing import Any

import pandas as pd

from bnlr.data.labels import listed, shown
from bnlr.errors import DataError, ParameterError, StateError
from bnlr.io import load_structure
from bnlr.search.learn import METHODS
from bnlr.structure.dag import Structure


def given_structure(choice: object) -> Structure | None:
    """Return the structure that was given, as such or as a file; None if it is to be learnt.

    Raises
    ------
    ParameterError
        Neither a structure, a method of `learn_structure`, nor a file.
    ModelFileError
        A file that holds no structure.
    """
    if isinstance(choice, Structure):
        return choice
    if isinstance(choice, str) and choice in METHODS:
        return None
    if not isinstance(choice, (str, os.PathLike)):
        raise ParameterError(
            f"structure is {shown(choice)}; give a bnlr.Structure, the path to a file, or one of "
            f"{listed(METHODS)}"
        )
    if isinstance(choice, str) and not _is_file(choice):
        raise ParameterError(
            f"structure {shown(choice)} is neither a method ({listed(METHODS)}) nor a file that "
            "exists"
        )
    return load_structure(choice)


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def class_name_for(y: Any, frame: pd.DataFrame) -> str:
    """Return y's name if it can be a node's, else "class", with underscores if X has that."""
    name = getattr(y, "name", None)
    if isinstance(y, pd.DataFrame) and y.shape[1] == 1:
        name = y.columns[0]
    if isinstance(name, str) and name and name not in frame.columns:
        return str.__str__(name)
    name = "class"
    while name in frame.columns:
        name += "_"
    return name


def columns_of(structure: Structure, frame: pd.DataFrame) -> list[str]:
    """Return a given structure's attributes, all of which must be columns.

    Raises
    ------
    DataError
        The class is a column of X.
    StateError
        An attribute is none.
    """
    if structure.class_name in frame.columns:
        raise DataError(
            f"the structure's class {shown(structure.class_name)} is among the columns of X; "
            "drop it there, it is y"
        )
    for node in structure.attributes:
        if node not in frame.columns:
            raise StateError(
                f"node {shown(node)} of the structure is not a column of X, which has "
                f"{listed(frame.columns)}; rename the column, or leave the node out"
            )
    return list(structure.attributes)
