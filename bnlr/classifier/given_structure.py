"""The parameter ``structure``: which structure was given, and where its nodes are in X."""

import os
from collections.abc import Collection, Mapping
from contextlib import suppress
from pathlib import Path

import pandas as pd

from bnlr._typing import State
from bnlr.classifier.parameters import CHOSEN, STRUCTURES, Latent
from bnlr.data.labels import latent_remedy
from bnlr.data.latent import latent_states
from bnlr.errors import ClassNotNamedError, DataError, ModelFileError, ParameterError, StateError
from bnlr.io import load_structure
from bnlr.search.methods import METHODS
from bnlr.spellings import guess_choice
from bnlr.structure.dag import Structure
from bnlr.words import guess, listed, quoted


def given_structure(choice: object, class_name: str) -> Structure | None:
    """Return the structure that was given, as such or as a file; None if it is to be learnt.

    ``class_name`` is the class of a file that does not name its own, such as a list of arcs.

    Raises
    ------
    ParameterError
        Neither a structure, a method of `learn_structure`, nor a file.
    ModelFileError
        A file that holds no structure, or none with the class.
    """
    if isinstance(choice, Structure):
        return choice
    if is_method(choice):
        return None
    if not isinstance(choice, (str, os.PathLike)):
        raise ParameterError(
            f"structure is {quoted(choice)}; give a bnlr.Structure, the path to a file, or one of "
            f"{listed(STRUCTURES)}"
        )
    if isinstance(choice, str) and not _is_file(choice):
        raise ParameterError(
            f"structure {quoted(choice)} is neither a method ({listed(STRUCTURES)}) nor a file "
            f"that exists{guess_choice(choice, STRUCTURES)}"
        )
    return _of_file(choice, class_name)


def is_method(choice: object) -> bool:
    """Whether ``choice`` is a method by which the estimator learns a structure."""
    return isinstance(choice, str) and choice in STRUCTURES


def _of_file(path: str | os.PathLike[str], class_name: str) -> Structure:
    with suppress(ClassNotNamedError):
        return load_structure(path)
    try:
        return load_structure(path, class_name)
    except ModelFileError as error:
        raise ModelFileError(
            f"{error}; the file does not name the class, so it is what y is called: give y the "
            "class's name, such as y.rename('disease')"
        ) from error


def check_options(options: object, given: Structure | None, choice: object) -> None:
    """Refuse options for `learn_structure` that cannot be such, or that belong to no one method.

    ``choice`` is the parameter ``structure``.

    Raises
    ------
    ParameterError
        Not a dict of options by name, a structure that is given, "auto" or "pool".
    """
    if options is None:
        return
    if not isinstance(options, Mapping) or not all(isinstance(name, str) for name in options):
        raise ParameterError(
            f"structure_options is {quoted(options)}; give a dict of options of "
            "bnlr.learn_structure by name, or None"
        )
    for name in ("data", "method"):
        if name in options:
            raise ParameterError(
                f"structure_options has {name!r}, which is no option of a method; leave it out "
                "(the method is the parameter structure)"
            )
    if options and given is None and choice in CHOSEN:
        raise ParameterError(
            f"structure_options has {listed(options)}, but structure {quoted(choice)} tries "
            "several methods; name one of them as structure, or leave the options out"
        )
    if options and given is not None:
        raise ParameterError(
            f"structure_options has {listed(options)}, but the structure is given; name a method "
            f"({listed(METHODS)}) as structure, or leave the options out"
        )


def _is_file(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def latent_of(
    states: Latent, given: Structure | None, choice: object, columns: Collection[str]
) -> dict[str, tuple[State, ...]]:
    """Return the checked states of the latent nodes of a given structure.

    ``choice`` is the parameter ``structure``, ``columns`` are X's.

    Raises
    ------
    ParameterError
        The structure is to be learnt; and as of `latent_states`.
    """
    if states is not None and given is None:
        raise ParameterError(
            f"states gives latent nodes, which no method finds, not structure {quoted(choice)}; "
            "give a bnlr.Structure or a file as structure, or leave states out"
        )
    return {} if given is None else latent_states(states, given.nodes, given.class_name, columns)


def columns_of(
    structure: Structure, frame: pd.DataFrame, latent: Collection[str] = ()
) -> list[str]:
    """Return a given structure's attributes but for its latent ones; they must be columns.

    Raises
    ------
    DataError
        The class is a column of X.
    StateError
        An attribute is none.
    """
    if structure.class_name in frame.columns:
        raise DataError(
            f"the structure's class {quoted(structure.class_name)} is among the columns of X; "
            "drop it there, it is y"
        )
    observed = [node for node in structure.attributes if node not in latent]
    for node in observed:
        if node not in frame.columns:
            spare = [column for column in frame.columns if column not in structure.nodes]
            raise StateError(
                f"node {quoted(node)} of the structure is not a column of X, which has "
                f"{listed(frame.columns)}; rename the column, leave the node out, "
                f"{latent_remedy(node)}{guess(node, spare)}"
            )
    return observed
