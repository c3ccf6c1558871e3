"""Compiled passes: their twins' numbers, the same bits on any CPU, nothing but arrays that fit."""

import functools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.inference import clique_twins as twins
from bnlr.inference import tree_twins
from bnlr.inference.expected_counts import Found
from bnlr.inference.plan import make_plan
from bnlr.inference.trees import tree_plan
from tests.inference.networks import Case, cases, flat_of, large_case, random_codes, random_theta
from tests.kernels import all_kernels, compiled
from tests.width import in_full

CLIQUES, TREES = all_kernels("cliques"), all_kernels("trees")
FRAGMENTS = all_kernels("fragments")


@pytest.fixture
def instruction_set():
    """One of them, for what is checked before any loop."""
    if not CLIQUES:
        pytest.skip("nothing was compiled")
    return "baseline"


# Junction trees


def results(code, case, observed=frozenset(), ever=None):
    """Everything the functions of a module fill, for a plan of these nodes."""
    plan = make_plan(case.flat, case.target, observed, ever)
    s, codes, n = plan.schedule, case.codes.astype(np.int32), len(case.codes)
    posterior, logs = np.full((n, case.flat.cards[case.target]), np.nan), np.full((4, n), np.nan)
    matrix = np.ones((case.flat.n_cells, case.flat.n_cells))
    code.evidence(s, case.theta, codes, case.target, True, posterior, logs[0])
    code.evidence(s, case.theta, codes, case.target, False, np.empty((0, 0)), logs[1])
    counts = np.ones((2, case.flat.n_cells))
    if ever is None:
        code.expect(s, case.theta, codes, case.weights, case.target, counts[0], logs[2])
        code.contrast(s, case.theta, codes, case.weights, case.target, counts[1], logs[3])
        few = slice(4)  # the twin takes seconds a row of a large network
        code.information(s, case.theta, codes[few], case.weights[few], case.target, matrix)
    return posterior, logs, counts, matrix


def check_alike(case, *plan):
    first, *others = (results(code, case, *plan) for code in CLIQUES.values())
    for one, two in zip(first, results(twins, case, *plan), strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-12, atol=1e-12)
    for other in others:
        assert [array.tobytes() for array in other] == [array.tobytes() for array in first]


@pytest.mark.slow
@compiled
@given(cases())
def test_twins_give_the_same_numbers(case):
    check_alike(case)


@pytest.mark.slow
@compiled
@given(cases(), st.data())
def test_twins_give_the_same_numbers_where_all_rows_observe_some_nodes(case, data):
    seen = (case.codes >= 0).all(axis=0)
    seen[case.target] = False
    ever = (case.codes >= 0).any(axis=0)
    places, some = (frozenset(np.flatnonzero(which).tolist()) for which in (seen, ever))
    check_alike(case, places, data.draw(st.sampled_from([None, some])))


@pytest.mark.slow
@compiled
@pytest.mark.parametrize("seed", [1, *in_full(0, 2)])
def test_twins_give_the_same_numbers_in_large_networks(seed):
    check_alike(large_case(seed, n_rows=30))


@compiled
@pytest.mark.parametrize("exponent", [*in_full(150, 300), 312])
def test_twins_give_the_same_numbers_where_products_underflow(exponent):
    """Two missing parents of eight nodes all but impossible; 1e-312 is no normal number."""
    flat = flat_of([(), (), *[(0, 1)] * 8], [2, 2, *[2] * 8])
    rng = np.random.default_rng(exponent)
    columns = 10.0 ** -rng.uniform(exponent - 5, exponent, (8, 4))
    below = np.stack([columns, 1.0 - columns], axis=2)
    theta = np.concatenate([[0.5, 0.5], [0.25, 0.75], below.ravel()])
    codes = random_codes(rng, flat, 20, 0.3)
    codes[:10, 2:], codes[:, 1] = 0, -1
    check_alike(Case(flat, theta, 0, codes, rng.uniform(0.1, 3.0, 20)))


@functools.cache
def large():
    case = large_case(0, n_rows=5)
    return case, make_plan(case.flat, case.target, frozenset(), None).schedule


def clique_arguments():
    case, schedule = large()
    return {
        "schedule": schedule,
        "theta": case.theta,
        "codes": case.codes.astype(np.int32),
        "weights": case.weights,
        "target": case.target,
        "counts": np.zeros(case.flat.n_cells),
        "logs": np.zeros(5),
    }


def refused(call, arguments, change):
    """The call is made as it should be, and then with one argument changed."""
    call(*arguments.values())
    changed = {name: change.get(name, lambda value: value)(v) for name, v in arguments.items()}
    with pytest.raises((TypeError, ValueError)):
        call(*changed.values())


def replaced(field, change):
    return lambda named: named._replace(**{field: change(getattr(named, field))})


SHORTER, LONGER = (lambda a: a[:-1]), (lambda a: np.concatenate([a, a[-1:]]))
WIDER = {
    "narrow": lambda a: a.astype(np.float32 if a.dtype.kind == "f" else np.int16),
    "apart": lambda a: np.repeat(a, 2, axis=-1)[..., ::2],
    "shorter": SHORTER,
    "longer": LONGER,
    "list": lambda a: a.tolist(),
}


@pytest.mark.parametrize("form", WIDER)
@pytest.mark.parametrize("name", ["theta", "codes", "weights", "counts", "logs"])
@pytest.mark.parametrize("function", ["expect", "contrast"])
def test_junction_trees_refuse_other_arrays(instruction_set, function, name, form):
    call = getattr(CLIQUES[instruction_set], function)
    refused(call, clique_arguments(), {name: WIDER[form]})


@pytest.mark.parametrize("form", WIDER)
@pytest.mark.parametrize("name", ["codes", *in_full("theta", "weights", "matrix")])
def test_information_refuses_other_arrays(instruction_set, name, form):
    *kept, _, _ = clique_arguments().items()
    matrix = np.zeros((len(kept[1][1]),) * 2)
    refused(
        CLIQUES[instruction_set].information, {**dict(kept), "matrix": matrix}, {name: WIDER[form]}
    )


@pytest.mark.parametrize(
    "change",
    [
        {"target": lambda _: -1},
        {"target": lambda _: 37},
        {"codes": lambda a: np.ascontiguousarray(a[:, :-1])},
        {"schedule": lambda _: None},
        *[
            {"schedule": replaced(field, change)}
            for field in clique_arguments()["schedule"]._fields
            for change in (SHORTER, LONGER, lambda a: a.astype(np.int32))
            if field != "upwards" or change not in {SHORTER, LONGER}
        ],
        *[
            {"schedule": replaced(field, lambda a: a + 10_000)}
            for field in clique_arguments()["schedule"]._fields
            if field not in {"pruned", "sizes", "cards"}
        ],
        {"schedule": replaced("cards", lambda a: a + 1)},
        {"schedule": replaced("sizes", lambda a: a - 1)},
        {"schedule": replaced("steps", lambda a: -a)},
    ],
)
def test_junction_trees_refuse_other_schedules(instruction_set, change):
    refused(CLIQUES[instruction_set].expect, clique_arguments(), change)


def test_junction_trees_refuse_posteriors_that_do_not_fit(instruction_set):
    s, theta, codes, _, target, _, logs = clique_arguments().values()
    evidence, n = CLIQUES[instruction_set].evidence, int(s.cards[target])
    evidence(s, theta, codes, target, True, np.empty((5, n)), logs)
    for posterior in (np.empty((5, n + 1)), np.empty((4, n)), np.empty((n, 5)).T):
        with pytest.raises((TypeError, ValueError)):
            evidence(s, theta, codes, target, True, posterior, logs)


# Forests


def tree_arguments(n_classes=3):
    rng = np.random.default_rng(0)
    flat = flat_of(
        [(), *((0, v - 1) if v > 1 else (0,) for v in range(1, 6))], [n_classes, *[3] * 5]
    )
    plan = tree_plan(flat, 0, 1)
    rows, classes = plan.laid_rows(random_codes(rng, flat, 7, 0.3))
    tables, logs = plan.layers(random_theta(rng, flat))[-1]
    return {
        "rows": rows,
        "labels": classes,
        "weights": rng.random(7),
        "tree": plan.tree,
        "tables": tables,
        "logs": logs,
        "counts": np.zeros_like(tables),
        "totals": np.zeros((7, n_classes)),
    }


TREE_CHANGES = [
    {"tree": lambda _: None},
    *[
        {"tree": replaced(field, change)}
        for field in tree_arguments()["tree"]._fields
        for change in (SHORTER, LONGER, lambda a: a.astype(np.int32), lambda a: a + 1, lambda a: -a)
    ],
]


@pytest.mark.parametrize("form", WIDER)
@pytest.mark.parametrize("name", [name for name in tree_arguments() if name != "tree"])
def test_forests_refuse_other_arrays(instruction_set, name, form):
    refused(TREES[instruction_set].count_rows, tree_arguments(), {name: WIDER[form]})
    arguments = tree_arguments()
    if name in {"labels", "weights", "counts"}:
        return
    for unused in ("labels", "weights", "counts"):
        del arguments[unused]
    refused(TREES[instruction_set].total_rows, arguments, {name: WIDER[form]})


@pytest.mark.parametrize("change", TREE_CHANGES)
def test_forests_refuse_other_trees(instruction_set, change):
    refused(TREES[instruction_set].count_rows, tree_arguments(), change)
    some = {name: tree_arguments()[name] for name in ("tree", "tables", "counts")}
    refused(TREES[instruction_set].share_any, some, change)


@pytest.mark.parametrize(
    "change",
    [
        {"labels": lambda a: a + 3},
        {"rows": lambda a: a - 1},  # the last column is no longer 0
        {"rows": lambda a: np.ascontiguousarray(a[:, 1:])},
        {"tables": lambda a: np.empty((len(a), 0))},
        {"counts": lambda a: np.zeros((len(a), 2))},
        {"totals": lambda a: np.zeros((len(a), 2))},
    ],
)
def test_forests_refuse_rows_that_do_not_fit(instruction_set, change):
    refused(TREES[instruction_set].count_rows, tree_arguments(), change)


@pytest.mark.parametrize("name", ["totals", "posterior", "log_evidence"])
@pytest.mark.parametrize("form", WIDER)
def test_normalise_refuses_other_arrays(instruction_set, name, form):
    arguments = {
        "totals": np.zeros((5, 3)),
        "posterior": np.zeros((5, 3)),
        "log_evidence": np.zeros(5),
    }
    refused(TREES[instruction_set].normalise, arguments, {name: WIDER[form]})


@pytest.mark.parametrize("code", [*TREES.values(), tree_twins], ids=[*TREES, "twins"])
@pytest.mark.parametrize("shape", [(0, 2), (700, 1), (700, 2), (100, 26), (2, 1500)])
def test_normalise_is_the_softmax_in_any_number_of_rows_and_classes(code, shape):
    rng = np.random.default_rng(1)
    totals = rng.choice([-1e4, -900.0, -700.0, -3.0, -1.0], shape) + rng.random(shape)
    totals[rng.random(shape) < 0.2] = -np.inf
    totals[::7] = -np.inf
    posterior, logs = np.full(shape, np.nan), np.full(shape[0], np.nan)
    code.normalise(totals, posterior, logs)
    expected = np.logaddexp.reduce(totals, axis=1)
    np.testing.assert_allclose(logs, expected, rtol=1e-13)
    shares = np.exp(totals - np.where(expected == -np.inf, 0.0, expected)[:, None])
    np.testing.assert_allclose(posterior, shares, rtol=1e-11, atol=1e-300)


# Fragments


def taken_apart(code):
    arguments = tree_arguments()
    held, complete = code.begin(), np.zeros_like(arguments["tables"])
    labels = np.maximum(arguments["labels"], 0)
    rows = {"fragments": held, "rows": arguments["rows"], "labels": labels}
    return {
        **rows,
        "weights": arguments["weights"],
        "tree": arguments["tree"],
        "complete": complete,
    }


@pytest.mark.parametrize("form", WIDER)
@pytest.mark.parametrize("name", ["rows", "labels", "weights", "complete"])
def test_fragments_refuse_other_rows(instruction_set, name, form):
    code = FRAGMENTS[instruction_set]
    refused(code.take_apart, taken_apart(code), {name: WIDER[form]})


@pytest.mark.parametrize(
    "change",
    [
        *TREE_CHANGES,
        {"labels": lambda a: a - 1},
        {"labels": lambda a: a + 3},
        {"rows": lambda a: a - 1},
        {"fragments": lambda _: None},
        {"fragments": lambda _: np.random.PCG64(0).capsule},
    ],
)
def test_fragments_refuse_other_trees(instruction_set, change):
    code = FRAGMENTS[instruction_set]
    refused(code.take_apart, taken_apart(code), change)


def counted(code):
    held = code.begin()
    code.take_apart(held, *list(taken_apart(code).values())[1:])
    found = Found(*code.found(held, 3))
    tree, n = tree_arguments()["tree"], int(found.ends[-1])
    tables, logs = np.full((2, int(tree.starts[-1]), 1), 0.5)
    rest = {"counts": np.zeros(len(tables)), "sums": np.zeros(n)}
    return {
        "found": found,
        "start": 0,
        "stop": n,
        "tree": tree,
        "tables": tables,
        "logs": logs,
        **rest,
    }


@pytest.mark.parametrize(
    "change",
    [
        *TREE_CHANGES,
        *[
            {"found": replaced(field, change)}
            for field in Found._fields[1:]
            for change in (SHORTER, LONGER, lambda a: a.astype(np.int16))
        ],
        *[{"found": replaced(field, lambda a: a + 100)} for field in ("starts", "nodes")],
        {"found": replaced("nodes", np.zeros_like)},
        *[{name: WIDER[form]} for name in ("tables", "logs", "counts", "sums") for form in WIDER],
        {"start": lambda _: -1},
        {"stop": lambda n: n + 1},
        {"tables": lambda a: np.repeat(a, 2, axis=1)},
    ],
)
def test_fragments_refuse_other_fragments(instruction_set, change):
    code = FRAGMENTS[instruction_set]
    refused(code.count, counted(code), change)
