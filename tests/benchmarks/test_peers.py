"""Peers and bnlr maximise one function: designs, penalties and tables say the same."""

import math
from itertools import product

import numpy as np
import pytest

import bnlr
from benchmarks import literal, ours, peers
from benchmarks.designs import DesignPlan, codes_of, codes_of_frame, families_of, one_hot
from benchmarks.problem import PeerProblem
from benchmarks.workloads import FitTask, dataset, naive, sample, tree
from bnlr.design.families import TableLayout
from bnlr.design.pack import relative
from bnlr.objectives.penalty import Penalty
from tests.width import in_full


def task(n_classes, penalty, n_parents=1, n_rows=400):
    codes, cards, parents = sample(n_rows, 4, n_parents, seed=7, n_classes=n_classes)
    data = dataset(codes, cards)
    return FitTask("toy", data, tree(data, parents) if n_parents else naive(data), penalty)


def literal_objective(toy, tables):
    """Row by row and class by class, in plain Python."""
    data, families = toy.data, families_of(toy.structure)
    total = 0.0
    for row in range(data.n_rows):
        scores = []
        for c in range(toy.n_classes):
            cells = [tuple(int(data.column(n)[row]) for n in f) for f in families]
            own = [float(tables[f][cell][c]) for f, cell in zip(families, cells, strict=True)]
            scores.append(float(tables[()][0, c]) + sum(own))
        top = max(scores)
        total += scores[int(data.class_codes[row])] - top
        total -= math.log(sum(math.exp(s - top) for s in scores))
    squares = 0.0
    for family in families:
        for cell in product(*(range(data.cards[n]) for n in family)):
            row = [float(x) for x in tables[family][cell]]
            squares += sum((x - sum(row) / len(row)) ** 2 for x in row)
    return total - 0.5 * toy.penalty * squares


def random_tables(toy, seed=0):
    rng = np.random.default_rng(seed)
    k = toy.n_classes
    tables = {(): rng.normal(size=(1, k))}
    for family in families_of(toy.structure):
        tables[family] = rng.normal(size=(*(toy.data.cards[n] for n in family), k))
    return tables


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", [0.0, 0.7])
def test_the_judge_is_the_literal_sum(n_classes, penalty):
    toy = task(n_classes, penalty)
    tables = random_tables(toy)
    assert literal.objective(toy, tables) == pytest.approx(literal_objective(toy, tables))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_judges_penalty_is_bnlrs(n_classes):
    toy = task(n_classes, 0.7)
    tables = random_tables(toy)
    layout = TableLayout.of(toy.structure, toy.data.cards)
    stacked = np.concatenate([tables[f.scope].reshape(-1, n_classes) for f in layout.families])
    differences = relative(stacked)
    own = Penalty(layout, toy.penalty, np.zeros_like(differences)).value(differences)
    judged = literal.cll(toy, tables) - literal.objective(toy, tables)
    assert judged == pytest.approx(own)
    back = literal.Stack.of(toy).by_scope(stacked)
    assert back.keys() == tables.keys()
    for scope, table in tables.items():
        np.testing.assert_array_equal(back[scope], table)


@pytest.mark.parametrize("n_classes", [3, *in_full(2)])
@pytest.mark.parametrize("penalty", [0.7, *in_full(0.0)])
@pytest.mark.parametrize("n_parents", [1, *in_full(0)])
@pytest.mark.parametrize("name", list(peers.PEERS))
def test_peers_find_the_optimum_of_bnlr(name, n_parents, penalty, n_classes):
    toy = task(n_classes, penalty, n_parents)
    problem = PeerProblem(toy)
    if excuse := peers.PEERS[name].excuse(problem):
        pytest.skip(excuse)
    contender = ours.cold(toy, 1)
    own = literal.objective(toy, contender.tables(contender.run(1e-12)))
    (forms,) = peers.entries(problem, [name], lambda call: call() is None)
    assert [entry.form for entry in forms] == peers.PEERS[name].forms(problem)
    for entry in forms:
        value = literal.objective(toy, entry.tables(entry.run(1e-9)))
        assert value == pytest.approx(own, rel=1e-8), entry.form


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_peers_own_penalised_objective_is_that_of_the_judge(n_classes):
    """½ · strength · ‖w‖² of the weights that scikit-learn reports, at its optimum."""
    toy = task(n_classes, 0.7)
    problem = PeerProblem(toy)
    peer = peers.PEERS["lbfgs"]
    matrix = problem.plan.sparse(codes_of(toy.data))
    model = peer.fit(problem, matrix, 1e-12)
    logs = model.predict_log_proba(matrix)[np.arange(toy.data.n_rows), problem.classes]
    value = logs.sum() - 0.5 * problem.strength * float(np.square(model.coef_).sum())
    tables = problem.plan.tables(*peer.solution(problem, model))
    assert literal.objective(toy, tables) == pytest.approx(value, rel=1e-10)


def test_reused_rows_lead_to_the_same_optimum():
    toy = task(3, 0.7)
    cold, again = ours.cold(toy, 1), ours.reused(toy, 1)
    values = [literal.objective(toy, c.tables(c.run(1e-12))) for c in (cold, again)]
    assert values[0] == pytest.approx(values[1], rel=1e-11)


@pytest.mark.parametrize("n_parents", [0, 1])
def test_the_log_linear_design_is_bnlrs(n_parents):
    toy = task(2, 0.0, n_parents)
    space = bnlr.LogLinear(toy.structure, toy.data.states, toy.data.most_frequent)
    expected = space.design(toy.data).toarray()[:, 1:]  # the first column is the intercept
    codes = codes_of(toy.data)
    plan = DesignPlan.of(toy.structure, toy.data, loglinear=True)
    ours_dense = plan.dense(codes)
    np.testing.assert_array_equal(sorted(ours_dense.T.tolist()), sorted(expected.T.tolist()))
    np.testing.assert_array_equal(plan.sparse(codes).toarray(), ours_dense)
    assert plan.sparse(codes).indices.dtype == np.int32


@pytest.mark.parametrize("loglinear", [False, True])
def test_designs_from_frames_and_by_encoders_are_the_same(loglinear):
    toy = task(2, 1.0)
    plan = DesignPlan.of(toy.structure, toy.data, loglinear=loglinear)
    expected = plan.dense(codes_of(toy.data))
    codes = codes_of_frame(toy.data.to_frame())
    np.testing.assert_array_equal(plan.sparse(codes).toarray(), expected)
    if not loglinear:
        np.testing.assert_array_equal(one_hot(plan, codes).toarray(), expected)
        layout = TableLayout.of(toy.structure, toy.data.cards)
        assert plan.n_columns == layout.n_cells - 1


def test_structures_beyond_trees_are_refused():
    structure = bnlr.Structure(
        [("c", "x"), ("c", "y"), ("c", "z"), ("x", "y"), ("x", "z"), ("y", "z")], class_name="c"
    )
    with pytest.raises(ValueError, match="trees only"):
        families_of(structure)
