"""Networks whose names and states are as awkward as files can meet them."""

import numpy as np
from hypothesis import strategies as st

import bnlr

WORDS = (
    *("a", "b b", 'q"q', "c,d", "{e}", "100%", "é", "日本", "new\nline", "tab\t", "probability"),
    *("network", "net", "node", "9lives", " lead", "trail ", " ", "\\", "a;b", "%41", "a%20b"),
    *("a b", "|", "//", "/*", "%", "<x>", "&amp;", "\x00", "\ud800", "😀", "table", "default"),
    *("'", "''", "\u2028", "s:no", "-", "_", "n", "n_2", "A", "#", "\r", "\ufeff", "\x85", "?"),
    *("]]>", "<!--", "property", "1e-07", "0", "-1", "NA", "(", "a->b", "a_b", "data"),
)
LABELS = ("", *WORDS)
CLEAN = ("age", "sex", "x1", "smoker", "a_b", "Cough", "dysp", "node_7")


def _states(rng, card, labels):
    """Labels of one node: any texts, whole numbers, decimals, booleans, or a mixture."""
    pools = [
        tuple(labels[k] for k in rng.permutation(len(labels))[:card]),
        tuple(str(label) for label in rng.permutation(len(labels))[:card]),
    ]
    if labels is LABELS:
        pools += [
            tuple(int(k) for k in rng.permutation(9)[:card] - 4),
            (-(2**31) - 1, 7, 2**31, 2**70)[-card:],
            (0.5, -1e300, 3, 1e-7)[:card],
            ("1", 1, "True", 1.5)[:card],
        ]
        pools += [(True, False)] if card == 2 else []
    return pools[rng.integers(len(pools))]


def network(seed, min_card=1, words=WORDS, labels=LABELS):
    """1 to 6 nodes, 1 to 4 states, up to three parents in any order; cells from 1 to 1e-100."""
    rng = np.random.default_rng(seed)
    names = [words[k] for k in rng.permutation(len(words))[: rng.integers(1, 7)]]
    arcs = [
        (names[i], child)
        for k, child in enumerate(names)
        for i in rng.permutation(k)[: rng.integers(0, 4)]
    ]
    nodes = [names[k] for k in rng.permutation(len(names))]
    s = bnlr.Structure(arcs, class_name=str(names[rng.integers(len(names))]), nodes=nodes)
    states = {node: _states(rng, int(rng.integers(min_card, 5)), labels) for node in s.nodes}
    cpts = {}
    for node in s.nodes:
        shape = [len(states[member]) for member in (*s.parents(node), node)]
        cpt = rng.dirichlet(np.full(shape[-1], 0.05 + rng.random()), size=shape[:-1])
        cpts[node] = cpt / cpt.sum(axis=-1, keepdims=True)
    return bnlr.BayesianNetwork(s, states, cpts)


def networks():
    return st.integers(0, 2**32 - 1).map(network)


def assert_same(found, expected):
    """Equal structure, states with their types, and CPTs to the byte."""
    assert found.structure == expected.structure
    assert found.structure.class_name == expected.structure.class_name
    for node in expected.structure.nodes:
        assert [(type(x), x) for x in found.states[node]] == [
            (type(x), x) for x in expected.states[node]
        ]
        assert found.cpts[node].tobytes() == expected.cpts[node].tobytes()


def axis_names(network, node):
    return [*network.structure.parents(node), node]


def failure(kind, act, *arguments):
    """The message of the error of this kind that a call raises, empty if it raises none."""
    try:
        act(*arguments)
    except kind as error:
        return str(error)
    return ""
