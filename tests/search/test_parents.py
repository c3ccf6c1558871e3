"""Identifiers are joined to no other attribute by any learner, and change nothing between these."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.model_selection import StratifiedKFold, cross_val_score

import bnlr
from bnlr.search.parents import possible_parents
from tests.width import examples

LEARNERS = {
    "naive-bayes": {},
    "tan": {},
    "fan": {},
    "kdb": {"k": 2},
    "hgc": {"score": "k2"},
    "hgc ": {"score": "bdeu", "start": "empty"},
    "tpda": {"threshold": 0.0},
    "score-tan": {},
    "score-fan": {},
    "score-kdb": {},
    "cll": {"score": "bic", "max_steps": 2, "compound": False, "start": "naive-bayes"},
}
FORMS = {
    "names": lambda rng, n: [f"name {k}" for k in rng.permutation(n)],
    "floats as text": lambda rng, n: [f"{k / 7:.4f}" for k in rng.permutation(n)],
    "integers": lambda rng, n: rng.permutation(n) + 1000,
    "few repeats": lambda rng, n: [f"name {max(k - n // 10, 0)}" for k in rng.permutation(n)],
    "twice each": lambda rng, n: [f"name {k // 2}" for k in rng.permutation(n)],
    "dates": lambda rng, n: rng.permutation(pd.date_range("2001", periods=n).strftime("%d.%m.%Y")),
    "categories": lambda rng, n: pd.Categorical([f"name {k}" for k in rng.permutation(n)]),
    "holes": lambda rng, n: np.where(rng.random(n) < 0.3, None, rng.permutation(n).astype(str)),
}


def attributes(rng, n_rows):
    """Rows of a random tree over few attributes of two to four states."""
    y = rng.integers(0, 2, n_rows)
    columns = {"class": y}
    for k in range(int(rng.integers(2, 5))):
        above = columns[rng.choice(list(columns))]
        noise = rng.integers(0, rng.integers(2, 5), n_rows)
        columns[f"a{k}"] = np.where(rng.random(n_rows) < 0.6, above, noise)
    return pd.DataFrame(columns)


def dataset(frame, weights=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bnlr.Dataset.from_frame(frame, "class", weights=weights)


def learnt(data, learner):
    return bnlr.learn_structure(data, learner.strip(), **LEARNERS[learner])


@pytest.mark.parametrize("learner", LEARNERS)
@examples(8)
@given(st.integers(0, 2**32), st.sampled_from([40, 150, 500]), st.sampled_from(list(FORMS)))
def test_no_arc_leaves_an_identifier(learner, seed, n_rows, form):
    """Wherever the column stands, and whatever it is called; the others keep their arcs."""
    rng = np.random.default_rng(seed)
    frame = attributes(rng, n_rows)
    name = str(rng.choice(["a", "a1b", "z"]))
    column = FORMS[form](rng, n_rows)
    if form == "holes" and learner in ("hgc", "hgc ", "cll"):
        column = np.where(column == None, "none", column)  # noqa: E711  cell by cell
    with_column = frame.copy()
    with_column.insert(int(rng.integers(0, frame.shape[1] + 1)), name, column)
    # From the first to the last row of the frame nothing but the column differs.
    structure = learnt(dataset(with_column), learner)
    assert structure.children(name) == ()
    assert set(structure.parents(name)) <= {"class"}
    if learner == "cll":  # a step may drop it
        return
    plain = learnt(dataset(frame), learner)
    assert {arc for arc in structure.edges if name not in arc} == set(plain.edges)


@given(st.integers(0, 2**32), st.integers(4, 200), st.integers(1, 40), st.booleans())
def test_which_columns_may_be_parents_depends_on_the_rows_alone(seed, n_rows, n_labels, is_holed):
    """As the formula counts them with pandas, whatever the order of rows and columns."""
    rng = np.random.default_rng(seed)
    frame = attributes(rng, n_rows)
    frame["b"] = [f"n{k}" for k in rng.integers(0, n_labels, n_rows)]
    if is_holed:
        frame["b"] = frame["b"].where(rng.random(n_rows) < 0.5, None)
        frame.loc[0, "b"] = "n0"
    weights = rng.integers(0, 4, n_rows).astype(float)
    weights[0] = 1.0
    seen = frame["b"].notna() & (weights > 0)
    k, n = frame.loc[seen, "b"].nunique(), weights[seen].sum()
    is_barred = n >= 20 and (k - 1) * np.log(n) > 2 * n * np.log(2)
    others = [column for column in frame if column not in ("class", "b")]
    order = rng.permutation(n_rows)
    for data in (
        dataset(frame, weights),
        dataset(frame.iloc[order, ::-1], weights[order]),
        dataset(frame.loc[frame.index.repeat(weights.astype(int))]),
    ):
        assert sorted(possible_parents(data)) == sorted(others + ["b"] * (not is_barred))


@pytest.mark.slow
def test_arcs_that_a_user_gives_stay():
    rng = np.random.default_rng(3)
    frame = attributes(rng, 200).assign(id=FORMS["names"](rng, 200))
    data = dataset(frame)
    given = bnlr.Structure.naive_bayes(["a0", "a1", "id"], "class").with_arcs([("id", "a0")])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = bnlr.BNClassifier(given, penalty=1.0).fit(
            frame.drop(columns="class"), frame["class"]
        )
    assert set(model.network_.structure.edges) == set(given.edges)
    start = bnlr.Structure.naive_bayes([n for n in data.nodes if n != "class"], "class")
    start = start.with_arcs([("id", "a0")])
    for learner, options in (("hgc", {"max_parents": 3}), ("cll", {"max_steps": 0})):
        structure = bnlr.learn_structure(data, learner, start=start, **options)
        assert not set(structure.edges) & {("id", "a1"), ("a1", "id")}
    assert ("id", "a0") in structure.edges or ("a0", "id") in structure.edges
    assert bnlr.learn_structure(data, "tan", root="id").children("id") == ()


@pytest.mark.slow
def test_an_identifier_costs_tan_little():
    """On 0.1.0 the accuracy fell from 0.99 to 0.73."""
    frame = bnlr.load_dataset("tic-tac-toe")
    X, y = frame.drop(columns="class"), frame["class"]
    names = [f"game {k}" for k in np.random.default_rng(0).permutation(len(X))]
    folds = StratifiedKFold(3, shuffle=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for column, options in ((names, {}), ([*range(len(X))], {"discretize": None})):
            tan = bnlr.BNClassifier("tan", **options)
            assert cross_val_score(tan, X.assign(id=column), y, cv=folds).mean() > 0.95
