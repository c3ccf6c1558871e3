"""Sums over cells against a literal loop, both kinds of kernels and any number of threads."""

import numpy as np
import pytest

from bnlr.design import cell_twins, cells
from bnlr.design.cells import cell_sums
from bnlr.design.counting import Families
from tests.kernels import EVERY, kernels_of

CARDS = np.array([2, 3, 1, 4])
FAMILIES = [(0,), (1, 3), (3, 1), (0, 2, 1)]


@pytest.fixture(params=EVERY, autouse=True)
def code(request, monkeypatch):
    """The kernels of each instruction set that can run here, and their twins."""
    module = kernels_of(request.param, "cells", "design.cell_twins")
    monkeypatch.setattr(cells, "_kernels", lambda: module)
    return module


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


@pytest.mark.parametrize("width", [1, 2, 3, 4, 5, 17])
@pytest.mark.parametrize("n_rows", [0, 1, 1024, 2500])
def test_equals_a_loop_over_the_rows(n_rows, width):
    codes, listed, families, values = problem(n_rows, width)
    expected = np.concatenate([literal(codes, family, values) for family in listed])
    np.testing.assert_allclose(cell_sums(codes, families, values), expected, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.int16, np.int32, np.int64])
def test_codes_of_any_width(dtype):
    codes, listed, families, values = problem(300)
    expected = np.concatenate([literal(codes, family, values) for family in listed])
    found = cell_sums(codes.astype(dtype), families, values)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_no_bit_depends_on_threads_or_kernels(code, n_threads):
    codes, _, families, values = problem(600_000, width=2)
    assert np.array_equal(
        cell_sums(codes, families, values, n_threads), cell_sums(codes, families, values, 1)
    )
    arrays = (families.axes, families.ends, families.cards, families.starts)
    sums = [np.zeros((families.starts[-1], 2)) for _ in range(2)]
    for module, out in zip((code, cell_twins), sums, strict=True):
        module.add_values(codes, *arrays, 0, len(families), values, out)
    assert np.array_equal(*sums)


def test_only_the_families_asked_for_are_filled(code):
    codes, listed, families, values = problem(50)
    arrays = (families.axes, families.ends, families.cards, families.starts)
    out = np.zeros((families.starts[-1], 3))
    code.add_values(codes, *arrays, 1, 2, values, out)
    own = slice(families.starts[1], families.starts[2])
    np.testing.assert_allclose(out[own], literal(codes, listed[1], values))
    assert not out[: own.start].any()
    assert not out[own.stop :].any()


@pytest.mark.parametrize(
    ("place", "changed"),
    [
        (0, lambda codes: codes.astype(np.uint8)),
        (0, np.asfortranarray),
        (0, lambda codes: codes[:, 1:].copy()),
        (0, lambda codes: codes[1:]),
        (1, lambda axes: axes - 1),
        (1, lambda axes: axes.astype(np.int32)),
        (2, lambda ends: ends[:-1].copy()),
        (2, lambda ends: ends[::-1].copy()),
        (3, lambda cards: cards + 1),
        (4, lambda starts: starts + 1),
        (5, lambda first: first - 1),
        (6, lambda stop: stop + 1),
        (7, lambda values: values.astype(np.float32)),
        (7, lambda values: values[:, 1:].copy()),
        (7, lambda values: values[:, ::-1]),
        (8, lambda out: out[:-1]),
        (8, lambda out: out[:, 1:].copy()),
    ],
)
def test_arrays_that_do_not_fit_are_refused(code, place, changed):
    if code is cell_twins:
        pytest.skip("NumPy's own checks")
    codes, _, families, values = problem(50)
    arrays = [codes, families.axes, families.ends, families.cards, families.starts]
    arrays += [0, len(families), values, np.zeros((families.starts[-1], 3))]
    code.add_values(*arrays)
    arrays[place] = changed(arrays[place])
    with pytest.raises((TypeError, ValueError)):
        code.add_values(*arrays)
