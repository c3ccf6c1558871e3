"""Equations 15 to 17 of Greiner et al. (2005), the steps to their equation 8."""

from math import log

import numpy as np
import pytest

import bnlr
from bnlr import theory

GAMMA = 0.02
EDGES = [("c", "a"), ("c", "b"), ("a", "b"), ("u", "c"), ("c", "d")]
STATES = {"u": (0, 1), "c": (0, 1, 2), "a": (0, 1), "b": (0, 1, 2), "d": (0, 1)}
STRUCTURE = bnlr.Structure(EDGES, class_name="c")
N_NODES, N_CELLS = theory.size_of(STRUCTURE, STATES)


def rows_of_cpt(node):
    return [len(STATES[name]) for name in (*STRUCTURE.parents(node), node)]


def network(rng):
    """CPTs with no entry below gamma."""
    cpts = {}
    for node in STRUCTURE.nodes:
        *above, own = rows_of_cpt(node)
        cpts[node] = GAMMA + (1 - own * GAMMA) * rng.dirichlet(np.full(own, 0.3), size=above)
    return bnlr.BayesianNetwork(STRUCTURE, STATES, cpts)


def neighbour(near, radius, rng):
    """CPTs of which no entry is further away than radius, or below gamma."""
    cpts = {}
    for node, cpt in near.cpts.items():
        step = rng.uniform(-1, 1, cpt.shape)
        step -= step.mean(axis=-1, keepdims=True)
        step *= radius / np.abs(step).max()
        moved = cpt + step
        is_allowed = (moved >= GAMMA).all(axis=-1, keepdims=True)
        cpts[node] = np.where(is_allowed, moved, cpt)
    return bnlr.BayesianNetwork(STRUCTURE, STATES, cpts)


def every_row():
    nodes = STRUCTURE.nodes
    codes = np.stack(np.meshgrid(*(range(len(STATES[n])) for n in nodes), indexing="ij"), -1)
    return bnlr.Dataset.from_codes(
        codes.reshape(-1, len(nodes)), {n: STATES[n] for n in nodes}, "c"
    )


def of_the_class(net, rows):
    return net.predict_log_proba(rows)[np.arange(rows.n_rows), rows.class_codes]


@pytest.mark.parametrize("seed", range(20))
def test_equation_15(seed):
    rng, eps, rows = np.random.default_rng(seed), 0.5, every_row()
    near = network(rng)
    far = neighbour(near, GAMMA * eps / (6 * N_CELLS), rng)
    moved = np.abs(of_the_class(near, rows) - of_the_class(far, rows)).max()
    assert 0 < moved <= eps / 6


def test_equation_15_is_no_promise_about_larger_steps():
    rng, rows = np.random.default_rng(0), every_row()
    near = network(rng)
    moved = np.abs(of_the_class(near, rows) - of_the_class(neighbour(near, 0.1, rng), rows)).max()
    assert moved > 0.5 / 6


@pytest.mark.parametrize(("eps", "delta"), [(0.5, 0.1), (0.05, 0.05)])
def test_equations_16_and_17_are_equation_8_with_the_number_of_parts(eps, delta):
    log_parts = N_CELLS * log(6 * N_CELLS / (GAMMA * eps))
    rows = theory.sample_size_conditional_likelihood(N_NODES, N_CELLS, eps, delta, GAMMA)
    sixteenth = 2 * (3 * N_NODES * log(GAMMA) / eps) ** 2 * (log(2 / delta) + log_parts)
    assert rows == pytest.approx(sixteenth)
    log_of_17 = log(2) - 2 * rows * ((eps / 6) / (N_NODES * log(GAMMA))) ** 2
    assert log_of_17 == pytest.approx(log(delta) - log_parts)


@pytest.mark.parametrize("seed", range(5))
def test_the_range_that_equation_17_needs(seed):
    values = of_the_class(network(np.random.default_rng(seed)), every_row())
    assert N_NODES * log(GAMMA) <= values.min() < log(GAMMA)
    assert values.max() <= 0
