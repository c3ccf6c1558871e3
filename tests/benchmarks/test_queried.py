"""The race of queries: what is asked, and that it is the same on both sides."""

import numpy as np
import pytest

import bnlr
from benchmarks import missing_cells
from benchmarks.inference_peers import PyAgrum
from benchmarks.queried import Queries, queries_of, questions_of
from tests.benchmarks.test_missing_cells import toy


def test_every_row_asks_for_its_first_observed_nodes():
    task = toy("dag")
    for k, (targets, evidence, p) in enumerate(questions_of(task.data)):
        row = dict(zip(task.data.nodes, task.data.codes[k].tolist(), strict=True))
        assert {**targets, **evidence} == {node: code for node, code in row.items() if code >= 0}
        assert len(targets) == min(2 if k % 4 == 3 else 1, len(targets) + len(evidence))
        assert 0 <= p < 1
    assert len(queries_of(task.data)) == task.data.n_rows


@pytest.mark.parametrize("shape", ["tree", "dag"])
def test_error_and_gradient_are_those_of_pyagrum(shape):
    pytest.importorskip(PyAgrum.package)
    task = toy(shape)
    network = missing_cells.start(task)
    contest = Queries(task, network)
    own = contest.own(task.data, 1)
    assert own[0] == pytest.approx(bnlr.query_error(network, queries_of(task.data)))
    answer = PyAgrum(network).query_errors(questions_of(task.data))
    assert contest.difference(PyAgrum(network), answer, task.data) < 1e-10
    assert np.abs(own[1:]).max() > 1e-6
