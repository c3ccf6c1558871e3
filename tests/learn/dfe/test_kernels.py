"""Passes of discriminative frequency estimates, every instruction set against the NumPy twins."""

import functools
from itertools import pairwise

import numpy as np
import pytest

import bnlr
from bnlr import native
from bnlr.learn.dfe import estimates as dfe
from bnlr.learn.dfe import twins as dfe_twins
from tests.kernels import EVERY, kernels_of
from tests.width import in_full


@pytest.fixture(params=EVERY, scope="module")
def code(request):
    """The kernels of each instruction set that can run here, and their twins."""
    return kernels_of(request.param, "dfe", "learn.dfe.twins")


class Recorded:
    """Kernels that write down what they are given, and what they make of it."""

    def __init__(self, kernels):
        self.kernels, self.calls = kernels, []

    def __getattr__(self, name):
        def kernel(*arrays):
            before = [array.copy() for array in arrays]
            getattr(self.kernels, name)(*arrays)
            self.calls.append((name, before, [array.copy() for array in arrays]))

        return kernel


def problem(n_classes, n_attributes, n_rows=150, seed=0):
    """Rows of a tree-augmented network; two attributes do not have the class for a parent."""
    rng = np.random.default_rng(seed)
    names = ["c", *(f"a{k}" for k in range(n_attributes))]
    arcs = [("c", name) for name in names[1:-2]] + list(pairwise(names[1:]))
    cards = [n_classes, *rng.integers(1, 4, n_attributes)]
    codes = np.column_stack([rng.integers(0, card, n_rows) for card in cards])
    states = {name: tuple(range(card)) for name, card in zip(names, cards, strict=True)}
    weights = rng.uniform(0.0, 2.0, n_rows)
    return bnlr.Structure(arcs, "c", names), bnlr.Dataset.from_codes(codes, states, "c", weights)


def fitted(kernels, structure, data, monkeypatch, **options):
    recorded = Recorded(kernels)
    monkeypatch.setattr(dfe, "_kernels", lambda: recorded)
    result = bnlr.fit(structure, data, learner="dfe", max_iter=3, **options)
    return result, recorded.calls


@functools.cache
def twins_fit(n_classes, n_attributes, *options):
    """What all instruction sets are held against, learnt once."""
    with pytest.MonkeyPatch.context() as patch:
        return fitted(dfe_twins, *problem(n_classes, n_attributes), patch, **dict(options))[0]


@pytest.mark.parametrize("code", native.INSTRUCTION_SETS, indirect=True)
@pytest.mark.parametrize("n_classes", [2, 5, 9, *in_full(3, 4, 8, 15, 26)])
@pytest.mark.parametrize("n_attributes", [3, 18])
@pytest.mark.parametrize(
    "options", [{}, {"pseudocount": 0.5}, {"shuffle": True, "random_state": 1}]
)
def test_the_twins_give_the_same_numbers_and_other_instructions_the_same_bits(
    code, n_classes, n_attributes, options, monkeypatch
):
    given = problem(n_classes, n_attributes)
    result, calls = fitted(code, *given, monkeypatch, **options)
    twin = twins_fit(n_classes, n_attributes, *options.items())
    np.testing.assert_allclose(result.trace["loss"], twin.trace["loss"], rtol=1e-9)
    for node, cpt in twin.network.cpts.items():
        np.testing.assert_allclose(result.network.cpts[node], cpt, rtol=1e-8, atol=1e-12)
    baseline = kernels_of(native.INSTRUCTION_SETS[0], "dfe")
    for name, before, after in calls:
        getattr(baseline, name)(*before)
        assert all(
            one.tobytes() == other.tobytes() for one, other in zip(before, after, strict=True)
        )


def test_rows_whose_products_leave_the_range_of_floats(code, monkeypatch):
    given = problem(3, 18)
    _, calls = fitted(code, *given, monkeypatch)
    name, arrays, _ = [call for call in calls if call[0] == "learn"][-1]
    for scale in (1e-60, 1e-200, 0.0):
        losses = []
        for kernels in (code, dfe_twins):
            own = [array.copy() for array in arrays]
            own[12] *= scale  # the counts
            getattr(kernels, name)(*own)
            losses.append(own[9])
        np.testing.assert_allclose(*losses, rtol=1e-9)


def shorter(array):
    return array[:-1]


def narrower(array):
    return array[:, 1:].copy()


def other_type(array):
    return array.astype(np.int8 if array.dtype != np.int8 else np.uint8)


FLAT, TABLE = (shorter, other_type), (shorter, narrower, other_type, np.asfortranarray)
CHANGES = {
    "place": [
        TABLE[1:],
        (*FLAT, lambda axes: axes - 9),
        (*FLAT, lambda ends: ends + 1),
        *[FLAT] * 4,
        *[TABLE] * 2,
    ],
    "learn": [
        *[TABLE] * 2,
        (*FLAT, lambda members: members + 1),
        *[FLAT] * 8,
        (lambda is_new: is_new[:0], other_type),
        *[(*TABLE[1:], lambda table: table[:1])] * 3,
        (shorter, narrower, other_type),
        (shorter, narrower, other_type),
        *[(lambda is_seen: is_seen[:0], other_type)] * 2,
    ],
}


@pytest.mark.parametrize("name", ["place", "learn"])
def test_arrays_that_do_not_fit_are_refused(code, name, monkeypatch):
    if code is dfe_twins:
        pytest.skip("NumPy's own checks")
    _, calls = fitted(code, *problem(3, 5), monkeypatch)
    kernel, arrays = getattr(code, name), next(call[1] for call in calls if call[0] == name)
    kernel(*[array.copy() for array in arrays])
    for k, changes in enumerate(CHANGES[name]):
        for change in changes:
            given = [array.copy() for array in arrays]
            given[k] = change(given[k])
            with pytest.raises((TypeError, ValueError)):
                kernel(*given)


def test_places_outside_are_refused(code, monkeypatch):
    if code is dfe_twins:
        pytest.skip("NumPy's own checks")
    _, calls = fitted(code, *problem(3, 5), monkeypatch)
    arrays = next(call[1] for call in calls if call[0] == "learn")
    for k in (0, 1, 15, 16):  # cells and columns, inside and outside
        given = [array.copy() for array in arrays]
        given[k][-1, -1] = 2**32 - 1
        with pytest.raises(ValueError, match=r"cells|columns|outside|above"):
            code.learn(*given)
    for k, wrong in ((6, -1), (6, 10**6), (7, -1), (7, 3)):  # rows and their classes
        given = [array.copy() for array in arrays]
        given[k][:] = wrong
        with pytest.raises(ValueError, match=r"rows|classes"):
            code.learn(*given)
