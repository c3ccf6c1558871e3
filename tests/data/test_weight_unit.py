"""The unit of weights, against dictionaries of distinct rows, whole numbers and fractions."""

from fractions import Fraction
from math import gcd

import numpy as np
import pytest

from bnlr.data.weight_unit import measured


def totals(columns, weights):
    """{row: summed weight}, those of 0 left out."""
    found = {}
    for row, weight in zip(zip(*columns, strict=True), weights, strict=True):
        found[row] = found.get(row, 0) + weight
    return {row: weight for row, weight in found.items() if weight}


def table(rng, n_rows, n_columns=3):
    return [rng.integers(-1, 3, n_rows).astype(np.int8) for _ in range(n_columns)]


@pytest.mark.parametrize("seed", range(40))
def test_whole_weights_have_the_common_divisor_of_distinct_rows_in_any_unit(seed):
    rng = np.random.default_rng(seed)
    columns = table(rng, int(rng.integers(1, 40)), int(rng.integers(1, 4)))
    weights = rng.integers(0, 6, len(columns[0])) * int(rng.integers(1, 5))
    weights[0] += 1 if seed % 2 else 12
    shared = gcd(*map(int, totals(columns, weights).values()))
    # What 0 or one weight tells would be that weight.
    for k in (1.0, *10.0 ** rng.uniform(-290, 290, 20)):
        unit, inside = measured(columns, k * weights)
        assert unit == pytest.approx(k * shared, rel=1e-14)
        np.testing.assert_array_equal(inside, weights / shared)
    rows = np.repeat(np.arange(len(weights)), weights)
    repeated, inside = measured([column[rows] for column in columns], None)
    assert repeated == shared
    assert inside is None if shared == 1 else (inside == 1 / shared).all()


@pytest.mark.parametrize("seed", range(20))
def test_fractions_have_their_largest_common_part(seed):
    rng = np.random.default_rng(seed)
    parts = [Fraction(int(n), int(d)) for n, d in rng.integers(1, 12, (8, 2))]
    common = parts[0]
    for part in parts:  # of a/b and c/d in lowest terms: gcd(a, c) / lcm(b, d)
        below = common.denominator * part.denominator // gcd(common.denominator, part.denominator)
        common = Fraction(gcd(common.numerator, part.numerator), below)
    weights = np.array([float(part) for part in parts])
    # Parts finer than that are no rows.
    is_fine = min(parts) / common > 2**16
    expected = weights.mean() if is_fine else float(common)
    unit, inside = measured([np.arange(8)], weights)
    assert unit == pytest.approx(expected, rel=1e-14)
    np.testing.assert_allclose(inside, weights / expected, rtol=1e-14)


@pytest.mark.parametrize("seed", range(40))
def test_other_weights_have_the_average_of_distinct_rows(seed):
    rng = np.random.default_rng(seed)
    columns = table(rng, 60, 2)
    weights = rng.lognormal(0.0, 1.0 + 10.0 * (seed % 2), 60)
    weights[rng.random(60) < 0.2] = 0.0
    distinct = totals(columns, weights)
    expected = sum(distinct.values()) / len(distinct)
    halves = [np.concatenate([column, column]) for column in columns]
    for k in (1.0, *10.0 ** rng.uniform(-270, 270, 10)):
        for given, scaled in ((columns, k * weights), (halves, np.tile(k * weights / 2, 2))):
            unit, inside = measured(given, scaled)
            assert unit == pytest.approx(k * expected, rel=1e-12)
            np.testing.assert_allclose(inside, scaled / unit, rtol=1e-12)
            np.testing.assert_array_equal(inside == 0, scaled == 0)


def test_the_smallest_and_the_largest_weights_have_a_unit():
    columns = [np.arange(3)]
    for weights in ([5e-324, 1e-323, 2e-323], [1e-310, 3e-311, 0.0], [1e300, 3e299, 1.0]):
        unit, inside = measured(columns, np.array(weights))
        assert 0 < unit < np.inf
        assert np.isfinite(inside).all()
        assert ((inside > 0) == (np.array(weights) > 0)).all()


@pytest.mark.slow
def test_weights_of_chance_are_no_multiples():
    """Of two only; more agree even less."""
    rng = np.random.default_rng(0)
    for _ in range(2000):
        weights = rng.uniform(0.1, 10.0, 2)
        assert measured([np.arange(2)], weights).unit == pytest.approx(weights.mean(), rel=1e-12)
