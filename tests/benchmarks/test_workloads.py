"""The data are the same on every run, and what their names say."""

from itertools import combinations
from math import prod

import networkx as nx
import numpy as np
import pytest

import benchmarks.__main__
from benchmarks import generated, workloads
from benchmarks.generated import hidden, sample_dag, structure_of
from benchmarks.workloads import FULL, SMOKE, WORKLOADS, MissingDataError, Sizes

GENERATED = ("W1", "W1nb", "W2", "W4", "W5", "W6", "W8", "W9")


def tasks(name, folder):
    return list(WORKLOADS[name](SMOKE, folder))


@pytest.mark.parametrize("name", GENERATED)
def test_workloads_are_seeded(name, tmp_path):
    for one, two in zip(tasks(name, tmp_path), tasks(name, tmp_path), strict=True):
        np.testing.assert_array_equal(one.data.codes, two.data.codes)
        assert one.structure == two.structure
        assert (one.name, one.penalty, one.races) == (two.name, two.penalty, two.races)


def test_another_seed_gives_other_rows():
    one, two = (generated.sample(100, 4, 1, seed=seed)[0] for seed in (1, 2))
    assert not np.array_equal(one, two)


def test_rows_do_not_depend_on_blocks(monkeypatch):
    whole = generated.sample(1000, 4, 2, seed=3)[0]
    monkeypatch.setattr(generated, "_BLOCK", 7)
    np.testing.assert_array_equal(generated.sample(1000, 4, 2, seed=3)[0], whole)


def test_sizes_are_those_of_the_issue():
    assert FULL.middle == (200_000, 30)
    assert FULL.large == (2_000_000, 50)
    assert FULL.holed == (3196, 36)
    assert FULL.asked == (100_000, 29)
    assert FULL.asked_dag == (100_000, 36)


def test_the_random_dag_has_the_junction_tree_of_the_issue(tmp_path):
    """37 nodes of 2 to 4 states, up to 3 parents, about 7,000 cells; an elimination by hand."""
    few = Sizes(asked=(5, 3), asked_dag=(5, 36))
    _, task = WORKLOADS["W8"](few, tmp_path)
    structure, cards = task.structure, task.data.cards
    assert len(structure.nodes) == 37
    assert set(cards.values()) == {2, 3, 4}
    assert max(len(structure.parents(n)) for n in structure.nodes) == 3
    assert 6000 < min_fill_cells(structure, cards) < 8000


def min_fill_cells(structure, cards):
    """Cells of the maximal cliques, nodes eliminated by least fill-in, then by least cells."""
    graph = nx.Graph()
    graph.add_nodes_from(structure.nodes)
    for node in structure.nodes:
        graph.add_edges_from(combinations((*structure.parents(node), node), 2))
    cliques = []
    while graph:
        node = min(graph, key=lambda n: (fill_in(graph, n), prod(cards[m] for m in {n, *graph[n]})))
        around = set(graph[node])
        if not any({node, *around} <= clique for clique in cliques):
            cliques.append({node, *around})
        graph.add_edges_from(combinations(around, 2))
        graph.remove_node(node)
    return sum(prod(cards[n] for n in clique) for clique in cliques)


def fill_in(graph, node):
    return sum(not graph.has_edge(a, b) for a, b in combinations(graph[node], 2))


def test_holes_are_a_quarter_of_the_attributes_cells_and_nothing_else_changes(tmp_path):
    (task,) = WORKLOADS["W5"](FULL, tmp_path)
    assert task.data.n_rows == 3196
    assert task.data.cards == dict.fromkeys(task.data.nodes, 2)
    assert task.whole.is_complete
    assert (task.data.class_codes == task.whole.class_codes).all()
    holes = task.data.codes < 0
    assert holes[:, 1:].mean() == pytest.approx(0.25, abs=0.005)
    assert (np.where(holes, 0, task.data.codes - task.whole.codes) == 0).all()
    for node in task.data.nodes[1:]:
        assert 0.2 < (task.data.column(node) < 0).mean() < 0.3


def test_holes_are_seeded():
    codes, cards, _ = generated.sample(300, 4, 1, seed=1)
    data = generated.dataset(codes, cards)
    one, same, other = (hidden(data, 0.5, seed).codes for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_a_random_dags_nodes_follow_their_parents():
    codes, cards, parents = sample_dag(200, 12, 3, seed=4)
    assert parents[0] == []
    assert all(p < node for node, above in enumerate(parents) for p in above)
    assert {len(above) for above in parents[3:]} == {0, 1, 2, 3}
    assert (codes < np.array(cards)[:, None]).all()
    structure = structure_of(generated.dataset(codes, cards), parents)
    assert [len(structure.parents(n)) for n in structure.nodes] == [len(p) for p in parents]


@pytest.mark.parametrize("n_parents", [0, 1, 3])
def test_samples_have_the_structure_asked_for(n_parents):
    codes, cards, parents = generated.sample(500, 6, n_parents, seed=5)
    assert codes.shape == (7, 500)
    assert [len(above) for above in parents] == [0, *(min(n_parents, k) for k in range(6))]
    for node, above in enumerate(parents):
        assert all(0 < p < node for p in above)
    assert all(2 <= card <= 4 for card in cards[1:])
    assert (codes < np.array(cards)[:, None]).all()


def test_frequencies_approach_the_network():
    """Each column is drawn from its CPT: the tree's conditional frequencies, against the CPT."""
    rng = np.random.default_rng(0)
    codes = np.zeros((3, 200_000), np.uint8)
    codes[0], codes[1] = rng.integers(0, 2, (2, 200_000))
    cpt = rng.dirichlet(np.ones(3), (2, 2))
    generated._draw(rng, codes, 2, [0, 1], cpt)
    for c in range(2):
        for p in range(2):
            seen = codes[2, (codes[0] == c) & (codes[1] == p)]
            np.testing.assert_allclose(
                np.bincount(seen, minlength=3) / len(seen), cpt[c, p], atol=0.01
            )


def test_the_data_set_wraps_the_codes_without_a_copy():
    codes, cards, _ = generated.sample(100, 3, 1, seed=1)
    data = generated.dataset(codes, cards)
    assert np.shares_memory(data.codes, codes)
    assert data.codes.flags.f_contiguous
    assert list(data.cards.values()) == cards


def test_levels_are_few_and_all_occupied():
    values = np.random.default_rng(0).integers(0, 16, 5000).astype(float)
    codes = workloads.coarse(values)
    assert codes.max() < 8
    assert np.bincount(codes).min() > 0
    # Codes keep the order of the values.
    assert (np.diff(codes[np.argsort(values)]) >= 0).all()


def test_letter_is_left_out_where_it_is_not(tmp_path):
    with pytest.raises(MissingDataError, match=r"letter\.csv"):
        next(WORKLOADS["W2"](FULL, tmp_path))


def test_vote_is_generated_where_it_is_not(tmp_path):
    data = workloads.vote(tmp_path)
    assert data.codes.shape == (435, 17)


def test_an_abstention_is_a_value(tmp_path):
    (tmp_path / "vote.csv").write_text("a,class\ny,d\n,r\n?,r\nn,d\n", encoding="utf-8")
    data = workloads.vote(tmp_path)
    assert data.states["a"] == ("?", "n", "y")
    assert data.is_complete


def test_each_workload_is_told():
    told = benchmarks.__main__.__doc__
    assert [name for name in WORKLOADS if f"{name} " not in told] == []
