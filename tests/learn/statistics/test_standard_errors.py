"""Standard errors equal those of statsmodels and of a literal information matrix; else refused."""

import itertools
import math
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import bnlr
from bnlr.learn.proof import separation
from bnlr.learn.statistics import fisher_information as information
from bnlr.learn.statistics.standard_errors import NOT_ESTIMABLE
from tests.oracles.designs import loglinear_design
from tests.oracles.graphs import blocks
from tests.oracles.lmodel import cll_of_tables, posteriors_of_tables
from tests.oracles.model import Model
from tests.strategies import perfect_structures, problems, seeds, states_of
from tests.width import examples

NUMBERS = ["estimate", "std err", "z", "p", "lower", "upper"]
NB = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
TAN = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], class_name="c")
STATES = {"c": ("n", "y"), "a": (0, 1), "b": ("p", "q", "r")}


@st.composite
def full_problems(draw, max_nodes=4):
    """Perfect structures with every configuration of each class: finite optimum, full rank."""
    structure = draw(perfect_structures(max_nodes=max_nodes, min_nodes=2, min_attributes=1))
    states = draw(states_of(structure, max_cells=60))
    rng = np.random.default_rng(draw(seeds))
    rows = np.array(list(itertools.product(*(range(len(s)) for s in states.values()))))
    assume(len(rows) <= 400)
    weights = rng.integers(1, 5, len(rows)).astype(float)
    return structure, bnlr.Dataset.from_codes(rows, states, structure.class_name, weights)


def _fit(structure, data, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        return bnlr.fit(structure, data, learner="lr", **options)


def _full(structure, states=STATES, seed=0, n=3):
    """Every configuration of every class a few times."""
    rng = np.random.default_rng(seed)
    rows = np.array(list(itertools.product(*(range(len(s)) for s in states.values()))))
    weights = rng.integers(1, n + 1, len(rows))
    return bnlr.Dataset.from_codes(np.repeat(rows, weights, axis=0), states, "c")


def _literal(structure, data, reference=None):
    """The design matrix of the papers' words, its columns' names, and the class codes, repeated."""
    states = {node: data.states[node] for node in structure.nodes}
    model = Model.of(structure, states)
    rows = np.column_stack([data.column(node) for node in model.nodes])
    codes = {node: states[node].index(state) for node, state in (reference or {}).items()}
    columns, z = loglinear_design(model, rows, codes)
    names = [", ".join(f"{node}={states[node][v]}" for node, v in sorted(c)) for c in columns]
    times = data.weights.astype(int)
    names = [name or "intercept" for name in names]
    return names, np.repeat(z, times, axis=0), np.repeat(data.class_codes, times)


def _tables(space, x):
    return space.layout.unstack(space.to_tables(x))  # noqa: PD010  a table layout's verb


def _by_name(found, names):
    """The numbers as (names, classes, NUMBERS), in the order of ``names``."""
    table = found.table
    n_classes = table["class"].nunique()
    own = list(table["parameter"])[::n_classes]
    assert sorted(own) == sorted(names)
    numbers = table[NUMBERS].to_numpy().reshape(len(own), n_classes, len(NUMBERS))
    return numbers[[own.index(name) for name in names]]


# Against statsmodels


@examples(15)
@given(full_problems(), st.sampled_from([0.95, 0.8]))
def test_table_and_criteria_equal_statsmodels_mnlogit(problem, level):
    discrete = pytest.importorskip("statsmodels.discrete.discrete_model")
    structure, data = problem
    found = _fit(structure, data).significance(data, level, reference={})
    names, z, y = _literal(structure, data)
    peer = discrete.MNLogit(y, z).fit(method="newton", maxiter=200, tol=1e-12, disp=0)
    ours = _by_name(found, names)
    interval = np.asarray(peer.conf_int(1 - level)).transpose(1, 0, 2)
    theirs = [peer.params, peer.bse, peer.tvalues, peer.pvalues, interval[..., 0], interval[..., 1]]
    np.testing.assert_allclose(ours, np.stack(theirs, axis=-1), rtol=1e-6, atol=1e-8)
    assert found.df == z.shape[1] * (len(set(y)) - 1)
    for mine, their in [
        (found.cll, peer.llf),
        (found.null_cll, peer.llnull),
        (found.aic, peer.aic),
        (found.bic, peer.bic),
    ]:
        assert mine == pytest.approx(their, rel=1e-9)
    # Its null model is fitted by a solver; ours is the closed form.
    assert found.pseudo_r2 == pytest.approx(peer.prsquared, rel=1e-7, abs=1e-8)
    assert found.n_rows == len(y)
    test = found.against_prior
    assert test.df == peer.df_model
    assert test.statistic == pytest.approx(peer.llr, rel=1e-7, abs=1e-6)
    if test.df and test.statistic > 0.01:
        assert test.p == pytest.approx(peer.llr_pvalue, rel=1e-5)


@pytest.mark.parametrize("space", ["roos", "loglinear", "softmax"])
@pytest.mark.parametrize("solver", ["newton", "cg", "scipy-bfgs"])
def test_two_classes_equal_statsmodels_logit_whatever_the_road(space, solver):
    discrete = pytest.importorskip("statsmodels.discrete.discrete_model")
    data = _full(TAN)
    result = _fit(TAN, data, space=space, solver=solver)
    found = result.significance(data, reference={"a": 1, "b": "q"})
    names, z, y = _literal(TAN, data, {"a": 1, "b": "q"})
    peer = discrete.Logit(y, z).fit(method="newton", tol=1e-12, disp=0)
    ours = _by_name(found, names)[:, 0]
    theirs = np.column_stack([peer.params, peer.bse, peer.tvalues, peer.pvalues, peer.conf_int()])
    np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-9)
    order = [names.index(name) for name in found.table["parameter"]]
    covariance = peer.cov_params()[np.ix_(order, order)]
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-6, atol=1e-10)


# Against literal information


@pytest.mark.slow
@examples(15)
@given(full_problems(max_nodes=3), st.booleans())
def test_covariance_inverts_second_differences_of_the_literal_cll(problem, fractional):
    structure, data = problem
    if fractional:
        data = bnlr.Dataset.from_codes(
            data.codes, data.states, data.class_name, data.weights * 0.37
        )
    found = _fit(structure, data).significance(data)
    space, x = found.maximum.space, found.maximum.x
    assume(space.size <= 24)
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = np.column_stack([data.column(node) for node in model.nodes])

    def cll(point):
        return cll_of_tables(model, _tables(space, point), rows, data.weights)

    h, n = 1e-3, space.size
    information = np.empty((n, n))
    for i, j in itertools.product(range(n), repeat=2):
        e, f = h * np.eye(n)[i], h * np.eye(n)[j]
        corners = cll(x + e + f) - cll(x + e - f) - cll(x - e + f) + cll(x - e - f)
        information[i, j] = -corners / (4 * h * h)
    np.testing.assert_allclose(found.covariance @ information, np.eye(n), atol=2e-4)
    np.testing.assert_allclose(found.table["std err"], np.sqrt(np.diag(found.covariance)))


@pytest.mark.slow
@examples(15)
@given(problems(perfect_structures(max_nodes=5, min_attributes=1), n_rows=(60, 150)))
def test_estimable_is_what_lies_in_the_row_space_of_the_literal_design(problem):
    structure, data = problem
    result = _fit(structure, data)
    assume(result.separation.verdict == "finite")
    found = result.significance(data, reference={})
    states = {node: data.states[node] for node in structure.nodes}
    model = Model.of(structure, states)
    seen = np.column_stack([data.column(node) for node in model.nodes])[data.weights > 0]
    columns, z = loglinear_design(model, seen)
    rank = np.linalg.matrix_rank(z)
    assert found.df == rank * (model.n_classes - 1)
    estimable = {
        ", ".join(f"{n}={states[n][v]}" for n, v in sorted(c)) or "intercept"
        for c, e in zip(columns, np.eye(z.shape[1]), strict=True)
        if np.linalg.matrix_rank(np.vstack([z, e])) == rank
    }
    table = found.table
    fine = table["note"] == ""
    assert set(table["parameter"][fine]) == estimable
    assert set(table["note"]) <= {"", NOT_ESTIMABLE}
    assert np.isfinite(table.loc[fine, NUMBERS].to_numpy(dtype=float)).all()
    assert table.loc[~fine, NUMBERS].isna().all(axis=None)
    assert np.array_equal(np.isfinite(found.covariance), np.outer(fine, fine))


@examples(15)
@given(problems(perfect_structures(max_nodes=4, min_attributes=1), n_rows=(60, 150)), seeds)
def test_variances_of_row_scores_are_those_of_a_literal_pseudo_inverse_in_both_spaces(
    problem, seed
):
    structure, data = problem
    result = _fit(structure, data)
    assume(result.separation.verdict == "finite")
    model = Model.of(structure, {node: data.states[node] for node in structure.nodes})
    rows = np.column_stack([data.column(node) for node in model.nodes])
    _, z = loglinear_design(model, rows)
    found = {s: result.significance(data, space=s) for s in ("loglinear", "roos")}
    log_linear = found["loglinear"].maximum
    p = posteriors_of_tables(model, _tables(log_linear.space, log_linear.x), rows)[:, 1:]
    width = p.shape[1]
    literal = sum(
        w * np.kron(np.outer(zi, zi), np.diag(pi) - np.outer(pi, pi))
        for w, zi, pi in zip(data.weights, z, p, strict=True)
    )
    inverse = np.linalg.pinv(literal, rcond=1e-11, hermitian=True)
    rng = np.random.default_rng(seed)
    for i in rng.choice(np.flatnonzero(data.weights > 0), 3):
        c = int(rng.integers(width))
        direction = np.kron(z[i], np.eye(width)[c])
        contrasts = []
        for each in found.values():
            row = each.maximum.space.design(data).toarray()[i]
            contrasts.append(each.contrast(np.kron(row, np.eye(width)[c])))
        for contrast in contrasts:
            expected = math.sqrt(direction @ inverse @ direction)
            assert contrast.std_err == pytest.approx(expected, rel=1e-6)
            odds = p[i, c] / (1 - p[i].sum())
            assert contrast.estimate == pytest.approx(math.log(odds), rel=1e-7, abs=1e-7)


def test_weights_of_a_contrast_may_be_of_any_size_but_numbers():
    found = _fit(TAN, _full(TAN)).significance(_full(TAN))
    weights = np.zeros(found.maximum.space.size)
    weights[0] = 1.0
    one, huge = found.contrast(weights), found.contrast(1e300 * weights)
    assert huge.z == pytest.approx(one.z, rel=1e-12)
    assert huge.p == pytest.approx(one.p, rel=1e-12)
    assert huge.std_err == pytest.approx(1e300 * one.std_err, rel=1e-12)
    for bad in ("x", None, object(), [[1.0], [1.0, 2.0]]):
        with pytest.raises(bnlr.ParameterError, match="weights"):
            found.contrast(bad)


def test_roos_determines_contrasts_of_cells_and_no_single_parameter():
    data = _full(TAN)
    result = _fit(TAN, data)
    roos = result.significance(data, space="roos")
    assert not roos.estimable.any()
    assert roos.df == result.significance(data).df == 6
    contrast = roos.contrast({"a=1, b=q | c=y": 1, "a=1, b=p | c=y": -1})
    log_linear = result.significance(data, reference={"a": 1, "b": "p"}).table.set_index(
        "parameter"
    )
    assert list(log_linear.loc["b=q", NUMBERS]) == pytest.approx(list(contrast), rel=1e-7)
    with pytest.raises(bnlr.DataError, match="not estimable"):
        roos.contrast({"a=1, b=q | c=y": 1})
    with pytest.raises(bnlr.ParameterError, match=r"no parameter; did you mean 'a=1, b=q \| c=y'"):
        roos.contrast({"a=1, b=q | c=yy": 1})
    for bad in ([1.0], np.full(len(roos.names), np.nan), np.zeros(len(roos.names)), {}):
        with pytest.raises(bnlr.ParameterError, match="finite numbers"):
            roos.contrast(bad)


@examples(15)
@given(full_problems(), seeds)
def test_another_reference_is_the_same_model(problem, seed):
    structure, data = problem
    rng = np.random.default_rng(seed)
    states = {node: data.states[node] for node in structure.nodes}
    other = {node: labels[rng.integers(len(labels))] for node, labels in states.items()}
    result = _fit(structure, data)
    one, two = (result.significance(data, reference=r) for r in ({}, other))
    assert one.df == two.df
    assert two.cll == pytest.approx(one.cll, rel=1e-12)
    # Its parameters are linear in the first's: the covariance is carried over by the same map.
    first, second = one.maximum.space, two.maximum.space
    change = np.column_stack([second.from_tables(_tables(first, e)) for e in np.eye(first.size)])
    np.testing.assert_allclose(two.maximum.x, change @ one.maximum.x, atol=1e-7)
    carried = change @ one.covariance @ change.T
    np.testing.assert_allclose(two.covariance, carried, rtol=1e-6, atol=1e-9)


def test_the_class_alone_is_its_relative_frequencies():
    data = _full(NB)
    alone = bnlr.Structure([], class_name="c", nodes=("c", "a", "b"))
    found = _fit(alone, data).significance(data)
    n = np.bincount(data.class_codes)
    assert found.table["estimate"][0] == pytest.approx(math.log(n[1] / n[0]))
    assert found.table["std err"][0] == pytest.approx(math.sqrt(1 / n[0] + 1 / n[1]))
    assert found.against_prior.df == 0
    assert math.isnan(found.against_prior.p)
    # Its null model is fitted by a solver; ours is the closed form.
    assert found.pseudo_r2 == pytest.approx(0, abs=1e-12)


def test_a_class_with_parents_only_has_the_errors_of_a_table_of_counts():
    diagnostic = bnlr.Structure([("a", "c")], class_name="c", nodes=("a", "b", "c"))
    data = _full(NB)
    result = _fit(diagnostic, data)
    assert result.solver == "closed form"
    table = result.significance(data, reference={}).table.set_index("parameter")
    n = pd.crosstab(data.column("a"), data.class_codes).to_numpy()
    assert table.loc["a=1", "estimate"] == pytest.approx(
        np.log(n[1, 1] * n[0, 0] / n[1, 0] / n[0, 1])
    )
    assert table.loc["a=1", "std err"] == pytest.approx(math.sqrt((1 / n).sum()))


def test_weights_are_frequencies():
    data = _full(TAN)
    rows, times = np.unique(data.codes, axis=0, return_counts=True)
    weighted = bnlr.Dataset.from_codes(rows, STATES, "c", times)
    doubled = bnlr.Dataset.from_codes(rows, STATES, "c", 2 * times)
    one, two, four = (_fit(TAN, d).significance(d) for d in (data, weighted, doubled))
    pd.testing.assert_frame_equal(one.table, two.table, rtol=1e-7)
    np.testing.assert_allclose(four.covariance, one.covariance / 2, rtol=1e-7)
    assert one.bic == pytest.approx(two.bic)
    assert "frequencies" in two.summary()
    assert "frequencies" not in one.summary()


# Refusals


def test_separation_is_refused_with_the_cells():
    rows = [[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 0, 2], [0, 0, 1], [0, 0, 2]]
    data = bnlr.Dataset.from_codes(rows, STATES, "c")
    with pytest.raises(bnlr.DataError, match=r"no finite optimum.*a=1 never occurs with c=y"):
        _fit(NB, data).significance(data)


def test_separation_that_fit_could_not_decide_is_refused_by_the_numbers(monkeypatch):
    monkeypatch.setattr(separation, "_LARGEST_PROGRAM", 0)
    # No cell is empty, but a + b separates: 0 is n, 2 is y, and 1 is either.
    rows = [[0, 0, 0]] * 5 + [[1, 1, 1]] * 5 + [[c, a, 1 - a] for c in (0, 1) for a in (0, 1)] * 2
    states = {"c": ("n", "y"), "a": (0, 1), "b": (0, 1)}
    data = bnlr.Dataset.from_codes(rows, states, "c")
    result = _fit(NB, data)
    assert result.separation.verdict == "unknown"
    with pytest.raises(bnlr.DataError, match="no standard errors: "):
        result.significance(data)


def test_an_undecided_finite_optimum_is_not_refused(monkeypatch):
    data = _full(TAN)
    expected = _fit(TAN, data).significance(data).table
    result = _fit(TAN, data)
    undecided = bnlr.FitResult(
        **{**vars(result), "separation": separation.Separation("unknown", reason="")}
    )
    pd.testing.assert_frame_equal(undecided.significance(data).table, expected)


@pytest.mark.parametrize("learner", ["frequencies", "dfe", "elr", "em", "apn"])
def test_learners_that_do_not_maximise_the_cll_are_refused(learner):
    data = _full(TAN)
    with pytest.raises(bnlr.ParameterError, match=f"learner '{learner}'.*with learner='lr'"):
        bnlr.fit(TAN, data, learner=learner).significance(data)


def test_what_a_structure_that_is_not_perfect_can_do_is_said_and_does_it():
    data = _full(TAN)
    first, second, *_ = TAN.attributes
    own = bnlr.Structure([(TAN.class_name, second), (first, second)], TAN.class_name)
    assert not bnlr.analyze(own).is_perfect
    with pytest.raises(bnlr.ParameterError, match=r"nonperfect='embed'.*with replacement"):
        bnlr.fit(own, data).significance(data)
    embedded = bnlr.fit(own, data, nonperfect="embed")
    added = bnlr.fit(embedded.network.structure, data)
    pd.testing.assert_frame_equal(embedded.significance(data).table, added.significance(data).table)


def test_unfinished_and_foreign_fits_are_refused():
    data = _full(TAN)
    with pytest.raises(bnlr.ParameterError, match="stopped after 1 iterations"):
        _fit(TAN, data, solver="cg", max_iter=1).significance(data)
    result = _fit(TAN, data)
    with pytest.raises(bnlr.DataError, match="not the rows that were fitted"):
        result.significance(data.take(slice(1, None)))
    shuffled = bnlr.Dataset.from_codes(data.codes, {**STATES, "a": (1, 0)}, "c")
    with pytest.raises(bnlr.StateError, match="'a'"):
        result.significance(shuffled)
    with pytest.raises(bnlr.ParameterError, match="DataFrame"):
        result.significance(data.to_frame())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"level": 95}, "level is 95"),
        ({"level": "0.95"}, "level is '0.95'"),
        ({"space": "softmax"}, "space is 'softmax'"),
        ({"space": "roos", "reference": {}}, "no reference states"),
    ],
)
def test_options_outside_their_domain_are_refused(options, message):
    data = _full(TAN)
    with pytest.raises(bnlr.ParameterError, match=message):
        _fit(TAN, data).significance(data, **options)


def test_a_reference_that_is_no_state_is_refused():
    data = _full(TAN)
    with pytest.raises(bnlr.StateError, match="reference"):
        _fit(TAN, data).significance(data, reference={"a": 7})


def test_too_many_parameters_are_refused_before_they_are_allocated(monkeypatch):
    data = _full(TAN)
    result = _fit(TAN, data)
    monkeypatch.setattr(information, "_MOST_PARAMETERS", 5)
    with pytest.raises(bnlr.TooLargeError, match="6 parameters"):
        result.significance(data)


# In print

PRINTED = """\
                           Logit Regression Results
==============================================================================
Dep. Variable:                       c  No. Observations:                   NN
Model:                 loglinear space  Df Residuals:                       RR
Method:                    MLE, newton  Df Model:                            3
"""


def test_the_summary_prints_like_statsmodels():
    data = _full(NB)
    found = _fit(NB, data).significance(data, level=0.9, reference={"a": 0, "b": "p"})
    text = str(found)
    assert text == found.summary()
    head = PRINTED.replace("NN", str(data.n_rows)).replace("RR", str(data.n_rows - 4))
    assert text.startswith(head)
    lines = text.splitlines()
    assert max(map(len, lines)) == 78
    assert all(line == line.rstrip() for line in lines)
    assert "[0.05     0.95]" in text
    first = found.table.iloc[0]
    shown = next(line for line in lines if line.startswith("intercept")).split()[1:]
    assert [float(s) for s in shown] == pytest.approx(list(first[NUMBERS]), abs=6e-4)
    assert lines[-1] == "Reference: c=n, a=0, b=p."
    assert repr(found).startswith("<Significance: 4 of 4")


def test_the_summary_says_what_is_not_estimable():
    data = _full(TAN)
    data = data.take((data.column("a") == 0) | (data.column("b") == 0))
    result = _fit(TAN, data)
    found = result.significance(data, reference={})
    lines = found.summary().splitlines()
    open_ = [line.split("  ")[0] for line in lines if line.endswith(NOT_ESTIMABLE)]
    assert open_ == ["a=1, b=q", "a=1, b=r"]
    assert "Not estimable:                  2 of 6 " in found.summary()
    assert "contrast" in result.significance(data, space="roos").summary()


def test_three_classes_have_a_block_each():
    states = {**STATES, "c": ("n", "y", "z")}
    data = _full(NB, states)
    text = _fit(NB, data).significance(data).summary()
    assert text.count("coef   std err") == 2
    assert "c=y " in text
    assert "c=z " in text
    assert "MNLogit" in text


def test_blocks_of_the_oracle_are_the_families():
    # What the test of nesting relies on: each complete subset stands in one family's scope.
    assert {frozenset(b) for b in blocks(Model.of(TAN, STATES))} == {
        frozenset(),
        frozenset("a"),
        frozenset("ab"),
    }
