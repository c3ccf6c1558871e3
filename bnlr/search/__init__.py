"""Structures learnt from data."""

from bnlr.search.learn import learn_structure

__all__ = ["learn_structure"]
