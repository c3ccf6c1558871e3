"""Packed passes equal the literal sums, with either kind of kernel, any weights and threads."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr import native
from bnlr.design import packed_rows as tables_module
from bnlr.design import twins
from bnlr.design.families import TableLayout
from bnlr.design.pack import _GROUP_CELLS, family_cells, pack, relative
from bnlr.design.packed_rows import Design, row_scores
from tests.oracles import counts, lmodel
from tests.oracles.model import Model
from tests.strategies import problems, seeds, structures, tables_of

ANY = structures(max_nodes=6)


@st.composite
def packed_cases(draw, **options):
    structure, data = draw(problems(ANY, **options))
    states = {node: data.states[node] for node in structure.nodes}
    model = Model.of(structure, states)
    rows = np.column_stack([data.column(node) for node in model.nodes])
    return structure, data, model, rows, draw(tables_of(structure, states))


@given(packed_cases())
def test_scores_and_cll_equal_the_literal_sums(case):
    structure, data, model, rows, tables = case
    layout = TableLayout.of(structure, data.cards)
    stacked = layout.stack(tables)
    literal = np.array([lmodel.scores(model, tables, row) for row in rows])
    np.testing.assert_allclose(row_scores(layout, data, stacked), literal, rtol=0, atol=1e-12)
    cll = lmodel.cll_of_tables(model, tables, rows, data.weights)
    for merge in (True, False):
        design = Design.of(layout, data, merge=merge)
        assert design.cll(relative(stacked)) == pytest.approx(cll, rel=1e-12, abs=1e-12)
        assert design.linearise(relative(stacked)).cll == pytest.approx(cll, rel=1e-12, abs=1e-12)


@given(packed_cases())
def test_counts_equal_the_literal_counts(case):
    structure, data, model, rows, _ = case
    layout = TableLayout.of(structure, data.cards)
    literal = counts.family_counts(model, rows, data.weights)
    found = layout.unstack(Design.of(layout, data).counts())
    for node, table in found.items():
        np.testing.assert_allclose(table, literal[node], rtol=1e-12, atol=1e-12)


@given(packed_cases(n_rows=(5, 60)), st.integers(0, 2**31))
def test_gradient_and_curvature_agree_with_differences(case, seed):
    structure, data, _, _, tables = case
    layout = TableLayout.of(structure, data.cards)
    design, at = Design.of(layout, data), relative(layout.stack(tables))
    direction = np.random.default_rng(seed).standard_normal(at.shape)
    local, h = design.linearise(at), 1e-5
    above, below = (design.linearise(at + sign * h * direction) for sign in (1, -1))
    scale = max(1.0, float(data.weights.sum()))
    slope = (above.cll - below.cll) / (2 * h)
    assert float((local.gradient * direction).sum()) == pytest.approx(slope, abs=1e-7 * scale)
    change = -(above.gradient - below.gradient) / (2 * h)
    np.testing.assert_allclose(local.hessian_product(direction), change, atol=1e-7 * scale)
    value, along = design.along(at, direction)(0.3)
    moved = design.linearise(at + 0.3 * direction)
    assert value == pytest.approx(moved.cll, rel=1e-12, abs=1e-12)
    assert along == pytest.approx(float((moved.gradient * direction).sum()), abs=1e-10 * scale)


@given(packed_cases(n_rows=(5, 40)))
def test_hessian_diagonal_is_that_of_unit_products(case):
    structure, data, _, _, tables = case
    layout = TableLayout.of(structure, data.cards)
    local = Design.of(layout, data).linearise(relative(layout.stack(tables)))
    diagonal = local.hessian_diagonal()
    for cell in range(0, layout.n_cells, 3):
        unit = np.zeros_like(local.gradient)
        unit[cell, -1] = 1.0
        found = local.hessian_product(unit)[cell, -1]
        assert found == pytest.approx(diagonal[cell, -1], rel=1e-10, abs=1e-12)


@given(problems(ANY, weighted=False, n_rows=(2, 20)), st.integers(0, 2**31))
def test_weights_equal_repeated_rows(problem, seed):
    structure, data = problem
    rng = np.random.default_rng(seed)
    times = rng.integers(0, 4, data.n_rows)
    times[0] = 1
    weighted = bnlr.Dataset.from_codes(
        data.codes, data.states, data.class_name, weights=times.astype(float)
    )
    repeated = data.take(np.repeat(np.arange(data.n_rows), times))
    layout = TableLayout.of(structure, data.cards)
    at = rng.standard_normal((layout.n_cells, layout.n_classes - 1))
    a, b = (Design.of(layout, d, merge=m).linearise(at) for d, m in ((weighted, 0), (repeated, 0)))
    assert a.cll == pytest.approx(b.cll, rel=1e-12, abs=1e-12)
    np.testing.assert_allclose(a.gradient, b.gradient, rtol=0, atol=1e-11)


def _large(n_rows=200_000, n_classes=3):
    rng = np.random.default_rng(5)
    structure = bnlr.Structure(
        [("c", f"x{k}") for k in range(12)] + [(f"x{k}", f"x{k + 1}") for k in range(11)],
        class_name="c",
    )
    cards = {"c": n_classes, **{f"x{k}": 2 + k % 4 for k in range(12)}}
    codes = np.column_stack([rng.integers(0, cards[n], n_rows) for n in structure.nodes])
    states = {n: tuple(range(cards[n])) for n in structure.nodes}
    return structure, bnlr.Dataset.from_codes(codes, states, "c")


@pytest.mark.slow
def test_results_are_the_same_bytes_for_any_number_of_threads():
    structure, data = _large()
    layout = TableLayout.of(structure, data.cards)
    at = np.random.default_rng(1).standard_normal((layout.n_cells, 2))
    one, two = (Design.of(layout, data, n_threads=t).linearise(at) for t in (1, 2))
    assert one.cll == two.cll
    assert one.gradient.tobytes() == two.gradient.tobytes()
    assert one.hessian_product(at).tobytes() == two.hessian_product(at).tobytes()


def test_twins_and_compiled_kernels_agree_on_many_blocks(monkeypatch):
    structure, data = _large(n_rows=70_001)
    layout = TableLayout.of(structure, data.cards)
    at = np.random.default_rng(2).standard_normal((layout.n_cells, 2))
    default = Design.of(layout, data).linearise(at)
    product = default.hessian_product(at)
    monkeypatch.setattr(tables_module, "kernels", lambda: twins)
    twin = Design.of(layout, data).linearise(at)
    assert twin.cll == pytest.approx(default.cll, rel=1e-12)
    np.testing.assert_allclose(twin.gradient, default.gradient, rtol=1e-10, atol=1e-8)
    np.testing.assert_allclose(twin.hessian_product(at), product, rtol=1e-10, atol=1e-8)


def test_packing_puts_every_family_into_exactly_one_group_of_bounded_size():
    structure, data = _large(n_rows=10)
    layout = TableLayout.of(structure, data.cards)
    packing = pack(layout, 200_000)
    packed = [family.node for group in packing.groups for family in group.families]
    assert sorted(packed) == sorted(structure.nodes)
    assert len(packing.groups) < len(layout.families) / 2
    assert max(group.n_cells for group in packing.groups) <= _GROUP_CELLS
    cells = family_cells(layout, data)
    tables = np.random.default_rng(0).standard_normal((layout.n_cells, 1))
    literal = tables[cells].sum(axis=1)
    np.testing.assert_allclose(row_scores(layout, data, tables), literal, atol=1e-12)


def test_extreme_scores_neither_overflow_nor_turn_nan():
    structure = bnlr.Structure.naive_bayes(["a"], class_name="c")
    codes = np.array([[0, 0], [1, 1], [0, 1]])
    data = bnlr.Dataset.from_codes(codes, {"c": ("n", "y"), "a": (0, 1)}, "c")
    layout = TableLayout.of(structure, data.cards)
    cpts = {"c": np.zeros(2), "a": np.array([[0.0, -900.0], [-900.0, 0.0]])}
    tables = relative(layout.stack(cpts))
    local = Design.of(layout, data, merge=False).linearise(tables)
    assert local.cll == pytest.approx(-900.0, rel=1e-12)
    assert np.isfinite(local.gradient).all()
    assert np.isfinite(local.hessian_product(tables)).all()


def test_a_family_that_would_not_fit_is_refused_with_cells_and_bytes():
    parents = [f"p{k}" for k in range(9)]
    structure = bnlr.Structure([(p, "x") for p in parents] + [("c", "x")], class_name="c")
    cards = {"c": 2, "x": 20, **dict.fromkeys(parents, 20)}
    with pytest.raises(bnlr.TooLargeError, match=r"'?x'?.*cells.*GiB") as caught:
        TableLayout.of(structure, cards)
    assert isinstance(caught.value, ValueError)
    assert f"{2 * 20**10:,}" in str(caught.value)


def test_missing_cells_and_rows_without_a_class():
    structure = bnlr.Structure.naive_bayes(["a", "b"], class_name="c")
    states = {"c": ("n", "y"), "a": (0, 1), "b": (0, 1)}
    codes = np.array([[0, 0, 1], [1, 1, 0], [-1, 1, 1]])
    data = bnlr.Dataset.from_codes(codes, states, "c")
    layout = TableLayout.of(structure, data.cards)
    assert Design.of(layout, data, merge=False).n_rows == 2
    holed = bnlr.Dataset.from_codes(np.array([[0, -1, 1], [1, 1, 0]]), states, "c")
    with pytest.raises(bnlr.MissingCellsError, match=r"'a' has 1 missing"):
        Design.of(layout, holed)
    without = bnlr.Dataset.from_codes(np.array([[-1, 0, 1]]), states, "c")
    with pytest.raises(bnlr.DataError, match=r"no row has a value of the class 'c'"):
        Design.of(layout, without)


@given(structures(max_nodes=6), seeds, st.sampled_from([1, 12, 4096]), st.booleans())
def test_families_are_joined_by_best_fit(structure, seed, largest, is_twin):
    """Against the rule written out, and the family cells of each group cell, counted up."""
    if not is_twin and native.kernels() is None:
        pytest.skip("needs the compiled kernels")
    code = twins if is_twin else native.kernels().packed
    rng = np.random.default_rng(seed)
    cards = {node: int(rng.integers(1, 5)) for node in structure.nodes}
    layout = TableLayout.of(structure, cards)
    scopes = layout.scopes
    groups = code.join(scopes.axes, scopes.cards, scopes.ends, largest)
    order, families, joint, joint_ends = groups
    found = [order[a:b].tolist() for a, b in itertools.pairwise(families)]
    assert found == _best_fit(
        [dict(zip(f.scope, f.shape, strict=True)) for f in layout.families], largest
    )
    shapes = [scopes.cards[joint[a:b]] for a, b in itertools.pairwise(joint_ends)]
    offsets = np.cumsum([0, *(np.prod(shape, dtype=int) for shape in shapes)])
    names = [
        [structure.nodes[axis] for axis in scopes.axes[joint[a:b]]]
        for a, b in itertools.pairwise(joint_ends)
    ]
    literal = []
    for own, scope, shape in zip(found, names, shapes, strict=True):
        for cell in np.ndindex(*shape):
            at = dict(zip(scope, cell, strict=True))
            for family in (layout.families[k] for k in own):
                digits = tuple(at[attribute] for attribute in family.scope)
                literal.append(
                    family.offset + (np.ravel_multi_index(digits, family.shape) if digits else 0)
                )
    cells = np.empty(len(literal), dtype=np.intp)
    code.members(scopes.axes, scopes.cards, scopes.ends, scopes.offsets, groups, offsets, cells)
    assert cells.tolist() == literal


def _best_fit(families, largest):
    """Families group by group; ``families`` are {attribute: states}."""
    groups = []
    for k, family in enumerate(families):
        growths = [
            int(np.prod([card for a, card in family.items() if a not in held], dtype=int))
            for _, held in groups
        ]
        fits = [
            (growth, g)
            for g, growth in enumerate(growths)
            if np.prod([*groups[g][1].values(), growth], dtype=int) <= largest and growth <= largest
        ]
        g = min(fits)[1] if fits else len(groups)
        if g == len(groups):
            groups.append(([], {}))
        groups[g][0].append(k)
        groups[g][1].update(family)
    return [members for members, _ in groups]


@given(structures(max_nodes=6), seeds)
def test_every_table_entry_has_its_place_in_the_cpts(structure, seed):
    rng = np.random.default_rng(seed)
    cards = {node: int(rng.integers(1, 5)) for node in structure.nodes}
    shapes = {
        node: tuple(cards[axis] for axis in (*structure.parents(node), node))
        for node in structure.nodes
    }
    ends = np.cumsum([np.prod(shape) for shape in shapes.values()]).tolist()
    starts = dict(zip(structure.nodes, [0, *ends], strict=False))
    places = {node: starts[node] + np.arange(np.prod(s)).reshape(s) for node, s in shapes.items()}
    layout = TableLayout.of(structure, cards)
    np.testing.assert_array_equal(layout.places(starts), layout.stack(places))
    first_cells = tuple(starts[family.node] for family in layout.families)
    by_family = layout._places_by_family(first_cells)
    np.testing.assert_array_equal(by_family, layout.places(starts))
