"""Contributions column by column: against `explain` row by row, posteriors, and literal sums."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.network.column_contributions import column_contributions, mean_sizes
from bnlr.network.contributions import terms_of
from bnlr.network.opinion_pool import Opinion, pooled_posteriors
from tests.strategies import datasets, networks, seeds, structures
from tests.width import examples


def literal(opinions, columns):
    """The terms of `explain`, row by row, given to the columns that they are of."""
    first = opinions[0]
    n_classes = len(first.network.class_states)
    values = np.zeros((first.data.n_rows, len(columns) + 1, n_classes))
    for row in range(first.data.n_rows):
        for one in opinions:
            for place, term in enumerate(terms_of(one.network, one.data.take([row]))):
                owners = term.above if place == 0 else term.below
                for owner in owners or ("",):
                    at = columns.index(owner) if owner else -1
                    values[row, at] += one.weight * term.logs / max(len(owners), 1)
    return values - values[..., :1]


@st.composite
def opinions(draw, holes=True):
    """One or two networks of rows, some with holes, and their weights."""
    first = draw(networks(structures(max_nodes=5, min_nodes=2)))
    data = draw(datasets(first.structure, first.states, n_rows=(1, 12), missing=holes))
    name = first.structure.class_name
    second = bnlr.BayesianNetwork(
        bnlr.Structure.naive_bayes(list(first.structure.attributes), name),
        first.states,
        naive_cpts(first, draw(seeds)),
    )
    return [Opinion(first, data, 0.7), Opinion(second, data, 0.5)][: draw(st.integers(1, 2))]


def naive_cpts(network, seed):
    rng, n_classes = np.random.default_rng(seed), len(network.class_states)
    cards = network.cards
    cpts = {a: rng.dirichlet(np.ones(cards[a]), n_classes) for a in network.structure.attributes}
    return {network.structure.class_name: rng.dirichlet(np.ones(n_classes)), **cpts}


@pytest.mark.slow
@examples(60)
@given(opinions())
def test_they_are_those_of_explain_and_sum_to_the_log_odds(pool):
    columns = [*pool[0].network.structure.attributes, "other"]
    found = column_contributions(pool, columns)
    np.testing.assert_allclose(found, literal(pool, columns), atol=1e-10)
    assert not found[:, -2].any()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        logs = pooled_posteriors(pool, in_logs=True)
    np.testing.assert_allclose(found.sum(axis=1), logs - logs[:, :1], atol=1e-10)


@pytest.mark.slow
@examples(60)
@given(opinions(holes=False))
def test_sizes_are_mean_absolute_contributions(pool):
    columns = [*pool[0].network.structure.attributes, "other"]
    logs = literal(pool, columns)[:, :-1]
    told = logs - logs.mean(axis=2, keepdims=True)
    shares = pool[0].data.weights / pool[0].data.weights.sum()
    told = told - np.einsum("r,rkc->kc", shares, told)
    expected = np.einsum("r,rkc->k", shares, np.abs(told)) / logs.shape[2]
    np.testing.assert_allclose(mean_sizes(pool, columns), expected, atol=1e-12)


def test_rows_that_do_not_show_a_family_do_not_count_for_it():
    s = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], "c")
    rng = np.random.default_rng(1)
    cpts = {"c": [0.4, 0.6], "a": rng.dirichlet([1, 1], 2), "b": rng.dirichlet([1, 1], (2, 2))}
    network = bnlr.BayesianNetwork(s, {"c": (0, 1), "a": (0, 1), "b": (0, 1)}, cpts)
    frame = pd.DataFrame({"c": None, "a": [0, 1, 1, None, 0], "b": [0, 1, 0, 1, None]})
    data = bnlr.Dataset.from_frame(frame, "c", network.states)
    a, b = mean_sizes([Opinion(network, data)], ["a", "b"])
    of_a, of_b = (
        mean_sizes([Opinion(network, data.take(r))], ["a", "b"]) for r in ([0, 1, 2, 4], [0, 1, 2])
    )
    assert (a, b) == (of_a[0], of_b[1])
    nothing = data.take([3])
    assert mean_sizes([Opinion(network, nothing)], ["a", "b"]).tolist() == [0.0, 0.0]


def test_a_class_that_is_impossible():
    s = bnlr.Structure([("c", "a")], "c")
    network = bnlr.BayesianNetwork(
        s, {"c": (0, 1), "a": (0, 1, 2)}, {"c": [0.5, 0.5], "a": [[0, 0.5, 0.5], [0.5, 0, 0.5]]}
    )
    data = bnlr.Dataset.from_frame(pd.DataFrame({"c": None, "a": [0, 1, 2]}), "c", network.states)
    found = column_contributions([Opinion(network, data)], ["a"])
    assert found[:, 0, 1].tolist() == [np.inf, -np.inf, 0.0]
