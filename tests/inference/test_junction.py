"""Elimination orders, junction trees and plans against their definitions."""

from itertools import combinations, pairwise, permutations
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.errors import TooLargeError
from bnlr.inference.elimination import bits, cheapest_elimination, clique_cells, moral_graph
from bnlr.inference.plan import make_plan
from tests.inference.networks import cases, flat_of, large_case, random_network
from tests.strategies import seeds

WITHOUT_LIMIT = 10**12


@st.composite
def plans(draw):
    case = draw(cases())
    rng = np.random.default_rng(draw(seeds))
    seen = frozenset(np.flatnonzero(rng.random(case.flat.n_nodes) < 0.3).tolist())
    ever = None if draw(st.booleans()) else seen
    return make_plan(case.flat, case.target, seen, ever)


def joined_pairs(flat, kept, observed):
    """Pairs of nodes with an arc or a common child, both free."""
    pairs = set()
    for node in kept:
        family = [m for m in (*flat.parents[node], node) if m not in observed]
        pairs |= {(a, b) for a in family for b in family if a != b}
    return pairs


def eliminated_cells(order, pairs, cards):
    """Cells of the tables that are made when the nodes are summed out in this order."""
    around = {node: {b for a, b in pairs if a == node} for node in order}
    cells = []
    for node in order:
        near = around.pop(node)
        cells.append(int(np.prod([cards[m] for m in (node, *near)])))
        for other in near:
            around[other] = (around[other] | near) - {node, other}
    return cells


@given(plans())
def test_order_holds_every_free_node_once(plan):
    free = set(range(plan.flat.n_nodes)) - plan.observed - plan.pruned
    assert sorted(plan.order) == sorted(free)


@given(plans())
def test_every_family_lies_in_a_clique(plan):
    cliques = [set(bits(clique)) for clique in plan.tree.cliques]
    for node in set(range(plan.flat.n_nodes)) - plan.pruned:
        family = {*plan.flat.parents[node], node} - plan.observed
        assert any(family <= clique for clique in cliques)


@given(plans())
def test_cliques_of_a_node_are_connected(plan):
    tree = plan.tree
    assert tree.parents[-1] == -1
    for node in plan.order:
        holding = [k for k, clique in enumerate(tree.cliques) if clique >> node & 1]
        links = [k for k in holding if tree.parents[k] in holding]
        assert len(links) == len(holding) - 1
        assert all(k < tree.parents[k] and tree.separators[k] >> node & 1 for k in links)


@given(plans())
def test_no_clique_lies_in_another_and_the_root_holds_the_target(plan):
    cliques = plan.tree.cliques
    assert not any(a & b == a for a, b in permutations(cliques, 2))
    if plan.target not in plan.observed:
        assert cliques[-1] >> plan.target & 1


@given(plans())
def test_barren_nodes_are_those_without_asked_or_observed_descendants(plan):
    wanted = {plan.target, *plan.observed}
    for node in range(plan.flat.n_nodes):
        below, last = {node}, set()
        while below != last:
            last = below
            below = below | {k for k, above in enumerate(plan.flat.parents) if below & {*above}}
        is_barren = not below & wanted
        assert (node in plan.pruned) <= is_barren
        if plan.pruned:
            assert (node in plan.pruned) == is_barren


@given(cases(max_nodes=6))
def test_elimination_makes_the_cliques_it_says_none_far_above_the_best(case):
    flat, cards = case.flat, case.flat.cards.tolist()
    n = flat.n_nodes
    families = [sum(1 << m for m in (*above, k)) for k, above in enumerate(flat.parents)]
    graph = moral_graph(families, 0, n)
    found = cheapest_elimination(graph, cards, (1 << n) - 1, WITHOUT_LIMIT, flat.names)
    pairs = joined_pairs(flat, range(n), set())
    cells = [clique_cells(clique, cards) for clique in found.cliques]
    assert cells == eliminated_cells(found.order, pairs, cards)
    assert found.cells == sum(cells)
    best = min(max(eliminated_cells(order, pairs, cards)) for order in permutations(range(n)))
    assert best <= max(cells) <= 2 * best


def literal_order(pairs, cards, weighted):
    """Greedy min-fill on sets, every cost counted anew before every step."""
    around = {node: {b for a, b in pairs if a == node} for node in range(len(cards))}

    def cost(node):
        joins = [(a, b) for a, b in combinations(sorted(around[node]), 2) if b not in around[a]]
        fill = sum(cards[a] * cards[b] if weighted else 1 for a, b in joins)
        return fill, prod(cards[m] for m in (node, *around[node])), node

    order = []
    while around:
        node = min(map(cost, around))[2]
        order.append(node)
        for other in around[node]:
            around[other] = (around[other] | around[node]) - {other, node}
        del around[node]
    return order


@given(seeds, st.integers(2, 14))
def test_orders_are_those_of_costs_counted_anew(seed, n):
    flat = random_network(np.random.default_rng(seed), n, 3, (1, 2, 4))
    cards = flat.cards.tolist()
    families = [sum(1 << m for m in (*above, k)) for k, above in enumerate(flat.parents)]
    graph = moral_graph(families, 0, n)
    found = cheapest_elimination(graph, cards, (1 << n) - 1, WITHOUT_LIMIT, flat.names)
    pairs = joined_pairs(flat, range(n), set())
    orders = [literal_order(pairs, cards, weighted) for weighted in (False, True)]
    assert found.order == min(orders, key=lambda own: sum(eliminated_cells(own, pairs, cards)))


def test_order_of_a_cycle_by_hand():
    # A moral ring 0-1-2-3: every node's fill is one join; the smallest clique, then node order.
    graph = [0b1010, 0b0101, 0b1010, 0b0101]
    found = cheapest_elimination(graph, [2, 2, 2, 2], 0b1111, WITHOUT_LIMIT, "abcd")
    assert found.order[0] == 0
    assert found.cliques[:2] == [0b1011, 0b1110]
    weighted = cheapest_elimination(graph, [2, 9, 2, 9], 0b1111, WITHOUT_LIMIT, "abcd")
    assert weighted.order[0] == 1  # joins 0 and 2, 4 cells, rather than 1 and 3, 81


@pytest.mark.slow
def test_a_dense_network_of_300_nodes_is_refused_with_the_clique_named():
    flat = random_network(np.random.default_rng(0), 300, 12, (2, 3))
    with pytest.raises(TooLargeError, match=r"clique \{'x\d+'.* cells, .* bytes.*observe some"):
        make_plan(flat, 0, frozenset())


def test_many_cliques_that_are_too_large_together_are_refused(monkeypatch):
    case = large_case(3)
    plan = make_plan(case.flat, case.target, frozenset())
    monkeypatch.setattr("bnlr.inference.plan.MOST_CELLS", plan.cells - 1)
    with pytest.raises(TooLargeError, match=rf"tables of {plan.cells:,} cells"):
        make_plan(case.flat, case.target, frozenset())


@pytest.mark.slow
def test_observing_nodes_makes_a_plan_that_fits():
    rng = np.random.default_rng(0)
    flat = random_network(rng, 300, 8, (2, 3))
    with pytest.raises(TooLargeError):
        make_plan(flat, 0, frozenset())
    assert make_plan(flat, 0, frozenset(range(5, 300))).cells < 10_000


def test_plan_prints_order_cliques_and_costs():
    diamond = flat_of([(), (0,), (0,), (1, 2)], [2, 3, 4, 2])
    text = str(make_plan(diamond, 3, frozenset()))
    assert text.splitlines() == [
        "Plan for 'x3', 0 of 4 nodes always observed, 0 barren",
        "order: 'x0', 'x1', 'x2', 'x3'",
        "2 cliques, 48 cells, at most 120 flops a row, 384 bytes",
        "  {'x0', 'x1', 'x2'}: 24 cells",
        "  {'x1', 'x2', 'x3'}: 24 cells",
    ]


def test_plan_of_a_large_network_is_short_and_repeats_itself():
    case = large_case(1)
    plan, again = (make_plan(case.flat, case.target, frozenset({5})) for _ in range(2))
    assert str(plan) == str(again)
    assert len(str(plan).splitlines()) <= 20
    assert " and " in str(plan).splitlines()[1]


def test_tables_follow_each_other_without_overlap():
    plan = make_plan(large_case(2).flat, 0, frozenset())
    s = plan.schedule
    sizes = [np.prod(s.cards[s.members[a:b]]) for a, b in pairwise(s.first_member)]
    ends = np.append(s.sources[1:], s.sizes[0])
    np.testing.assert_array_equal(s.sources + sizes, ends)
