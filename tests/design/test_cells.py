"""Sums over cells against a literal loop, both kinds of kernels and any number of threads."""

import numpy as np
import pytest

from bnlr.design import cell_kernels, cell_twins
from bnlr.design.cells import cell_sums
from bnlr.design.counting import Families

CARDS = np.array([2, 3, 1, 4])
FAMILIES = [(0,), (1, 3), (3, 1), (0, 2, 1)]


def literal(codes, family, values):
    table = np.zeros((*CARDS[list(family)], values.shape[1]))
    for row, value in zip(codes.T, values, strict=True):
        table[tuple(row[list(family)])] += value
    return table.reshape(-1, values.shape[1])


def problem(n_rows, width=3, seed=0):
    rng = np.random.default_rng(seed)
    codes = np.array([rng.integers(0, card, n_rows) for card in CARDS], dtype=np.int8)
    families = FAMILIES
    axes = np.array([axis for family in families for axis in family])
    return (
        codes,
        families,
        Families.at(CARDS, axes, [len(f) for f in families]),
        rng.normal(size=(n_rows, width)),
    )


@pytest.mark.parametrize("n_rows", [0, 1, 1024, 2500])
def test_equals_a_loop_over_the_rows(n_rows):
    codes, listed, families, values = problem(n_rows)
    expected = np.concatenate([literal(codes, family, values) for family in listed])
    np.testing.assert_allclose(cell_sums(codes, families, values), expected, atol=1e-12)


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_no_bit_depends_on_threads_or_kernels(n_threads):
    codes, _, families, values = problem(600_000, width=2)
    assert np.array_equal(
        cell_sums(codes, families, values, n_threads), cell_sums(codes, families, values, 1)
    )
    arrays = (families.axes, families.ends, families.cards, families.starts)
    sums = [np.zeros((families.starts[-1], 2)) for _ in range(2)]
    for module, out in zip((cell_kernels, cell_twins), sums, strict=True):
        module.add_values(codes, *arrays, 0, len(families), values, out)
    assert np.array_equal(*sums)


def test_only_the_families_asked_for_are_filled():
    codes, listed, families, values = problem(50)
    arrays = (families.axes, families.ends, families.cards, families.starts)
    for module in (cell_kernels, cell_twins):
        out = np.zeros((families.starts[-1], 3))
        module.add_values(codes, *arrays, 1, 2, values, out)
        own = slice(families.starts[1], families.starts[2])
        np.testing.assert_allclose(out[own], literal(codes, listed[1], values))
        assert not out[: own.start].any()
        assert not out[own.stop :].any()
