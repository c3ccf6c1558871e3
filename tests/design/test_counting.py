"""Counts of families against literal loops, NumPy and pandas; both kinds of kernel, any threads."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.design import counting, counting_twins
from bnlr.design.counting import Families, family_counts, occurring_sums, pair_counts
from tests.kernels import EVERY, kernels_of
from tests.oracles import counts as oracle
from tests.oracles.model import Model
from tests.strategies import problems, seeds, structures

CARDS = (1, 2, 2, 3, 4, 9, 40, 200)
DTYPES = (np.int8, np.int16, np.int32, np.int64)


@pytest.fixture(params=EVERY, scope="module")
def code(request):
    """The kernels of each instruction set that can run here, and their twins."""
    return kernels_of(request.param, "counting", "design.counting_twins")


@pytest.fixture
def kind(code, monkeypatch):
    monkeypatch.setattr(counting, "_kernels", lambda: code)


def random_data(rng, n_rows, n_nodes, *, missing=0.0, weights=None, cards=CARDS, dtype=None):
    """Codes of random nodes; `missing` is the share of holes in about half of the columns."""
    sizes = rng.choice(cards, n_nodes)
    codes = np.column_stack([rng.integers(0, card, n_rows) for card in sizes])
    holed = rng.random(n_nodes) < 0.5
    codes[(rng.random(codes.shape) < missing) & holed] = -1
    states = {f"x{k}": tuple(range(card)) for k, card in enumerate(sizes)}
    data = bnlr.Dataset.from_codes(codes, states, "x0", weights)
    if dtype is None:
        return data
    return bnlr.Dataset(codes.astype(dtype, order="F"), states, "x0", data.row_weights)


def random_families(rng, data, n_families, max_cells=100_000):
    families = []
    while len(families) < n_families:
        size = int(rng.integers(1, min(4, len(data.nodes)) + 1))
        family = tuple(str(node) for node in rng.permutation(data.nodes)[:size])
        if np.prod([data.cards[node] for node in family]) <= max_cells:
            families.append(family)
    return families


def added(data, family):
    """One cell at a time, by ``np.add.at``."""
    table = np.zeros([data.cards[node] for node in family])
    codes = np.stack([data.column(node).astype(int) for node in family])
    seen = (codes >= 0).all(axis=0)
    np.add.at(table, tuple(codes[:, seen]), data.weights[seen])
    return table


def some_weights(rng, kind, n_rows):
    if kind == "none":
        return None
    drawn = rng.integers(0, 4, n_rows) if kind == "whole" else rng.uniform(0, 3, n_rows)
    drawn[0] = 1
    return drawn.astype(float)


@pytest.mark.parametrize("weighting", ["none", "whole", "fractional"])
@given(
    seeds,
    st.sampled_from([1, 3, 63, 64, 65, 300, 8192, 8300]),
    st.sampled_from(DTYPES),
    st.booleans(),
)
def test_equals_add_at_and_the_twins_bit_by_bit(code, weighting, seed, n_rows, dtype, holes):
    rng = np.random.default_rng(seed)
    weights = some_weights(rng, weighting, n_rows)
    cards = [card for card in CARDS if card <= np.iinfo(dtype).max]
    data = random_data(
        rng, n_rows, 6, missing=0.2 * holes, weights=weights, cards=cards, dtype=dtype
    )
    families = random_families(rng, data, 8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_kernels", lambda: code)
        compiled = family_counts(data, families)
        patch.setattr(counting, "_kernels", lambda: counting_twins)
        twin = family_counts(data, families)
    for family, one, other in zip(families, compiled, twin, strict=True):
        assert one.dtype == np.float64
        assert one.tobytes() == other.tobytes()
        expected = added(data, family)
        assert one.shape == expected.shape
        if weighting == "fractional":
            np.testing.assert_allclose(one, expected, rtol=1e-13, atol=0)
        else:
            np.testing.assert_array_equal(one, expected)


@given(problems(structures(max_nodes=5), missing=True))
def test_equals_the_literal_oracle_with_missing_cells(problem):
    structure, data = problem
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = list(zip(*(data.column(node) for node in model.nodes), strict=True))
    expected = oracle.family_counts(model, rows, data.weights)
    families = [(*structure.parents(node), node) for node in structure.nodes]
    for node, found in zip(structure.nodes, family_counts(data, families), strict=True):
        np.testing.assert_allclose(found, expected[node], rtol=1e-13, atol=0)


@pytest.mark.parametrize("weighted", [False, True])
def test_equals_pandas_crosstab(kind, weighted):
    rng = np.random.default_rng(1)
    data = random_data(
        rng, 20_000, 3, cards=(3, 5), weights=rng.integers(1, 9, 20_000) if weighted else None
    )
    frame = pd.DataFrame({node: data.column(node) for node in data.nodes})
    (table,) = family_counts(data, [("x1", "x0", "x2")])
    expected = pd.crosstab(
        [frame["x1"], frame["x0"]], frame["x2"], values=data.weights, aggfunc="sum"
    )
    np.testing.assert_array_equal(table.reshape(expected.shape), expected.to_numpy())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("holes", [0.0, 0.01])
def test_any_number_of_threads_gives_the_same_bytes(monkeypatch, kind, weighted, holes):
    monkeypatch.setattr(counting, "_WORTH_THREADS_NS", 0)
    rng = np.random.default_rng(2)
    weights = rng.uniform(0, 3, 70_001) if weighted else None
    data = random_data(rng, 70_001, 5, missing=holes, weights=weights)
    families = random_families(rng, data, 12)
    results = [family_counts(data, families, n_threads=n) for n in (1, 2, 3, None)]
    for tables in zip(*results, strict=True):
        assert len({table.tobytes() for table in tables}) == 1
    for family, table in zip(families, results[0], strict=True):
        np.testing.assert_allclose(table, added(data, family), rtol=1e-11, atol=0)


@pytest.mark.parametrize("limits", [{"_MASKED_CELLS": 0}, {"_MASKED_CELLS": 10**6}])
@pytest.mark.parametrize("lanes", [0, 10**6])
@pytest.mark.parametrize("few", [0, 10**6])
def test_masks_and_rows_count_alike(monkeypatch, kind, limits, lanes, few):
    rng = np.random.default_rng(3)
    data = random_data(rng, 10_000, 6, missing=0.1)
    families = random_families(rng, data, 12)
    expected = family_counts(data, families)
    monkeypatch.setattr(counting, "_FEW_ROWS", few)
    monkeypatch.setattr(counting, "_LANED_CELLS", lanes)
    monkeypatch.setattr(counting, "_MASKED_CELLS", limits["_MASKED_CELLS"])
    for one, other in zip(family_counts(data, families), expected, strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("weighting", ["none", "fractional"])
def test_pair_counts_are_class_by_pair_tables(kind, weighting):
    rng = np.random.default_rng(4)
    data = random_data(rng, 500, 7, missing=0.1, weights=some_weights(rng, weighting, 500))
    first, second = np.triu_indices(7)
    flat, starts = pair_counts(data, first, second)
    assert starts[-1] == len(flat)
    for i, j, (start, stop) in zip(first, second, itertools.pairwise(starts), strict=True):
        expected = added(data, ("x0", f"x{i}", f"x{j}"))
        np.testing.assert_allclose(flat[start:stop], expected.ravel(), rtol=1e-13, atol=0)


@pytest.mark.parametrize("n_rows", [1, 4096, 4097])
@pytest.mark.parametrize("weighting", ["none", "whole", "fractional"])
def test_few_rows_and_many_count_alike(kind, weighting, n_rows):
    rng = np.random.default_rng(8)
    weights = some_weights(rng, weighting, n_rows)
    data = random_data(rng, n_rows, 5, missing=0.1, weights=weights, cards=(2, 3, 40))
    families = random_families(rng, data, 12)
    for family, table in zip(families, family_counts(data, families), strict=True):
        np.testing.assert_allclose(table, added(data, family), rtol=1e-12, atol=0)


def test_pair_counts_take_other_weights():
    data = random_data(np.random.default_rng(5), 50, 3)
    twice = replace(data, row_weights=np.full(50, 2.0))
    doubled, _ = pair_counts(twice, [1], [2])
    np.testing.assert_array_equal(doubled, 2 * pair_counts(data, [1], [2])[0])


def test_counting_rows_makes_no_weights():
    data = random_data(np.random.default_rng(6), 50, 3)
    family_counts(data, [("x0", "x1"), ("x2",)])
    assert "weights" not in vars(data)


def test_no_families_and_no_rows(kind):
    data = random_data(np.random.default_rng(7), 50, 3, cards=(2, 3))
    assert family_counts(data, []) == []
    (table,) = family_counts(data.take([]), [("x0", "x1")])
    np.testing.assert_array_equal(table, np.zeros((data.cards["x0"], data.cards["x1"])))
    flat, starts = pair_counts(data, [], [])
    assert flat.size == 0
    assert starts.tolist() == [0]


def test_bad_input_is_named():
    data = random_data(np.random.default_rng(8), 20, 3, cards=(2, 3))
    with pytest.raises(bnlr.DataError, match=r"'z' of the family \(x0, z\) is not a column"):
        family_counts(data, [("x0", "z")])
    with pytest.raises(bnlr.ParameterError, match="no nodes"):
        family_counts(data, [()])
    with pytest.raises(bnlr.ParameterError, match="n_threads is 0"):
        family_counts(data, [("x0",)], n_threads=0)
    with pytest.raises(bnlr.ParameterError, match="column 3 of 3"):
        pair_counts(data, [0], [3])
    with pytest.raises(bnlr.ParameterError, match="1 first and 2 second"):
        pair_counts(data, [0], [1, 2])


def test_tables_that_would_not_fit_are_refused_before_they_are_allocated():
    states = {f"x{k}": tuple(range(3000)) for k in range(3)}
    data = bnlr.Dataset.from_codes(np.zeros((2, 3), dtype=int), states, "x0")
    with pytest.raises(bnlr.TooLargeError, match=r"x2.*27,000,000,000 cells"):
        family_counts(data, [("x0", "x1", "x2")])
    with pytest.raises(bnlr.TooLargeError, match="all pairs together"):
        pair_counts(data, [1], [2])


@given(problems(structures(max_nodes=6)))
def test_the_families_of_a_structure_are_each_node_with_its_parents(problem):
    structure, data = problem
    families = [(*structure.parents(node), node) for node in structure.nodes]
    found, listed = Families.of_structure(structure, data), Families.of(data, families)
    for name in ("axes", "ends", "cards", "starts"):
        np.testing.assert_array_equal(getattr(found, name), getattr(listed, name))
    assert list(found.shapes) == [tuple(data.cards[n] for n in family) for family in families]


def test_a_family_too_large_to_count_is_refused_before_it_is_counted():
    names = [f"x{k}" for k in range(9)]
    states = {name: tuple(range(50)) for name in names}
    data = bnlr.Dataset.from_codes(np.zeros((2, 9), dtype=int), states, "x0")
    structure = bnlr.Structure([(name, "x8") for name in names[:8]], "x0", names)
    with pytest.raises(bnlr.TooLargeError, match="x8"):
        Families.of_structure(structure, data)


def test_masks_of_many_states_and_axes(code):
    """Every size of a tile of masks, holes in some axes, and blocks that end within a word."""
    rng = np.random.default_rng(9)
    cards = np.array([1, 2, 3, 4, 5, 6, 7])
    axes = [[i, j] for i in range(7) for j in range(7)] + [[k] for k in range(7)] + [[1, 6, 2, 3]]
    families = Families.at(cards, np.concatenate(axes), [len(own) for own in axes])
    arrays = (families.axes, families.ends, families.cards, families.starts)
    for n_rows in (0, 1, 64, 8191, 8192, 16_500):
        codes = np.array([rng.integers(0, card, n_rows) for card in cards]).astype(np.int8)
        codes[::2][rng.random((4, n_rows)) < 0.1] = -1
        found = np.zeros((2, families.starts[-1]), dtype=np.int64)
        for module, out in zip((code, counting_twins), found, strict=True):
            module.count_bits(codes, *arrays, min(3, n_rows), n_rows, out)
        np.testing.assert_array_equal(*found)


@given(seeds, st.integers(0, 40), st.booleans())
def test_sums_over_what_occurs_are_those_of_whole_tables(code, seed, n_rows, holes):
    rng = np.random.default_rng(seed)
    terms = rng.random(n_rows + 1)
    data = random_data(rng, max(n_rows, 1), 6, missing=0.3 * holes).take(np.arange(n_rows))
    first, others = 1, np.array([2, 5, 3])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "_kernels", lambda: code)
        patch.setattr(counting, "_WORTH_THREADS_NS", -1 if seed % 2 else 1e9)
        found = occurring_sums(data, first, others, terms, n_threads=2)
        patch.setattr(counting, "_kernels", lambda: counting_twins)
        assert found.tobytes() == occurring_sums(data, first, others, terms, 1).tobytes()
    data = replace(data, row_weights=np.ones(n_rows))
    counts, starts = pair_counts(data, np.full(3, first), others)
    values = np.where(counts > 0, terms[counts.astype(int)], 0.0)
    np.testing.assert_allclose(found, np.add.reduceat(values, starts[:-1]), rtol=1e-13)


BAD = {
    "codes": [lambda a: a.astype(np.uint8), np.asfortranarray, lambda a: a[:2]],
    "axes": [lambda a: a + 1, lambda a: a - 1, lambda a: a.astype(np.int32), lambda a: a[:-1]],
    "ends": [lambda a: a[:-1], lambda a: a + 1, lambda a: a[::-1].copy()],
    "cards": [lambda a: a + 1, lambda a: a[:-1], lambda a: 0 * a],
    "starts": [lambda a: a + 1, lambda a: a - 1, lambda a: a[:-1]],
    "start": [lambda start: start - 1, lambda start: start + 100],
    "stop": [lambda stop: stop + 1],
    "which": [lambda a: a + 1, lambda a: a - 2, lambda a: a.astype(float)],
    "weights": [lambda a: a[:-1], lambda a: a.astype(np.float32), lambda a: np.repeat(a, 2)[::2]],
    "out": [lambda a: a[:-1], lambda a: a.astype(np.float32), lambda a: np.repeat(a, 2)[::2]],
    "order": [lambda a: a + 1, lambda a: a - 1, lambda a: a[:-1], lambda a: a.astype(np.int32)],
    "others": [lambda a: a + 1, lambda a: a - 1, lambda a: a.astype(np.int32)],
    "terms": [lambda a: a[:-1], lambda a: a.astype(np.float32)],
    "sums": [lambda a: a[:-1], lambda a: a.astype(np.float32)],
    "table": [
        lambda a: a[:, 1:].copy(),
        lambda a: a[:0],
        lambda a: a.astype(np.float32),
        np.asfortranarray,
    ],
}


KERNELS = ["count_bits", "count_cells", "add_families", "weigh_cells", "sum_occurring"]


@pytest.mark.parametrize("name", KERNELS)
def test_arrays_that_do_not_fit_are_refused(code, name):
    if code is counting_twins:
        pytest.skip("NumPy's own checks")
    rng, cards = np.random.default_rng(10), np.array([2, 3, 4])
    codes = np.array([rng.integers(0, card, 70) for card in cards]).astype(np.int8)
    axes = np.array([0, 1, 2, 1])
    families = Families.at(cards, axes, [3, 1])
    given = {"codes": codes}
    if name in {"count_bits", "add_families"}:
        given |= {k: getattr(families, k) for k in ("axes", "ends", "cards", "starts")}
        if name == "count_bits":
            given |= {"start": 0, "stop": 70, "out": np.zeros(families.starts[-1], np.int64)}
        else:
            given |= {"which": np.array([1, 0]), "weights": np.ones(70)}
            given |= {"out": np.zeros(families.starts[-1])}
    elif name == "sum_occurring":
        given |= {"order": np.arange(70), "ends": np.array([0, 30, 70]), "others": np.array([0, 2])}
        given |= {"cards": cards[[0, 2]], "terms": np.ones(71), "sums": np.zeros(2)}
    else:
        given |= {"axes": axes[:3], "cards": cards}
        if name == "count_cells":
            given |= {"table": np.zeros((4, 25), np.int64)}
        else:
            given |= {"weights": np.ones(70), "table": np.zeros((4, 25))}
    kernel = getattr(code, name)
    kernel(**given)
    for key, value in given.items():
        # More states than the codes use are no error there.
        for changed in BAD[key][(name, key) == ("sum_occurring", "cards") :]:
            with pytest.raises((TypeError, ValueError)):
                kernel(**given | {key: changed(value)})
