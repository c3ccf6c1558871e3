"""The data are the same on every run, and what their names say."""

import numpy as np
import pytest

from benchmarks import workloads
from benchmarks.workloads import FULL, SMOKE, WORKLOADS, MissingDataError

GENERATED = ("W1", "W1nb", "W2", "W4", "W6")


def tasks(name, folder):
    return list(WORKLOADS[name](SMOKE, folder))


@pytest.mark.parametrize("name", GENERATED)
def test_workloads_are_seeded(name, tmp_path):
    for one, two in zip(tasks(name, tmp_path), tasks(name, tmp_path), strict=True):
        np.testing.assert_array_equal(one.data.codes, two.data.codes)
        assert one.structure == two.structure
        assert (one.name, one.penalty, one.races) == (two.name, two.penalty, two.races)


def test_another_seed_gives_other_rows():
    one, two = (workloads.sample(100, 4, 1, seed=seed)[0] for seed in (1, 2))
    assert not np.array_equal(one, two)


def test_rows_do_not_depend_on_blocks(monkeypatch):
    whole = workloads.sample(1000, 4, 2, seed=3)[0]
    monkeypatch.setattr(workloads, "_BLOCK", 7)
    np.testing.assert_array_equal(workloads.sample(1000, 4, 2, seed=3)[0], whole)


def test_sizes_are_those_of_the_issue():
    assert FULL.middle == (200_000, 30)
    assert FULL.large == (2_000_000, 50)


@pytest.mark.parametrize("n_parents", [0, 1, 3])
def test_samples_have_the_structure_asked_for(n_parents):
    codes, cards, parents = workloads.sample(500, 6, n_parents, seed=5)
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
    workloads._draw(rng, codes, 2, [0, 1], cpt)
    for c in range(2):
        for p in range(2):
            seen = codes[2, (codes[0] == c) & (codes[1] == p)]
            np.testing.assert_allclose(
                np.bincount(seen, minlength=3) / len(seen), cpt[c, p], atol=0.01
            )


def test_the_data_set_wraps_the_codes_without_a_copy():
    codes, cards, _ = workloads.sample(100, 3, 1, seed=1)
    data = workloads.dataset(codes, cards)
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
