"""A weight counts rows in any unit: weights times k give k times the CLL, and nothing infinite.

What is maximal is computed elsewhere: by SciPy, from one-hot columns and logarithms alone.
"""

import functools
import json
import warnings
from itertools import product

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import logsumexp

import bnlr
from bnlr.learn.supergraph import Shrinkage, fit_carried
from tests.cases import CASES
from tests.width import in_full, width

NAMES = ("c", "a", "b", "d")
NB = bnlr.Structure([("c", "a"), ("c", "b"), ("c", "d")], "c")
TAN = bnlr.Structure([("c", "a"), ("c", "b"), ("c", "d"), ("a", "b")], "c")
COLLIDER = bnlr.Structure([("c", "b"), ("a", "b"), ("d", "b"), ("c", "d")], "c")
SOLVERS = ("newton", "l-bfgs", "cg", "cg-brent", "bfgs", "scipy-cg", "scipy-bfgs")


def rows(seed, n_classes=2, share=0.0, n=60):
    """Codes and weights of 1 to 3, about as random as can be; a ``share`` of cells missing."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, n_classes, n), *(rng.integers(0, 3, n) for _ in range(3))]
    codes = np.column_stack(columns)
    holes = rng.random(codes.shape) < share
    holes[:, 0] = False
    codes[holes] = -1
    return codes, rng.integers(1, 4, n).astype(float)


def dataset(codes, weights, n_classes=2):
    cards = (n_classes, 3, 3, 3)
    states = {name: tuple(map(str, range(k))) for name, k in zip(NAMES, cards, strict=True)}
    return bnlr.Dataset.from_codes(codes, states, "c", weights=weights, ordered=NAMES[1:])


def fit(structure, data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bnlr.fit(structure, data, **{"random_state": 0} | options)


def one_hot(structure, codes):
    """Intercept and an indicator for every configuration of a child of the class, without it."""
    columns = [np.ones(len(codes))]
    for child in structure.children("c"):
        scope = [p for p in structure.parents(child) if p != "c"] + [child]
        shown = codes[:, [NAMES.index(name) for name in scope]]
        cells = product(range(3), repeat=len(scope))
        columns.extend((shown == cell).all(axis=1) for cell in cells)
    return np.column_stack(columns).astype(float)


def supremum(structure, codes, weights, n_classes=2):
    """The highest CLL of any tables, by BFGS from zero."""
    z, own = one_hot(structure, codes), np.eye(n_classes)[codes[:, 0]]

    def loss(x):
        scores = np.column_stack([np.zeros(len(z)), z @ x.reshape(z.shape[1], -1)])
        logs = scores - logsumexp(scores, axis=1, keepdims=True)
        slope = z.T @ (weights[:, None] * (np.exp(logs) - own))
        return -float(weights @ (logs * own).sum(axis=1)), slope[:, 1:].ravel()

    start = np.zeros(z.shape[1] * (n_classes - 1))
    found = minimize(loss, start, jac=True, method="BFGS", options={"gtol": 1e-8, "maxiter": 5000})
    return -found.fun


@functools.cache
def highest(seed, structure, n_classes):
    """The supremum for the rows of a seed."""
    return supremum(structure, *rows(seed, n_classes), n_classes)


def units(*seed, n=2, powers=12):
    """Random factors, hardly powers of ten."""
    rng = np.random.default_rng(seed)
    return 10.0 ** rng.uniform(-powers, powers, n)


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("space", ["roos", "loglinear", "softmax"])
@pytest.mark.parametrize(("seed", "structure", "n_classes"), [(7, NB, 3), *in_full((0, TAN, 2))])
def test_weights_times_k_reach_k_times_the_highest_cll(seed, structure, n_classes, space, solver):
    codes, weights = rows(seed, n_classes)
    best = highest(seed, structure, n_classes)
    own = fit(
        structure, dataset(codes, weights, n_classes), learner="lr", space=space, solver=solver
    )
    for k in (1e-50 if seed else 1e50, *units(seed, SOLVERS.index(solver), n=1)):
        data = dataset(codes, k * weights, n_classes)
        result = fit(structure, data, learner="lr", space=space, solver=solver)
        assert result.converged >= own.converged, (k, result.message)
        if result.converged:
            assert result.cll == pytest.approx(k * best, rel=1e-6), k
        assert result.start_cll <= result.cll <= result.upper_bound * (1 - 1e-10)
        assert result.trace["cll"].iloc[-1] == pytest.approx(result.cll, rel=1e-6)


def searched():
    """Learner, structure, share of holes, and options; those of 0 penalty first."""
    for space, solver in product(("roos", "loglinear", "softmax"), ("newton", "l-bfgs", "bfgs")):
        yield "lr", TAN, 0.0, {"space": space, "solver": solver}
    for solver in SOLVERS:
        yield "elr", COLLIDER, 0.0, {"solver": solver}
    yield "elr", COLLIDER, 0.0, {"space": "theta", "max_iter": 30}
    for solver, learner in product(("l-bfgs", "bfgs", "scipy-bfgs"), ("elr", "apn")):
        yield learner, TAN, 0.2, {"solver": solver}
    yield "em", TAN, 0.2, {}
    yield "em", TAN, 0.2, {"acceleration": None}
    yield "dfe", TAN, 0.0, {"max_iter": 4}
    for share, learner in product((0.0, 0.2), ("frequencies", "em")):
        amount = "pseudocount" if learner == "frequencies" else "m_step_pseudocount"
        yield learner, TAN, share, {amount: 1.0}
    for space, center in [("roos", "scaled"), ("softmax", "frequencies"), ("loglinear", "zero")]:
        yield "lr", TAN, 0.0, {"space": space, "penalty": 1.0, "penalty_center": center}
    yield "lr", TAN, 0.0, {"penalty": 1.0, "penalty_center": "smooth"}
    for share, center in [(0.0, "zero"), (0.2, "zero"), (0.2, "scaled"), (0.2, "smooth")]:
        structure = TAN if share else COLLIDER
        options = {"penalty": 1.0, "penalty_center": center, "max_iter": 250}
        yield "elr", structure, share, options


IN_ROWS = ("penalty", "pseudocount", "m_step_pseudocount")
SEARCHED = list(searched())
SLOW = {"cg", "cg-brent", "scipy-cg"}


def in_unit(k, options):
    """The options with all that is in rows times k, the estimates that a penalty looks at too."""
    if "penalty" in options:
        options = {"pseudocount": 1.0} | options
    return {name: k * v if name in IN_ROWS else v for name, v in options.items()}


@pytest.mark.parametrize(
    "way",
    [*range(0, len(SEARCHED), 9), *in_full(*(k for k in range(len(SEARCHED)) if k % 9))],
    ids=lambda i: f"{SEARCHED[i][0]}-{i}",
)
def test_fits_are_the_same_in_any_unit(way):
    """From starts of their own; a solver takes the road of whole weights digit by digit."""
    learner, structure, share, options = SEARCHED[way]
    name = "log_likelihood" if learner in {"em", "apn"} else "cll"
    n_converged = 0
    for seed, is_whole in ((0, True), (4, False)):
        n_classes = 2 + seed % 3
        codes, weights = rows(seed, n_classes, share)
        if not is_whole:
            weights = np.random.default_rng(way).lognormal(0.0, 1.0, len(weights))
        how = {"learner": learner, "max_iter": 150} | options
        own = fit(structure, dataset(codes, weights, n_classes), **in_unit(1.0, how))
        n_converged += own.converged
        for k in units(way, seed, n=1):
            data = dataset(codes, k * weights, n_classes)
            result = fit(structure, data, **in_unit(k, how))
            if is_whole and own.penalty == 0:
                assert (result.converged, result.n_iter) == (own.converged, own.n_iter)
                assert getattr(result, name) == pytest.approx(k * getattr(own, name), rel=1e-12)
            assert result.penalty == pytest.approx(k * own.penalty, rel=1e-15)
            if own.converged:
                assert result.converged or not is_whole, (k, result.message)
                assert result.start_cll == pytest.approx(k * own.start_cll, rel=1e-9), k
            if own.converged and result.converged:
                assert getattr(result, name) == pytest.approx(k * getattr(own, name), rel=1e-6), k
    assert n_converged or options.get("solver") in SLOW or options.get("space") == "theta"


@pytest.mark.parametrize("share", [0.0, *in_full(0.2)])
@pytest.mark.parametrize("often", [1, 3])
def test_weights_are_repeated_rows_in_any_unit(share, often):
    """``often`` that of each, so that rows repeated are weights in another unit."""
    structure, n_converged = TAN if share else COLLIDER, 0
    for seed in range(2):
        codes, weights = rows(seed, 2, share)
        times = often * weights.astype(int)
        own = fit(structure, dataset(np.repeat(codes, times, axis=0), None), learner="elr")
        for k in (1.0, *units(seed, often, n=1)):
            result = fit(structure, dataset(codes, k * times), learner="elr")
            assert result.start_cll == pytest.approx(k * own.start_cll, rel=1e-12)
            if own.converged and result.converged:
                assert result.cll == pytest.approx(k * own.cll, rel=1e-6)
                n_converged += 1
    assert n_converged > 1


@pytest.mark.parametrize("seed", range(4))
def test_converged_is_no_matter_of_a_loose_rule(seed):
    codes, weights = rows(seed)
    data, best = dataset(codes, weights), supremum(TAN, codes, weights)
    n_short = 0
    for solver, rule in [
        *(("cg", {"reltol": r}) for r in (1e-1, 1e-3, 1e-8)),
        *(("cg-brent", {"reltol": r}) for r in (1e-1, 1e-3, 1e-8)),
        *(("bfgs", {"reltol": r}) for r in (1e-2, 1e-3, 1e-4, 1e-8)),
        *(("scipy-bfgs", {"gtol": g}) for g in (3.0, 0.3, 1e-5)),
        *(("scipy-cg", {"gtol": g}) for g in (3.0, 0.3, 1e-5)),
    ]:
        result = fit(TAN, data, learner="lr", solver=solver, **rule)
        n_short += not result.converged
        near = abs(best) * 1e-6
        assert not result.converged or best - result.cll <= near, (solver, rule, result.message)
        assert result.converged or "near" in result.message or "limit" in result.message
    assert n_short > 4


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1, 4, *in_full(2, 3, *range(5, 28))])
def test_an_enormous_penalty_leaves_the_shares_of_the_classes(seed):
    """Beside rows that weigh next to nothing as well; who says to have converged has."""
    rng = np.random.default_rng(seed)
    n_classes, solver = int(rng.integers(2, 4)), SOLVERS[seed % len(SOLVERS)]
    codes, weights = rows(seed, n_classes)
    shares = np.bincount(codes[:, 0], weights, n_classes) / weights.sum()
    best = float(weights @ np.log(shares[codes[:, 0]]))
    center = "smooth" if rng.random() < 0.5 else "zero"
    for space, more in product(("roos", "loglinear", "softmax"), (1e12, 1e18, 1e30, 1e150)):
        k = 10.0 ** -rng.integers(0, 150)
        options = {"penalty": more * k if more < 1e100 else 1.0, "penalty_center": center}
        k = k if more < 1e100 else 1e-150
        data = dataset(codes, k * weights, n_classes)
        found = fit(TAN, data, learner="lr", space=space, solver=solver, **options)
        assert found.penalty == options["penalty"]
        assert found.converged or solver != "newton" or space == "softmax"
        if found.converged:
            assert found.cll / k == pytest.approx(best, rel=3e-7), (space, more)
        if found.converged and solver == "newton":
            off = found.network.predict_proba(data) - shares
            assert np.abs(off).max() < 1e-6


def test_all_that_counts_rows_is_told_in_rows():
    codes, weights = rows(3)
    seen = []

    def look(state):
        seen.append((state.value, state.x.copy(), state.gradient.copy()))

    k = 1e9
    data, small = dataset(codes, k * weights), dataset(codes, weights)
    result = fit(TAN, data, learner="lr", penalty=2 * k, pseudocount=k, callback=look)
    one = fit(TAN, small, learner="lr", penalty=2.0)
    assert result.penalty == 2 * k
    assert result.cll == pytest.approx(k * one.cll, rel=1e-9)
    assert result.start_cll == pytest.approx(k * one.start_cll, rel=1e-9)
    np.testing.assert_allclose(result.trace["objective"], k * one.trace["objective"], rtol=1e-6)
    plain = fit(TAN, data, learner="lr", max_iter=1, callback=look)
    value, x, gradient = seen[-1]
    assert plain.coordinates.cll(x, small) * k == pytest.approx(-value, rel=1e-12)
    step = np.zeros(x.size)
    step[4] = 1e-5
    ahead, behind = (plain.coordinates.cll(x + s * step, small) for s in (1, -1))
    assert gradient[4] == pytest.approx(-k * (ahead - behind) / 2e-5, rel=1e-5, abs=1e-4 * k)
    assert plain.trace["flops"].iloc[-1] > 1e9


def test_rows_that_never_occur_are_counted_in_rows():
    codes, weights = rows(3)
    codes = codes[(codes[:, 1] > 0) | (codes[:, 0] == 0)]
    weights = weights[: len(codes)]
    n = weights[codes[:, 1] == 0].sum()
    for k in (1e-6, 1.0, 1e9):
        result = fit(NB, dataset(codes, k * weights), learner="lr")
        assert f"a=0 never occurs with c=1 ({k * n:g} rows)" in result.message


@pytest.mark.parametrize("k", [1e-12, 1e12])
def test_the_start_is_neither_uniform_nor_at_the_edge(k):
    codes, weights = rows(0)
    data = dataset(codes, k * weights)
    for options in ({"learner": "lr", "space": "softmax"}, {"learner": "elr"}):
        result = fit(TAN, data, max_iter=0, **options)
        cpts = result.network.cpts.values()
        assert 1e-4 < min(cpt.min() for cpt in cpts) < 0.333
    counted = fit(TAN, data, learner="frequencies").network.cpts["a"]
    table = np.zeros((2, 3))
    np.add.at(table, (codes[:, 0], codes[:, 1]), k * weights)
    np.testing.assert_allclose(counted, (table + 1) / (table + 1).sum(axis=1, keepdims=True))


@pytest.mark.parametrize("k", [1e-50, 1e-12, 1e12, 1e50])
def test_carried_fits_and_their_penalties_scale(k):
    codes, weights = rows(0)
    one = fit_carried(COLLIDER, dataset(codes, weights), Shrinkage(1.0, "scaled", 1.0))
    many = fit_carried(COLLIDER, dataset(codes, k * weights), Shrinkage(k, "scaled", k))
    assert many.converged
    assert many.penalty == pytest.approx(k, rel=1e-15)
    assert many.cll == pytest.approx(k * one.cll, rel=1e-8)


def test_a_sum_of_weights_that_may_overflow_is_refused():
    codes, _ = rows(0)
    with pytest.raises(bnlr.DataError, match="divide all weights by their largest"):
        fit(TAN, dataset(codes, np.full(len(codes), 1e302)), learner="lr")
    assert np.isfinite(fit(TAN, dataset(codes, np.full(len(codes), 1e300)), learner="lr").cll)


def literal_cll(network, codes, weights, names=NAMES):
    """From CPTs alone, in logarithms; the class's codes come first."""
    nodes, joint = list(network.structure.nodes), []
    for c in range(network.cards[names[0]]):
        logs = np.zeros(len(codes))
        at = dict(zip(names, codes.T, strict=True)) | {names[0]: c}
        for node in nodes:
            scope = (*network.structure.parents(node), node)
            cells = np.broadcast_arrays(*(at[name] for name in scope), codes[:, 0])[:-1]
            logs = logs + np.log(network.cpts[node][tuple(cells)])
        joint.append(logs)
    joint = np.array(joint)
    own = joint[codes[:, 0], np.arange(len(codes))]
    return float(weights @ (own - logsumexp(joint, axis=0)))


WAYS = (
    *({"learner": "lr", "space": space} for space in ("roos", "loglinear", "softmax")),
    {"learner": "lr", "max_iter": 3},
    {"learner": "lr", "solver": "bfgs"},
    {"learner": "lr", "space": "softmax", "penalty": 1e-20, "max_iter": 60},
    {"learner": "lr", "penalty": 1e-10, "max_iter": 20},
    {"learner": "lr", "penalty": 1.0, "penalty_center": "scaled"},
    {"learner": "elr", "max_iter": 100},
    {"learner": "elr", "solver": "newton", "max_iter": 60},
    {"learner": "elr", "space": "theta", "max_iter": 30},
    {"learner": "em"},
    {"learner": "apn", "max_iter": 50},
)
HOLED = ({"learner": "elr"}, {"learner": "elr", "solver": "bfgs"}, {"learner": "apn"})


@pytest.mark.slow
@pytest.mark.wide  # many fits a way are slow
@pytest.mark.parametrize("way", WAYS, ids=str)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_weights_of_any_spread_give_finite_results(way):
    for seed in range(width(12, 3)):
        rng = np.random.default_rng([seed, 4])
        n = int(rng.choice([3, 8, 30]))
        codes, _ = rows(seed, 2 + seed % 2, n=n)
        if seed % 3 == 0:
            codes[:, 1] = codes[:, 0]
        codes[:2, 0] = 0, 1
        weights = 10.0 ** rng.uniform(-12, 12, n)
        if seed % 4 == 0:
            weights = 10.0 ** rng.choice([-12.0, 0.0, 15.0], n)
        result = fit(TAN, dataset(codes, weights, 2 + seed % 2), **way)
        told = [result.cll, result.start_cll, result.log_likelihood, result.upper_bound]
        assert np.isfinite([number for number in told if number is not None]).all(), seed
        assert np.isfinite(result.trace.drop(columns="flops").to_numpy(dtype=float)).all()
        assert result.x is None or np.isfinite(result.x).all()
        assert way["learner"] == "em" or all((c > 0).all() for c in result.network.cpts.values())
        rounding = 1e-13 * weights.sum()
        found = literal_cll(result.network, codes, weights)
        assert result.cll == pytest.approx(found, rel=1e-7, abs=rounding), seed


@pytest.mark.slow
@pytest.mark.wide  # many fits a way are slow
@pytest.mark.parametrize("way", HOLED, ids=str)
def test_entries_of_rows_with_holes_stay_above_zero(way):
    for seed in range(width(5, 2)):
        codes, weights = rows(seed, 2 + seed % 3, 0.2, n=20)
        weights *= 10.0 ** np.random.default_rng(seed).uniform(-9, 9, len(weights))
        result = fit(TAN, dataset(codes, weights, 2 + seed % 3), max_iter=300, **way)
        assert np.isfinite([result.cll, result.log_likelihood, result.start_cll]).all()
        assert all((cpt > 0).all() for cpt in result.network.cpts.values())
        assert result.cll == pytest.approx(
            result.network.conditional_log_likelihood(dataset(codes, weights, 2 + seed % 3)),
            rel=1e-7,
            abs=1e-13 * weights.sum(),
        )


@pytest.mark.slow
@pytest.mark.parametrize("space", ["roos", *in_full("loglinear", "softmax")])
def test_a_reported_fit_over_24_orders_of_magnitude_is_finite(space):
    case = json.loads((CASES / "reported" / "infinite_cll.json").read_text("utf-8"))
    codes, weights = np.array(case["codes"]), np.array(case["weights"])
    data = bnlr.Dataset.from_codes(codes, case["states"], case["class"], weights=weights)
    structure = bnlr.Structure(map(tuple, case["edges"]), case["class"], nodes=case["nodes"])
    result = fit(structure, data, learner="lr", space=space)
    found = literal_cll(result.network, codes, weights, case["nodes"])
    assert all((cpt > 0).all() for cpt in result.network.cpts.values())
    assert result.cll == pytest.approx(found, rel=1e-7, abs=1e-13 * weights.sum())
    # In β the last system is cut off; where it then stands is a few times the tolerance away.
    assert result.converged or (space == "softmax" and "not near the optimum" in result.message)
    # Of the heavy rows a hundredth's mistake would be more.
    assert -0.01 * weights.max() < result.cll <= 0
    if result.upper_bound is not None:
        assert result.cll <= result.upper_bound + 1e-13 * weights.sum()


@pytest.mark.slow
def test_two_sure_rows_and_a_faint_one_that_errs():
    codes = np.array([[0, 0, 0], [1, 1, 1], [1, 0, 0]])
    states = {"c": ("0", "1"), "x": ("0", "1"), "y": ("0", "1")}
    data = bnlr.Dataset.from_codes(codes, states, "c", weights=[1e12, 1e12, 1e-12])
    structure = bnlr.Structure([("c", "x"), ("c", "y")], "c")
    for penalty, space in product((0.0, 1e-20, 1e-10), ("softmax", "roos", "loglinear")):
        result = fit(structure, data, learner="lr", space=space, penalty=penalty)
        assert np.isfinite(result.cll)
        assert all((cpt > 0).all() for cpt in result.network.cpts.values())
        assert -1e4 < result.cll <= 0  # of 2e12 rows
