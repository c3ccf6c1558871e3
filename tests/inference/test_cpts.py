"""The flat layout of CPTs."""

import numpy as np
import pytest
from hypothesis import given

import bnlr
from bnlr.errors import ParameterError, TooLargeError
from bnlr.inference.cpts import FlatCPTs
from tests.inference.networks import cases, flat_of


@given(cases())
def test_flatten_and_unflatten_are_inverse(case):
    tables = case.flat.unflatten(case.theta)
    assert list(tables) == list(case.flat.names)
    assert all(tables[n].shape == case.flat.shape(k) for k, n in enumerate(case.flat.names))
    np.testing.assert_array_equal(case.flat.flatten(tables), case.theta)


@given(cases())
def test_columns_are_the_last_axes(case):
    flat, values = case.flat, np.arange(case.flat.n_cells, dtype=float)
    sums = flat.unflatten(flat.column_sums(values))
    for node, table in flat.unflatten(values).items():
        wanted = np.broadcast_to(table.sum(axis=-1, keepdims=True), table.shape)
        np.testing.assert_allclose(sums[node], wanted)
    ends = flat.column_starts + flat.column_lengths
    np.testing.assert_array_equal(flat.column_starts[1:], ends[:-1])
    assert ends[-1] == flat.n_cells


def test_layout_by_hand():
    flat = flat_of([(), (0,), (1, 0)], [2, 3, 4])
    assert flat.offsets.tolist() == [0, 2, 8, 32]
    assert flat.shape(2) == (3, 2, 4)
    assert flat.column_lengths.tolist() == [2, 3, 3, *[4] * 6]


def test_bad_layouts_are_refused():
    chain = bnlr.Structure([("a", "b")], class_name="a")
    with pytest.raises(ParameterError, match="number of states of 'b' is None"):
        FlatCPTs.of(chain, {"a": 2})
    with pytest.raises(ParameterError, match="number of states of 'a' is 0"):
        FlatCPTs.of(chain, {"a": 0, "b": 2})
    flat = FlatCPTs.of(chain, {"a": 2, "b": 3})
    with pytest.raises(ParameterError, match="no CPT of 'b'"):
        flat.flatten({"a": [0.5, 0.5]})
    with pytest.raises(ParameterError, match=r"'b' has shape \(3, 2\); it must have \(2, 3\)"):
        flat.flatten({"a": [0.5, 0.5], "b": np.ones((3, 2))})


def test_a_family_too_large_is_refused_before_it_is_allocated():
    with pytest.raises(TooLargeError, match="the CPT of 'x40' has 2,199,023,255,552 cells"):
        flat_of([*((),) * 40, tuple(range(40))], [2] * 41)
