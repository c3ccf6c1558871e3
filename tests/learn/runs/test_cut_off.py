"""Linear systems that are cut off: what they have not seen may be most of the gap."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

import bnlr

_TOL = 1e-6


def rows(rng, n_classes, n_attributes, n_rows=150):
    """Classes drawn by the sum of what alike attributes of four states add."""
    codes = rng.integers(0, 4, (n_rows, n_attributes))
    alike = rng.random((n_rows, n_attributes - 1)) < 0.7
    codes[:, 1:] = np.where(alike, codes[:, :1], codes[:, 1:])
    effects = 2.0 * rng.normal(size=(n_attributes, 4, n_classes))
    scores = sum(effect[column] for effect, column in zip(effects, codes.T, strict=True))
    frame = pd.DataFrame(codes, columns=[f"a{k}" for k in range(n_attributes)])
    frame["c"] = (scores + rng.gumbel(size=scores.shape)).argmax(axis=1)
    return bnlr.Dataset.from_frame(frame, "c")


def penalised(data, strength):
    """−CLL + ½·strength·‖T − its mean over classes‖² by T, (1 + cells, n_classes), prior first."""
    hot = [np.eye(data.cards[a])[data.column(a)] for a in data.nodes if a != "c"]
    hot = np.hstack([np.ones((data.n_rows, 1)), *hot])
    own = np.eye(data.cards["c"])[data.class_codes]

    def function(flat):
        tables = flat.reshape(hot.shape[1], -1)
        scores = hot @ tables
        logs = scores - logsumexp(scores, axis=1, keepdims=True)
        moved = tables - tables.mean(axis=1, keepdims=True)
        moved[0] = 0.0  # the prior is free
        value = 0.5 * strength * (moved**2).sum() - (own * logs).sum()
        return value, (hot.T @ (np.exp(logs) - own) + strength * moved).ravel()

    return function, np.zeros(hot.shape[1] * own.shape[1])


@pytest.mark.parametrize("seed", range(4))
def test_converged_means_near_the_optimum_that_scipy_finds(seed):
    rng = np.random.default_rng(seed)
    data = rows(rng, int(rng.choice([2, 3, 8])), int(rng.integers(3, 7)))
    structure = bnlr.Structure.naive_bayes(list(data.nodes[:-1]), "c")
    strength = float(rng.choice([0.03, 0.3]))
    function, start = penalised(data, strength)
    options = {"maxiter": 5000, "maxfun": 10_000, "ftol": 1e-15, "gtol": 1e-8}
    least = minimize(function, start, jac=True, method="L-BFGS-B", options=options).fun
    for max_products in (1, 3, 1000):
        settings = {"penalty": strength, "tol": _TOL, "max_products": max_products}
        found = bnlr.fit(structure, data, "lr", space="roos", **settings)
        gap = function(found.coordinates.to_tables(found.x).ravel())[0] - least
        if found.converged:
            assert gap <= 2 * _TOL * max(1.0, abs(least))
        else:
            assert max_products < 1000
            assert "raise max_products" in found.message
