"""What the solver of one run is given: the scale in which L-BFGS needs few iterations."""

import numpy as np
import pytest

import bnlr
from bnlr.learn.runs import run
from bnlr.learn.runs.solver import find_minimum
from tests.width import width

M, K = 8, 3


def kdb_rows(seed):
    """Rows of a random network in which attributes depend on up to three others."""
    rng = np.random.default_rng(seed)
    n_classes, cards = int(rng.integers(2, 5)), rng.integers(2, 5, M)
    codes = np.empty((int(rng.integers(1000, 4000)), M + 1), dtype=np.int64)
    codes[:, M] = rng.integers(0, n_classes, len(codes))
    for j in range(M):
        parents = rng.choice(j, min(int(rng.integers(1, 4)), j), replace=False)
        key = codes[:, M].copy()
        for parent in parents:
            key = key * cards[parent] + codes[:, parent]
        cpt = rng.dirichlet(np.ones(cards[j]), size=key.max() + 1).cumsum(axis=1)
        codes[:, j] = (rng.random(len(codes))[:, None] > cpt[key][:, :-1]).sum(axis=1)
    states = {f"a{j}": range(int(card)) for j, card in enumerate(cards)}
    return bnlr.Dataset.from_codes(codes, {**states, "c": range(n_classes)}, "c")


@pytest.mark.parametrize("seed", range(width(24, 6)))
def test_cpts_under_a_penalty_are_found_in_two_thirds_of_the_iterations(seed):
    """Of those that L-BFGS makes in β as it is."""
    data = kdb_rows(seed)
    structure = bnlr.learn_structure(data, "kdb", k=K)
    penalty = float(10.0 ** np.random.default_rng(seed).uniform(-1, 1))

    def lowest(max_iter, **options):
        how = {"learner": "elr", "solver": "l-bfgs", "penalty": penalty, "max_iter": max_iter}
        return min(row.value for row in bnlr.fit(structure, data, **how, **options).rows)

    plain = np.ones(bnlr.Softmax(structure, data.states).size)
    assert lowest(20) <= lowest(30, scale=plain)


@pytest.mark.parametrize(("few", "memory"), [(run._FEW_LOOKUPS, 5), (1e-3, None)])
def test_few_steps_are_remembered_where_rows_cost_less(few, memory, monkeypatch):
    """Of CPT entries for which a pass makes few lookups; whoever asks for a memory gets it."""
    seen = []

    def told(*given, **options):
        seen.append(options.get("memory"))
        return find_minimum(*given, **options)

    monkeypatch.setattr(run, "find_minimum", told)
    monkeypatch.setattr(run, "_FEW_LOOKUPS", few)
    rng, cards = np.random.default_rng(0), (12, 13, 2, 8)
    codes = np.column_stack([rng.integers(0, card, 60) for card in cards])
    states = dict(zip("abcd", map(range, cards), strict=True))
    data = bnlr.Dataset.from_codes(codes, states, "c")
    arcs = [*(("c", x) for x in "abd"), ("a", "d"), ("b", "d")]
    structure = bnlr.Structure(arcs, "c", tuple("abcd"))
    assert bnlr.Softmax(structure, data.states).size > run.LARGEST
    how = {"learner": "elr", "solver": "l-bfgs", "penalty": 1.0, "max_iter": 3}
    bnlr.fit(structure, data, callback=lambda _: False, **how)
    bnlr.fit(structure, data, callback=lambda _: False, memory=7, **how)
    assert seen == [memory, 7]
