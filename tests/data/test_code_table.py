"""Which attributes have states in order, and that nothing on a data set's way forgets it."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.classifier.missing.as_state import missing_as_states
from bnlr.data.labels import are_steps
from bnlr.data.missing_states import add_missing_states
from bnlr.search.parents import among_possible_parents

ORDER = {"size": 3, "count": 3, "rate": 2}


@pytest.fixture
def frame():
    sizes = pd.CategoricalDtype(["small", "middle", "large"], ordered=True)
    return pd.DataFrame(
        {
            "size": pd.Series(["small", "large", None, "middle"], dtype=sizes),
            "kind": pd.Categorical(["b", "a", "b", "a"]),
            "count": [3, 1, 10, 3],
            "rate": [0.5, 2.0, None, 0.5],
            "text": ["1", "2", "3", "1"],
            "flag": [True, False, True, False],
            "mixed": ["x", 1, 2, "x"],
            "class": ["no", "yes", "no", "yes"],
        }
    )


@pytest.fixture
def data(frame):
    return bnlr.Dataset.from_frame(frame, "class")


def test_ordered_are_ordered_categories_and_numbers(data):
    assert dict(data.ordered) == ORDER
    assert dict(data.order) == {"size": 3}


@pytest.mark.parametrize(
    ("labels", "expected"),
    [
        ((1, 2), True), ((3, 1.5, -1), True), ((1, 3, 2), False), ((1,), False), ((), False),
        ((False, True), False), (("1", "2"), False), ((1, 2, "missing"), False),
    ],
)  # fmt: skip
def test_numbers_that_rise_or_fall_are_steps(labels, expected):
    assert are_steps(labels) is expected


def test_it_stays_on_every_way(data, frame):
    chunks = [frame.iloc[:2], frame.iloc[2:]]
    ways = {
        "rows": data.take([0, 3]),
        "a pickle": pickle.loads(pickle.dumps(data)),  # noqa: S301  our own
        "a frame": bnlr.Dataset.from_frame(data.to_frame(), "class"),
        "states": bnlr.Dataset.from_frame(frame, "class", states=data.states),
        "chunks": bnlr.Dataset.from_chunks(chunks, "class"),
        "chunks with states": bnlr.Dataset.from_chunks(chunks, "class", states=data.states),
        "other weights": replace(data, row_weights=np.ones(4)),
    }
    for name, other in ways.items():
        assert dict(other.ordered) == ORDER, name
        assert other.states == data.states, name


def test_states_in_another_order_are_not_ordered(frame):
    turned = {"size": ("large", "small", "middle"), "class": ("no", "yes")}
    assert not bnlr.Dataset.from_frame(frame.dropna(), "class", states=turned).ordered
    some = {"size": ("small", "large"), "class": ("no", "yes")}
    found = bnlr.Dataset.from_frame(frame.iloc[:3], "class", states=some)
    assert dict(found.ordered) == {"size": 2}
    chunked = bnlr.Dataset.from_chunks([frame], "class", states=turned)
    assert not chunked.ordered


def test_missing_cells_are_a_state_beside_those_in_order(data):
    filled = add_missing_states(data, data.nodes)
    assert filled.states["rate"] == (0.5, 2.0, "missing")
    assert dict(filled.ordered) == ORDER
    assert filled.states["kind"] == data.states["kind"]
    for node in data.nodes:
        codes = data.column(node)
        expected = np.where(codes < 0, data.cards[node], codes)
        assert filled.column(node).tolist() == expected.tolist()
    as_states, _ = missing_as_states(data, {"size"})
    assert as_states.states["size"][-1] == "missing"
    assert dict(as_states.ordered) == ORDER


def test_a_state_by_the_name_of_missing_cells_stays_another():
    frame = pd.DataFrame({"a": ["missing", "missing_", None], "c": [0, 1, 0]})
    filled = add_missing_states(bnlr.Dataset.from_frame(frame, "c"), ["a"])
    assert filled.states["a"] == ("missing", "missing_", "missing__")
    assert filled.column("a").tolist() == [0, 1, 2]


def test_one_state_more_than_a_byte_numbers():
    frame = pd.DataFrame({"a": [*range(128), None], "c": [0, 1, 0] * 43}, dtype=object)
    with pytest.warns(bnlr.BnlrWarning, match="more labels"):
        data = bnlr.Dataset.from_frame(frame, "c")
    assert data.codes.dtype == np.int8
    filled = add_missing_states(data, ["a"])
    assert filled.column("a").tolist() == list(range(129))


def test_a_state_that_sorts_among_the_others_ends_their_order():
    frame = pd.DataFrame({"a": [1, 2.5, 3, None], "c": [0, 1, 0, 1]}, dtype=object)
    data = bnlr.Dataset.from_frame(frame, "c")
    assert data.ordered["a"] == 3
    filled, _ = missing_as_states(data, ())
    assert filled.states["a"] == (2.5, 1, 3, "missing")
    assert "a" not in filled.ordered


def test_numbers_that_are_cut_are_in_order(frame):
    rows = UncutRows.of(frame, ["count"], pd.Categorical(frame["class"]), "class", None)
    cut = rows.cut({"count": np.array([1.5, 2.5, 7.0])})
    assert cut.ordered["count"] == 4
    assert cut.ordered["size"] == 3
    assert "kind" not in cut.ordered


def test_discretizers_make_ordered_categories(frame):
    numbers = pd.DataFrame({"x": np.arange(20.0)})
    labels = np.repeat(["u", "v"], 10)
    cut = bnlr.QuantileDiscretizer(4).fit_transform(numbers, labels).assign(c=labels)
    assert bnlr.Dataset.from_frame(cut, "c").ordered == {"x": 4}


def test_fewer_columns_keep_the_order_of_theirs():
    n = 60
    frame = pd.DataFrame({"id": [f"n{k}" for k in range(n)], "c": np.tile(["u", "v"], n // 2)})
    frame["x"] = pd.Categorical(np.tile(["lo", "hi"], n // 2), ["lo", "hi"], ordered=True)
    with pytest.warns(bnlr.BnlrWarning):
        data = bnlr.Dataset.from_frame(frame, "c")
    fewer = among_possible_parents(data)
    assert "id" not in fewer.nodes
    assert dict(fewer.ordered) == {"x": 2}


def test_codes_are_told_what_is_in_order():
    states = {"a": ("lo", "mid", "hi"), "b": ("u", "v"), "c": (0, 1)}
    codes = [[0, 0, 0], [2, 1, 1]]
    data = bnlr.Dataset.from_codes(codes, states, "c", ordered=["a"])
    assert dict(data.ordered) == {"c": 2, "a": 3}
    with pytest.raises(bnlr.ParameterError, match="ordered names 'A', which is no node"):
        bnlr.Dataset.from_codes(codes, states, "c", ordered=["A"])
    with pytest.raises(bnlr.ParameterError, match="ordered is 'a'; give a list"):
        bnlr.Dataset.from_codes(codes, states, "c", ordered="a")
