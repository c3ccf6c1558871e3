"""``structure="auto"``: what it finds, what it says, and what it does where there is little."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold, cross_val_predict

import bnlr
from bnlr import BNClassifier
from tests.width import in_full, width


@pytest.fixture(scope="module")
def corral():
    frame = bnlr.load_dataset("corral")
    return frame.drop(columns="class"), frame["class"]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X.iloc[:, :5], y


@pytest.fixture(scope="module")
def fitted(corral):
    return BNClassifier("auto").fit(*corral)


def test_the_best_candidate_is_fitted(corral, fitted):
    table = fitted.selection_
    assert list(table.columns) == [
        *("structure", "discretize", "penalty_center", "penalty", "log_loss", "standard_error")
    ]
    best = table.iloc[0]
    assert best["log_loss"] == table["log_loss"].min()
    assert fitted.result_.penalty == best["penalty"]
    assert f"Chosen of {len(table)} candidates by folds left out" in fitted.result_.message
    assert f"{best['structure']}, {best['discretize']}" in fitted.summary()


@pytest.mark.slow
def test_a_terminal_sees_what_is_tried(wine, monkeypatch, capsys):
    X, y = wine
    monkeypatch.setattr("bnlr.progress._PATIENCE", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    BNClassifier("auto").fit(X[["alcohol", "ash"]], y)
    shown = capsys.readouterr().err.split("\r\x1b[K")
    lines = [re.match(r"bnlr: choosing, (\d+) of at most (\d+): (.*)", text) for text in shown]
    found = [line.groups() for line in lines if line]
    assert [int(place) for place, _, _ in found] == list(range(1, len(found) + 1))
    assert len(found) <= min(int(most) for _, most, _ in found)
    assert len({most for _, most, _ in found}) == 1
    assert found[0][2] == "naive-bayes, mdl, scaled centre"
    assert shown[-1] == ""


@pytest.mark.slow
def test_columns_of_names_are_not_searched(corral, fitted):
    """A search among tables of a cell a row costs a minute and finds nothing."""
    X, y = (pd.concat([part] * 3, ignore_index=True) for part in corral)
    assert "cll" in set(fitted.selection_["structure"])
    X = X.assign(name=[f"patient {row}" for row in range(len(X))])
    with pytest.warns(bnlr.BnlrWarning, match="'name' .* more labels than can be learnt from"):
        named = BNClassifier().fit(X, y)
    assert "cll" not in set(named.selection_["structure"])


@pytest.mark.slow
def test_a_structure_that_is_not_perfect_is_carried_by_a_larger_one():
    """The class is the parity of two columns beside a third, which needs both as parents."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (400, 5)), columns=list("abcde"))
    y = (X["a"] + X["b"] + X["c"] * (X["d"])) % 2
    y = y.where(rng.random(400) > 0.05, 1 - y)
    classifier = BNClassifier("auto").fit(X, y)
    network = classifier.network_
    assert bnlr.analyze(network.structure).is_perfect
    scores = network.predict_log_proba(X)[np.arange(400), y].sum()
    assert scores == pytest.approx(classifier.result_.cll, rel=1e-6)


@pytest.mark.slow
@pytest.mark.wide  # each fold chooses among all structures: five folds are slow
def test_it_predicts_rows_left_out_as_well_as_the_fixed_structures(corral):
    X, y = corral
    cv, method = StratifiedKFold(width(5, 2), shuffle=True, random_state=0), "predict_proba"
    losses = {
        name: log_loss(y, cross_val_predict(BNClassifier(name), X, y, cv=cv, method=method))
        for name in ("naive-bayes", "fan", "auto")
    }
    assert losses["auto"] <= 1.05 * min(losses.values())


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["sum", "state"])
def test_neither_order_shows(wine, missing):
    X, y = wine
    X = X.mask(np.random.default_rng(0).random(X.shape) < 0.05)
    rows = np.random.default_rng(1).permutation(len(X))
    one = BNClassifier("auto", missing=missing, penalty=3.0).fit(X, y)
    two = BNClassifier("auto", missing=missing, penalty=3.0).fit(X.iloc[rows, ::-1], y.iloc[rows])
    chosen = ["structure", "discretize", "penalty_center", "penalty"]
    assert (one.selection_[chosen].iloc[0] == two.selection_[chosen].iloc[0]).all()
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X.iloc[:, ::-1]), atol=1e-4)


@pytest.mark.slow
def test_weights_are_repeated_rows(wine):
    X, y = wine
    weights = 1.0 + (np.arange(len(X)) % 4 == 0)
    repeated = np.repeat(np.arange(len(X)), weights.astype(int))
    one = BNClassifier("auto", penalty=3.0).fit(X, y, sample_weight=weights)
    two = BNClassifier("auto", penalty=3.0).fit(X.iloc[repeated], y.iloc[repeated])
    np.testing.assert_allclose(one.predict_proba(X), two.predict_proba(X), atol=1e-6)
    assert one.selection_["structure"].iloc[0] == two.selection_["structure"].iloc[0]


@pytest.mark.slow
def test_parameters_that_are_given_are_not_chosen(wine):
    X, y = wine
    classifier = BNClassifier("auto", discretize="quantile-4", penalty=2.0, penalty_center="zero")
    table = classifier.fit(X, y).selection_
    assert set(table["discretize"]) == {"quantile-4"}
    assert set(table["penalty"]) == {2.0}
    assert set(table["penalty_center"]) == {"zero"}
    assert all(len(cuts) <= 3 for cuts in classifier.discretizer_.cut_points_)


@pytest.mark.slow
def test_rows_with_holes_are_summed_out_by_the_structure_chosen(corral):
    X, y = corral
    holed = X.mask(np.random.default_rng(3).random(X.shape) < 0.1)
    classifier = BNClassifier("auto").fit(holed, y)
    assert classifier.missing_states_ == {}
    assert "missing" not in classifier.network_.states["A0"]
    assert classifier.result_.learner == "elr"
    assert classifier.score(X, y) > 0.8


@pytest.mark.parametrize("n_rows", [2, *in_full(3, 4, 6)])
def test_tiny_data(n_rows):
    X = pd.DataFrame({"a": list("pqpqpq")[:n_rows], "n": np.arange(n_rows) / 7})
    y = np.arange(n_rows) % 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        classifier = BNClassifier("auto").fit(X, y)
    found = classifier.predict_proba(X)
    assert np.isfinite(found).all()
    if classifier.selection_.empty:
        assert "Too few rows to choose by" in classifier.result_.message
        assert classifier.result_.penalty == 3.0


def test_parameters_that_are_given_stay_where_there_are_too_few_rows_to_choose_by():
    """Every row is a class of its own, so that none can be left out."""
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame({"a": rng.normal(size=20), "b": list("pqrs") * 5}), np.arange(20)
    given = {"penalty": 50.0, "penalty_center": "zero", "discretize": "quantile-4"}
    found = BNClassifier("auto", **given).fit(X, y)
    assert found.selection_.empty
    assert found.result_.penalty == 50.0
    assert "the penalty 50." in found.result_.message
    expected = BNClassifier("fan", **given).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(found.predict_proba(X), expected, atol=1e-12)


@pytest.mark.slow
def test_a_class_of_one_row(corral):
    X, y = corral
    y = y.astype(str).where(np.arange(len(y)) > 0, "alone")
    classifier = BNClassifier("auto").fit(X, y)
    assert classifier.predict_proba(X).shape == (len(X), 3)
    assert np.isfinite(classifier.selection_["log_loss"]).all()
    assert classifier.selection_["log_loss"].iloc[0] < 0.2


def test_a_file_keeps_the_table(fitted, corral, tmp_path):
    X, _ = corral
    fitted.save(tmp_path / "model.json")
    again = BNClassifier.load(tmp_path / "model.json")
    pd.testing.assert_frame_equal(again.selection_, fitted.selection_)
    assert again.summary() == fitted.summary()
    np.testing.assert_array_equal(again.predict_proba(X), fitted.predict_proba(X))


def test_options_belong_to_one_method(corral):
    with pytest.raises(
        bnlr.ParameterError, match="structure_options has 'k', but structure 'auto'"
    ):
        BNClassifier("auto", structure_options={"k": 1}).fit(*corral)


@pytest.mark.parametrize(
    ("options", "method"), [({"learner": "frequencies"}, "tan"), ({"penalty": 0}, "fan")]
)
def test_where_there_is_no_penalty_nothing_is_chosen(corral, options, method):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)
        auto = BNClassifier(**options).fit(*corral)
        fixed = BNClassifier(method, **options).fit(*corral)
    assert auto.selection_ is None
    assert auto.network_.structure == fixed.network_.structure
    assert auto.result_.cll == fixed.result_.cll


def test_a_temperature_belongs_to_frequencies(corral):
    X, y = corral
    plain = BNClassifier("tan", learner="frequencies").fit(X, y)
    tempered = BNClassifier("tan", learner="frequencies", temperature="auto").fit(X, y)
    assert log_loss(y, tempered.predict_proba(X)) < log_loss(y, plain.predict_proba(X))
    assert f"log-odds times {tempered.result_.center_scale:.4g}" in tempered.summary()
    with pytest.raises(bnlr.ParameterError, match="scales learner 'frequencies', not 'auto'"):
        BNClassifier("tan", temperature="auto").fit(X, y)
    with pytest.raises(bnlr.ParameterError, match=r"temperature is 2\.0; choose 'auto' or None"):
        BNClassifier("tan", learner="frequencies", temperature=2.0).fit(X, y)


@pytest.mark.slow
def test_a_search_by_cll_is_cut_as_suits_its_starts():
    """Two classes in bands that MDL, which sees no cut that pays at once, leaves whole."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.random(600), "b": rng.random(600)})
    y = (np.floor(5 * X["a"]) % 2 == 0).astype(int).rename("band")
    y = y.where(rng.random(600) > 0.1, 1 - y)
    found = BNClassifier("cll").fit(X, y)
    tried = found.selection_
    assert set(tried["discretize"]) == {"mdl", "mdl-5", "quantile-5"}
    assert set(tried["structure"]) <= {"naive-bayes", "fan", "tan"}
    best = tried["discretize"].iloc[0]
    assert tried["log_loss"].iloc[0] == tried["log_loss"].min()
    same = BNClassifier("cll", discretize=best).fit(X, y)
    assert same.selection_ is None
    assert (same.predict_proba(X) == found.predict_proba(X)).all()
    assert f"Intervals {best!r} predict" in found.result_.message
    assert "structure    cll:" in found.summary()


@pytest.mark.slow
def test_a_search_by_cll_is_asked_for_cuts_only_where_there_are_any(corral):
    assert BNClassifier("cll").fit(*corral).selection_ is None


@pytest.mark.slow
def test_a_search_is_kept_and_its_end_is_told(corral):
    found = BNClassifier("cll").fit(*corral)
    search = found.search_
    assert set(search.structure.edges) == set(found.network_.structure.edges)
    assert found.result_.message.endswith(f"{len(search.steps)} steps. No move raises the score.")
    stopped = BNClassifier("cll", structure_options={"max_steps": 1}).fit(*corral)
    assert len(stopped.search_.steps) == 1
    assert "Search: 1 step. Stopped after max_steps=1; moves may be left." in stopped.summary()
    assert BNClassifier("fan").fit(*corral).search_ is None


@pytest.mark.slow
def test_a_search_is_not_saved_but_its_end_is(corral, tmp_path):
    found = BNClassifier("cll").fit(*corral)
    found.save(tmp_path / "model.json")
    again = BNClassifier.load(tmp_path / "model.json")
    assert again.search_ is None
    assert again.summary() == found.summary()


def test_parameters_set_after_the_fit_change_no_account_of_it(corral):
    classifier = BNClassifier("tan", penalty=2.0, penalty_center="zero").fit(*corral)
    before = classifier.summary()
    classifier.set_params(structure="auto", penalty_center="frequencies", expect_missing=0.5)
    assert classifier.summary() == before
