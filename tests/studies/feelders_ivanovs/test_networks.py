"""Artificial networks: names, graphs, the distributions they are drawn from, reproducibility."""

import itertools

import numpy as np
import pytest
from scipy import stats

import bnlr
from studies.feelders_ivanovs import paper
from studies.feelders_ivanovs.networks import NetworkName, generate


def test_names_are_read_and_written_back():
    assert NetworkName.parse("2.5.2-3.100") == NetworkName(2, 5, 2, 3, 100)
    assert NetworkName.parse("3.5.5.1000") == NetworkName(3, 5, 5, 5, 1000)
    for name in ("2.5.2-3.100", "3.5.5.1000", "1.1.2.1", "12.30.2-10.7"):
        assert str(NetworkName.parse(name)) == name


@pytest.mark.parametrize(
    "name",
    [
        *("", "2.5.2-3", "2.5.2-3.100.1", "0.5.2.10", "2.0.2.10", "2.5.1.10", "2.5.3-2.10"),
        *("2.5.2-2.10", "2.5.1-3.10", "2.5.2.0", "02.5.2.10", "2.5.2.1e3", " 2.5.2.10"),
        *("2.5.2.10\n", "٢.5.2.10", "2.5.-3.10", "2,5,2,10", None, 2.5),
    ],
)
def test_other_names_are_refused(name):
    with pytest.raises(bnlr.ParameterError, match=r"network name .* cannot be used.*2-3\.100"):
        generate(name, 0)


@pytest.mark.parametrize("seed", [-1, 1.5, True, None, "0"])
def test_other_seeds_are_refused(seed):
    with pytest.raises(bnlr.ParameterError, match="seed"):
        generate("1.2.2.10", seed)


@pytest.mark.parametrize("name", ["25.30.3.10", "999999.999999999.2.10", "9.9.9.10"])
def test_too_large_networks_are_refused(name):
    with pytest.raises(bnlr.TooLargeError, match="CPTs"):
        generate(name, 0)


@pytest.mark.parametrize("name", paper.ARTIFICIAL)
def test_graphs_and_shapes(name):
    network, data = generate(name, 3)
    p, n, domain, n_rows = name.split(".")
    nodes = network.structure.nodes
    assert nodes == ("class", *(f"x{i}" for i in range(1, int(n) + 1)))
    for i, node in enumerate(nodes[1:], start=1):
        before = [f"x{k}" for k in range(1, i)][-(int(p) - 1) :] if int(p) > 1 else []
        assert network.structure.parents(node) == ("class", *before)
    assert network.structure.parents("class") == ()
    assert bnlr.analyze(network.structure).is_perfect
    assert (data.n_rows, data.nodes) == (int(n_rows), nodes)
    allowed = {2, 3} if domain == "2-3" else {int(domain)}
    assert set(data.cards.values()) <= allowed
    assert dict(data.states) == dict(network.states)
    assert data.is_complete


def test_domains_are_drawn_with_equal_probability_also_the_class_s():
    cards = [tuple(generate("1.4.2-3.1", seed)[1].cards.values()) for seed in range(400)]
    for column in np.array(cards).T:
        assert 0.4 < np.mean(column == 2) < 0.6
    assert len(set(cards)) == 2**5


def test_cpt_rows_are_uniform_on_the_simplex():
    # The first of d coordinates of a Dirichlet(1) vector has a Beta(1, d − 1) distribution.
    network, _ = generate("3.40.3.1", 0)
    rows = np.concatenate([cpt.reshape(-1, 3) for cpt in network.cpts.values()])
    assert len(rows) > 900
    for column in rows.T:
        assert stats.kstest(column, stats.beta(1, 2).cdf).pvalue > 0.01
    pairs = np.array(list(itertools.pairwise(rows[:, 0])))
    assert abs(np.corrcoef(pairs.T)[0, 1]) < 0.1


def test_rows_follow_the_network():
    network, data = generate("2.3.2.20000", 1)
    counts = np.zeros([data.cards[node] for node in data.nodes])
    np.add.at(counts, tuple(data.codes.T), 1)
    expected = np.zeros_like(counts)
    for cell in np.ndindex(counts.shape):
        code = dict(zip(data.nodes, cell, strict=True))
        expected[cell] = data.n_rows * np.prod(
            [
                network.cpts[n][(*(code[p] for p in network.structure.parents(n)), code[n])]
                for n in data.nodes
            ]
        )
    assert expected.min() > 5
    assert stats.chisquare(counts.ravel(), expected.ravel()).pvalue > 1e-3


def test_states_that_never_occur_are_kept():
    _, data = generate("1.30.5.3", 0)
    assert set(data.cards.values()) == {5}
    assert max(len(np.unique(data.column(node))) for node in data.nodes) <= 3


def test_seeded_by_name_and_seed():
    first, again = generate("2.5.2-3.100", 7)[1], generate("2.5.2-3.100", 7)[1]
    assert first.codes.tobytes() == again.codes.tobytes()
    others = [generate("2.5.2-3.100", 8), generate("1.5.2-3.100", 7), generate("2.5.2-3.101", 7)]
    priors = {network.cpts["class"].tobytes() for network, _ in others}
    assert len(priors | {generate("2.5.2-3.100", 7)[0].cpts["class"].tobytes()}) == 4
