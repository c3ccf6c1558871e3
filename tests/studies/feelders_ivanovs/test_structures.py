"""The greedy search against a literal one that scores and judges every graph anew."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.search.score import FamilyScores
from studies.feelders_ivanovs.structures import augmented_naive_bayes


def random_dataset(seed, n_attributes=5, n_rows=150):
    rng = np.random.default_rng(seed)
    codes = np.zeros((n_rows, n_attributes + 1), dtype=int)
    codes[:, 0] = rng.integers(0, 2, n_rows)
    for i in range(1, n_attributes + 1):
        above = codes[:, rng.integers(0, i, 2)].sum(axis=1)
        noise = rng.integers(0, 3, n_rows)
        codes[:, i] = np.where(rng.random(n_rows) < 0.7, above % 3, noise)
    states = {f"n{i}": (0, 1, 2) for i in range(n_attributes + 1)}
    return bnlr.Dataset.from_codes(codes, states, "n0")


def literal(data, kind="bic"):
    structure = bnlr.learn_structure(data, "naive-bayes")
    while True:
        now = FamilyScores(data, kind).total(structure)
        found = []
        for arc in itertools.permutations(structure.attributes, 2):
            if arc in structure.edges or arc[::-1] in structure.edges:
                continue
            try:
                grown = structure.with_arcs([arc])
            except bnlr.CyclicStructureError:
                continue
            if bnlr.analyze(grown).is_perfect:
                found.append((FamilyScores(data, kind).total(grown) - now, grown))
        best = max((gain for gain, _ in found), default=0.0)
        if best <= 1e-8:
            return structure
        structure = next(grown for gain, grown in found if gain >= best - 1e-8)


@given(st.integers(0, 10_000), st.sampled_from(["bic", "aic", "log-likelihood"]))
def test_equals_the_literal_search(seed, kind):
    data = random_dataset(seed)
    assert augmented_naive_bayes(data, kind) == literal(data, kind)


def test_arcs_are_found_and_parents_married():
    sizes = [len(augmented_naive_bayes(random_dataset(seed)).edges) - 5 for seed in range(5)]
    assert min(sizes) >= 1
    # By likelihood alone every pair is joined that may be.
    complete = augmented_naive_bayes(random_dataset(0), "log-likelihood")
    assert len(complete.edges) == 5 + 10
    assert bnlr.analyze(complete).is_perfect


def test_independent_attributes_stay_so():
    rows = np.array(list(itertools.product((0, 1), repeat=4)))
    data = bnlr.Dataset.from_codes(rows, dict.fromkeys("cabd", (0, 1)), "c")
    assert augmented_naive_bayes(data) == bnlr.learn_structure(data, "naive-bayes")
    alone = bnlr.Dataset.from_codes(rows[:, :1], {"c": (0, 1)}, "c")
    assert augmented_naive_bayes(alone).edges == ()


def test_tic_tac_toe_has_six_arcs_among_many_equal_gains():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("tic-tac-toe"), "class")
    structure = augmented_naive_bayes(data)
    assert structure.edges[9:] == (
        ("top-left-square", "middle-right-square"),
        ("top-left-square", "bottom-middle-square"),
        ("top-middle-square", "bottom-left-square"),
        ("top-middle-square", "bottom-right-square"),
        ("top-right-square", "middle-left-square"),
        ("bottom-middle-square", "top-right-square"),
    )
    assert bnlr.analyze(structure).is_perfect
    shuffled = data.take(np.random.default_rng(0).permutation(data.n_rows))
    assert augmented_naive_bayes(shuffled) == structure


def test_unusable_data():
    data = random_dataset(0)
    with pytest.raises(bnlr.ParameterError, match="score is"):
        augmented_naive_bayes(data, "mdl")
    codes = np.array(data.codes)
    codes[3, 2] = -1
    with pytest.raises(bnlr.MissingCellsError, match="n2"):
        augmented_naive_bayes(bnlr.Dataset.from_codes(codes, data.states, "n0"))
