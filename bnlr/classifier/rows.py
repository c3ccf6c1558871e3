"""Rows to predict become codes of the fitted network, and the user hears what is odd about them."""

import warnings
from typing import TYPE_CHECKING, Any

from sklearn.utils.validation import validate_data

from bnlr.classifier.features import cut, read_table, typed_errors
from bnlr.data import reading
from bnlr.data.checks import check_unseen
from bnlr.data.dataset import Dataset
from bnlr.errors import StateError, UnexpectedMissingWarning, UnseenStateWarning
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bnlr.classifier.estimator import BNClassifier

# They take no penalty, and their CPTs are frequencies, so that holes are no surprise to them.
GENERATIVE = ("frequencies", "dfe", "em", "apn")


def encode(classifier: "BNClassifier", table: Any) -> Dataset:
    """Return the rows in the network's states, the class missing; errors as `predict`."""
    frame = read_table(table)
    with typed_errors():
        validate_data(classifier, table, reset=False, skip_check_array=True)
    network = classifier.network_
    structure = network.structure
    frame = frame.set_axis(classifier._feature_names(), axis=1)
    columns = cut(frame, classifier.discretizer_)[list(structure.attributes)]
    read = reading.read_frame(columns, structure.class_name, network.states)
    if read.unseen:
        _tell_unseen(read.unseen, classifier.unseen)
    data = Dataset(read.codes, read.states, structure.class_name)
    blanket = [node for node in structure.markov_blanket() if node in data.missing_counts]
    # Labels never seen are missing too, but have been told of.
    if not _expects_holes(classifier) and columns[blanket].isna().to_numpy().any():
        _tell_once(classifier)
    return data


def has_blanket(data: Dataset, structure: Structure) -> bool:
    """Whether no row lacks a cell of the class's Markov blanket."""
    return not any(node in data.missing_counts for node in structure.markov_blanket())


def _tell_unseen(clauses: "Sequence[str]", unseen: str) -> None:
    check_unseen(unseen)
    text = "; ".join(clauses)
    if unseen == "error":
        raise StateError(
            f"{text}: not seen in fit; map such cells to a value that fit has seen, fit on a "
            "categorical column whose categories name all values, or take them as missing with "
            "unseen='missing'"
        )
    warnings.warn(f"{text}: not seen in fit, taken as missing", UnseenStateWarning, stacklevel=4)


def _expects_holes(classifier: "BNClassifier") -> bool:
    generative = classifier.result_.learner in GENERATIVE
    return generative or classifier._rows != "complete" or classifier._has_told


def _tell_once(classifier: "BNClassifier") -> None:
    classifier._has_told = True
    warnings.warn(
        "cells are missing, but the parameters were trained on complete rows: the probabilities "
        "are exact for this network, yet it may be over-confident where cells are missing; fit "
        "with expect_missing= the share that will be missing (said once)",
        UnexpectedMissingWarning,
        stacklevel=4,
    )
