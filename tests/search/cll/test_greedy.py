"""The search as a whole: what it finds, where it ends, and what it does not depend on."""

import json
import os
import pickle
import subprocess
import sys
import warnings
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from numpy.testing import assert_allclose
from scipy.stats import chi2, spearmanr

import bnlr
from bnlr.errors import DataError, MissingCellsError, ParameterError, StructureError
from bnlr.learn.shrinkage.strength import best_penalty
from bnlr.search.cll import hill_climbing
from bnlr.search.cll.greedy import SCORES, cll_search
from tests.strategies import problems
from tests.width import in_full


def network(seed, n=6, n_arcs=5):
    """A perfect network with random CPTs without small probabilities.

    In those of seeds 2, 4 and 5 every arc bears on the class.
    """
    rng = np.random.default_rng(seed)
    names = [f"x{i}" for i in range(n)]
    graph = nx.Graph()
    graph.add_nodes_from(names)
    while graph.number_of_edges() < n_arcs:
        graph.add_edge(*rng.choice(names, 2, replace=False))
        if not nx.is_chordal(graph):
            graph.remove_edge(*list(graph.edges)[-1])
    order = [v for part in nx.connected_components(graph) for v in elimination(graph, part)]
    arcs = [("c", v) for v in names]
    for k, v in enumerate(order):
        arcs += [(u, v) for u in order[:k] if graph.has_edge(u, v)]
    structure = bnlr.Structure(arcs, "c")
    cards = {v: int(rng.integers(2, 4)) for v in structure.nodes}
    cpts = {}
    for v in structure.nodes:
        above = [cards[p] for p in structure.parents(v)]
        cpts[v] = 0.9 * rng.dirichlet(np.ones(cards[v]), size=above or None) + 0.1 / cards[v]
    states = {v: tuple(range(k)) for v, k in cards.items()}
    return bnlr.BayesianNetwork(structure, states, cpts), {frozenset(e) for e in graph.edges}


def elimination(graph, part):
    """Maximum cardinality search, from any vertex."""
    order = [min(part)]
    while len(order) < len(part):
        rest = sorted(set(part) - set(order))
        order.append(max(rest, key=lambda v: len(set(graph[v]) & set(order))))
    return order


def sample(seed, n_rows=20_000):
    net, edges = network(seed)
    frame = net.sample(n_rows, random_state=seed)
    return bnlr.Dataset.from_frame(frame, "c", states=net.states), edges


def between(structure):
    own = structure.class_name
    return {frozenset(arc) for arc in structure.edges if own not in arc}


def parity(n_rows=400):
    """The class is the parity of a, b and c; d is noise."""
    rng = np.random.default_rng(0)
    x = rng.integers(0, 2, (n_rows, 4))
    codes = np.column_stack([x, x[:, :3].sum(axis=1) % 2])
    return bnlr.Dataset.from_codes(codes, dict.fromkeys("abcdy", (0, 1)), "y")


@pytest.mark.slow
@pytest.mark.parametrize("seed", [2, 4, 5])
@pytest.mark.parametrize("score", ["bic", "cv"])
def test_finds_the_arcs_of_a_perfect_network(score, seed):
    data, edges = sample(seed)
    search = cll_search(data, score=score)
    assert bnlr.analyze(search.structure).is_perfect
    assert between(search.structure) == edges
    assert search.is_complete
    assert bnlr.learn_structure(data, "cll", score=score) == search.structure


@pytest.mark.slow
def test_ends_where_no_single_move_is_better():
    """BIC by `bnlr.fit` of every graph one arc or one attribute away."""
    data, _ = sample(2, n_rows=800)
    search = cll_search(data, score="bic")
    own, names = data.class_name, list(data.nodes)
    names.remove(own)
    graph = nx.Graph([tuple(pair) for pair in between(search.structure)])
    graph.add_nodes_from(search.structure.children(own))

    def bic(g):
        order = [v for part in nx.connected_components(g) for v in elimination(g, part)]
        arcs = [(own, v) for v in order]
        for k, v in enumerate(order):
            arcs += [(u, v) for u in order[:k] if g.has_edge(u, v)]
        structure = bnlr.Structure(arcs, own, [own])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bnlr.SeparationWarning)
            result = bnlr.fit(structure, data)
        cells = 0
        for v in order:
            above = [p for p in structure.parents(v) if p != own]
            cells += len(data.to_frame()[[*above, v]].drop_duplicates())
            cells -= len(data.to_frame()[above].drop_duplicates()) if above else 1
        df = (cells + 1) * (data.cards[own] - 1)
        return result.cll - 0.5 * df * np.log(data.n_rows)

    best = bic(graph)
    assert_allclose(search.score, best, atol=0.01)
    for u, v in combinations(sorted(graph), 2):
        other = graph.copy()
        (other.remove_edge if graph.has_edge(u, v) else other.add_edge)(u, v)
        if nx.is_chordal(other) and max(map(len, nx.find_cliques(other))) <= 4:
            assert bic(other) < best + 0.01
    for v in list(graph):
        if all(graph.has_edge(a, b) for a, b in combinations(graph[v], 2)):
            assert bic(graph.subgraph(set(graph) - {v})) < best + 0.01


def test_predicted_gains_rank_the_true_ones():
    data, _ = sample(4, 1500)
    search = cll_search(data, score="bic", max_steps=1)
    first = search.candidates[search.candidates["move"] == "add arc"]
    gains = []
    for arc in first["arc"]:
        start = bnlr.Structure.naive_bayes([n for n in data.nodes if n != "c"], "c")
        result = bnlr.fit(start.with_arcs([tuple(arc.split(" – "))]), data)
        gains.append(result.cll)
    assert spearmanr(first["gain_predicted"], gains).statistic >= 0.95


@pytest.mark.slow
def test_the_record_holds_likelihood_ratio_tests():
    data, _ = sample(4)
    search = cll_search(data, score="bic")
    steps = search.steps
    added = steps[steps["df"] > 0]
    assert len(added) >= 5
    assert_allclose(added["p_value"], chi2.sf(added["statistic"], added["df"]))
    assert_allclose(added["p_corrected"], np.minimum(1, added["p_value"] * added["screened"]))
    assert_allclose(added["statistic"], 2 * added["gain"])
    assert (np.diff([search.start_score, *steps["score"]]) > 0).all()
    assert steps["score"].iloc[-1] == search.score
    # The first step's ratio, from the fits of the models before and after.
    nb = bnlr.Structure.naive_bayes([n for n in data.nodes if n != "c"], "c")
    more = nb.with_arcs([tuple(steps["arc"][0].split(" – "))])
    ratio = 2 * (bnlr.fit(more, data).cll - bnlr.fit(nb, data).cll)
    assert_allclose(steps["statistic"][0], ratio, rtol=1e-4)
    assert "add arc" in str(search)
    assert search.n_screened >= steps["screened"].sum()
    steps.loc[0, "df"] = -7
    assert search.steps.loc[0, "df"] != -7


@pytest.mark.slow
def test_weights_are_the_log_odds_of_the_maximum():
    data, _ = sample(4, 1000)
    search = cll_search(data, score="bic")
    fitted = bnlr.fit(search.structure, data)
    frame, total = data.to_frame(), 0.0
    for _, row in frame.iterrows():
        cells = [
            ", ".join(f"{a}={row[a]}" for a in (*above, node))
            for node in search.structure.children("c")
            for above in [[p for p in search.structure.parents(node) if p != "c"]]
        ]
        odds = search.weights.loc[["intercept", *cells]].sum()
        eta = np.concatenate([[0.0], odds])
        total += eta[row["c"]] - np.logaddexp.reduce(eta)
    assert_allclose(total, search.cll, rtol=1e-6)
    assert_allclose(search.cll, fitted.cll, rtol=1e-3)


@pytest.mark.parametrize("score", ["bic", *in_full("cv")])
def test_a_parity_is_found_by_several_arcs_at_once(score):
    data = parity()
    found = cll_search(data, score=score)
    assert between(found.structure) == {frozenset(p) for p in ("ab", "ac", "bc")}
    alone = cll_search(data, score=score, compound=False)
    assert between(alone.structure) < between(found.structure)


def test_attributes_that_add_nothing_are_dropped():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 1000)
    useful = [np.where(rng.random(1000) < 0.8, y, 1 - y) for _ in range(3)]
    codes = np.column_stack([*useful, rng.integers(0, 2, (1000, 2)), y])
    data = bnlr.Dataset.from_codes(codes, dict.fromkeys("abcdey", (0, 1)), "y")
    search = cll_search(data, score="bic")
    assert search.structure.children("y") == ("a", "b", "c")
    assert search.structure.attributes == ("a", "b", "c", "d", "e")
    assert set(search.steps["move"]) == {"drop attribute"}
    up = cll_search(data, score="bic", start="empty")
    assert up.structure == search.structure


@pytest.mark.slow
@pytest.mark.parametrize("score", SCORES)
def test_nothing_depends_on_the_order_of_columns_or_rows_or_on_threads(score):
    data, _ = sample(5, 700)
    frame = data.to_frame()
    other = frame.sample(frac=1, random_state=3)[frame.columns[::-1]]
    again = bnlr.Dataset.from_frame(other, "c", states={n: data.states[n] for n in other})
    one = cll_search(data, score=score, n_threads=1)
    two = cll_search(again, score=score, n_threads=2)
    assert set(one.structure.edges) == set(two.structure.edges)
    assert_allclose(one.score, two.score, rtol=1e-9)
    columns = ["move", "arc", "separator", "df", "screened", "fits"]
    pd.testing.assert_frame_equal(one.steps[columns], two.steps[columns])


@pytest.mark.slow  # two processes, with the slower kernels
def test_nothing_depends_on_the_hash_seed():
    script = (
        "import json, bnlr; from bnlr.search.cll.greedy import cll_search\n"
        "f = bnlr.load_dataset('corral'); d = bnlr.Dataset.from_frame(f, 'class')\n"
        "s = cll_search(d); print(json.dumps([s.structure.edges, s.steps['arc'].tolist()]))"
    )
    env = {**os.environ, "BNLR_KERNELS": "numpy"}
    found = [
        json.loads(
            subprocess.run(
                [sys.executable, "-c", script],
                env={**env, "PYTHONHASHSEED": seed},
                capture_output=True,
                check=True,
            ).stdout
        )
        for seed in ("1", "2")
    ]
    assert found[0] == found[1]
    assert found[0][0]


@pytest.mark.slow
def test_a_budget_ends_the_search_with_the_best_so_far():
    data, _ = sample(4)
    whole = cll_search(data, score="bic")
    part = cll_search(data, score="bic", max_steps=2)
    assert part.steps["arc"].tolist() == whole.steps["arc"].tolist()[:2]
    assert not part.is_complete
    assert "max_steps=2" in part.message
    none = cll_search(data, score="bic", max_seconds=0)
    assert none.steps.empty
    assert between(none.structure) == set()
    assert "max_seconds=0" in none.message


@pytest.mark.parametrize("score", ["bic", *in_full("cv")])
def test_an_interrupt_loses_nothing(score, monkeypatch):
    data, _ = sample(4)
    whole = cll_search(data, score=score)
    screened = hill_climbing.HillClimbing._screened
    calls = []

    def interrupted(self, *args):
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return screened(self, *args)

    monkeypatch.setattr(hill_climbing.HillClimbing, "_screened", interrupted)
    with pytest.warns(bnlr.BnlrWarning, match="Interrupted after 2 steps"):
        part = cll_search(data, score=score)
    assert part.steps["arc"].tolist() == whole.steps["arc"].tolist()[:2]
    assert part.score == whole.steps["score"][1]
    assert not part.is_complete


@pytest.mark.slow
def test_weights_are_rows():
    data, _ = sample(5, 300)
    rng = np.random.default_rng(0)
    times = rng.integers(0, 4, data.n_rows)
    weighted = bnlr.Dataset.from_codes(data.codes, data.states, "c", times)
    repeated = data.take(np.repeat(np.arange(data.n_rows), times))
    for score in ("bic", "cv"):
        one, two = (cll_search(d, score=score) for d in (weighted, repeated))
        assert one.structure == two.structure
        assert_allclose(one.score, two.score, rtol=1e-9)


@pytest.mark.slow
def test_starts():
    data, edges = sample(4)
    truth = cll_search(data, score="bic").structure
    for start in ("naive-bayes", "fan", "tan", "empty", truth):
        search = cll_search(data, score="bic", start=start)
        assert between(search.structure) == edges
    assert cll_search(data, score="bic", start=truth).steps.empty


def ends_of_standing_walks(data, monkeypatch):
    """What "auto" and naive Bayes come to where walks cannot take a step."""
    monkeypatch.setattr("bnlr.search.cll.hill_climbing.HillClimbing._step", lambda _: False)
    return cll_search(data), cll_search(data, start="naive-bayes")


@pytest.mark.slow
def test_auto_starts_from_fan_where_that_is_better(monkeypatch):
    data, _ = sample(4)
    search, nb = ends_of_standing_walks(data, monkeypatch)
    assert between(search.structure) == between(bnlr.learn_structure(data, "fan"))
    assert search.score > nb.score


def test_auto_starts_from_tan_where_fan_sees_no_arc(monkeypatch):
    """Each attribute follows the one before, too weakly for the BIC of tables by 12 classes."""
    rng = np.random.default_rng(0)
    n, k = 1_000, 12
    y = rng.integers(0, k, n)
    columns = [rng.integers(0, 3, n)]
    for _ in range(5):
        columns.append(np.where(rng.random(n) < 0.3, (columns[-1] + y) % 3, rng.integers(0, 3, n)))
    states = {f"x{i}": (0, 1, 2) for i in range(6)} | {"y": tuple(range(k))}
    data = bnlr.Dataset.from_codes(np.column_stack([*columns, y]), states, "y")
    assert not between(bnlr.learn_structure(data, "fan"))
    search, nb = ends_of_standing_walks(data, monkeypatch)
    assert between(search.structure) == between(bnlr.learn_structure(data, "tan"))
    assert search.score > nb.score


def rules(noise):
    """The class is whether both bits of one of three pairs are set, but for noise."""
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (600, 9))
    y = (bits[:, 0:6:2] & bits[:, 1:6:2]).any(axis=1) ^ (rng.random(600) < noise)
    states = {f"x{i}": (0, 1) for i in range(9)} | {"y": (0, 1)}
    return bnlr.Dataset.from_codes(np.column_stack([bits, y]), states, "y")


@pytest.mark.slow
def test_the_walk_begins_under_a_stronger_penalty_than_suits_its_start():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), class_name="class")
    start = bnlr.learn_structure(data, "naive-bayes")
    assert best_penalty(start, data, "scaled").strength < 1.0
    search = cll_search(data, start=start)
    assert set(search.steps["penalty"]) == {10.0}
    assert search.penalty == best_penalty(search.structure, data, "scaled").strength < 1.0


@pytest.mark.slow
def test_the_walk_goes_on_under_weaker_penalties_but_not_under_one_that_is_given():
    data = rules(noise=0.02)
    search = cll_search(data, start="naive-bayes")
    penalties = search.steps["penalty"].to_numpy()
    assert penalties[0] == 10.0
    assert (np.diff(penalties) <= 0).all()
    assert search.penalty < 10.0
    given = cll_search(data, start="naive-bayes", penalty=3.0)
    assert set(given.steps["penalty"]) == {given.penalty} == {3.0}


@pytest.mark.slow
def test_of_a_rule_without_noise_all_arcs_are_found():
    search = cll_search(rules(noise=0.0), start="naive-bayes")
    assert {frozenset({f"x{i}", f"x{i + 1}"}) for i in (0, 2, 4)} <= between(search.structure)


@pytest.mark.slow
def test_limits():
    data, _ = sample(4)
    for limit in (0, 1):
        structure = cll_search(data, score="aic", max_parents=limit).structure
        assert max(len(structure.parents(a)) for a in structure.children("c")) <= 1 + limit
    small = cll_search(data, score="aic", max_cells=12).structure
    for node in small.attributes:
        size = np.prod([data.cards[v] for v in (*small.parents(node), node)])
        assert size <= 12 or len(small.parents(node)) <= 1


def test_an_attribute_of_many_states_stays_without_arcs():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    codes = np.column_stack(
        [rng.integers(0, 30, 600) // 2 + 15 * y, y ^ (rng.random(600) < 0.2), y]
    )
    states = {"a": tuple(range(30)), "b": (0, 1), "y": (0, 1)}
    data = bnlr.Dataset.from_codes(codes, states, "y")
    for score in ("aic", "cv"):
        structure = cll_search(data, score=score, max_cells=40).structure
        assert "a" in structure.children("y")
        assert not between(structure)


def test_progress_shows_the_time_left(capsys):
    data, _ = sample(4, 2000)
    cll_search(data, score="bic", verbose=1, max_steps=3)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all("left" in line and "BIC" in line for line in lines)
    cll_search(data, score="bic")
    assert capsys.readouterr().err == ""


def test_a_slow_search_keeps_one_line_on_a_terminal(capsys, monkeypatch):
    data, _ = sample(4, 2000)
    monkeypatch.setattr("bnlr.progress._PATIENCE", -1.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    cll_search(data, score="bic", max_steps=2, max_seconds=1000)
    shown = capsys.readouterr().err
    lines = shown.split("\r\x1b[K")
    assert all(line.startswith("bnlr: step ") for line in lines[1:-1])
    assert [line[:11] for line in lines if " left" in line] == ["bnlr: step "] * 2
    assert "step   1, model 1 of at most " in lines[1]
    assert "step   2, model 1 of at most " in shown
    assert shown.endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("options", "named"),
    [
        ({"score": "k2"}, "score"),
        ({"score": None}, "score"),
        ({"start": "kdb"}, "start"),
        ({"start": ["fan"]}, "start"),
        ({"max_parents": -1}, "max_parents"),
        ({"max_cells": 0}, "max_cells"),
        ({"n_folds": 1}, "n_folds"),
        ({"penalty": -1.0}, "penalty"),
        ({"penalty": "cv"}, "penalty"),
        ({"penalty": 3.0, "score": "bic"}, "penalty .*'bic'"),
        ({"compound": "no"}, "compound"),
        ({"max_steps": 1.5}, "max_steps"),
        ({"max_seconds": float("nan")}, "max_seconds"),
    ],
)
def test_options_outside_their_domain(options, named):
    with pytest.raises(ParameterError, match=named):
        cll_search(parity(50), **options)


@pytest.mark.parametrize("data", [None, "rows.csv", pd.DataFrame({"y": [0, 1]})])
def test_only_data_sets_are_searched(data):
    with pytest.raises(ParameterError, match="encode a frame first"):
        cll_search(data)


def test_a_search_is_pickled_whole():
    search = cll_search(parity(200), score="bic")
    again = pickle.loads(pickle.dumps(search))  # noqa: S301  our own
    assert str(again) == str(search)
    assert again.structure == search.structure
    pd.testing.assert_frame_equal(again.steps, search.steps)
    pd.testing.assert_frame_equal(again.weights, search.weights)


@pytest.mark.parametrize("score", ["cv", "validation"])
def test_more_folds_than_rows_leave_one_out(score):
    data = parity(30)
    few, many = (cll_search(data, score=score, n_folds=n, max_steps=0) for n in (40, 10**9))
    assert few.score == many.score


def test_starts_that_cannot_be_used():
    data = parity(50)
    other = bnlr.Structure([("y", "a"), ("y", "z")], "y")
    with pytest.raises(StructureError, match="no node that is not a column"):
        cll_search(data, start=other)
    arcs = [("y", v) for v in "abcd"] + [("a", "b"), ("a", "c"), ("b", "c")]
    with pytest.raises(StructureError, match="max_parents=1"):
        cll_search(data, start=bnlr.Structure(arcs, "y"), max_parents=1)
    crossed = bnlr.Structure([("y", "a"), ("y", "b"), ("y", "c"), ("a", "c"), ("b", "c")], "y")
    with pytest.raises(StructureError, match="not perfect"):
        cll_search(data, start=crossed)


@pytest.mark.slow
def test_missing_cells_are_refused_and_rows_without_a_class_left_out():
    data = parity(60)
    codes = data.codes.copy()
    codes[:5, data.nodes.index("y")] = -1
    part = bnlr.Dataset.from_codes(codes, data.states, "y")
    rest = bnlr.Dataset.from_codes(codes[5:], data.states, "y")
    assert cll_search(part).structure == cll_search(rest).structure
    codes[7, 0] = -1
    with pytest.raises(MissingCellsError, match=r"'cll' compares.*'a'"):
        cll_search(bnlr.Dataset.from_codes(codes, data.states, "y"))


def test_a_class_alone_and_attributes_of_one_state():
    codes = np.array([[0, 0], [0, 1], [0, 1]])
    data = bnlr.Dataset.from_codes(codes, {"a": (0,), "y": (0, 1)}, "y")
    assert cll_search(data, score="bic").structure.attributes == ("a",)
    only = bnlr.Dataset.from_codes(codes[:, 1:], {"y": (0, 1)}, "y")
    assert cll_search(only).structure.edges == ()


@pytest.mark.parametrize("score", SCORES)
def test_any_rows_end_in_a_perfect_structure_no_worse_than_the_start(score):
    @given(problems(n_rows=(2, 40)))
    def check(problem):
        _, data = problem
        try:
            data.check_learnable()
        except DataError:
            with pytest.raises(DataError):
                cll_search(data, score=score)
            return
        search = cll_search(data, score=score, max_steps=6)
        assert bnlr.analyze(search.structure).is_perfect
        assert search.structure.nodes[0] == data.class_name
        assert set(search.structure.nodes) == set(data.nodes)
        assert search.score >= search.start_score - 1e-6 * abs(search.start_score)
        numbers = search.steps.drop(columns=["move", "arc", "separator"]).astype(float)
        assert numbers["penalty"].isna().all() == (score in {"bic", "aic"}) or numbers.empty
        assert np.isfinite(numbers.drop(columns="penalty").to_numpy()).all()
        assert np.isfinite(search.weights.to_numpy()).all()
        assert np.isfinite([search.score, search.cll]).all()

    check()


@pytest.mark.slow
@pytest.mark.parametrize("unit", [1e-150, 1.0, 1e150])
def test_weights_of_any_spread_give_finite_scores(unit):
    """Rows that are fitted perfectly beside the others leave no information."""
    for seed in range(200, 300):
        rng = np.random.default_rng([seed, 1])
        codes = rng.integers(0, 2, (int(rng.integers(2, 8)), 3))
        codes[:2, 0] = 0, 1
        weights = unit * 10.0 ** rng.integers(-8, 9, len(codes))
        states = {"y": (0, 1), "a": (0, 1), "b": (0, 1)}
        search = cll_search(bnlr.Dataset.from_codes(codes, states, "y", weights), score="bic")
        assert np.isfinite([search.score, search.cll]).all()
