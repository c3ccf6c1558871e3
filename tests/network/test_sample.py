"""Rows drawn from a network: what is refused."""

import numpy as np
import pytest

import bnlr


@pytest.mark.parametrize("n", [10**13, 2**62, 2**63, 2**64 - 1, 10**30, 10**400, np.int64(2**62)])
def test_more_rows_than_memory_holds(n):
    structure = bnlr.Structure([("c", "a")], "c")
    cpts = {"c": np.array([0.5, 0.5]), "a": np.full((2, 2), 0.5)}
    network = bnlr.BayesianNetwork(structure, {"c": ("p", "q"), "a": (0, 1)}, cpts)
    with pytest.raises(bnlr.TooLargeError, match="rows of 2 nodes do not fit in memory"):
        network.sample(n, 0)
    assert network.sample(3, 0).shape == (3, 2)
