"""The compiled passes and their NumPy twins give the same numbers."""

from importlib import import_module

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.inference import twins
from bnlr.inference.plan import make_plan
from tests.inference.networks import cases, large_case


def results(code, case, observed=frozenset(), ever=None):
    """Everything the functions of a module fill, for a plan of these nodes."""
    plan = make_plan(case.flat, case.target, observed, ever)
    s, codes, n = plan.schedule, case.codes.astype(np.int32), len(case.codes)
    posterior, logs = np.full((n, case.flat.cards[case.target]), np.nan), np.full((4, n), np.nan)
    code.evidence(s, case.theta, codes, case.target, True, posterior, logs[0])
    code.evidence(s, case.theta, codes, case.target, False, np.empty((0, 0)), logs[1])
    counts = np.ones((2, case.flat.n_cells))
    if ever is None:
        code.expect(s, case.theta, codes, case.weights, case.target, counts[0], logs[2])
        code.contrast(s, case.theta, codes, case.weights, case.target, counts[1], logs[3])
    return posterior, logs, counts


def check_alike(case, *plan):
    compiled = pytest.importorskip("numba") and import_module("bnlr.inference.kernels")
    for one, two in zip(results(compiled, case, *plan), results(twins, case, *plan), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)


@given(cases())
def test_twins_give_the_same_numbers(case):
    check_alike(case)


@given(cases(), st.data())
def test_twins_give_the_same_numbers_where_all_rows_observe_some_nodes(case, data):
    seen = (case.codes >= 0).all(axis=0)
    seen[case.target] = False
    ever = (case.codes >= 0).any(axis=0)
    places, some = (frozenset(np.flatnonzero(which).tolist()) for which in (seen, ever))
    check_alike(case, places, data.draw(st.sampled_from([None, some])))


@pytest.mark.parametrize("seed", range(3))
def test_twins_give_the_same_numbers_in_large_networks(seed):
    check_alike(large_case(seed, n_rows=30))
