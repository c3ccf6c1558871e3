"""The compiled way from tables to CPTs, and its twin, against the paper's equations."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr import native
from bnlr.design.families import TableLayout
from bnlr.errors import ParameterError
from bnlr.spaces import backmap, twins
from tests.kernels import EVERY, kernels_of
from tests.oracles.backmap import back_map
from tests.oracles.model import Model
from tests.strategies import cpts_of, perfect_structures, problems, tables_of


@pytest.fixture(params=EVERY, scope="module", autouse=True)
def code(request):
    """The kernels of each instruction set that can run here, and their twins."""
    module, before = kernels_of(request.param, "spaces", "spaces.twins"), backmap.backend
    backmap.backend = lambda *_: module
    yield module
    backmap.backend = before


@given(problems(perfect_structures()), st.data())
def test_the_cpts_are_those_of_the_equations_in_the_gauge_asked_for(problem, draw):
    structure, data = problem
    states = {node: data.states[node] for node in structure.nodes}
    model = Model.of(structure, states)
    tables, like = draw.draw(tables_of(structure, states)), draw.draw(cpts_of(structure, states))
    axes = {n: (*structure.parents(n), n).index(structure.class_name) for n in tables}
    gauged = {
        node: table
        - table.mean(axis=axes[node], keepdims=True)
        + np.log(np.maximum(like[node], 1e-12)).mean(axis=axes[node], keepdims=True)
        for node, table in tables.items()
    }
    space, network = bnlr.Roos(structure, states), bnlr.BayesianNetwork(structure, states, like)
    found = space.to_network(space.from_tables(tables), like=network)
    for node, cpt in back_map(model, gauged).items():
        np.testing.assert_allclose(found.cpts[node], cpt, rtol=1e-10, atol=1e-12)
    for node in set(structure.nodes) - set(tables):
        np.testing.assert_array_equal(found.cpts[node], network.cpts[node])


def test_very_large_tables_still_give_columns_that_sum_to_one():
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], "c", ["c", "a", "b"])
    states = {"c": (0, 1, 2), "a": (0, 1), "b": (0, 1, 2)}
    space = bnlr.Roos(structure, states)
    x = 600.0 * np.random.default_rng(0).standard_normal(space.size)
    for cpt in space.to_network(x).cpts.values():
        np.testing.assert_allclose(cpt.sum(axis=-1), 1.0, atol=1e-15)
        assert (cpt >= 0).all()


def test_a_network_of_another_structure_lends_no_gauge():
    states = {"c": (0, 1), "a": (0, 1)}
    space = bnlr.Roos(bnlr.Structure([("c", "a")], "c"), states)
    other = bnlr.Structure([("a", "c")], "c")
    like = bnlr.BayesianNetwork(other, states, {"a": [0.5, 0.5], "c": np.full((2, 2), 0.5)})
    with pytest.raises(ParameterError, match="structure and states"):
        space.to_network(np.zeros(space.size), like=like)


def chain(n_attributes, card, n_classes):
    """Tables of a tree-augmented network; its children, last to first, and their witnesses."""
    names = ["c", *(f"a{k}" for k in range(n_attributes))]
    arcs = [("c", name) for name in names[1:]] + list(pairwise(names[1:]))
    cards = {name: card if name != "c" else n_classes for name in names}
    layout = TableLayout.of(bnlr.Structure(arcs, "c", names), cards)
    children = np.arange(n_attributes, 0, -1)
    tables = 9.0 * np.random.default_rng(n_classes).standard_normal((layout.n_cells, n_classes))
    return layout.scopes, tables, children, children - 1


def mapped(code, scopes, tables, children, witnesses, like):
    steps = [tables.copy()]
    for kernel, rest in (
        (code.in_gauge, (like, 1e-12)),
        (code.normalise, (scopes, children, witnesses)),
        (code.exponentiate, (scopes,)),
    ):
        steps.append(steps[-1].copy())
        kernel(steps[-1], *rest)
    return steps


@pytest.mark.parametrize(("card", "n_classes"), [(2, 2), (3, 3), (5, 26), (1, 1), (40, 30)])
@pytest.mark.parametrize("lends", [False, True])
def test_all_give_the_same_numbers_and_all_compiled_ones_the_same_bits(
    code, card, n_classes, lends
):
    scopes, tables, *moves = chain(6, card, n_classes)
    like = np.random.default_rng(1).uniform(size=tables.shape if lends else (0, 0))
    found = mapped(code, scopes, tables, *moves, like)
    for one, other in zip(found, mapped(twins, scopes, tables, *moves, like), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-12)
    if code is not twins:
        baseline = kernels_of(native.INSTRUCTION_SETS[0], "spaces")
        for one, other in zip(found, mapped(baseline, scopes, tables, *moves, like), strict=True):
            assert one.tobytes() == other.tobytes()


def test_probabilities_that_are_nearly_none_are_not_lost(code):
    scopes, tables, *_ = chain(1, 2, 2)
    logs = np.full_like(tables, np.log(0.5))
    logs[-2:, 0] = -720.0, 0.0
    code.exponentiate(logs, scopes)
    assert logs[-2, 0] == pytest.approx(np.exp(-720.0), rel=1e-5)


def test_arrays_that_do_not_fit_are_refused(code):
    if code is twins:
        pytest.skip("NumPy's own checks")
    scopes, tables, children, witnesses = chain(3, 2, 2)
    for bad in (tables[:, :1].copy(), tables[1:], np.asfortranarray(tables), tables.astype("f4")):
        with pytest.raises((TypeError, ValueError)):
            code.in_gauge(tables, bad, 1e-12)
        if bad.shape[1] == 1:
            continue
        with pytest.raises((TypeError, ValueError)):
            code.normalise(bad, scopes, children, witnesses)
        with pytest.raises((TypeError, ValueError)):
            code.exponentiate(bad, scopes)
    with pytest.raises((TypeError, ValueError)):
        code.in_gauge(tables, tables, 0.0)
    changes = [
        {"axes": scopes.axes[:-1]},
        {"axes": scopes.axes.astype(np.int32)},
        {"cards": scopes.cards + 1},
        {"cards": 0 * scopes.cards},
        {"ends": scopes.ends + 1},
        {"ends": scopes.ends[::-1].copy()},
        {"offsets": scopes.offsets + 1},
        {"offsets": scopes.offsets[:-1]},
    ]
    for change in changes:
        other = scopes._replace(**change)
        with pytest.raises((TypeError, ValueError)):
            code.normalise(tables.copy(), other, children, witnesses)
        with pytest.raises((TypeError, ValueError)):
            code.exponentiate(tables.copy(), other)
    for one, other in (
        (children + 1, witnesses),
        (children, witnesses - 1),
        (children[1:], witnesses),
    ):
        with pytest.raises((TypeError, ValueError)):
            code.normalise(tables.copy(), scopes, one, other)


@pytest.mark.parametrize("n_told", [0, 1, 5, 200])
def test_tables_that_are_alike_where_no_row_speaks(code, n_told):
    """Numbers are taken together there: the same to the last bit as if each stood alone."""
    rng = np.random.default_rng(n_told)
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "b")], "c", ["c", "a", "b"])
    layout = TableLayout.of(structure, {"c": 2, "a": 67, "b": 5})
    report = bnlr.analyze(structure, {"c": 2, "a": 67, "b": 5})
    tables, like = np.zeros((layout.n_cells, 2)), np.full((layout.n_cells, 2), 0.2)
    told = rng.choice(layout.n_cells, n_told, replace=False)
    tables[told], like[told] = rng.normal(size=(2, n_told, 2)) ** 2
    whole = tables.copy()
    code.in_gauge(whole, like, 1e-12)
    for k in range(0, len(tables), 3):
        alone = tables[k : k + 3].copy()
        code.in_gauge(alone, like[k : k + 3], 1e-12)
        np.testing.assert_array_equal(whole[k : k + 3], alone)
    moves = backmap._moves(layout, report)
    expected = whole.copy()
    twins.normalise(expected, layout.scopes, *moves)
    twins.exponentiate(expected, layout.scopes)
    code.normalise(whole, layout.scopes, *moves)
    code.exponentiate(whole, layout.scopes)
    np.testing.assert_allclose(whole, expected, rtol=1e-13)
