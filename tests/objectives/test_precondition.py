"""The factored preconditioner: an inverse where it can be one, safe and cheap everywhere else."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.design.pack import family_cells
from bnlr.design.packed_rows import Design
from bnlr.objectives import precondition
from bnlr.objectives.conditional import ConditionalObjective
from bnlr.objectives.penalty import Penalty
from bnlr.objectives.precondition import (
    exact_inverse,
    inverse_by_class,
    inverse_curvature,
    inverse_where_hard,
)
from bnlr.optimize.base import Lasting, Status, minimise
from bnlr.optimize.trace import CountingObjective
from bnlr.spaces.l_model import Free
from bnlr.spaces.loglinear import LogLinear
from tests.strategies import seeds
from tests.width import in_full

N_ATTRIBUTES, CARD = 4, 3


def tan(n_attributes=N_ATTRIBUTES):
    """The class above a chain of attributes."""
    names = [f"x{k}" for k in range(n_attributes)]
    chain = list(pairwise(names))
    return bnlr.Structure([*(("c", name) for name in names), *chain], class_name="c")


def chained(
    n_rows, n_classes, seed, *, n_attributes=N_ATTRIBUTES, card=CARD, repeat=0.6, unseen=()
):
    """Attributes that repeat the one before or follow the class; states ``unseen`` have no row."""
    rng = np.random.default_rng(seed)
    codes = {"c": rng.integers(0, n_classes, n_rows)}
    allowed = [k for k in range(card) if k not in unseen]
    before = rng.choice(allowed, n_rows)
    for k in range(n_attributes):
        kind = rng.random(n_rows)
        fresh = rng.choice(allowed, n_rows)
        leaning = np.array(allowed)[codes["c"] % len(allowed)]
        before = np.where(kind < repeat, before, np.where(kind < 0.5 + repeat / 2, fresh, leaning))
        codes[f"x{k}"] = before
    structure = tan(n_attributes)
    states = {n: tuple(range(n_classes if n == "c" else card)) for n in structure.nodes}
    table = np.column_stack([codes[n] for n in structure.nodes])
    return structure, bnlr.Dataset.from_codes(
        table, states, "c", weights=rng.uniform(0.5, 2, n_rows)
    )


def linearised(structure, data, space, seed, scale=0.5):
    """The point of random parameters of ``space``."""
    design = Design.of(space.layout, data, merge=False)
    x = scale * np.random.default_rng(seed).standard_normal(space.size)
    return design.linearise(space.differences(x))


def indicators(design, data):
    """Z (n_rows, n_cells), 0/1."""
    cells = family_cells(design.layout, data)
    z = np.zeros((data.n_rows, design.layout.n_cells))
    for i, own in enumerate(cells):
        z[i, own] = 1.0
    return z


def all_classes(local):
    """Posteriors of all classes, (n_rows, n_classes)."""
    p = local.probabilities
    return np.column_stack([1.0 - p.sum(axis=1), p])


def assert_symmetric_and_positive(inverse, size, seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        a, b = rng.standard_normal((2, size))
        left, right = inverse(a), inverse(b)
        assert np.isfinite(left).all()
        scale = np.linalg.norm(a) * np.linalg.norm(right)
        assert a @ right == pytest.approx(b @ left, abs=1e-8 * scale)
        assert a @ left > 0
        assert b @ right > 0


@pytest.mark.parametrize("penalty", [0.0, 1.0])
@pytest.mark.parametrize("unseen", [(), (1,), (0, 2)])
@pytest.mark.parametrize("kind", [Free, LogLinear])
@given(st.sampled_from([2, 3, 5]), seeds, st.sampled_from([0.5, 5.0]))
def test_it_is_symmetric_and_positive(kind, unseen, penalty, n_classes, seed, scale):
    """Also with cells that no row shows, with and without rows that are all but certain."""
    structure, data = chained(60, n_classes, seed, unseen=unseen)
    space = kind(structure, data.states)
    local = linearised(structure, data, space, seed, scale)
    inverse = inverse_curvature(local, None if kind is Free else space.basis, penalty)
    assert_symmetric_and_positive(inverse, space.size, seed)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("kind", [Free, LogLinear])
def test_too_many_cells_for_a_factor_leave_the_diagonal(kind, n_classes):
    structure, data = chained(500, n_classes, 3, n_attributes=3, card=40)
    space = kind(structure, data.states)
    local = linearised(structure, data, space, 3)
    basis = None if kind is Free else space.basis
    inverse = inverse_curvature(local, basis, 1.0)
    assert space.layout.n_cells > 3_072
    assert_symmetric_and_positive(inverse, space.size, 3)


@pytest.mark.parametrize("kind", [Free, LogLinear])
@pytest.mark.parametrize("seed", range(3))
def test_for_two_classes_it_is_the_inverse_of_the_dense_hessian(kind, seed):
    structure, data = chained(200, 2, seed)
    space, penalty = kind(structure, data.states), 1.0
    local = linearised(structure, data, space, seed)
    p = local.probabilities[:, 0]
    z = indicators(local.design, data) @ space.basis.toarray()
    hessian = (z.T * (data.weights * p * (1 - p))) @ z + penalty / 2 * np.eye(space.size)
    inverse = inverse_curvature(local, None if kind is Free else space.basis, penalty)
    found = np.column_stack([inverse(e) for e in np.eye(space.size)])
    exact = np.linalg.inv(hessian)
    # The part of the diagonal that is blended in; along redundant directions it meets the penalty.
    np.testing.assert_allclose(found, exact, rtol=0, atol=2e-2 * np.abs(exact).max())
    ratios = np.linalg.eigvals(found @ hessian).real
    assert 0.97 < ratios.min() <= ratios.max() < 1.001


@pytest.mark.parametrize("weighted", [True, False])
@given(st.sampled_from([2, 3, 5]), seeds)
def test_cross_curvature_of_all_rows_is_the_literal_sum(weighted, n_classes, seed):
    structure, data = chained(50, n_classes, seed)
    if not weighted:
        data = bnlr.Dataset.from_codes(data.codes, data.states, "c")
    local = linearised(structure, data, Free(structure, data.states), seed)
    z, p = indicators(local.design, data), all_classes(local)
    expected = np.zeros((z.shape[1], z.shape[1]))
    for i in range(data.n_rows):
        # 1 / (n_classes − 1): the joint curvature of equally probable classes, p(1 − p) for two.
        h = (p[i] * (1 - p[i])).sum() / (n_classes - 1)
        expected += data.weights[i] * h * np.outer(z[i], z[i])
    found = local.cross_curvature(data.n_rows)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * expected.max())


@pytest.mark.parametrize("weighted", [True, False])
@given(st.sampled_from([2, 3, 5]), seeds)
def test_class_curvatures_of_all_rows_are_the_literal_sums(weighted, n_classes, seed):
    structure, data = chained(50, n_classes, seed)
    if not weighted:
        data = bnlr.Dataset.from_codes(data.codes, data.states, "c")
    local = linearised(structure, data, Free(structure, data.states), seed)
    z, p = indicators(local.design, data), all_classes(local)
    expected = np.zeros((n_classes, z.shape[1], z.shape[1]))
    for i in range(data.n_rows):
        for c in range(n_classes):
            expected[c] += data.weights[i] * p[i, c] * (1 - p[i, c]) * np.outer(z[i], z[i])
    found = local.class_curvatures(data.n_rows)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * expected.max())
    for run in (slice(0, 1), slice(1, n_classes), slice(1, 99)):
        np.testing.assert_array_equal(local.class_curvatures(data.n_rows, run), found[run])


@pytest.fixture
def factor_each(monkeypatch):
    """Every class gets a factor of its own, as it does where rows are many."""
    monkeypatch.setattr(precondition, "SMALL", 0)
    monkeypatch.setattr(precondition, "_CUBE_PER_LOOKUP", 10**9)


@pytest.mark.usefixtures("factor_each")
@pytest.mark.parametrize("penalty", [0.0, 1.0])
@pytest.mark.parametrize("unseen", [(), (1,), (0, 2)])
@pytest.mark.parametrize("kind", [Free, LogLinear])
@pytest.mark.parametrize("scale", [0.5, 5.0])
@pytest.mark.parametrize("n_classes", [3, 5])
def test_a_factor_for_each_class_is_symmetric_and_positive(kind, unseen, penalty, n_classes, scale):
    structure, data = chained(60, n_classes, 7, unseen=unseen)
    space = kind(structure, data.states)
    local = linearised(structure, data, space, 7, scale)
    inverse = inverse_curvature(local, None if kind is Free else space.basis, penalty)
    assert isinstance(inverse, precondition.ByClass)
    assert_symmetric_and_positive(inverse, space.size, 7)


@pytest.mark.usefixtures("factor_each")
def test_a_factor_for_each_class_inverts_the_blocks_of_the_dense_hessian():
    structure, data = chained(200, 3, 5)
    space = Free(structure, data.states)
    local = linearised(structure, data, space, 5)
    z, p = indicators(local.design, data), all_classes(local)
    inverse, r = inverse_curvature(local, None, 1.0), np.zeros((space.layout.n_cells, 2))
    r[:, 0] = np.random.default_rng(1).standard_normal(len(r))
    full = np.column_stack([-r.sum(axis=1), r])
    solved = np.empty_like(full)
    for c in range(3):
        # 3 / 2: three equally probable classes then have their joint curvature.
        block = 1.5 * (z.T * (data.weights * p[:, c] * (1 - p[:, c]))) @ z + np.eye(len(r))
        solved[:, c] = np.linalg.solve(block, full[:, c])
    expected = solved[:, 1:] - solved[:, :1]
    found = inverse(r.ravel()).reshape(r.shape)
    np.testing.assert_allclose(found, expected, rtol=0, atol=2e-2 * np.abs(expected).max())


@given(seeds, st.integers(3, 5))
def test_the_inverse_by_class_is_that_of_the_possible_cells(seed, n_classes):
    structure, data = chained(200, n_classes, seed)
    space = Free(structure, data.states)
    local = linearised(structure, data, space, seed)
    z, rng = indicators(local.design, data), np.random.default_rng(seed)
    gone = z[:, rng.integers(z.shape[1], size=n_classes - 1)] > 0
    local = replace(local, probabilities=np.where(gone, 0.0, local.probabilities))
    p, r = all_classes(local), rng.standard_normal((z.shape[1], n_classes - 1))
    full = np.column_stack([-r.sum(axis=1), r])
    solved = np.zeros_like(full)
    for c in range(n_classes):
        block = (z.T * (data.weights * p[:, c] * (1 - p[:, c]))) @ z
        own = np.flatnonzero(np.diag(block) > 1e-9)
        block[own, own] *= 1.01  # no direction of a class may be quite flat
        share = (n_classes - 1) / n_classes
        solved[own, c] = share * np.linalg.solve(block[np.ix_(own, own)], full[own, c])
    expected = solved[:, 1:] - solved[:, :1]
    for at_a_time in (2, 16):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(precondition, "_AT_A_TIME", at_a_time)
            found = inverse_by_class(local, np.inf)(r.ravel()).reshape(r.shape)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


@given(seeds, st.integers(3, 5), st.sampled_from([0.0, 0.5]))
def test_where_products_are_many_each_class_has_its_curvature_and_a_share_of_all(
    seed, n_classes, penalty
):
    structure, data = chained(400, n_classes, seed)
    space = Free(structure, data.states)
    local = linearised(structure, data, space, seed)
    z, rng = indicators(local.design, data), np.random.default_rng(seed)
    p, r = all_classes(local), rng.standard_normal((z.shape[1], n_classes - 1))
    curvatures = data.weights[:, None] * p * (1 - p)
    share = (n_classes - 1) / n_classes
    held = share * (1e-3 * (z.T @ curvatures).mean(axis=1) + penalty)
    full, solved = np.column_stack([-r.sum(axis=1), r]), np.zeros((z.shape[1], n_classes))
    for c in range(n_classes):
        block = (z.T * curvatures[:, c]) @ z + np.diag(held)
        own = np.flatnonzero(np.diag(block) > 1e-9)
        block[own, own] *= 1.01
        solved[own, c] = share * np.linalg.solve(block[np.ix_(own, own)], full[own, c])
    expected = solved[:, 1:] - solved[:, :1]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(precondition, "_LEAST_LOOKUPS", 0)
        found = inverse_where_hard(local, penalty)(r.ravel()).reshape(r.shape)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-8 * np.abs(expected).max())


def test_two_classes_and_dear_factors_have_no_inverse_by_class(monkeypatch):
    structure, data = chained(200, 3, 1)
    local = linearised(structure, data, Free(structure, data.states), 1)
    assert inverse_where_hard(local) is None  # so few rows are no trouble
    monkeypatch.setattr(precondition, "_LEAST_LOOKUPS", 0)
    assert inverse_where_hard(local) is not None
    monkeypatch.setattr(precondition, "_FLOPS_PER_PRODUCT", 1e-6)
    assert inverse_where_hard(local) is None
    monkeypatch.undo()
    for n_classes, most in ((2, np.inf), (3, 1e-6)):
        structure, data = chained(200, n_classes, 1)
        local = linearised(structure, data, Free(structure, data.states), 1)
        assert inverse_by_class(local, most) is None


@pytest.mark.parametrize("seed", range(4))
def test_cross_curvature_of_a_sample_is_within_its_error(seed):
    n_rows, most = 4_000, 500
    structure, data = chained(n_rows, 3, seed)
    local = linearised(structure, data, Free(structure, data.states), seed)
    z, p = indicators(local.design, data), all_classes(local)
    values = data.weights * (p * (1 - p)).sum(axis=1) / 2
    exact, squares = (z.T * values) @ z, (z.T * values**2) @ z
    error = n_rows * np.sqrt((squares / n_rows - (exact / n_rows) ** 2) / most)
    found = local.cross_curvature(most)
    assert not np.allclose(found, exact, rtol=1e-3)
    assert (np.abs(found - exact) <= 6 * error + 1e-9).all()
    np.testing.assert_array_equal(found, found.T)
    # Entries lean to neither side: the scale of the sample is that of all rows.
    assert found.sum() == pytest.approx(exact.sum(), rel=5 / np.sqrt(most))


def banded(k, n_rows, n_classes, seed, *, n_attributes=8, card=4, evenness=2.0):
    """A perfect k-DB, each attribute below the k before it, and rows drawn from random CPTs."""
    names = [f"x{j}" for j in range(n_attributes)]
    arcs = [(names[i], names[j]) for j in range(n_attributes) for i in range(max(0, j - k), j)]
    structure = bnlr.Structure([*(("c", name) for name in names), *arcs], class_name="c")
    rng = np.random.default_rng(seed)
    codes = [rng.integers(0, n_classes, n_rows)]
    for j in range(n_attributes):
        parents = np.array([codes[0], *codes[1 + max(0, j - k) :]])
        cell = np.ravel_multi_index(parents, [n_classes, *[card] * (len(parents) - 1)])
        steps = rng.dirichlet(np.full(card, evenness), n_classes * card ** (len(parents) - 1))
        draw = rng.random(n_rows)[:, None] > steps.cumsum(axis=1)[cell]
        codes.append(np.minimum(draw.sum(axis=1), card - 1))
    states = {n: tuple(range(n_classes if n == "c" else card)) for n in ["c", *names]}
    return structure, bnlr.Dataset.from_codes(np.column_stack(codes), states, "c")


@pytest.fixture
def no_factor(monkeypatch):
    """Tables are too large for a factor, as those of a k-DB are."""
    monkeypatch.setattr(precondition, "_LARGEST_FACTOR", 0)
    monkeypatch.setattr(precondition, "_CUBE_PER_LOOKUP", 0)


def of_space(local, space, penalty):
    """The preconditioner as `ConditionalObjective` asks for it."""
    parts = (None, None) if isinstance(space, Free) else (space.basis, space._inverse)
    return inverse_curvature(local, parts[0], penalty, parts[1])


@pytest.mark.usefixtures("no_factor")
@pytest.mark.parametrize("kind", [Free, LogLinear])
@pytest.mark.parametrize("penalty", [0.0, 1e-6, 1.0])
@given(st.integers(1, 3), st.sampled_from([2, 3, 5]), seeds, st.sampled_from([0.5, 5.0]))
def test_a_sum_over_families_is_symmetric_and_positive(kind, penalty, k, n_classes, seed, scale):
    structure, data = banded(k, 40, n_classes, seed, n_attributes=4, card=3)
    space = kind(structure, data.states)
    local = linearised(structure, data, space, seed, scale)
    with pytest.MonkeyPatch.context() as few:
        few.setattr(precondition, "_HELD", 0)
        inverse = of_space(local, space, penalty)
    assert isinstance(inverse, precondition.ByInteraction)
    assert_symmetric_and_positive(inverse, space.size, seed)


@pytest.mark.usefixtures("no_factor")
@pytest.mark.parametrize(("n_rows", "penalty", "splits"), [(40, 0, 0), (40, 1, 1), (3_000, 0, 1)])
def test_nothing_is_split_that_few_rows_tell_apart(n_rows, penalty, splits):
    structure, data = banded(2, n_rows, 2, 0, n_attributes=4, card=3)
    space = Free(structure, data.states)
    inverse = of_space(linearised(structure, data, space, 0), space, float(penalty))
    assert isinstance(inverse, precondition.ByInteraction) == bool(splits)


@pytest.mark.usefixtures("no_factor")
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("penalty", [0.0, *in_full(1.0, 100.0)])
@pytest.mark.parametrize("k", [1, 2, 3])
def test_a_sum_over_families_is_near_the_inverse(k, penalty, n_classes):
    """At equally probable classes, along what rows or the penalty see, those traded included."""
    structure, data = banded(k, 3_000, n_classes, k, n_attributes=5, card=3, evenness=8.0)
    space = Free(structure, data.states)
    local = linearised(structure, data, space, 0, scale=0.0)
    centre = np.zeros((space.layout.n_cells, n_classes - 1))
    shrink = Penalty(space.layout, penalty, centre) if penalty else None
    objective = ConditionalObjective(local.design, space, shrink)
    product = objective.hessian(np.zeros(space.size))
    hessian = np.column_stack([product(e) for e in np.eye(space.size)])
    inverse = of_space(local, space, penalty)
    found = np.column_stack([inverse(e) for e in np.eye(space.size)])
    ratios = np.linalg.eigvals(found @ hessian).real
    ratios = np.sort(ratios[ratios > 1e-7])
    assert len(ratios) == np.linalg.matrix_rank(hessian, tol=1e-6)
    assert ratios[-1] < 15 * ratios[0]


@pytest.mark.slow
@pytest.mark.usefixtures("no_factor")
@pytest.mark.parametrize(
    ("kind", "k", "penalty", "most"),
    [(Free, 3, 1.0, 50), (Free, 4, 1.0, 60), (Free, 3, 0.0, 60), (LogLinear, 3, 0.0, 60)],
)
def test_newton_needs_few_products_on_dependence_structures(kind, k, penalty, most):
    """As many as on a tree, of which the diagonal needs hundreds under a penalty."""
    structure, data = banded(k, 20_000, 3, 1, n_attributes=10, evenness=8.0)
    space = kind(structure, data.states)
    centre = np.zeros((space.layout.n_cells, 2))
    shrink = Penalty(space.layout, penalty, centre) if penalty else None
    rest = (Design.of(space.layout, data), space, shrink)
    objective = ConditionalObjective(*rest)
    start = np.zeros(space.size)
    assert isinstance(objective.preconditioner(start), precondition.ByInteraction)
    found, value = products(objective, space.size)
    assert found <= most, found
    if penalty:
        diagonal, same = products(Diagonal(*rest), space.size)
        assert value == pytest.approx(same, rel=1e-8)
        assert 5 * found <= diagonal, (found, diagonal)


class Diagonal(ConditionalObjective):
    """The same objective with the plain diagonal for a preconditioner."""

    def preconditioner(self, x, *, is_hard=False):  # noqa: ARG002
        scale = self.diagonal(x)
        return Lasting(lambda r: r / scale)


def products(objective, size, **options):
    counted = CountingObjective(objective)
    result = minimise(counted, np.zeros(size), tol=1e-9, **options)
    assert result.status is Status.CONVERGED
    return counted.counts.hvp, result.value


def many_classes(n_classes, seed):
    """Naive Bayes data: rare and frequent classes, some told by one attribute, some by none."""
    rng, names = np.random.default_rng(seed), [f"x{k}" for k in range(6)]
    prior = 0.75 ** np.arange(n_classes)
    y = rng.choice(n_classes, 4_000, p=prior / prior.sum())
    columns = [y]
    for _ in names:
        steps = rng.dirichlet(np.full(5, 1 / 3), n_classes).cumsum(axis=1)
        columns.append((rng.random(len(y))[:, None] > steps[y]).sum(axis=1).clip(0, 4))
    states = {"c": tuple(range(n_classes)), **{name: tuple(range(5)) for name in names}}
    structure = bnlr.Structure.naive_bayes(names, class_name="c")
    return structure, bnlr.Dataset.from_codes(np.column_stack(columns), states, "c")


@pytest.mark.slow
def test_products_that_grow_many_are_spared_by_each_class_s_own_curvature(monkeypatch):
    """Without a penalty, where some classes run away."""
    monkeypatch.setattr(precondition, "SMALL", 10**9)
    monkeypatch.setattr(precondition, "_LEAST_LOOKUPS", 0)
    structure, data = many_classes(12, 1)
    space = Free(structure, data.states)
    objective = ConditionalObjective(Design.of(space.layout, data, merge=False), space)
    renewed, value = products(objective, space.size)
    cut_off, near = products(objective, space.size, max_products=30)
    monkeypatch.setattr(precondition, "HARD", 0)  # none is worth its price
    shared, same = products(objective, space.size)
    still_cut_off, far = products(objective, space.size, max_products=30)
    assert value == pytest.approx(same, rel=1e-8)
    assert near <= far + 1e-8 * abs(same)
    assert 1.5 * renewed <= shared, (renewed, shared)
    assert cut_off < still_cut_off


@pytest.mark.slow
def test_classes_of_different_certainty_need_less_than_half_of_the_products(monkeypatch):
    """Of those that one factor for all classes takes."""
    structure, data = many_classes(12, 1)
    space = Free(structure, data.states)
    centre = np.zeros((space.layout.n_cells, 11))
    penalty = Penalty(space.layout, 0.01, centre)
    objective = ConditionalObjective(Design.of(space.layout, data, merge=False), space, penalty)
    start = np.zeros(space.size)
    assert isinstance(objective.preconditioner(start), precondition.ByClass)
    each, value = products(objective, space.size)
    monkeypatch.setattr(precondition, "SMALL", 10**9)
    assert isinstance(objective.preconditioner(start), precondition.Factored)
    monkeypatch.setattr(precondition, "HARD", 0)  # not to be replaced
    shared, same = products(objective, space.size)
    assert value == pytest.approx(same, rel=1e-8)
    assert 2.5 * each <= shared, (each, shared)


@pytest.mark.parametrize("kind", [*in_full(Free), LogLinear])
def test_newton_needs_at_most_a_third_of_the_diagonals_products(kind):
    structure, data = chained(2_000, 3, 11, n_attributes=8, card=4, repeat=0.85)
    space = kind(structure, data.states)
    centre = np.zeros((space.layout.n_cells, space.layout.n_classes - 1))
    rest = (Design.of(space.layout, data), space, Penalty(space.layout, 0.1, centre))
    factored, value = products(ConditionalObjective(*rest), space.size)
    diagonal, same = products(Diagonal(*rest), space.size)
    assert value == pytest.approx(same, rel=1e-8)
    assert 3 * factored <= diagonal, (factored, diagonal)


@pytest.mark.parametrize(("n_rows", "penalty", "is_factored"), [(8, 1.0, False), (8, 0.0, True)])
def test_of_few_rows_under_a_penalty_the_diagonal_is_enough(
    monkeypatch, n_rows, penalty, is_factored
):
    structure, data = chained(n_rows, 2, 0)
    space = Free(structure, data.states)
    local = linearised(structure, data, space, 1)
    assert local.design.n_rows < local.design.layout.n_cells
    factors = []
    known = precondition.lapack.dpotrf
    monkeypatch.setattr(
        precondition.lapack, "dpotrf", lambda *a, **k: factors.append(1) or known(*a, **k)
    )
    inverse_curvature(local, penalty=penalty)
    assert bool(factors) == is_factored
    if penalty:
        found = minimise(
            ConditionalObjective(
                local.design,
                space,
                Penalty(local.design.layout, penalty, np.zeros_like(local.gradient)),
            ),
            np.zeros(space.size),
            solver="newton",
            tol=1e-10,
            max_iter=100,
        )
        assert found.status is Status.CONVERGED


def hessian(local, data):
    """Σ w·(diag(p) − ppᵀ) ⊗ zzᵀ row by row, z the indicators of the families' cells."""
    design = local.design
    cells = family_cells(design.layout, data)
    p, z = local.probabilities, np.zeros((data.n_rows, design.layout.n_cells))
    np.put_along_axis(z, cells, 1.0, axis=1)
    curvature = p[:, :, None] * np.eye(p.shape[1]) - p[:, :, None] * p[:, None, :]
    whole = np.einsum("i,ia,icd,ib->acbd", design.weights, z, curvature, z)
    return whole.reshape(z.shape[1] * p.shape[1], -1)


@pytest.mark.slow
@given(seeds, st.integers(2, 5), st.integers(3, 60))
def test_the_exact_inverse_solves_what_the_rows_can_ask(seed, n_classes, n_rows):
    structure, data = chained(n_rows, n_classes, seed)
    local = linearised(structure, data, Free(structure, data.states), seed, scale=2.0)
    h = hessian(local, data)
    assert local.joint_curvature() == pytest.approx(h, abs=1e-12 * abs(h).max())
    r = h @ np.random.default_rng(seed).standard_normal(len(h))
    solved = exact_inverse(local)(r)
    assert h @ solved == pytest.approx(r, abs=1e-7 * abs(r).max())


@pytest.mark.slow
@given(seeds, st.integers(2, 40), st.booleans())
def test_the_joint_curvature_is_that_of_the_rows_whatever_is_impossible(seed, n_classes, weigh):
    rng = np.random.default_rng(seed)
    structure, data = chained(12, n_classes, seed, n_attributes=3)
    weights = rng.uniform(0.1, 10.0, data.n_rows) if weigh else None
    data = replace(data, row_weights=weights)
    local = linearised(structure, data, Free(structure, data.states), seed, scale=2.0)
    kept = rng.random(local.probabilities.shape) < 0.5
    local = replace(local, probabilities=np.where(kept, local.probabilities, 0.0))
    h = hessian(local, data)
    assert local.joint_curvature() == pytest.approx(h, abs=1e-12 * abs(h).max())


@pytest.mark.parametrize(("least", "is_single"), [(1.0, True), (1e-5, False)])
def test_inverses_of_well_conditioned_matrices_alone_are_rounded_to_single_precision(
    least, is_single
):
    rng, n, n_classes = np.random.default_rng(0), 300, 4
    turned = np.linalg.qr(rng.standard_normal((n, n)))[0]
    matrix = (turned * np.geomspace(least, 30.0, n)) @ turned.T
    length = np.abs(matrix).sum(axis=0).max()
    upper = np.ascontiguousarray(np.linalg.cholesky(matrix).T)
    r = rng.standard_normal((n, n_classes))
    r -= r.mean(axis=1, keepdims=True)
    solved = np.linalg.solve(matrix, r)
    z = precondition.Factored(upper, n_classes, length)(r[:, 1:].ravel())
    assert z.dtype == np.float64
    error = np.abs(z.reshape(n, -1) - (solved[:, 1:] - solved[:, :1])).max() / np.abs(solved).max()
    assert error < 1e-5
    assert (error > 1e-9) == is_single


def test_many_small_families_take_no_factor_and_few_products():
    """Its sums, rows × families², would cost more than all products of the fit."""
    rng = np.random.default_rng(5)
    n_rows, n_attributes = 2000, 80
    classes = rng.integers(0, 5, n_rows)
    columns = [(classes + rng.integers(0, 4, n_rows) * 2) % 7 % 4 for _ in range(n_attributes)]
    states = {f"x{k}": (0, 1, 2, 3) for k in range(n_attributes)}
    data = bnlr.Dataset.from_codes(
        np.column_stack([classes, *columns]), {"c": tuple(range(5)), **states}, "c"
    )
    structure = bnlr.Structure([("c", name) for name in states], "c")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Design, "cross_products", None)
        result = bnlr.fit(structure, data, penalty=1.0)
    assert result.converged
    assert sum(row.n_hvp for row in result.rows) < 120


@pytest.mark.parametrize("penalty", [0.01, 0.1, 1.0])
def test_a_weak_penalty_of_many_rows_costs_no_more_products(penalty):
    """What families trade is held by the penalty alone, which nothing may outweigh."""
    rng = np.random.default_rng(1)
    x = rng.integers(0, 4, (50_000, 10))
    y = (x @ rng.normal(size=10) * 0.3 + rng.logistic(size=len(x)) > 0).astype(int)
    names = [f"x{k}" for k in range(10)]
    arcs = [("c", name) for name in names] + list(pairwise(names))
    states = dict.fromkeys(names, range(4)) | {"c": range(2)}
    data = bnlr.Dataset.from_codes(np.column_stack([x, y]), states, "c")
    result = bnlr.fit(bnlr.Structure(arcs, "c"), data, penalty=penalty)
    assert result.converged
    assert sum(result.trace.n_hvp) <= 20
