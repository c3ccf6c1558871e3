"""Every kernel equals the sums of its docstring, written out row by row; so does its twin."""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import log_softmax

from bnlr import native
from tests.kernels import EVERY, kernels_of
from tests.strategies import seeds

# One difference, few, one vector of them, and several panels of vectors; with and without a rest.
CLASSES = (2, 3, 8, 9, 26, 90)


@pytest.fixture(params=EVERY, scope="module")
def code(request):
    """The kernels of each instruction set that can run here, and their twins."""
    return kernels_of(request.param, "packed", "design.twins")


class Rows(NamedTuple):
    """Packed rows; the functions are asked for those from ``start`` to ``stop`` only."""

    n_classes: int
    offsets: np.ndarray
    codes: np.ndarray
    classes: np.ndarray
    weights: np.ndarray
    start: int
    stop: int
    rng: np.random.Generator

    @property
    def n_cells(self):
        return int(self.offsets[-1])

    @property
    def within(self):
        return range(self.start, self.stop)

    def cells(self, i):
        """Stacked cells of row ``i``, one a group."""
        return [int(o) + int(c) for o, c in zip(self.offsets, self.codes[:, i], strict=False)]

    def weight(self, i):
        return self.weights[i] if self.weights.size else 1.0

    def table(self, width=None, scale=1.0):
        return scale * self.rng.standard_normal((self.n_cells, width or self.n_classes - 1))

    def scores(self, table):
        """Scores of all rows, (n_rows, width); NaN outside ``start:stop``."""
        scores = np.full((self.codes.shape[1], table.shape[1]), np.nan)
        for i in self.within:
            scores[i] = table[self.cells(i)].sum(axis=0)
        return scores

    def summed(self, values, into):
        """``into`` plus the values (n_rows, width) of every row, at each of the row's cells."""
        total = into.copy()
        for i in self.within:
            for cell in self.cells(i):
                total[cell] += values[i]
        return total

    def probabilities(self, scale=2.0):
        """Posteriors of all classes, (n_rows, n_classes)."""
        shape = (self.codes.shape[1], self.n_classes)
        return np.exp(log_softmax(scale * self.rng.standard_normal(shape), axis=1))


@st.composite
def rows(draw, classes=CLASSES, sizes=(0, 1, 30, 1_100)):
    """Up to two blocks of rows and part of a third, 1-8 groups, with and without weights."""
    n_classes = draw(st.sampled_from(classes))
    n_groups, rng = draw(st.integers(1, 8)), np.random.default_rng(draw(seeds))
    n_rows = min(draw(st.sampled_from(sizes)), 400 if n_classes >= 26 else 1_100)
    groups = rng.integers(1, 9, n_groups)
    codes = rng.integers(0, groups[:, None], (n_groups, n_rows)).astype(np.uint16)
    weights = np.empty(0)
    if draw(st.booleans()) and n_rows:
        weights = rng.uniform(0.0, 3.0, n_rows) * (rng.random(n_rows) < 0.9)
    start = draw(st.sampled_from([0, min(7, n_rows)]))
    stop = n_rows - draw(st.sampled_from([0, min(3, n_rows - start)]))
    classes_of = rng.integers(0, n_classes, n_rows).astype(np.uint8)
    offsets = np.concatenate([[0], np.cumsum(groups)]).astype(np.int64)
    return Rows(n_classes, offsets, codes, classes_of, weights, start, stop, rng)


def close(found, expected):
    """Equal but for rounding: relative to each number, and to the largest where sums cancel."""
    expected = np.asarray(expected)
    largest = float(np.abs(expected).max(initial=1.0))
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * largest)


def full(scores):
    """Scores with the reference's 0 in front."""
    return np.concatenate([np.zeros((len(scores), 1)), scores], axis=1)


@given(rows())
def test_gather_sums_the_entries_of_each_row(code, case):
    table = case.table()
    scores = np.full((case.stop - case.start, table.shape[1]), np.nan)
    code.gather(table, case.offsets, case.codes, case.start, case.stop, scores)
    close(scores, case.scores(table)[case.start : case.stop])


@given(rows())
def test_count_adds_the_weights_by_class(code, case):
    into = case.table(case.n_classes)
    hot = np.zeros((case.codes.shape[1], case.n_classes))
    for i in case.within:
        hot[i, case.classes[i]] = case.weight(i)
    expected = case.summed(hot, into)
    arrays = (case.offsets, case.codes, case.classes, case.weights)
    code.count(*arrays, case.start, case.stop, into)
    close(into, expected)


@pytest.mark.parametrize("scale", [1.0, 8.0])
@given(rows())
def test_linearise_is_the_log_softmax_and_its_gradient(code, scale, case):
    table, into = case.table(scale=scale), case.table()
    logs = log_softmax(full(case.scores(table)), axis=1)
    cll, residual = 0.0, np.zeros_like(logs)
    for i in case.within:
        own = int(case.classes[i])
        cll += case.weight(i) * logs[i, own]
        residual[i] = -case.weight(i) * np.exp(logs[i])
        residual[i, own] = case.weight(i) * np.exp(np.delete(logs[i], own)).sum()
    expected = case.summed(residual[:, 1:], into)
    p = np.full((case.codes.shape[1], table.shape[1]), -7.0)
    arrays = (case.offsets, case.codes, case.classes, case.weights)
    found = code.linearise(table, *arrays, case.start, case.stop, p, into)
    assert found == pytest.approx(cll, rel=1e-12, abs=1e-12)
    close(into, expected)
    within = slice(case.start, case.stop)
    np.testing.assert_allclose(p[within], np.exp(logs[within, 1:]), rtol=1e-12, atol=0)
    assert (np.delete(p, list(case.within), axis=0) == -7.0).all()


@given(rows())
def test_curvature_is_the_softmax_hessian_times_a_direction(code, case):
    direction, into, q = case.table(), case.table(), case.probabilities()
    steps, values = full(case.scores(direction)), np.zeros_like(q)
    for i in case.within:
        values[i] = case.weight(i) * (np.diag(q[i]) - np.outer(q[i], q[i])) @ steps[i]
    expected = case.summed(values[:, 1:], into)
    p = np.ascontiguousarray(q[:, 1:])
    arrays = (case.offsets, case.codes, p, case.weights)
    code.curvature(direction, *arrays, case.start, case.stop, into)
    close(into, expected)


@given(rows())
def test_spread_adds_the_binomial_variances(code, case):
    into, q = case.table(case.n_classes), case.probabilities()
    values = np.zeros_like(q)
    for i in case.within:
        values[i] = case.weight(i) * q[i] * (1.0 - q[i])
    expected = case.summed(values, into)
    p = np.ascontiguousarray(q[:, 1:])
    code.spread(p, case.offsets, case.codes, case.weights, case.start, case.stop, into)
    close(into, expected)


@given(rows())
def test_line_is_the_cll_at_a_step_and_its_slope(code, case):
    shape = (case.codes.shape[1], case.n_classes - 1)
    scores, steps = 2.0 * case.rng.standard_normal(shape), case.rng.standard_normal(shape)
    s = float(case.rng.uniform(-3, 3))
    logs = log_softmax(full(scores + s * steps), axis=1)
    cll = slope = 0.0
    for i in case.within:
        step, own = np.append(0.0, steps[i]), int(case.classes[i])
        cll += case.weight(i) * logs[i, own]
        slope += case.weight(i) * (step[own] - np.exp(logs[i]) @ step)
    arrays = (scores, steps, case.classes, case.weights)
    value, change = code.line(*arrays, s, case.start, case.stop)
    assert value == pytest.approx(cll, rel=1e-12, abs=1e-12)
    assert change == pytest.approx(slope, rel=1e-12, abs=1e-12 * (1 + case.codes.shape[1]))


@pytest.mark.parametrize("scale", [0.1, 2.0])
@given(rows())
def test_correct_moves_posteriors_to_first_order_and_keeps_them_positive(code, scale, case):
    step, into, q = case.table(scale=scale), case.table(), case.probabilities()
    scores = full(case.scores(step))
    expected, values = np.full_like(q, -7.0), np.zeros_like(q)
    for i in case.within:
        moved = np.maximum(q[i] * (1.0 + scores[i] - q[i] @ scores[i]), 0.0)
        expected[i] = moved / moved.sum()
        values[i] = -case.weight(i) * expected[i]
        values[i, case.classes[i]] += case.weight(i)
    total = case.summed(values[:, 1:], into)
    p = np.ascontiguousarray(q[:, 1:])
    corrected = np.full_like(p, -7.0)
    arrays = (case.offsets, case.codes, case.classes, case.weights)
    code.correct(step, *arrays, case.start, case.stop, p, corrected, into)
    close(corrected, expected[:, 1:])
    close(into, total)


@pytest.mark.parametrize("width", [1, 2])
def test_correct_moves_nothing_where_a_step_leaves_no_mass(code, width):
    # 1 + s − E s is 0 in doubles where s is huge and all mass is on its class.
    step = np.array([[1e20] * width, [1.0] * width])
    p = np.zeros((2, width))
    p[0, 0], p[1, 0] = 1.0, 0.25
    corrected, into = np.full_like(p, -7.0), np.zeros((2, width))
    arrays = (
        np.array([0, 2]),
        np.array([[0, 1]], dtype=np.uint16),
        np.zeros(2, np.uint8),
        np.empty(0),
    )
    code.correct(step, *arrays, 0, 2, p, corrected, into)
    assert corrected[0].tolist() == p[0].tolist()
    assert np.isfinite(corrected).all()
    assert into[0].tolist() == (-p[0]).tolist()


@given(rows())
def test_entropy_and_the_least_weighted_probability(code, case):
    q = case.probabilities(scale=5.0)
    total, least = 0.0, np.inf
    for i in case.within:
        total -= case.weight(i) * (q[i] @ np.log(q[i]))
        least = min(least, case.weight(i) * q[i].min())
    found, smallest = code.entropy(
        np.ascontiguousarray(q[:, 1:]), case.weights, case.start, case.stop
    )
    assert found == pytest.approx(total, rel=1e-12, abs=1e-12)
    # The reference's probability is what the others leave of 1, and has their rounding.
    assert smallest == pytest.approx(least, rel=1e-12, abs=1e-14)


def test_entropy_of_certain_rows_is_nought(code):
    p = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]])
    assert code.entropy(p, np.empty(0), 0, 3) == (0.0, 0.0)


@given(rows(classes=(3,), sizes=(30, 200)))
def test_cross_adds_all_pairs_of_cells_once(code, case):
    """Each group cell holds one cell of each of the group's families."""
    rng, held, n_cells, n_families = case.rng, [], 0, 0
    for size in np.diff(case.offsets):
        sizes = rng.integers(1, 5, rng.integers(1, 4))
        starts = n_cells + np.cumsum(sizes) - sizes
        held += [starts + rng.integers(0, sizes) for _ in range(size)]
        n_cells, n_families = n_cells + int(sizes.sum()), n_families + len(sizes)
    drawn = np.arange(case.start, case.stop, int(rng.integers(1, 3)))
    values = rng.uniform(0, 2, len(drawn))
    expected = np.zeros((n_cells, n_cells))
    for row, value in zip(drawn, values, strict=True):
        z = np.zeros(n_cells)
        for cell in case.cells(row):
            z[held[cell]] = 1.0
        expected += value * np.outer(z, z)
    half = np.zeros((n_cells, n_cells))
    ends = np.cumsum([0, *map(len, held)])
    arrays = (case.offsets, case.codes, ends, np.concatenate(held))
    code.cross(drawn, values, *arrays, n_families, half)
    close(half + half.T - np.diag(np.diag(half)), expected)
    factors = rng.uniform(0, 2, case.n_classes)
    each = np.zeros((n_cells, n_cells, case.n_classes))
    code.cross_by_class(drawn, values[:, None] * factors, *arrays, n_families, each)
    close(each, half[:, :, None] * factors)


@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("narrow", [np.uint8, np.uint16])
@pytest.mark.parametrize("n_rows", [6, 9_000])
def test_encode_joins_columns_in_c_order(code, n_rows, narrow, start):
    rng = np.random.default_rng(n_rows)
    cards = [3, 2, 7, 5, 2]
    columns = np.stack([rng.integers(0, card, n_rows) for card in cards]).astype(narrow)
    scopes = [[2], [0, 4, 3], [], [3, 1]]
    places = np.array([k for scope in scopes for k in scope], dtype=np.intp)
    ends = np.cumsum([0, *map(len, scopes)], dtype=np.intp)
    found = np.full((len(scopes), n_rows), 999, np.uint16)
    in_order = np.array([cards[k] for k in places], dtype=np.uint64)
    code.encode(columns, places, in_order, ends, start, n_rows - 1, found)
    for g, scope in enumerate(scopes):
        literal = np.zeros(n_rows, dtype=int)
        if scope:
            literal = np.ravel_multi_index(columns[scope].astype(int), [cards[k] for k in scope])
        np.testing.assert_array_equal(found[g, start:-1], literal[start:-1])
    assert (found[:, :start] == 999).all()
    assert (found[:, -1] == 999).all()


# Scores of saturated rows


def extreme(n_classes, seed=0, n_rows=600):
    """One group of a cell a row, whose scores are 0, ±800 and what lies near and between."""
    rng = np.random.default_rng(seed)
    choices = [0.0, 800.0, -800.0, 799.5, 40.0, -40.0, 720.0, -720.0]
    table = rng.choice(choices, (n_rows, n_classes - 1))
    table[0], table[1] = 800.0, -800.0
    codes = np.arange(n_rows, dtype=np.uint16)[None]
    classes = rng.integers(0, n_classes, n_rows).astype(np.uint8)
    return table, np.array([0, n_rows]), codes, classes


@pytest.mark.parametrize("n_classes", CLASSES)
def test_saturated_rows_have_finite_right_numbers(code, n_classes):
    table, offsets, codes, classes = extreme(n_classes)
    p, gradient, n = np.empty_like(table), np.zeros_like(table), len(table)
    found = code.linearise(table, offsets, codes, classes, np.empty(0), 0, n, p, gradient)
    logs = log_softmax(full(table), axis=1)
    own = np.arange(n), classes
    assert found == pytest.approx(logs[own].sum(), rel=1e-13)
    np.testing.assert_allclose(p, np.exp(logs)[:, 1:], rtol=1e-12, atol=1e-300)
    value, slope = code.line(table, -table, classes, np.empty(0), 0.0, 0, n)
    assert value == pytest.approx(found, rel=1e-13)
    steps = full(-table)
    assert slope == pytest.approx((steps[own] - (np.exp(logs) * steps).sum(axis=1)).sum())
    product = np.zeros_like(table)
    code.curvature(table, offsets, codes, p, np.empty(0), 0, n, product)
    assert np.isfinite(gradient).all()
    assert np.isfinite(product).all()


@pytest.mark.parametrize("n_classes", CLASSES)
def test_one_saturated_row_each(code, n_classes):
    """The CLL row by row: a sum would hide the small ones."""
    table, offsets, codes, classes = extreme(n_classes, seed=1, n_rows=60)
    logs = log_softmax(full(table), axis=1)
    for i, own in enumerate(classes):
        rest = np.exp(np.delete(logs[i], own)).sum()
        p, gradient = np.empty_like(table), np.zeros_like(table)
        found = code.linearise(table, offsets, codes, classes, np.empty(0), i, i + 1, p, gradient)
        # Near 0 the logarithm of a mass about 1 keeps that mass's rounding.
        assert found == pytest.approx(logs[i, own], rel=1e-12, abs=1e-15 * n_classes)
        if own:
            # What a row still misses must not be rounded away with 1 − p.
            assert gradient[i, own - 1] == pytest.approx(rest, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize("nan", [np.nan, np.copysign(np.nan, -1.0)])
@pytest.mark.parametrize(
    ("n_classes", "own"), [(2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (9, 0), (9, 1), (9, 8)]
)
def test_a_score_that_is_no_number_makes_the_cll_none(code, n_classes, own, nan):
    table = np.zeros((1, n_classes - 1))
    table[0, 0] = nan
    rest = (np.array([own], np.uint8), np.empty(0))
    codes, p, gradient = np.zeros((1, 1), np.uint16), np.empty_like(table), np.zeros_like(table)
    cll = code.linearise(table, np.array([0, 1]), codes, *rest, 0, 1, p, gradient)
    assert np.isnan(cll)
    assert np.isnan(code.line(table, np.zeros_like(table), *rest, 0.0, 0, 1)[0])


# Elementary functions


@pytest.fixture(params=native.INSTRUCTION_SETS, scope="module")
def functions(request):
    return kernels_of(request.param, "math")


def worst(function, reference, points):
    """Largest relative error over ``points``."""
    found = np.array([function(float(x)) for x in points])
    exact = reference(points)
    return float(np.max(np.abs(found - exact) / np.abs(exact)))


def test_exponential(functions):
    rng = np.random.default_rng(0)
    points = -np.concatenate([10.0 ** rng.uniform(-320, 2.85, 3000), rng.uniform(0, 708, 3000)])
    halves = -np.log(2) * np.arange(0.5, 1000, 1.0)  # where the reduction changes its multiple
    points = np.concatenate([points, halves, np.nextafter(halves, 0), [-708.0]])
    assert worst(functions.exp, np.exp, points[points >= -708.0]) < 5e-15
    assert functions.exp(0.0) == 1.0
    assert [functions.exp(x) for x in (-708.5, -800.0, -1e300, -np.inf)] == [0.0] * 4
    assert np.isnan(functions.exp(np.nan))
    assert np.isnan(functions.exp(-np.nan))


def test_logarithm_of_one_and_a_number_up_to_one(functions):
    rng = np.random.default_rng(1)
    edge = 0.41421356237309503
    points = np.concatenate([10.0 ** rng.uniform(-300, 0, 3000), rng.uniform(0, 1, 3000)])
    points = np.concatenate([points, [edge, np.nextafter(edge, 1), 1.0]])
    assert worst(functions.log1p, np.log1p, points) < 5e-15
    assert functions.log1p(0.0) == 0.0


def test_logarithm_of_normal_numbers(functions):
    rng = np.random.default_rng(2)
    near = 1.0 + np.concatenate([1, -1] * 500 * 10.0 ** rng.uniform(-15, -0.4, 1000)[None])
    edges = np.array([0.5, 2.0, 0.5**0.5, 2.0**0.5, 1e308, 2.2250738585072014e-308])
    points = np.concatenate([10.0 ** rng.uniform(-307, 308, 3000), near, edges])
    assert worst(functions.log, np.log, points[points != 1.0]) < 5e-15
    assert functions.log(1.0) == 0.0
    assert functions.log(0.0) == pytest.approx(-708, abs=2)


@pytest.mark.parametrize(("n_rows", "width"), [(0, 3), (6, 0), (0, 0)])
def test_pairs_of_nothing_add_nothing(code, n_rows, width):
    codes = np.zeros((1, 6), dtype=np.uint16)
    offsets, ends, cells = np.array([0, 2]), np.array([0, 1, 2]), np.array([0, 1])
    table = np.zeros((2, 2, width))
    rows = np.arange(n_rows)
    code.cross_by_class(rows, np.ones((n_rows, width)), offsets, codes, ends, cells, 1, table)
    assert not table.any()
