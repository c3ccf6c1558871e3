"""Conditional mutual information against scikit-learn, the definition, and itself rearranged."""

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import mutual_info_score

import bnlr
from bnlr.design import counting
from bnlr.search import batches, independence
from bnlr.search.independence import conditional_mutual_information
from bnlr.search.tan import spanning_pairs
from tests.strategies import problems

KEPT = ("c", "b", "a", "d")
FEW = (batches, "BATCH_CELLS")


def dataset(codes, cards, weights=None, class_name="c"):
    states = {name: tuple(range(card)) for name, card in zip(KEPT, cards, strict=False)}
    return bnlr.Dataset.from_codes(codes, states, class_name, weights)


def random_dataset(seed, n_rows=300, cards=(3, 4, 2, 3), weighted=False):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, cards[0], n_rows)
    first = np.where(
        rng.random(n_rows) < 0.5, classes % cards[1], rng.integers(0, cards[1], n_rows)
    )
    second = np.where(rng.random(n_rows) < 0.6, first % cards[2], rng.integers(0, cards[2], n_rows))
    last = rng.integers(0, cards[3], n_rows)
    weights = rng.uniform(0.0, 3.0, n_rows) if weighted else None
    return dataset(np.column_stack([classes, first, second, last]), cards, weights)


def literal(data, one, other):
    """Σ p(i, j, c) log [p(i, j | c) / (p(i | c) p(j | c))], a cell at a time."""
    columns = [data.column(node) for node in (one, other, data.class_name)]
    cells = dict.fromkeys(
        itertools.product(*(range(data.cards[n]) for n in (one, other, "c"))), 0.0
    )
    for *cell, weight in zip(*columns, data.weights, strict=True):
        cells[tuple(cell)] += weight
    n = sum(cells.values())

    def total(**fixed):
        return sum(
            w for (i, j, c), w in cells.items() if fixed.items() <= {"i": i, "j": j, "c": c}.items()
        )

    return sum(
        w / n * math.log(w * total(c=c) / (total(i=i, c=c) * total(j=j, c=c)))
        for (i, j, c), w in cells.items()
        if w > 0
    )


@pytest.mark.parametrize("seed", range(3))
def test_equals_mutual_information_averaged_over_the_classes(seed):
    data = random_dataset(seed)
    found = conditional_mutual_information(data)
    attributes = [node for node in data.nodes if node != "c"]
    for i, j in itertools.product(range(3), repeat=2):
        expected = 0.0
        for c in range(data.cards["c"]):
            rows = data.class_codes == c
            score = mutual_info_score(
                data.column(attributes[i])[rows], data.column(attributes[j])[rows]
            )
            expected += rows.mean() * score
        assert found[i, j] == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
def test_equals_the_definition(weighted):
    data = random_dataset(11, n_rows=60, weighted=weighted)
    found = conditional_mutual_information(data)
    for i, j in itertools.combinations(range(3), 2):
        assert found[i, j] == pytest.approx(literal(data, KEPT[1 + i], KEPT[1 + j]), abs=1e-13)
        assert found[j, i] == found[i, j]


def test_equals_pyagrum():
    gum = pytest.importorskip("pyagrum")
    data = random_dataset(12)
    learner = gum.BNLearner(data.to_frame().astype(str))
    learner.useNoCorrection()
    found = conditional_mutual_information(data) / math.log(2)
    for i, j in itertools.combinations(range(3), 2):
        bits = learner.mutualInformation(KEPT[1 + i], KEPT[1 + j], ["c"])
        assert found[i, j] == pytest.approx(bits, abs=1e-12)


def test_known_values():
    # Given c, a copies b where c = 0 and is its opposite where c = 1; d is a fair coin.
    codes = [[c, b, b ^ c, d] for c, b, d in itertools.product((0, 1), repeat=3)]
    found = conditional_mutual_information(dataset(codes, (2, 2, 2, 2)))
    expected = [[math.log(2), math.log(2), 0], [math.log(2), math.log(2), 0], [0, 0, math.log(2)]]
    np.testing.assert_allclose(found, expected, atol=1e-15)
    assert (found >= 0).all()


@pytest.mark.slow
@given(problems(weighted=False))
def test_is_symmetric_and_at_most_the_smaller_entropy(problem):
    _, data = problem
    if data.cards[data.class_name] < 2:
        return
    found = conditional_mutual_information(data)
    entropies = found.diagonal()
    assert (found >= 0).all()
    np.testing.assert_array_equal(found, found.T)
    assert (found <= np.minimum(entropies[:, None], entropies[None, :]) + 1e-12).all()


@given(st.integers(0, 10_000))
def test_weights_are_repeated_rows_to_the_bit(seed):
    rng = np.random.default_rng(seed)
    data = random_dataset(seed, n_rows=40)
    repeats = rng.integers(0, 4, 40)
    repeats[np.argmax(data.class_codes == 0)] = repeats[np.argmax(data.class_codes == 1)] = 1
    weighted = bnlr.Dataset.from_codes(data.codes, data.states, "c", weights=repeats)
    repeated = data.take(np.repeat(np.arange(40), repeats))
    np.testing.assert_array_equal(
        conditional_mutual_information(weighted), conditional_mutual_information(repeated)
    )


def test_a_sum_of_weights_that_the_order_rounds_to_a_power_of_two_or_not():
    codes = np.array(random_dataset(5, n_rows=11).codes)
    codes[:, 0] = np.arange(11) % 2
    weights = np.array([1 - 2.0**-53] + 3 * [2.0**-55] + 7 * [0.0])
    data = dataset(codes, (3, 4, 2, 3), weights)
    orders = [np.random.default_rng(seed).permutation(11) for seed in range(8)]
    assert len({np.frexp(weights[order].sum())[1] for order in orders}) == 2
    found = {conditional_mutual_information(data.take(order)).tobytes() for order in orders}
    assert len(found) == 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cards", [(3, 4, 2, 3), (2, 30, 20, 3), (2, 200, 300, 100)])
def test_any_number_of_threads_gives_the_same_bits(monkeypatch, weighted, cards):
    monkeypatch.setattr(counting, "_WORTH_THREADS_NS", 0)
    data = random_dataset(13, 40_000, cards, weighted)
    found = {conditional_mutual_information(data, n).tobytes() for n in (1, 2, 3)}
    assert len(found) == 1


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("cards", [(3, 4, 2, 3), (2, 50, 90, 30)])
def test_row_order_does_not_change_a_bit(weighted, cards):
    data = random_dataset(5, cards=cards, weighted=weighted)
    shuffled = data.take(np.random.default_rng(0).permutation(data.n_rows))
    np.testing.assert_array_equal(
        conditional_mutual_information(data), conditional_mutual_information(shuffled)
    )


@pytest.mark.parametrize("factor", [1e-300, 1e-9, 1e12, 1e290])
def test_a_common_factor_of_the_weights_is_immaterial(factor):
    data = random_dataset(6, weighted=True)
    scaled = bnlr.Dataset.from_codes(data.codes, data.states, "c", weights=factor * data.weights)
    np.testing.assert_allclose(
        conditional_mutual_information(scaled), conditional_mutual_information(data), atol=1e-13
    )


@pytest.mark.parametrize(
    "limits",
    [
        {FEW: 30},
        {FEW: 1, (independence, "_MOST_PAIRS"): 1},
        {(independence, "_LARGEST_TABLE"): 1},
        {(independence, "_LARGEST_TABLE"): 25, (independence, "_MOST_PAIRS"): 4},
    ],
)
@pytest.mark.parametrize("weighted", [False, True])
def test_batches_and_sparse_tables_give_the_same_numbers(monkeypatch, limits, weighted):
    data = random_dataset(7, weighted=weighted)
    expected = conditional_mutual_information(data)
    for (module, name), value in limits.items():
        monkeypatch.setattr(module, name, value)
    np.testing.assert_allclose(conditional_mutual_information(data), expected, atol=1e-15)


def test_thousands_of_states_take_no_square_table():
    rng = np.random.default_rng(8)
    codes = np.column_stack([rng.integers(0, 2, 900), *rng.integers(0, 5000, (2, 900))])
    data = dataset(codes, (2, 5000, 5000))
    found = conditional_mutual_information(data)
    expected = [mutual_info_score(*codes[codes[:, 0] == c, 1:].T) for c in (0, 1)]
    share = (codes[:, 0] == 1).mean()
    assert found[0, 1] == pytest.approx((1 - share) * expected[0] + share * expected[1], abs=1e-12)


def test_memory_and_the_tree_follow_the_pairs_that_are_seen_not_those_that_could_be():
    rng = np.random.default_rng(9)
    n_rows, card = 3000, 1000
    common = rng.integers(0, card, n_rows)
    columns = [
        np.where(rng.random(n_rows) < p, common, rng.integers(0, card, n_rows))
        for p in (0.9, 0.5, 0.2)
    ]
    data = dataset(np.column_stack([common % 2, *columns]), (2, card, card, card))
    tracemalloc.start()
    try:
        found = conditional_mutual_information(data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 100 * n_rows < 8 * card**2
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(independence, "_SMALL_TABLE", 2 * card**2)
        dense = conditional_mutual_information(data)
    np.testing.assert_allclose(found, dense, rtol=0, atol=1e-14)
    assert spanning_pairs(found) == spanning_pairs(dense)


def test_rows_without_a_class_are_left_out():
    data = random_dataset(9)
    codes = np.array(data.codes)
    codes[250:, 0] = -1
    expected = conditional_mutual_information(data.take(slice(0, 250)))
    np.testing.assert_array_equal(
        conditional_mutual_information(dataset(codes, (3, 4, 2, 3))), expected
    )


# Missing cells


def holed_dataset(seed, weighted=False, n_rows=300, share=0.3):
    whole = random_dataset(seed, n_rows, weighted=weighted)
    codes = np.array(whole.codes)
    codes[np.random.default_rng(seed + 1).random(codes.shape) < share] = -1
    return dataset(codes, (3, 4, 2, 3), whole.row_weights)


def rows_that_show(data, *nodes):
    return [row for row in range(data.n_rows) if all(data.column(node)[row] >= 0 for node in nodes)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_each_pair_is_judged_by_the_rows_that_show_it(seed, weighted):
    """Greiner et al. 2005, 5.1.3: records without a value of both are ignored."""
    data = holed_dataset(seed, weighted)
    found = conditional_mutual_information(data)
    for i, j in itertools.combinations(range(3), 2):
        one, other = KEPT[1 + i], KEPT[1 + j]
        seen = data.take(rows_that_show(data, one, other, "c"))
        assert found[i, j] == pytest.approx(literal(seen, one, other), abs=1e-13)
        assert found[j, i] == found[i, j]
    for i, node in enumerate(KEPT[1:]):
        own = data.take(rows_that_show(data, node, "c"))
        assert found[i, i] == pytest.approx(literal(own, node, node), abs=1e-13)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(
    "limits",
    [
        {FEW: 30},
        {FEW: 1, (independence, "_MOST_PAIRS"): 1},
        {(independence, "_LARGEST_TABLE"): 1},
        {(independence, "_LARGEST_TABLE"): 25, (independence, "_MOST_PAIRS"): 4},
    ],
)
def test_batches_and_sparse_tables_give_the_same_numbers_with_holes(monkeypatch, limits, weighted):
    data = holed_dataset(7, weighted)
    expected = conditional_mutual_information(data)
    for (module, name), value in limits.items():
        monkeypatch.setattr(module, name, value)
    np.testing.assert_allclose(conditional_mutual_information(data), expected, atol=1e-15)


@pytest.mark.parametrize("weighted", [False, True])
def test_neither_threads_nor_row_order_change_a_bit_with_holes(monkeypatch, weighted):
    monkeypatch.setattr(counting, "_WORTH_THREADS_NS", 0)
    data = holed_dataset(13, weighted, n_rows=20_000)
    shuffled = data.take(np.random.default_rng(0).permutation(data.n_rows))
    found = {conditional_mutual_information(data, n).tobytes() for n in (1, 2, 3)}
    assert {conditional_mutual_information(shuffled).tobytes()} == found


def test_a_row_with_no_more_than_one_attribute_tells_nothing():
    """So that data with such rows added, which do not count as whole, give what they gave."""
    data = random_dataset(3)
    more = np.full((5, 4), -1)
    more[:, 0], more[0, 2], more[1:3, 3] = 1, 1, 2
    longer = dataset(np.concatenate([data.codes, more]), (3, 4, 2, 3))
    off = ~np.eye(3, dtype=bool)
    np.testing.assert_allclose(
        conditional_mutual_information(longer)[off],
        conditional_mutual_information(data)[off],
        atol=1e-14,
    )


def test_a_pair_that_no_row_shows_has_no_information():
    codes = [[0, 0, -1, 1], [1, 1, -1, 0], [0, -1, 1, 1], [1, -1, 0, 0]]
    found = conditional_mutual_information(dataset(codes, (2, 2, 2, 2)))
    assert found[0, 1] == found[1, 0] == 0.0
    assert np.isfinite(found).all()


def test_a_single_class_is_refused():
    with pytest.raises(bnlr.DataError, match="one value 0"):
        conditional_mutual_information(dataset([[0, 1, 1, 1], [0, 1, 0, 1]], (2, 2, 2, 2)))
    with pytest.raises(bnlr.DataError, match="one value 0"):
        conditional_mutual_information(dataset([[0, 1, -1, 1], [0, 1, 0, 1]], (2, 2, 2, 2)))
