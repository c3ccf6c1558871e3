"""`BayesianNetwork.to_frame`: each entry of a CPT under its labels."""

from itertools import product

import pytest
from hypothesis import given

import bnlr
from tests.strategies import networks, structures


@given(networks(structures(max_nodes=4)))
def test_each_entry_is_under_its_labels(network):
    for node in network.structure.nodes:
        frame, parents = network.to_frame(node), network.structure.parents(node)
        assert list(frame.columns) == list(network.states[node])
        assert frame.columns.name == node
        rows = list(product(*(range(network.cards[parent]) for parent in parents)))
        assert len(frame) == len(rows)
        for place, codes in enumerate(rows):
            assert frame.iloc[place].tolist() == network.cpts[node][codes].tolist()
            labels = tuple(network.states[p][c] for p, c in zip(parents, codes, strict=True))
            own = frame.index[place]
            assert not parents or (own if len(parents) > 1 else (own,)) == labels
        if parents:
            assert list(frame.index.names) == list(parents)


def test_an_unknown_node_is_refused():
    s = bnlr.Structure([("c", "a")], "c")
    network = bnlr.BayesianNetwork(s, {"c": (0, 1), "a": (0,)}, {"c": [0.5, 0.5], "a": [[1], [1]]})
    with pytest.raises(bnlr.ParameterError, match="no node 'b'"):
        network.to_frame("b")
