"""Naive Bayes, the attributes independent given the class, and what is built upon it."""

from collections.abc import Iterable

from bnlr._typing import Arc
from bnlr.data.dataset import Dataset
from bnlr.structure.dag import Structure


def attributes_of(data: Dataset) -> list[str]:
    """Return the columns of ``data`` but the class."""
    return [node for node in data.nodes if node != data.class_name]


def naive_bayes(data: Dataset) -> Structure:
    """Return the graph in which the class is the only parent of every attribute."""
    return Structure.naive_bayes(attributes_of(data), data.class_name)


def augmented(data: Dataset, arcs: Iterable[Arc]) -> Structure:
    """Return naive Bayes with arcs between attributes; the class is each one's first parent."""
    return naive_bayes(data).with_arcs(arcs)
