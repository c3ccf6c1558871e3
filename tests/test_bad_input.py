"""Every row of the guide's table of bad input, at every entry point; and that the table says so."""

import copy
import re
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import bnlr
from bnlr import BNClassifier, Dataset

from .bad_inputs import GOOD, PAIRS, ROWS, Y

GUIDE = Path(__file__).parents[1] / "docs" / "guide" / "bad-input.md"
MODELS = {
    "text": GOOD,
    "number": pd.DataFrame({"a": [1, 2] * 6, "b": GOOD["b"]}),
    "array": np.array(PAIRS),
    "measured": pd.DataFrame({"a": np.repeat([0.5, 1.5], 6), "b": GOOD["b"]}),
}
NUMBERED = [(number, row) for number, row in enumerate(ROWS, 1)]


def rows_with(point, *parts):
    """The rows of these parts in which the entry point has a say, each with all of its inputs."""
    chosen = [
        pytest.param(replace(row, make=make), id=f"{number}{'abcde'[k] if row.also else ''}")
        for number, row in NUMBERED
        if getattr(row, point) and row.part in parts
        for k, make in enumerate((row.make, *row.also))
    ]
    return pytest.mark.parametrize("row", chosen)


@pytest.fixture(scope="module")
def fitted():
    return {name: BNClassifier("naive-bayes").fit(X, Y) for name, X in MODELS.items()}


def outcome(expected, act):
    """Call ``act``: what it returns, or None after just the refusal expected of it."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if expected.error is None:
            result = act()
            told = {warning.category for warning in caught}
            assert expected.warns is None or expected.warns in told
            return result
        with pytest.raises(bnlr.BnlrError) as refusal:
            act()
    message = str(refusal.value)
    assert type(refusal.value) is expected.error
    assert isinstance(refusal.value, (ValueError, TypeError))
    assert [part for part in expected.said if part not in message] == []
    assert len(message) < 1000
    return None


def quietly(act, *arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return act(*arguments)


def of_row(row):
    """X, y and weights of a fit that takes the row's input."""
    given, X, y = row.make(), GOOD, Y
    if row.part == "X":
        n_rows = len(given) if isinstance(given, pd.DataFrame) else 12
        return given, (Y * 100)[:n_rows], None
    return (X, given, None) if row.part == "y" else (X, y, given)


@rows_with("fit", "X", "y", "weights")
def test_fit(row, fitted):
    X, y, weights = of_row(row)
    classifier = copy.deepcopy(fitted["text"])
    before = dict(vars(classifier))
    found = outcome(row.fit, lambda: classifier.fit(X, y, sample_weight=weights))
    if found is None:
        assert vars(classifier) == before
        return
    network = found.network_
    assert all(np.isfinite(cpt).all() for cpt in network.cpts.values())
    assert np.isfinite(quietly(found.predict_proba, X)).all()
    node = network.structure.class_name if row.part == "y" else network.structure.attributes[0]
    if row.fit.states is not None:
        assert list(map(repr, network.states[node])) == list(map(repr, row.fit.states))
    if row.plain is not None and row.part == "y":
        same_classes(found, row.plain())
    elif row.plain is not None:
        plain = quietly(BNClassifier("naive-bayes").fit, row.plain(), y)
        # Folds are dealt by names and labels, so that the penalties may differ a little.
        expected = quietly(plain.predict_proba, row.plain())
        np.testing.assert_allclose(quietly(found.predict_proba, X), expected, atol=1e-6)


def same_classes(classifier, y):
    """The classes come back as those of plain labels, and are predicted for the same rows."""
    plain = BNClassifier("naive-bayes").fit(GOOD, y)
    assert list(map(repr, classifier.classes_.tolist())) == list(map(repr, plain.classes_.tolist()))
    np.testing.assert_array_equal(classifier.predict(GOOD), plain.predict(GOOD))


@rows_with("predict", "X")
@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_predict(row, method, fitted):
    classifier = copy.deepcopy(fitted[row.model])
    before = dict(vars(classifier))
    found = outcome(row.predict, lambda: getattr(classifier, method)(row.make()))
    if found is None:
        assert vars(classifier) == before
        return
    if method == "predict_proba":
        assert np.isfinite(found).all()
        np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    if row.plain is not None:
        np.testing.assert_array_equal(found, quietly(getattr(classifier, method), row.plain()))


def frame_of(row):
    given = row.make()
    if row.part == "y":
        return GOOD.assign(y=given)
    if row.part == "weights":
        return GOOD.assign(y=Y)
    has_columns = isinstance(given, pd.DataFrame) and given.shape[1] > 0
    return with_class(given) if has_columns else given


def with_class(table):
    """The table and a column ``y``, whose name takes a place of each level of the others."""
    levels = ("",) * (table.columns.nlevels - 1)
    table = table.copy()
    table[("y", *levels) if levels else "y"] = (Y * 100)[: len(table)]
    return table


@rows_with("frame", "X", "y", "weights")
def test_from_frame(row):
    frame = frame_of(row)
    weights = row.make() if row.part == "weights" else None
    found = outcome(row.frame, lambda: Dataset.from_frame(frame, "y", weights=weights))
    if found is None:
        return
    column = "y" if row.part == "y" else next(iter(found.states))
    if row.part != "weights" and row.frame.states is not None:
        assert list(map(repr, found.states[column])) == list(map(repr, row.frame.states))
    for k, node in enumerate(found.nodes):
        assert (found.codes[:, k] < len(found.states[node])).all()


@rows_with("frame", "codes")
def test_from_codes(row):
    states = {"a": ("p", "q"), "y": (0, 1)}
    found = outcome(row.frame, lambda: Dataset.from_codes(row.make(), states, "y"))
    assert row.frame.error or found.missing_counts == {"a": 1}


@rows_with("frame", "X")
def test_the_networks_own_predict_proba(row, fitted):
    network = fitted["text"].network_
    refused = False
    try:
        found = quietly(network.predict_proba, row.make())
    except bnlr.BnlrError:
        refused = True
    assert refused or np.isfinite(found).all()


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_log_proba"])
def test_before_fit(method):
    with pytest.raises(NotFittedError, match="fit"):
        getattr(BNClassifier(), method)(GOOD)


# The table in the guide


def line(number, row):
    """The guide's line of a row; what is as at fit is not said again."""
    shown = [str(row.fit or "–")]
    for point in (row.predict, row.frame):
        shown.append("the same" if point and str(point) == shown[0] else str(point or "–"))
    return f"| {number} | {row.what} | {' | '.join(shown)} |"


@pytest.mark.skipif(not GUIDE.is_file(), reason="no guide beside these tests")
def test_the_guide_says_what_happens():
    lines = GUIDE.read_text("utf-8").splitlines()
    written = [text for text in lines if re.match(r"\| \d+ \|", text)]
    assert written == [line(number, row) for number, row in NUMBERED]
