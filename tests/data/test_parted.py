"""Rows in parts against the same rows at hand: sums, structures, fits; no cluster is needed."""

import inspect
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from benchmarks.generated import sample
from bnlr.data.parted import PartedDataset
from bnlr.data.parts import Node, PartsAtHand, added, cuts, put_together, top
from bnlr.design.packed_rows import Design, Linearisation
from bnlr.design.parted_rows import PartedDesign, PartedLinearisation
from bnlr.learn.frequencies import frequency_network
from bnlr.learn.shrinkage.folds import Folds, PartedFolds
from bnlr.learn.statistics.maximum import maximum_of
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.parted_evidence import PartedEvidenceRows
from tests.width import in_full


def made(seed, n_rows=300, n_attributes=4, n_classes=2, weighted=False, holes=0.0):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, n_classes, n_rows)
    columns = [classes]
    for _ in range(n_attributes):
        told = (classes + columns[-1]) % 3
        columns.append(np.where(rng.random(n_rows) < 0.4, told, rng.integers(0, 3, n_rows)))
    codes = np.column_stack(columns)
    codes[rng.random(codes.shape) < holes] = -1
    states = {"class": tuple(range(n_classes))}
    states |= {f"a{k}": (0, 1, 2) for k in range(n_attributes)}
    weights = rng.integers(0, 4, n_rows) if weighted else None
    return bnlr.Dataset.from_codes(codes, states, "class", weights)


def sent(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301  our own bytes


class SentParts(PartsAtHand):
    """Parts of which all that would travel between processes is pickled, and comes back anew."""

    def map(self, function, *arguments):
        mapped = super().map(*sent((function, *arguments)))
        return SentParts(sent(mapped._parts), self.trips)

    def _folded(self, function, arguments, combine, *, is_numbered):
        function, arguments, combine = sent((function, arguments, combine))
        return sent(super()._folded(function, arguments, combine, is_numbered=is_numbered))


def in_parts(data, n_parts, block_rows=32):
    blocks = [data.take(slice(k, k + block_rows)) for k in range(0, data.n_rows, block_rows)]
    parts = [(a, blocks[a:b]) for a, b in pairwise(cuts(len(blocks), n_parts))]
    return PartedDataset(SentParts(sent(parts)), data.take(slice(0, 0)))


@given(st.integers(1, 70), st.integers(1, 9), st.randoms())
def test_the_tree_of_sums_does_not_hang_on_the_parts(n_blocks, n_parts, random):
    values = [random.uniform(-1, 1) * 10 ** random.randint(-9, 9) for _ in range(n_blocks)]
    leaves = [Node(0, k, value) for k, value in enumerate(values)]
    runs = (put_together(leaves[a:b], added) for a, b in pairwise(cuts(n_blocks, n_parts)))
    assert top((node for run in runs for node in run), added) == top(leaves, added)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.integers(1, 12), st.booleans(), st.sampled_from([0.0, 0.1]))
def test_counts_and_structures_are_those_of_rows_at_hand(seed, n_parts, weighted, holes):
    data = made(seed, weighted=weighted, holes=holes)
    parted = in_parts(data, n_parts)
    assert parted.n_rows == data.n_rows
    assert parted.missing_counts == data.missing_counts
    assert parted.most_frequent == data.most_frequent
    for method in ["naive-bayes", "tan", "fan", "kdb"]:
        structure = bnlr.learn_structure(data, method)
        assert bnlr.learn_structure(parted, method) == structure
    one, other = (frequency_network(structure, d) for d in (data, parted))
    for node in structure.nodes:
        np.testing.assert_array_equal(one.cpts[node], other.cpts[node])


@pytest.mark.parametrize(("weighted", "n_classes"), [*in_full((False, 2), (True, 2)), (True, 3)])
def test_fits_are_those_of_rows_at_hand_and_the_same_in_any_parts(weighted, n_classes):
    data = made(1, 600, weighted=weighted, n_classes=n_classes)
    structure = bnlr.learn_structure(data)
    here = bnlr.fit(structure, data)
    there = [bnlr.fit(structure, in_parts(data, n)) for n in (1, 2, 5, 17)]
    assert len({result.cll for result in there}) == 1
    assert there[0].cll == pytest.approx(here.cll, rel=1e-12)
    assert there[0].upper_bound == pytest.approx(here.upper_bound, rel=1e-6)
    assert there[0].separation.verdict == here.separation.verdict == "finite"
    parted = in_parts(data, 3)
    information, other = (maximum_of(r, d) for r, d in ((here, data), (there[1], parted)))
    np.testing.assert_allclose(other.covariance, information.covariance, rtol=1e-6, atol=1e-9)
    assert (other.rank, other.null_rank) == (information.rank, information.null_rank)
    assert str(there[1].significance(parted))
    for name in ["log_likelihood", "conditional_log_likelihood"]:
        expected = getattr(here.network, name)(data)
        assert getattr(here.network, name)(parted) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_classes", [2, *in_full(3)])
@pytest.mark.parametrize("penalty", [1.0, 100.0])
def test_penalised_fits_come_to_one_optimum_in_any_parts_and_order(penalty, n_classes):
    data = made(1, 4000, n_attributes=6, n_classes=n_classes)
    structure = bnlr.learn_structure(data)
    # What is maximised is the CLL less the penalty: the CLL follows by the root of ``tol``.
    asked = {"penalty": penalty, "tol": 1e-12}
    here = bnlr.fit(structure, data, **asked)
    mixed = data.take(np.random.default_rng(0).permutation(data.n_rows))
    for parted in (in_parts(data, 1, 512), in_parts(data, 5, 512), in_parts(mixed, 3, 512)):
        assert bnlr.fit(structure, parted, **asked).cll == pytest.approx(here.cll, rel=1e-12)


ASKED = [
    ({"learner": "frequencies"}, 1e-13),
    ({"learner": "em"}, 1e-12),
    *in_full(
        ({"learner": "apn"}, 1e-12),
        # Hessians by differences of gradients make more of the last digits.
        ({"learner": "elr", "penalty": 1.0}, 1e-9),
        ({"learner": "elr", "penalty": "cv"}, 1e-7),
    ),
]


@pytest.mark.parametrize(("asked", "near"), ASKED)
@pytest.mark.parametrize("method", ["tan", pytest.param("kdb", marks=pytest.mark.slow)])
def test_learners_with_holes_are_those_of_rows_at_hand(asked, near, method):
    data = made(7, 600, weighted=True, n_classes=3, holes=0.1)
    structure = bnlr.learn_structure(data, method)
    here = bnlr.fit(structure, data, **asked)
    there = [bnlr.fit(structure, in_parts(data, n), **asked) for n in (1, 5)]
    whole = bnlr.fit(structure, in_parts(data, 1, block_rows=4096), **asked)
    assert whole.cll == here.cll
    assert whole.log_likelihood == here.log_likelihood
    assert len({result.cll for result in there}) == 1
    assert there[0].cll == pytest.approx(here.cll, rel=near)
    for node in structure.nodes:
        np.testing.assert_array_equal(there[0].network.cpts[node], there[1].network.cpts[node])


@pytest.mark.parametrize("method", ["tan", "kdb"])
@pytest.mark.parametrize("learner", ["lr", "elr", "apn", "em"])
def test_a_single_block_gives_what_rows_at_hand_do(method, learner):
    data = made(2, 500, weighted=True)
    structure = bnlr.learn_structure(data, method)
    asked = {"learner": learner, "nonperfect": "embed" if learner == "lr" else "elr"}
    if learner in {"lr", "elr"}:
        asked |= {"penalty": 2.0, "penalty_center": "scaled"}
    parted = in_parts(data, 1, block_rows=1000)
    one, other = (bnlr.fit(structure, d, **asked) for d in (data, parted))
    # Few rows of two classes have a solver of their own here, which stops elsewhere within ``tol``.
    near = 1e-10 if learner == "lr" else 1e-15
    assert other.cll == pytest.approx(one.cll, rel=near)
    assert other.center_scale == pytest.approx(one.center_scale, abs=1e-9)


@pytest.mark.slow
def test_the_scale_of_holed_rows_is_about_that_of_one_machine():
    data = made(8, 900, holes=0.1)
    structure = bnlr.learn_structure(data)
    asked = {"learner": "elr", "penalty": 3.0, "penalty_center": "scaled"}
    here = bnlr.fit(structure, data, **asked)
    one, other = (bnlr.fit(structure, in_parts(data, n), **asked) for n in (1, 4))
    assert one.center_scale == other.center_scale
    assert one.center_scale == pytest.approx(here.center_scale, rel=0.1)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_significance_is_that_of_rows_at_hand(n_classes):
    data = made(9, 500, weighted=True, n_classes=n_classes)
    result = bnlr.fit(bnlr.learn_structure(data), data)
    here = result.significance(data).table.select_dtypes("number")
    for n_parts in (1, 4):
        there = result.significance(in_parts(data, n_parts)).table.select_dtypes("number")
        np.testing.assert_allclose(there, here, rtol=1e-11)


@pytest.mark.parametrize(
    ("far", "near"),
    [
        (PartedDesign, Design),
        (PartedLinearisation, Linearisation),
        (PartedEvidenceRows, EvidenceRows),
        (PartedFolds, Folds),
    ],
)
def test_what_is_elsewhere_is_asked_as_what_is_at_hand(far, near):
    for name, function in vars(far).items():
        if name.startswith("_") or not inspect.isfunction(function):
            continue
        own = inspect.signature(function).parameters.values()
        theirs = inspect.signature(getattr(near, name)).parameters.values()
        assert [(p.name, p.default, p.kind) for p in own] == [
            (p.name, p.default, p.kind) for p in theirs
        ]


MANY = [pytest.param(k, 300_000, marks=pytest.mark.slow) for k in (2, 4)]


@pytest.mark.slow
@pytest.mark.parametrize(("n_classes", "n_rows"), [(2, 20_000), *MANY])
def test_a_fit_makes_few_trips(n_classes, n_rows):
    codes, cards, _ = sample(n_rows, 50, 1, seed=1, n_classes=n_classes)
    nodes = ["class", *(f"a{k}" for k in range(50))]
    states = {node: tuple(range(card)) for node, card in zip(nodes, cards, strict=True)}
    data = bnlr.Dataset.from_codes(codes.T, states, "class")
    structure = bnlr.learn_structure(data)
    for options, most in {"": 30, "zero": 30, "scaled": 45}.items():
        parted = in_parts(data, 2, block_rows=2**14)
        penalty = {"penalty": 3.0, "penalty_center": options} if options else {}
        result = bnlr.fit(structure, parted, **penalty)
        assert result.converged
        assert parted.trips <= most


def test_a_separated_class_is_found_by_its_distinct_rows():
    data = made(3, 400)
    codes = np.array(data.codes)
    codes[:, 1] = codes[:, 0]
    data = bnlr.Dataset.from_codes(codes, data.states, "class")
    structure = bnlr.learn_structure(data, "naive-bayes")
    with pytest.warns(bnlr.SeparationWarning):
        result = bnlr.fit(structure, in_parts(data, 3))
    assert result.separation.verdict == "complete"


def test_what_needs_rows_at_hand_says_how_to_get_some():
    data = made(4)
    parted = in_parts(data, 3)
    for ask in [
        lambda: parted.codes,
        lambda: bnlr.learn_structure(parted, "cll"),
        lambda: bnlr.fit(bnlr.learn_structure(data), parted, "dfe"),
    ]:
        with pytest.raises(bnlr.DataError, match="sample"):
            ask()
    some = parted.sample(50, random_state=0)
    np.testing.assert_array_equal(some.codes, in_parts(data, 7).sample(50, random_state=0).codes)
    assert some.n_rows == 50
