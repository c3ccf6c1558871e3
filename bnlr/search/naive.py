"""Naive Bayes: the attributes are independent given the class."""

from bnlr.data.dataset import Dataset
from bnlr.structure.dag import Structure


def attributes_of(data: Dataset) -> list[str]:
    """Return the columns of ``data`` but the class."""
    return [node for node in data.nodes if node != data.class_name]


def naive_bayes(data: Dataset) -> Structure:
    """Return the graph in which the class is the only parent of every attribute."""
    return Structure.naive_bayes(attributes_of(data), data.class_name)
