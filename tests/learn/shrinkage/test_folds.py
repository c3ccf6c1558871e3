"""Estimates by folds depend neither on threads nor on the order of rows."""

import numpy as np
import pytest

import bnlr


@pytest.mark.slow
def test_results_do_not_depend_on_threads_or_the_order_of_rows():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("tic-tac-toe"), "class")
    tree = bnlr.learn_structure(data)
    turned = data.take(np.random.default_rng(2).permutation(data.n_rows))
    options = {"penalty": "cv", "penalty_center": "scaled"}
    one = bnlr.fit(tree, data, n_threads=1, **options)
    two = bnlr.fit(tree, data, n_threads=2, **options)
    other = bnlr.fit(tree, turned, **options)
    assert one.center_scale == two.center_scale
    assert one.penalty == two.penalty == other.penalty
    assert other.center_scale == pytest.approx(one.center_scale, rel=1e-8)
