"""Upper bounds and verdicts against suprema in fifty digits and separation in rational numbers.

Random rows on random perfect structures, saturated ones among them, most of them separated, with
weights of any size. `BNLR_SEARCH` sets how many times as many cases are tried. With all of them
the search is slow, for suprema take fifty digits.
"""

import os
import warnings

import numpy as np
import pytest
from mpmath import mp, mpf

import bnlr
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.learn.frequencies import frequency_network
from bnlr.learn.runs import run
from bnlr.spaces.l_model import Free
from tests.oracles import supremum as oracle
from tests.oracles.model import Model
from tests.width import in_full, width

TIMES = float(os.environ.get("BNLR_SEARCH", width(1.0, 0.2)))
WEIGHTS = {
    "unit": lambda _, n: np.ones(n),
    "integer": lambda rng, n: rng.integers(1, 6, n).astype(float),
    "wide": lambda rng, n: 10 ** rng.uniform(0, 6, n),
    "mixed": lambda rng, n: np.where(rng.random(n) < 0.5, 1.0, 1e13),
}


def saturated(rng):
    """c → every attribute, and arcs between all of these."""
    names = ["a", "b", "d"][: rng.integers(1, 4)]
    arcs = [(p, q) for k, q in enumerate(names) for p in names[:k]]
    return bnlr.Structure([*(("c", name) for name in names), *arcs], class_name="c"), names


def perfect(rng):
    """Parents of the class, all married, and children below a witness each."""
    names = ["a", "b", "d", "e"][: rng.integers(1, 5)]
    above = [name for name in names if rng.random() < 0.15]
    arcs = [(p, "c") for p in above]
    arcs += [(p, q) for k, q in enumerate(above) for p in above[:k]]
    parents = {"c": above}
    for child in [name for name in names if name not in above]:
        witness = str(rng.choice(list(parents)))
        own = [p for p in parents[witness] if rng.random() < 0.6]
        own += [] if witness == "c" else [witness]
        arcs += [("c", child), *((p, child) for p in own)]
        parents[child] = own
    return bnlr.Structure(arcs, class_name="c"), names


def rows_of(rng, n_attributes, n_classes):
    """Rows whose classes are drawn, follow scores without noise, or follow them with noise."""
    n, cards = int(rng.integers(3, 40)), rng.integers(2, 4, n_attributes)
    x = np.column_stack([rng.integers(0, card, n) for card in cards])
    noise = rng.choice([0.0, 1.5, np.inf])
    scores = x @ rng.normal(size=(n_attributes, n_classes))
    drawn = rng.normal(size=(n, n_classes))
    y = np.argmax(drawn if noise == np.inf else scores + noise * drawn, axis=1)
    return np.column_stack([y, x]), cards


def case(rng, structures, weights):
    structure, names = structures(rng)
    n_classes = int(rng.integers(2, 6))
    rows, cards = rows_of(rng, len(names), n_classes)
    states = {"c": tuple(range(n_classes))}
    states |= {name: tuple(range(card)) for name, card in zip(names, cards, strict=True)}
    if len(set(rows[:, 0])) < 2:
        return case(rng, structures, weights)
    data = bnlr.Dataset.from_codes(rows, states, "c", weights=WEIGHTS[weights](rng, len(rows)))
    return structure, data, oracle.Problem.of(Model.of(structure, states), rows, data.weights)


def fit(*args, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        return bnlr.fit(*args, **options)


@pytest.mark.wide
@pytest.mark.parametrize("structures", [saturated, perfect])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_no_bound_lies_below_the_supremum_and_no_cll_above(structures, weights):
    rng = np.random.default_rng([len(weights), structures is perfect])
    n_cases = int((15 if weights == "mixed" and structures is perfect else 60) * TIMES)
    n_unbounded, n_unsure, looseness = 0, 0, []
    for _ in range(n_cases):
        structure, data, problem = case(rng, structures, weights)
        result = fit(structure, data)
        gone = oracle.impossible_by_highs(problem)
        assert result.separation.verdict == oracle.verdict(problem, gone)
        assert bool(result.separation.cells) == result.separation.is_separated
        try:
            supremum = oracle.supremum(problem, gone)
        except ArithmeticError:  # mixed weights that even fifty digits cannot start from
            n_unsure += 1
            continue
        allowed = mpf("1e-12") * abs(supremum)
        with mp.workdps(oracle.DIGITS):
            assert mpf(result.cll) <= supremum + allowed
            if result.upper_bound is None:
                n_unbounded += 1
                continue
            assert mpf(result.upper_bound) >= supremum - allowed
            looseness.append(float((result.upper_bound - supremum) / (abs(supremum) or 1)))
    assert n_unbounded <= max(1, 0.03 * n_cases)
    assert n_unsure <= (max(1, 0.02 * n_cases) if weights == "mixed" else 0)
    assert np.median(looseness) < 1e-13


def test_a_supremum_that_was_reported_wrong():
    rows = [(0, 2, 0), (1, 1, 2), (1, 2, 1), (1, 2, 2), (1, 1, 1)]
    rows += [(0, 0, 0), (1, 2, 1), (1, 2, 2), (0, 2, 1), (1, 1, 2)]
    structure = bnlr.Structure([("c", "x"), ("c", "y"), ("x", "y")], class_name="c")
    states = {"c": (0, 1), "x": (0, 1, 2), "y": (0, 1, 2)}
    result = fit(structure, bnlr.Dataset.from_codes(np.array(rows), states, "c"))
    supremum = np.log(1 / 3) + 2 * np.log(2 / 3)
    assert result.cll <= supremum * (1 - 1e-15)
    assert supremum <= result.upper_bound == pytest.approx(supremum, rel=1e-13)


@pytest.mark.parametrize("k", [1.0, 1.1e6, 1e9, 1e-9])
def test_the_verdict_does_not_depend_on_how_many_rows_there_are(k):
    structure = bnlr.Structure([("c", "x")], class_name="c")
    states = {"c": (0, 1), "x": (0, 1, 2)}
    rows = [[0, 0], [1, 1], [0, 2], [1, 2]]
    data = bnlr.Dataset.from_codes(rows, states, "c", weights=[k, k, 1.0, 1.0])
    result = fit(structure, data)
    assert result.separation.verdict == "quasi"
    assert result.upper_bound == pytest.approx(-2 * np.log(2), rel=1e-12)


@pytest.mark.slow  # fits of three seconds in sum
@pytest.mark.parametrize("learner", ["lr", "elr"])
def test_verdicts_are_those_of_rational_arithmetic_for_any_number_of_rows(learner):
    rng = np.random.default_rng(11)
    found = set()
    for _ in range(max(20, int(40 * TIMES))):  # all three verdicts among them
        structure, data, problem = case(rng, perfect, "unit")
        if len(problem.pairs) > 30:
            continue
        exact = oracle.verdict(problem, oracle.impossible(problem))
        weights = 10 ** rng.uniform(0, rng.choice([0, 3, 9]), data.n_rows)
        many = bnlr.Dataset.from_codes(data.codes, data.states, "c", weights=weights)
        result = fit(structure, many, learner=learner)
        if learner == "lr":
            assert result.separation.verdict == exact
        assert (result.upper_bound == 0) == (exact == "complete")
        found.add(exact)
    assert found == {"finite", "quasi", "complete"}


@pytest.mark.slow
@pytest.mark.wide
def test_no_direction_is_missed_where_rows_and_cells_are_too_many_for_a_matrix(monkeypatch):
    """The road of large data, taken by small ones: it may leave open, but is never wrong."""
    from bnlr.learn.proof import separation

    monkeypatch.setattr(separation, "LARGEST_MATRIX", 0)
    rng = np.random.default_rng(12)
    n_open, n_unbounded, n_cases = 0, 0, int(60 * TIMES)
    for _ in range(n_cases):
        structure, data, problem = case(rng, perfect, "integer")
        result = fit(structure, data)
        gone = oracle.impossible_by_highs(problem)
        n_open += result.separation.verdict == "unknown"
        if result.separation.verdict != "unknown":
            assert result.separation.verdict == oracle.verdict(problem, gone)
        assert bool(result.separation.cells) == result.separation.is_separated
        if result.upper_bound is None:
            n_unbounded += 1
            continue
        supremum = oracle.supremum(problem, gone)
        assert mpf(result.upper_bound) >= supremum * (1 + mpf("1e-12"))
    assert n_open <= 0.2 * n_cases
    assert n_unbounded <= 0.1 * n_cases


@pytest.mark.wide
@pytest.mark.parametrize("structures", [saturated, *in_full(perfect)])
@pytest.mark.parametrize("weights", ["unit", "integer"])
def test_products_with_the_rows_prove_what_is_so(structures, weights, monkeypatch):
    """The road of more rows, taken by few: verdicts and bounds without and with empty cells."""
    from bnlr.learn.proof import separation

    monkeypatch.setattr(separation, "_FEW_ROWS", 0)
    rng = np.random.default_rng([13, len(weights), structures is perfect])
    n_cases, n_unbounded, looseness = int(60 * TIMES), 0, []
    for _ in range(n_cases):
        structure, data, problem = case(rng, structures, weights)
        result = fit(structure, data)
        gone = oracle.impossible_by_highs(problem)
        assert result.separation.verdict == oracle.verdict(problem, gone)
        assert bool(result.separation.cells) == result.separation.is_separated
        if result.upper_bound is None:
            n_unbounded += 1
            continue
        supremum = oracle.supremum(problem, gone)
        allowed = mpf("1e-12") * abs(supremum)
        assert mpf(result.upper_bound) >= supremum - allowed
        looseness.append(float((result.upper_bound - supremum) / (abs(supremum) or 1)))
    assert n_unbounded <= 0.03 * n_cases
    assert np.median(looseness) < 1e-9
    assert max(looseness) < 1e-5


@pytest.mark.parametrize(
    ("n", "n_attributes", "n_classes", "tree", "noise", "seed", "verdict"),
    [
        *in_full((2000, 12, 6, False, 0.1, 11, "quasi")),
        (3000, 10, 4, True, 0.1, 12, "quasi"),
        (5000, 15, 2, True, 0.5, 11, "quasi"),
        (5000, 15, 2, True, 0.5, 12, "finite"),
        (5000, 15, 2, True, 0.1, 12, "finite"),
    ],
)
def test_no_linear_program_is_needed_for_many_rows(
    n, n_attributes, n_classes, tree, noise, seed, verdict, monkeypatch
):
    """Separated and nearly separated data, whose verdicts a program over all rows gave."""
    from bnlr.learn.proof import recession

    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.integers(0, card, n) for card in rng.integers(2, 4, n_attributes)])
    scores = x @ rng.normal(size=(n_attributes, n_classes))
    y = np.argmax(scores + noise * rng.gumbel(size=scores.shape), axis=1)
    names = [f"x{k}" for k in range(n_attributes)]
    arcs = [("c", name) for name in names]
    arcs += [(names[k - 1], names[k]) for k in range(1, n_attributes)] if tree else []
    states = dict.fromkeys(names, range(3)) | {"c": range(n_classes)}
    data = bnlr.Dataset.from_codes(np.column_stack([x, y]), states, "c")

    def refused(*_, **__):
        raise AssertionError("a linear program was asked")

    monkeypatch.setattr(recession, "linprog", refused)
    result = fit(bnlr.Structure(arcs, "c"), data)
    assert result.separation.verdict == verdict
    assert 0 <= result.upper_bound - result.cll <= 1e-7 * abs(result.cll)


def noisy(n, n_attributes, n_classes, card, tree=False, seed=1):
    """Scores of random cells with Gumbel noise: some classes are rare, cells never show others."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, card, (n, n_attributes))
    scores = x @ rng.normal(size=(n_attributes, n_classes))
    y = np.argmax(scores + 2 * rng.gumbel(size=scores.shape), axis=1)
    names = [f"x{k}" for k in range(n_attributes)]
    arcs = [("c", name) for name in names]
    arcs += [(names[k - 1], names[k]) for k in range(1, n_attributes)] if tree else []
    states = dict.fromkeys(names, range(card)) | {"c": range(n_classes)}
    data = bnlr.Dataset.from_codes(np.column_stack([x, y]), states, "c")
    return bnlr.Structure(arcs, "c"), data


@pytest.mark.parametrize(
    ("n", "n_attributes", "n_classes", "card", "tree"),
    [
        (1500, 12, 4, 3, True),
        *in_full(
            (2000, 12, 6, 3, False),
            (3000, 16, 10, 4, False),
            (1000, 10, 20, 5, False),
            (4000, 20, 26, 4, False),
        ),
    ],
)
def test_the_bound_of_many_separated_rows_is_near(n, n_attributes, n_classes, card, tree):
    result = fit(*noisy(n, n_attributes, n_classes, card, tree))
    assert result.separation.verdict == "quasi"
    assert 0 <= result.upper_bound - result.cll <= 1e-6 * abs(result.cll)


@pytest.mark.wide
def test_a_bound_is_looser_by_no_more_than_tol_lets_it(monkeypatch):
    """As where sharper bounds are dear: fainter classes are left out from the start."""
    from bnlr.learn.logistic import global_optimum
    from bnlr.learn.proof import separation, upper_bound

    monkeypatch.setattr(upper_bound, "_DEAR_LOOKUPS", 0)
    monkeypatch.setattr(upper_bound, "_FAINT", 1e-6)  # so that few rows have as faint classes
    monkeypatch.setattr(upper_bound, "_FAINTEST", 1e-1)
    monkeypatch.setattr(separation, "_FEW_ROWS", 0)
    n_looser, tol = 0, 1e-4
    for seed in range(width(60, 12)):
        structure, data = noisy(150, 5, 4, 3, seed=seed)
        result = fit(structure, data, tol=tol)
        with monkeypatch.context() as sharper:
            sharper.setattr(global_optimum, "_LOOSER", 0.0)
            sharp = fit(structure, data, tol=tol)
        if result.upper_bound is not None and sharp.upper_bound is not None:
            looser = result.upper_bound - sharp.upper_bound
            assert max(result.cll, sharp.cll) <= result.upper_bound
            assert looser <= 0.3 * tol * max(1.0, abs(sharp.cll))
            n_looser += looser > 0
    assert n_looser > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, *in_full(2, 3)])
@pytest.mark.parametrize("size", [(1500, 10, 26, 5), (1500, 8, 20, 6), (400, 8, 12, 6)])
def test_a_supremum_that_no_cpts_come_near_costs_no_more_than_a_mild_penalty(size, seed):
    """Margins are so small that log-odds go into the hundreds, which CPTs have to hold."""
    structure, data = noisy(*size, seed=seed)
    result, mild = fit(structure, data), fit(structure, data, penalty=1e-5)
    assert result.cll > mild.cll - 5e-4 * abs(mild.cll) - 1e-6


@pytest.fixture
def between():
    """Rows of ten classes that are not separated, some classes of some rows nearly impossible."""
    rng = np.random.default_rng(1)
    cards = rng.integers(2, 4, 10)
    x = np.column_stack([rng.integers(0, card, 16_000) for card in cards])
    scores = x @ rng.normal(size=(10, 10))
    y = np.argmax(scores + rng.gumbel(size=scores.shape), axis=1)
    names = [f"x{k}" for k in range(10)]
    states = {name: range(card) for name, card in zip(names, cards, strict=True)}
    data = bnlr.Dataset.from_codes(np.column_stack([x, y]), states | {"c": range(10)}, "c")
    return bnlr.Structure([("c", name) for name in names], "c"), data


@pytest.fixture
def products(monkeypatch):
    """Hessian products of every linear system that a proof solves."""
    from bnlr.learn.proof import upper_bound

    solve, asked = upper_bound._newton_system, []

    def counted(*args):
        system = solve(*args)
        asked.append(system.n_products)
        return system

    monkeypatch.setattr(upper_bound, "_newton_system", counted)
    return asked


def test_rounding_in_what_families_trade_does_not_grow_over_the_rest(between, products):
    """Classes that are not coupled take more than one correction if it does."""
    result = fit(*between)
    assert result.separation.verdict == "finite"
    assert 0 <= result.upper_bound - result.cll <= 1e-9 * abs(result.cll)
    assert len(products) == 1


@pytest.mark.parametrize("n_classes", [8, *in_full(16)])
def test_classes_alike_but_for_noise_have_a_bound(n_classes, products):
    """Attributes see the class modulo 4 and the attribute before: classes 4 apart are alike."""
    rng = np.random.default_rng(0)
    y = before = rng.integers(n_classes, size=5000)
    columns = []
    for k in range(20):
        u, x = rng.random(len(y)), rng.integers(4, size=len(y))
        x = np.where(u < 0.15, y * (2 * k + 1) % 4, x)
        before = np.where(u > 0.7, before % 4, x)
        columns.append(before)
    states = {f"x{k}": range(4) for k in range(20)} | {"c": range(n_classes)}
    data = bnlr.Dataset.from_codes(np.column_stack([*columns, y]), states, "c")
    result = fit(bnlr.learn_structure(data, "tan"), data)
    assert result.separation.verdict in {"finite", "quasi"}
    assert 0 <= result.upper_bound - result.cll <= 1e-9 * abs(result.cll)
    assert sum(products) <= 200


@pytest.mark.slow
@pytest.mark.parametrize(
    ("size", "seed"), [((600, 10, 6, 4), 1), *in_full(((800, 8, 12, 4), 0), ((800, 8, 12, 4), 1))]
)
def test_sparse_tables_of_chained_attributes_have_a_near_bound(size, seed, products):
    """Most cells never show some class: what is left is solved class by class."""
    result = fit(*noisy(*size, tree=True, seed=seed))
    assert result.separation.verdict == "quasi"
    assert 0 <= result.upper_bound - result.cll <= 1e-6 * abs(result.cll)
    assert sum(products) <= 120


@pytest.mark.slow
def test_no_products_are_spent_where_rounding_hides_a_row_s_own_class(
    between, products, monkeypatch
):
    from bnlr.learn.proof import upper_bound

    structure, data = between
    design = Design.of(TableLayout.of(structure, data.cards), data)
    space = Free(structure, data.states)
    tables = space.differences(space.from_network(frequency_network(structure, data)))
    monkeypatch.setattr(upper_bound, "_DEAR_LOOKUPS", 0)
    assert upper_bound.restricted(design, 100 * tables).dual.bound is None
    assert not products
    monkeypatch.setattr(upper_bound, "_OUT_OF_REACH", 0)
    assert upper_bound.restricted(design, 100 * tables).dual.bound is None
    assert products


def test_a_proof_that_keeps_every_class_needs_no_other(between, monkeypatch):
    from bnlr.learn.proof import separation
    from bnlr.learn.proof.upper_bound import DualPoint

    def refused(*_, **__):
        raise AssertionError("asked twice")

    monkeypatch.setattr(separation, "dual_point", lambda *_: DualPoint(np.inf, 0.0, None))
    monkeypatch.setattr(separation, "lifted", refused)
    result = fit(*between)
    assert result.separation.verdict == "finite"
    assert 0 <= result.upper_bound - result.cll <= 1e-9 * abs(result.cll)


def test_a_bound_that_is_passed_is_an_error():
    assert run._not_disproved(-1.0, -1.0 - 1e-9) == -1.0
    assert run._not_disproved(-1.0, -1.0 + 1e-13) == -1.0
    assert run._not_disproved(None, 0.0) is None
    with pytest.raises(ArithmeticError, match=r"-0\.9999.*above the upper bound -1"):
        run._not_disproved(-1.0, -1.0 + 1e-6)
