"""Queries and sets of them: what is refused, frames, labels from event rows."""

import pickle

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import Query, QuerySet


def test_a_query_reads_as_one():
    assert repr(Query({"x": "yes"}, {"y": 1}, p=0.25)) == "Query(x='yes' | y=1; p=0.25)"
    assert repr(Query({"x": "yes"})) == "Query(x='yes')"


def test_queries_are_values():
    one, same = (Query({"x": 1, "z": 0}, {"y": 1}, p=0.5) for _ in range(2))
    assert one == same
    assert hash(one) == hash(Query({"z": 0, "x": 1}, {"y": 1}, p=0.5))
    assert pickle.loads(pickle.dumps(one)) == one  # noqa: S301  its own bytes
    with pytest.raises(TypeError):
        one.targets["x"] = 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (({},), "no targets"),
        (({"x": 1}, {"x": 1}), "'x' is among both"),
        (("x",), "targets is 'x'; give a dictionary"),
        (({"x": None},), "targets has 'x': None"),
        (({3: 1},), "targets has 3: 1"),
        (({"x": 1}, {"y": float("nan")}), "evidence has 'y': nan"),
        (({"x": 1}, {}, 1.5), "p is 1.5"),
        (({"x": 1}, {}, float("nan")), "p is nan"),
        (({"x": 1}, {}, "0.5"), "p is '0.5'"),
        (({"x": 1}, {}, True), "p is True"),
    ],
)
def test_no_queries(arguments, message):
    with pytest.raises(bnlr.ParameterError, match=message):
        Query(*arguments)


def test_one_and_true_are_two_states():
    assert Query({"x": 1}) != Query({"x": True})
    assert Query({"x": 1}) == Query({"x": 1.0})


def test_sets_are_values():
    query = Query({"x": 1}, p=0.5)
    assert QuerySet([query]) == QuerySet([query], [1.0])
    assert hash(QuerySet([query])) == hash(QuerySet([query]))
    assert QuerySet([query]) != QuerySet([query], [2.0])
    assert QuerySet([query]) != [query]


def test_sets_keep_order_repeats_and_weights():
    query, other = Query({"x": 1}, p=0.5), Query({"x": 0})
    queries = QuerySet([query, other, query], [1, 0, 2.5])
    assert list(queries) == [query, other, query]
    assert queries[1] is other
    assert queries.weights.tolist() == [1.0, 0.0, 2.5]
    assert queries[1:].weights.tolist() == [0.0, 2.5]
    assert repr(queries) == "<QuerySet: 3 queries, 2 labelled>"


@pytest.mark.parametrize(
    ("queries", "weights", "message"),
    [
        (3, None, "queries is 3; give a list"),
        ([{"x": 1}], None, "is not a bnlr.Query"),
        ([Query({"x": 1})], [-1.0], "weight -1.0"),
        ([Query({"x": 1})], [1.0, 2.0], "shape"),
    ],
)
def test_no_sets(queries, weights, message):
    with pytest.raises(bnlr.ParameterError, match=message):
        QuerySet(queries, weights)


def test_one_query_and_a_list_of_queries_are_sets():
    query = Query({"x": 1})
    queries = QuerySet([query], [2.0])
    assert QuerySet.of(queries) is queries
    assert QuerySet.of(query) == QuerySet.of([query]) == QuerySet([query])
    for other in (3, "query", {"x": 1}):
        with pytest.raises(bnlr.ParameterError, match=r"give a list of bnlr\.Query, or a bnlr\.Qu"):
            QuerySet.of(other)


def test_frames_make_queries():
    frame = pd.DataFrame(
        {
            "x": ["a", None, "b"],
            "z": [None, 1, 2],
            "y": ["u", None, None],
            "p": [0.5, None, 1.0],
            "n": [1.0, 2.0, 3.0],
        },
        dtype=object,
    )
    queries = QuerySet.from_frame(frame, targets=["x", "z"], p="p", weights="n")
    assert list(queries) == [
        Query({"x": "a"}, {"y": "u"}, p=0.5),
        Query({"z": 1}),
        Query({"x": "b", "z": 2}, p=1.0),
    ]
    assert queries.weights.tolist() == [1.0, 2.0, 3.0]


def test_frames_that_make_none():
    frame = pd.DataFrame({"x": ["a", None], "y": ["u", "v"]})
    with pytest.raises(bnlr.ParameterError, match="row 1 makes no query: a query has no targets"):
        QuerySet.from_frame(frame, targets=["x"])
    with pytest.raises(bnlr.ParameterError, match=r"no column 'xx'.*did you mean 'x'"):
        QuerySet.from_frame(frame, targets=["xx"])


@pytest.mark.parametrize(
    ("frame", "targets", "message"),
    [
        ([1], ["x"], "frame is"),
        (pd.DataFrame({"x": [1]}), None, "targets is None"),
        (pd.DataFrame({"x": [1], "n": ["many"]}), ["x"], "weights must be numbers"),
    ],
)
def test_things_that_are_no_frame_of_queries(frame, targets, message):
    with pytest.raises(bnlr.ParameterError, match=message):
        QuerySet.from_frame(frame, targets, weights="n" if len(frame) and targets else None)


def events():
    frame = pd.DataFrame(
        {
            "x": ["a", "a", "b", None, "b"],
            "y": ["u", "u", "u", "u", "v"],
            "c": ["0", "1", "0", "1", "0"],
        }
    )
    states = {"x": ("a", "b"), "y": ("u", "v", "w"), "c": ("0", "1")}
    return bnlr.Dataset.from_frame(frame, "c", states=states, weights=[1, 2, 1, 5, 1])


def test_labels_are_frequencies_among_matching_rows():
    queries = QuerySet(
        [
            Query({"x": "a"}, {"y": "u"}),
            Query({"x": "a", "c": "1"}, {"y": "u"}),
            Query({"c": "1"}),
            Query({"x": "a"}, {"y": "w"}),
            Query({"x": "a"}, {"y": "u"}, p=0.125),
        ]
    )
    found = queries.labelled_by(events())
    # Rows that lack a target tell nothing of it: 1 + 2 + 1 of weight 9 match y = u with x seen.
    np.testing.assert_allclose(found.labels[:3], [3 / 4, 2 / 4, 7 / 10])
    assert np.isnan(found.labels[3])
    assert found.labels[4] == 0.125
    np.testing.assert_array_equal(found.n_matching, [4.0, 4.0, 10.0, 0.0, np.nan])


def test_labels_by_a_frame():
    with pytest.raises(bnlr.ParameterError, match="data is a DataFrame; encode"):
        QuerySet([Query({"x": "a"})]).labelled_by(events().to_frame())


def test_labels_by_rows_that_lack_a_node():
    with pytest.raises(bnlr.DataError, match="names 'q', which is no node"):
        QuerySet([Query({"q": 1})]).labelled_by(events())
    with pytest.raises(bnlr.StateError, match=r"'d' is no state of 'x', which has 'a', 'b'"):
        QuerySet([Query({"x": "d"})]).labelled_by(events())
