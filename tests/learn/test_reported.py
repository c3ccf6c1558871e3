"""What a fit reports is what its network does, however extreme the parameters are."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from tests.strategies import perfect_structures, problems
from tests.width import examples

SPACES = ("roos", "loglinear", "softmax")
SOLVERS = ("newton", "l-bfgs", "scipy-bfgs", "scipy-cg")
OPTIONS = st.sampled_from([{}, {"max_iter": 2}, {"tol": 1e-12}, {"tol": 0.0}, {"penalty": 0.5}])


def _fit(*args, **kwargs):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bnlr.fit(*args, learner="lr", **kwargs)


@pytest.mark.slow
@examples(60)
@given(
    problems(perfect_structures(max_nodes=5), n_rows=(1, 30)),
    st.sampled_from(SPACES),
    st.sampled_from(SOLVERS),
    OPTIONS,
)
def test_the_cll_reported_is_the_networks(problem, space, solver, options):
    structure, data = problem
    result = _fit(structure, data, space=space, solver=solver, **options)
    own = result.network.conditional_log_likelihood(data)
    assert result.cll == pytest.approx(own, rel=1e-9, abs=0.0)
    if result.upper_bound is not None:
        assert own <= result.upper_bound + 1e-12 * abs(own)


def _separable(n_attributes=4, n_rows=20):
    """The class is a function of the first attribute; a chain through all of them."""
    rng = np.random.default_rng(57)
    codes = rng.integers(0, 3, (n_rows, n_attributes))
    names = [f"x{i}" for i in range(n_attributes)]
    states = dict.fromkeys([*names, "class"], (0, 1, 2))
    data = bnlr.Dataset.from_codes(np.column_stack([codes, codes[:, 0]]), states, "class")
    arcs = [("class", name) for name in names]
    chain = list(pairwise(names))
    return bnlr.Structure([*arcs, *chain], "class"), data


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("tol", [1e-6, 1e-9, 1e-12])
def test_separated_classes_keep_probabilities_positive_and_a_finer_tol_its_gain(space, tol):
    structure, data = _separable()
    result = _fit(structure, data, space=space, solver="newton", tol=tol)
    assert result.converged
    assert all((cpt > 0).all() for cpt in result.network.cpts.values())
    assert -max(tol, 2e-11) <= result.cll <= 0
