"""k-DB against Sahami's algorithm, line by line."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.search.independence import class_information, shown_weight
from tests.strategies import problems


def chained(seed, n_rows=500, n_noise=0):
    """a → b → d → e beside the class c, and attributes n0, n1, … of noise."""
    rng = np.random.default_rng(seed)
    columns = {"c": rng.integers(0, 2, n_rows), "a": rng.integers(0, 3, n_rows)}
    for above, node in itertools.pairwise("abde"):
        noise = rng.integers(0, 3, n_rows)
        columns[node] = np.where(rng.random(n_rows) < 0.7, columns[above], noise)
    columns["b"] = np.where(rng.random(n_rows) < 0.1, columns["c"], columns["b"])
    for k in range(n_noise):
        columns[f"n{k}"] = rng.integers(0, 3, n_rows)
    states = {node: (0, 1) if node == "c" else (0, 1, 2) for node in columns}
    return bnlr.Dataset.from_codes(np.column_stack(list(columns.values())), states, "c")


def information(data, one, other, given=None):
    """I(one; other), given another column if one is named, by the rows that show them all."""
    columns = [one, other, *([] if given is None else [given]), data.class_name]
    cells = {}
    for row in range(data.n_rows):
        i, j, *rest = (int(data.column(node)[row]) for node in columns)
        if min(i, j, *rest) >= 0:
            cell = (i, j, rest[0] if given is not None else 0)
            cells[cell] = cells.get(cell, 0.0) + data.weights[row]
    n = sum(cells.values())

    def total(axes, cell):
        return sum(w for key, w in cells.items() if all(key[a] == cell[a] for a in axes))

    return sum(
        w / n * math.log(w * total([2], cell) / (total([0, 2], cell) * total([1, 2], cell)))
        for cell, w in cells.items()
        if w > 0
    )


def sahami(data, k, threshold=-math.inf):
    """The set of arcs; equal values, to 10 decimals, by name."""
    own = data.class_name
    left = sorted(node for node in data.nodes if node != own)
    arcs, used = set(), []
    while left:
        best = min(left, key=lambda x: (-round(information(data, x, own), 10), x))
        arcs.add((own, best))
        above = sorted(used, key=lambda x: (-round(information(data, x, best, own), 10), x))
        arcs |= {
            (x, best)
            for x in above[: min(len(used), k)]
            if round(information(data, x, best, own), 10) > threshold
        }
        left.remove(best)
        used.append(best)
    return arcs


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("k", [0, 1, 2, 3])
def test_is_sahami_s_algorithm(missing, k):
    @given(problems(n_rows=(2, 30), missing=missing))
    def check(problem):
        _, data = problem
        assert set(bnlr.learn_structure(data, "kdb", k=k).edges) == sahami(data, k)

    check()


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_threshold_drops_parents_that_tell_little(seed):
    data = chained(seed, n_noise=2)
    pairs = [(x, y) for x, y in itertools.combinations(data.nodes, 2) if "c" not in (x, y)]
    values = sorted(information(data, x, y, "c") for x, y in pairs)
    for threshold in (values[0] / 2, values[len(values) // 2] + 1e-6, values[-1] + 1e-6):
        learnt = bnlr.learn_structure(data, "kdb", threshold=threshold)
        assert set(learnt.edges) == sahami(data, 2, threshold)
    assert learnt == bnlr.learn_structure(data, "naive-bayes")


def test_two_is_the_default_and_none_is_naive_bayes():
    data = chained(0)
    assert bnlr.learn_structure(data, "kdb") == bnlr.learn_structure(data, "kdb", k=2)
    assert bnlr.learn_structure(data, "kdb", k=0) == bnlr.learn_structure(data, "naive-bayes")
    full = bnlr.learn_structure(data, "kdb", k=9)
    assert len(full.edges) == 4 + 6


def test_one_is_perfect_and_two_need_not_be():
    perfect = {
        k: [
            bnlr.analyze(bnlr.learn_structure(chained(s, 60, 3), "kdb", k=k)).is_perfect
            for s in range(8)
        ]
        for k in (0, 1, 2)
    }
    assert all(perfect[0])
    assert all(perfect[1])
    assert not all(perfect[2])


@given(problems(n_rows=(2, 40)), st.sampled_from([1, 2]))
def test_no_attribute_has_more_than_k_attributes_above_it(problem, k):
    _, data = problem
    learnt = bnlr.learn_structure(data, "kdb", k=k)
    assert nx.is_directed_acyclic_graph(learnt.to_networkx())
    counts = sorted(len(learnt.parents(node)) for node in learnt.attributes)
    assert counts == [1 + min(k, place) for place in range(len(counts))]


@given(problems(n_rows=(2, 40), missing=True))
def test_information_about_the_class(problem):
    _, data = problem
    attributes = [node for node in data.nodes if node != data.class_name]
    expected = [information(data, node, data.class_name) for node in attributes]
    np.testing.assert_allclose(class_information(data), expected, atol=1e-12)
    turned = data.take(np.arange(data.n_rows)[::-1])
    assert class_information(turned).tobytes() == class_information(data).tobytes()


def test_weight_of_the_rows_that_show_all():
    codes = np.array([[0, 0, 1], [1, -1, 0], [-1, 1, 0], [1, 1, -1], [0, 1, 0]])
    states = {"c": (0, 1), "a": (0, 1), "b": (0, 1)}
    data = bnlr.Dataset.from_codes(codes, states, "c", weights=[1, 2, 4, 8, 16])
    assert shown_weight(data, ["c"]) == 27
    assert shown_weight(data, ["c", "a", "b"]) == 17
    assert shown_weight(data.take([0, 4]), ["c", "a", "b"]) == 17


def test_errors():
    data = chained(1)
    cases = [
        ({"k": -1}, "k is -1; it must be a whole number, 0 or larger"),
        ({"k": 1.5}, r"k is 1\.5"),
        ({"k": True}, "k is True"),
        ({"threshold": "x"}, "threshold is 'x'; it must be a number of nats, or None"),
        ({"threshold": math.nan}, "threshold is nan"),
        ({"root": "a"}, "no option 'root'; it has k, threshold"),
    ]
    for options, message in cases:
        with pytest.raises(bnlr.ParameterError, match=message):
            bnlr.learn_structure(data, "kdb", **options)
    one_class = bnlr.Dataset.from_codes([[0, 0], [0, 1]], {"c": (0, 1), "a": (0, 1)}, "c")
    with pytest.raises(bnlr.DataError, match="class"):
        bnlr.learn_structure(one_class, "kdb")
