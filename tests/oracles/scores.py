"""Family scores and hill climbing by literal loops over rows, cells and moves."""

import itertools
import math

import networkx as nx


def table(data, node, parents):
    """{parent configuration: [weight of each state]}, every configuration that can be."""
    counts = {
        configuration: [0.0] * data.cards[node]
        for configuration in itertools.product(*(range(data.cards[p]) for p in parents))
    }
    for row in range(data.n_rows):
        configuration = tuple(int(data.column(p)[row]) for p in parents)
        counts[configuration][data.column(node)[row]] += data.weights[row]
    return counts


def family_score(kind, data, node, parents, ess=1.0):
    """By the formulas, with math.lgamma and math.log."""
    counts = table(data, node, parents)
    r, q = data.cards[node], len(counts)
    if kind in ("k2", "bdeu"):
        alpha = 1.0 if kind == "k2" else ess / (r * q)
        return sum(
            math.lgamma(r * alpha)
            - math.lgamma(sum(row) + r * alpha)
            + sum(math.lgamma(n + alpha) - math.lgamma(alpha) for n in row)
            for row in counts.values()
        )
    fit = sum(n * math.log(n / sum(row)) for row in counts.values() for n in row if n > 0)
    price = {"log-likelihood": 0.0, "aic": 1.0, "bic": 0.5 * math.log(sum(data.weights))}
    return fit - price[kind] * (r - 1) * q


def network_score(kind, data, arcs, ess=1.0):
    return sum(
        family_score(kind, data, node, sorted(p for p, c in arcs if c == node), ess)
        for node in data.nodes
    )


def moves(nodes, arcs, max_parents):
    """[(kind, parent, child, arcs after it)] of every legal move: 0 adds, 1 deletes, 2 reverses."""
    found = []
    for parent, child in itertools.permutations(nodes, 2):
        if (parent, child) in arcs:
            less = arcs - {(parent, child)}
            found += [(1, parent, child, less), (2, parent, child, less | {(child, parent)})]
        elif (child, parent) not in arcs:
            found.append((0, parent, child, arcs | {(parent, child)}))
    return [move for move in found if _is_legal(nodes, move[3], max_parents)]


def _is_legal(nodes, arcs, max_parents):
    graph = nx.DiGraph(list(arcs))
    graph.add_nodes_from(nodes)
    fits = max(degree for _, degree in graph.in_degree()) <= max_parents
    return fits and nx.is_directed_acyclic_graph(graph)


def hill_climb(kind, data, arcs, max_parents, ess=1.0, equal=1e-8):
    """The set of arcs where greedy search ends; ties as `bnlr.search.hgc` breaks them."""
    known = {}

    def total(arcs):
        families = [(n, tuple(sorted(p for p, c in arcs if c == n))) for n in data.nodes]
        for family in families:
            if family not in known:
                known[family] = family_score(kind, data, *family, ess)
        return sum(known[family] for family in families)

    def rank(node):
        return node != data.class_name, node

    arcs = frozenset(arcs)
    while True:
        now = total(arcs)
        found = [(total(move[3]) - now, move) for move in moves(data.nodes, arcs, max_parents)]
        best = max((gain for gain, _ in found), default=0.0)
        if best <= equal:
            return arcs
        tied = [move for gain, move in found if gain >= best - equal]
        arcs = min(tied, key=lambda move: (move[0], rank(move[1]), rank(move[2])))[3]
