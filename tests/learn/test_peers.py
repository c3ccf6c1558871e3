"""The optimum is that of scikit-learn and statsmodels on the same design, wherever it is finite."""

import json
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

import bnlr
from tests.cases import BESIDE_CHECKOUT
from tests.width import in_full

NAMES = ("tic-tac-toe", "vote", "flare", "german", "pima", "heart-statlog")
# What the separation test finds on complete rows; scikit-learn and statsmodels say nothing of it.
SEPARATED = {
    ("tic-tac-toe", "naive-bayes"): "quasi",
    ("tic-tac-toe", "tan"): "complete",
    ("vote", "naive-bayes"): "complete",
    ("vote", "tan"): "complete",
    ("flare", "naive-bayes"): "quasi",
    ("flare", "tan"): "quasi",
    ("german", "tan"): "quasi",
    ("heart-statlog", "tan"): "quasi",
}


@cache
def _read(name):
    if name == "tic-tac-toe":
        frame = bnlr.load_dataset(name)
        return bnlr.Dataset.from_frame(frame, frame.columns[-1])
    folder = BESIDE_CHECKOUT.parent / "data"
    if not folder.is_dir():
        pytest.skip("the UCI data are not beside this checkout")
    numeric = json.loads((folder / "MANIFEST.json").read_text())["datasets"][name]["numeric"]
    read = {"keep_default_na": False, "na_values": [""], "dtype": str}
    frame = pd.read_csv(folder / f"{name}.csv", **read).dropna()
    x, y = frame.iloc[:, :-1], frame.iloc[:, -1]
    x = x.astype(dict.fromkeys(numeric, float))
    binned = bnlr.MDLDiscretizer().fit(x, y).transform(x)
    return bnlr.Dataset.from_frame(binned.assign(**{y.name: y}), y.name)


@pytest.mark.parametrize("method", ["tan", *in_full("naive-bayes")])
# Of german's many columns the peers' Newton steps are slow.
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] if name == "german" else []) for name in NAMES],
)
def test_the_optimum_is_that_of_the_peers(name, method):
    data = _read(name)
    structure = bnlr.learn_structure(data, method=method)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = bnlr.fit(structure, data)
    assert result.separation.verdict == SEPARATED.get((name, method), "finite")
    assert result.converged
    assert 0 <= result.gap <= 1e-6 * max(1.0, abs(result.cll))
    z, y = bnlr.LogLinear(structure, data.states).design(data), data.class_codes
    peer = _scikit_learn(z, y)
    # Where the supremum is not attained, every solver stops below it; bnlr must not be lower.
    assert result.cll >= peer - 1e-6 * max(1.0, abs(peer))
    assert result.upper_bound >= peer - 1e-12 * abs(peer)
    if result.separation.verdict == "finite":
        assert result.cll == pytest.approx(peer, rel=1e-6)
        assert result.cll == pytest.approx(_statsmodels(z.toarray(), y), rel=1e-6)


def _scikit_learn(z, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(
            C=np.inf, tol=1e-10, max_iter=200, fit_intercept=False, solver="newton-cg"
        ).fit(z, y)
    with np.errstate(divide="ignore"):  # where classes are separated, some have probability 0
        return float(model.predict_log_proba(z)[np.arange(len(y)), y].sum())


def _statsmodels(z, y):
    from statsmodels.discrete.discrete_model import MNLogit

    return float(MNLogit(y, z).fit(method="newton", maxiter=100, disp=0).llf)
