"""Numbers given as options: Python's and NumPy's alike, and nothing else."""

import numpy as np
import pytest

from bnlr.arguments import amount, number, seed, whole
from bnlr.errors import ParameterError

NEITHER = ["x", None, True, np.bool_(True), [1], np.array([1]), np.array([1, 2]), 1j]


@pytest.mark.parametrize("value", [3, np.int64(3), np.uint8(3)])
def test_whole_numbers(value):
    for found in (whole("n", value, 3), seed(value)):
        assert found == 3
        assert type(found) is int


@pytest.mark.parametrize("value", [2, 2.0, np.int64(2), np.float32(2), np.float64(2)])
def test_numbers(value):
    for found in (number("x", value), amount("x", value)):
        assert found == 2.0
        assert type(found) is float


def test_bounds():
    assert whole("n", 0, 0) == seed(0) == amount("x", 0) == 0
    assert number("x", -np.inf) == -np.inf
    assert seed(None) is None


@pytest.mark.parametrize("value", [*NEITHER, 1.5, 2.0, float("nan"), -1])
def test_no_whole_number(value):
    with pytest.raises(ParameterError, match=r"^n is .*; it must be a whole number, 0 or larger!$"):
        whole("n", value, 0, "!")
    if value is not None:
        with pytest.raises(ParameterError, match=r"^random_state is .*0 or larger, or None$"):
            seed(value)


@pytest.mark.parametrize("value", [*NEITHER, float("nan")])
def test_no_number(value):
    with pytest.raises(ParameterError, match=r"^x is .*; it must be a number of nats$"):
        number("x", value, " of nats")


@pytest.mark.parametrize("value", [*NEITHER, float("nan"), np.inf, -1, np.float32(-0.5)])
def test_no_amount(value):
    with pytest.raises(ParameterError, match=r"^x is .*; it must be a finite number, 0 or larger$"):
        amount("x", value)


def test_whole_numbers_beyond_floats():
    assert number("x", 10**400) == np.inf
    assert number("x", -(10**400)) == -np.inf
    with pytest.raises(ParameterError, match="it must be a finite number, 0 or larger"):
        amount("x", 10**400)
