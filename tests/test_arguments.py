"""Numbers given as options: Python's and NumPy's alike, and nothing else."""

import numpy as np
import pytest

import bnlr
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


HUGE = [2**31, 2**63, 10**30, 10**400]
ROWS = bnlr.Dataset.from_codes(
    np.random.default_rng(0).integers(0, 2, (60, 4)), dict.fromkeys("cabd", (0, 1)), "c"
)
NAIVE = bnlr.Structure([("c", "a"), ("c", "b"), ("c", "d")], "c")
MARRIED = bnlr.Structure([("c", "a"), ("b", "a"), ("c", "d")], "c")
COUNTS = {
    "n_folds": lambda n: bnlr.cll_search(ROWS, n_folds=n),
    "memory": lambda n: bnlr.fit(NAIVE, ROWS, memory=n),
    "memory of l-bfgs": lambda n: bnlr.fit(NAIVE, ROWS, solver="l-bfgs", memory=n),
    "memory of elr": lambda n: bnlr.fit(MARRIED, ROWS, memory=n),
    "max_products": lambda n: bnlr.fit(NAIVE, ROWS, max_products=n),
    "max_iter": lambda n: bnlr.fit(NAIVE, ROWS, max_iter=n),
    "random_state": lambda n: bnlr.fit(MARRIED, ROWS, n_starts=2, random_state=n),
    "n_threads": lambda n: bnlr.fit(NAIVE, ROWS, n_threads=n),
    "k": lambda n: bnlr.learn_structure(ROWS, "kdb", k=n),
    "max_parents": lambda n: bnlr.learn_structure(ROWS, "hgc", max_parents=n),
    "tol": lambda n: bnlr.fit(NAIVE, ROWS, tol=n),
    "penalty": lambda n: bnlr.fit(NAIVE, ROWS, penalty=n),
    "pseudocount": lambda n: bnlr.fit(NAIVE, ROWS, pseudocount=n),
}


@pytest.mark.filterwarnings("ignore::bnlr.SeparationWarning")
@pytest.mark.parametrize("name", COUNTS)
def test_huge_whole_numbers_are_taken_or_refused_in_words(name):
    for n in HUGE:
        try:
            COUNTS[name](n)
        except bnlr.BnlrError as error:
            told = str(error)
        else:
            told = name
        assert name.split()[0] in told
