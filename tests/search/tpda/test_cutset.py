"""Paths against networkx's enumeration; separating sets where the answer is known."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.search.tpda.cutset import (
    on_paths,
    reached,
    separate_by_neighbours,
    separate_by_two_steps,
)
from bnlr.structure.bits import mask_of, members


def near_of(edges, n):
    near = [0] * n
    for x, y in edges:
        near[x] |= 1 << y
        near[y] |= 1 << x
    return near


class Told:
    """Tests whose outcomes are told: `other` for the sets not named, rows for `most` nodes."""

    def __init__(self, outcomes, other=1.0, most=99):
        self.outcomes = {mask_of(nodes): value for nodes, value in outcomes.items()}
        self.other = other
        self.most = most
        self.asked = []

    def excess(self, x, y, given_nodes=0):
        self.asked.append((x, y, tuple(members(given_nodes))))
        return self.outcomes.get(given_nodes, self.other)

    def excesses(self, tests):
        return [self.excess(*test) for test in tests]

    def is_supported(self, *test):
        return test[-1].bit_count() <= self.most


@given(st.integers(0, 10_000), st.integers(2, 7), st.sampled_from([0.2, 0.4, 0.7]))
def test_nodes_on_paths_are_those_that_networkx_lists(seed, n, density):
    rng = np.random.default_rng(seed)
    graph = nx.gnp_random_graph(n, density, seed=int(rng.integers(2**31)))
    near = near_of(graph.edges, n)
    paths = nx.all_simple_paths(graph, 0, 1)
    expected = {node for path in paths for node in path} - {0, 1}
    assert set(members(on_paths(near, 0, 1))) == expected
    assert set(members(reached(near, 1))) == nx.node_connected_component(graph, 0)


# 0 and 1 are the ends; 2, 3 and 4 lead from one to the other, 5 hangs on 0 and is never asked for.
LADDER = near_of([(0, 2), (0, 3), (0, 5), (1, 4), (2, 4), (3, 4)], 6)


def test_the_smaller_neighbourhood_is_tried_first():
    tests = Told({(4,): -0.1})
    assert separate_by_neighbours(tests, LADDER, 0, 1) == mask_of([4])
    assert tests.asked == [(0, 1, (4,))]


def test_nodes_are_dropped_while_that_leaves_no_more_dependence():
    tests = Told({(4,): 0.5, (2, 3): 0.4, (2,): 0.4, (3,): -0.2})
    assert separate_by_neighbours(tests, LADDER, 0, 1) == mask_of([3])
    tests = Told({(4,): 0.5, (2, 3): 0.4, (2,): 0.6, (3,): 0.5})
    assert separate_by_neighbours(tests, LADDER, 0, 1) is None


def test_of_many_neighbours_the_one_to_drop_is_that_which_leaves_least():
    near = near_of([(0, k) for k in (2, 3, 4)] + [(1, k) for k in (2, 3, 4, 5)] + [(5, 0)], 6)
    outcomes = {(2, 3, 4, 5): 0.9, (3, 4, 5): 0.9, (2, 4, 5): 0.3, (2, 3, 5): 0.8, (2, 3, 4): 0.7}
    tests = Told({**outcomes, (4, 5): 0.25, (2, 5): 0.2, (2, 4): 0.28, (2,): 0.9, (5,): 0.0})
    assert separate_by_neighbours(tests, near, 0, 1) == mask_of([5])
    assert (0, 1, (3, 4)) not in tests.asked


def test_two_steps_look_beyond_the_neighbours():
    chain = near_of([(0, 2), (2, 3), (3, 4), (4, 1)], 5)
    tests = Told({(2, 3): -0.1})
    assert separate_by_two_steps(tests, chain, 0, 1) == mask_of([2, 3])
    assert separate_by_neighbours(tests, chain, 0, 1) is None


def test_two_steps_drop_all_idle_nodes_at_once():
    chain = near_of([(0, 2), (0, 3), (2, 4), (3, 4), (4, 5), (5, 1), (4, 6), (6, 1)], 7)
    # From 0: 2, 3 and 4. From 1: 5, 6 and 4. Dropping 2 or 3 alone leaves as much as before.
    tests = Told({(2, 3, 4): 0.5, (3, 4): 0.5, (2, 4): 0.4, (2, 3): 0.9, (4,): -0.1})
    assert separate_by_two_steps(tests, chain, 0, 1) == mask_of([4])
    assert [given_nodes for *_, given_nodes in tests.asked] == [
        (2, 3, 4), (3, 4), (2, 4), (2, 3), (4,),
    ]  # fmt: skip
    stuck = Told({(2, 3, 4): 0.5})
    assert separate_by_two_steps(stuck, chain, 0, 1) is None


@pytest.mark.parametrize("separate", [separate_by_neighbours, separate_by_two_steps])
def test_sets_with_too_few_rows_lose_the_nodes_that_depend_least(separate):
    class Weighed(Told):
        def excess(self, x, y, given_nodes=0):
            if {x, y} != {0, 1}:
                return {2: 0.3, 3: 0.1, 4: 0.2}[max(x, y)]
            return super().excess(x, y, given_nodes)

    near = near_of([(end, k) for end in (0, 1) for k in (2, 3, 4)], 5)
    tests = Weighed({(2, 4): -0.1}, most=2)
    assert separate(tests, near, 0, 1) == mask_of([2, 4])
    assert tests.asked == [(0, 1, (2, 4))]
    tests = Weighed({(2,): -0.1}, most=0)
    assert separate(tests, near, 0, 1) == mask_of([2])
