"""What candidates cost, and what a budget leaves out."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.classifier.auto.candidates import CANDIDATES, SEARCHED, Candidate
from bnlr.classifier.auto.work import BUDGET, POOL_BUDGET, work

EVERY = (*CANDIDATES, *(Candidate(one, "mdl", "scaled") for one in SEARCHED))
sizes = st.integers(2, 200), st.integers(2, 12), st.integers(2, 8)


def cards(n_columns, n_states, n_classes):
    return {**{f"x{k}": n_states for k in range(n_columns)}, "y": n_classes}


@given(*sizes, st.integers(10, 5000), st.sampled_from(EVERY))
@pytest.mark.slow
def test_work_grows_with_everything(n_columns, n_states, n_classes, n_rows, candidate):
    def of(columns=n_columns, states=n_states, classes=n_classes, rows=n_rows):
        return work(candidate, rows, 3, cards(columns, states, classes), "y")

    assert 0 < of() < min(of(columns=n_columns + 1), of(states=n_states + 1))
    assert of() < min(of(classes=n_classes + 1), of(rows=n_rows + 1))


@pytest.mark.parametrize("budget", [BUDGET, POOL_BUDGET])
def test_middle_tables_get_all_candidates_for_the_pool_and_most_for_the_one(budget):
    needed = sum(work(one, 2000, 3, cards(15, 5, 2), "y") for one in CANDIDATES)
    assert needed < budget.of(3000, 15, 2)


def noise(n_rows, n_columns):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(n_rows, n_columns)))
    return X.set_axis([f"v{k}" for k in X], axis=1), rng.integers(0, 2, n_rows)


@pytest.mark.slow
def test_of_wide_tables_the_cheap_ones_are_tried_and_the_rest_is_named():
    wide = bnlr.BNClassifier().fit(*noise(60, 400))
    tried = set(wide.selection_["structure"])
    assert "naive-bayes" in tried
    assert "score-tan" not in tried
    assert "Not tried, being too much work for these rows and columns: " in wide.summary()
    assert "'score-tan quantile-10 smooth'" in wide.summary()


@pytest.mark.slow
def test_of_small_tables_nothing_is_left_out():
    assert "Not tried" not in bnlr.BNClassifier().fit(*noise(60, 4)).summary()
