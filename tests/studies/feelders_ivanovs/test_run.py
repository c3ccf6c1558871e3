"""One task: the same start and maximum in all spaces, and the flop formulas written out."""

from functools import partial

import numpy as np
import pytest

import bnlr
from studies.common import Task
from studies.feelders_ivanovs import user_data
from studies.feelders_ivanovs.command import find
from studies.feelders_ivanovs.datasets import load
from studies.feelders_ivanovs.paper import COLUMNS, SPACES
from studies.feelders_ivanovs.run import SOLVERS, run_task

NAME = "2.5.2-3.1000"
FIND = partial(find, load=partial(load, download=False))


@pytest.fixture(scope="module")
def results():
    return {
        (space, solver): run_task(Task(data=NAME, seed=1, space=space, solver=solver), FIND).result
        for space, solver in COLUMNS
    }


@pytest.mark.filterwarnings("ignore:No finite optimum:bnlr.errors.SeparationWarning")
def test_all_nine_start_alike_and_end_alike(results):
    study = FIND(Task(data=NAME, seed=1))
    optimum = bnlr.fit(study.structure, study.data)
    literal = bnlr.fit(study.structure, study.data, learner="frequencies")
    for result in results.values():
        assert result["start_cll"] == pytest.approx(literal.cll, rel=1e-10)
        assert result["cll"] <= optimum.upper_bound + 1e-9
        way = optimum.cll - literal.cll
        assert optimum.cll - result["cll"] <= 0.01 * way


def test_flops_of_the_first_iteration_are_the_papers_formula(results):
    study = FIND(Task(data=NAME, seed=1))
    n, d = study.data.n_rows, 2 if study.data.cards["class"] == 2 else study.data.cards["class"]
    z = bnlr.Roos(study.structure, study.data.states).design(study.data)
    r = z.shape[1] * (d - 1)
    cost_cll, cost_gradient = z.nnz * (d - 1) + n * (d + 2), z.nnz * d + 2 * n * d
    for solver, own_cost in (("cg", 10 * r), ("bfgs", 12 * r * r + 8 * r)):
        start, first, *_ = results["roos", solver]["rows"]
        _, _, n_cll, n_gradient, flops = first
        assert n_gradient == 1
        assert flops - start[4] == own_cost + (4 * r + cost_cll) * n_cll + cost_gradient
        assert start[4] == cost_cll + cost_gradient


def test_half_steps_need_more_iterations(results):
    halves = run_task(Task(data=NAME, seed=1, space="loglinear", solver="cg-half"), FIND).result
    nash = results["loglinear", "cg"]
    level = nash["cll"] - 0.05 * (nash["cll"] - nash["start_cll"])

    def reached(result):
        return next(row[0] for row in result["rows"] if row[1] >= level)

    assert reached(halves) > reached(nash)


@pytest.mark.parametrize("solver", list(SOLVERS))
def test_every_column_runs_in_every_space(solver):
    for space in SPACES:
        task = Task(data="1.5.2-3.100", seed=2, space=space, solver=solver)
        result = run_task(task, FIND).result
        clls = [row[1] for row in result["rows"]]
        assert clls[-1] > clls[0]
        assert np.diff([row[4] for row in result["rows"]]).min() > 0


def test_a_structure_that_is_not_perfect_has_one_space():
    study = FIND(Task(data=NAME, seed=1))
    collider = bnlr.Structure([("class", "x1"), ("x2", "x1")], "class")
    assert user_data.spaces(study) == SPACES
    assert user_data.spaces(type(study)(study.name, study.data, collider)) == ("softmax",)
