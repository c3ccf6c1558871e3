"""Fits in the cells that rows show, against the same fits in all cells, and what they cost."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.design import seen as cut
from bnlr.learn.runs import seen as runs
from tests.strategies import perfect_structures, problems
from tests.width import examples, in_full

SPACES = ["roos", "loglinear", "softmax", "elr"]
CENTRES = ["zero", "frequencies", "scaled"]


def always_cut(patch):
    """Cut down whatever the sizes are."""
    for name, value in {"_WIDE": 0, "_WIDE_FAMILY": 0, "_SHARE": 0}.items():
        patch.setattr(cut, name, value)


def wide_problem(seed, n_rows=40, cards=(9, 8), joined=False):
    """D with the parents A and B, which an arc joins or not, of far more states than rows show."""
    rng = np.random.default_rng(seed)
    a, b = (rng.integers(0, card, n_rows) for card in cards)
    c = rng.integers(0, 2, n_rows)
    d = (a + b + c + rng.integers(0, 2, n_rows)) % 3
    states = {"c": ["no", "yes"], "A": range(cards[0]), "B": range(cards[1]), "D": range(3)}
    data = bnlr.Dataset.from_codes(np.column_stack([c, a, b, d]), states, "c")
    arcs = [("c", "A"), ("c", "B"), ("c", "D"), ("A", "D"), ("B", "D")]
    return bnlr.Structure(arcs + [("A", "B")] * joined, "c", tuple(states)), data


def fitted(structure, data, space, centre, **options):
    how = {"learner": "elr"} if space == "elr" else {"space": space}
    return bnlr.fit(structure, data, penalty=0.7, penalty_center=centre, **how, **options)


def both(problem, *how, **options):
    """The fit in all cells, and that in those which rows show."""
    dense = fitted(*problem, *how, **options)
    taken = []
    with pytest.MonkeyPatch.context() as patch:
        always_cut(patch)
        whole = runs._whole
        patch.setattr(runs, "_whole", lambda *given: taken.append(1) or whole(*given))
        small = fitted(*problem, *how, **options)
    return dense, small, bool(taken)


@examples(25)
@given(problems(perfect_structures(max_nodes=5)), st.sampled_from(SPACES), st.sampled_from(CENTRES))
def test_perfect_structures_have_the_same_optimum(problem, space, centre):
    structure, data = problem
    if not structure.children(structure.class_name):
        return
    dense, small, _ = both(problem, space, centre, tol=1e-12)
    if not (dense.converged and small.converged):
        return
    np.testing.assert_allclose(
        small.network.predict_proba(data), dense.network.predict_proba(data), atol=2e-5
    )
    assert small.x.shape == dense.x.shape


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("centre", CENTRES)
def test_the_cpts_of_cells_that_no_row_shows_are_the_same_too(space, centre):
    dense, small, was_cut = both(wide_problem(1, joined=True), space, centre, tol=1e-13)
    assert was_cut
    for node, cpt in dense.network.cpts.items():
        np.testing.assert_allclose(small.network.cpts[node], cpt, atol=1e-6)
    np.testing.assert_allclose(small.x, dense.x, atol=1e-4)
    assert small.cll == pytest.approx(dense.cll, abs=1e-6)


@pytest.mark.parametrize("seed", [0, *in_full(422_651)])
def test_elr_of_other_structures_comes_to_the_same_optimum(seed):
    """To "zero" the columns that no row shows stay uniform too, where others may end lower."""
    problem = wide_problem(seed)
    dense, small, was_cut = both(problem, "elr", "frequencies", max_iter=4000, tol=1e-10)
    assert was_cut
    assert dense.converged
    assert small.converged
    assert small.cll == pytest.approx(dense.cll, abs=1e-4)
    for node, cpt in dense.network.cpts.items():
        np.testing.assert_allclose(small.network.cpts[node], cpt, atol=1e-3)


@pytest.mark.slow
def test_what_couples_cells_or_is_watched_is_fitted_in_all_of_them():
    problem = wide_problem(2)
    ordered = bnlr.Dataset(problem[1].codes, problem[1].states, "c", None, {"A": 9, "B": 8})
    for how in ({"n_starts": 2}, {"callback": id}, {"solver": "cg"}):
        assert not both(problem, "elr", "zero", max_iter=3, random_state=0, **how)[2]
    for centre in ("scaled", "smooth"):
        assert not both((problem[0], ordered), "elr", centre, max_iter=3)[2]


@pytest.mark.parametrize("space", ["roos", *in_full("elr")])
def test_the_solver_holds_as_many_numbers_as_rows_show(space):
    structure, data = wide_problem(3, n_rows=200, cards=(300, 200), joined=space == "roos")
    sizes = []

    def watched(problem, inner, *rest):
        sizes.append(inner.size)
        return run(problem, inner, *rest)

    run = runs.best_run
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runs, "best_run", watched)
        tracemalloc.start()
        try:
            fitted(structure, data, space, "zero", max_iter=30)
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
    n_cells = 300 * 200 * 3
    assert 0 < sizes[0] < 4000 < n_cells
    assert peak < 16 * 8 * 2 * n_cells
