"""Frames to codes and back, against pandas and against the frame itself."""

import copy
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.data.labels import key_of
from tests.width import in_full

STATES = {"y": ("no", "yes"), "a": (1, 2, 3)}


def encode(values, **options):
    frame = pd.DataFrame({"a": values, "y": ["n"] * len(values)})
    return bnlr.Dataset.from_frame(frame, "y", **options)


def typed(labels):
    return [key_of(label) for label in labels]


def test_weather_frame_by_hand():
    frame = pd.DataFrame(
        {
            "sky": ["sun", "rain", None, "sun"],
            "windy": [True, False, True, True],
            "level": pd.Categorical(["low", "high", "low", None], ["low", "mid", "high"]),
            "play": [2, 1, 1, 2],
        }
    )
    data = bnlr.Dataset.from_frame(frame, class_name="play")
    assert data.nodes == ("sky", "windy", "level", "play")
    assert dict(data.states) == {
        "sky": ("rain", "sun"),
        "windy": (False, True),
        "level": ("low", "mid", "high"),
        "play": (1, 2),
    }
    assert data.codes.tolist() == [[1, 1, 0, 1], [0, 0, 2, 0], [-1, 1, 0, 0], [1, 1, -1, 1]]
    assert data.cards == {"sky": 2, "windy": 2, "level": 3, "play": 2}
    assert data.class_codes.tolist() == [1, 0, 0, 1]
    assert (data.n_rows, data.n_missing, data.is_complete) == (4, 2, False)
    assert data.missing_counts == {"sky": 1, "level": 1}
    assert data.most_frequent == {"sky": "sun", "windy": True, "level": "low", "play": 1}
    assert data.weights.tolist() == [1, 1, 1, 1]
    assert not data.has_weights


@pytest.mark.parametrize(
    ("values", "states"),
    [
        ([3, 1, 3], (1, 3)),
        (np.array([3, 1, 3], dtype=np.uint8), (1, 3)),
        (np.array([3, 1, 3], dtype=">i4"), (1, 3)),
        (np.array([3, 1, 3], dtype=np.float16), (1, 3)),
        (np.array([3, 1, 3], dtype=np.longdouble), (1, 3)),
        ([3.0, 1.0, np.nan], (1, 3)),
        (pd.array([3, 1, None], dtype="Int64"), (1, 3)),
        (pd.array([3, 1, None], dtype="Float64"), (1, 3)),
        (pd.arrays.SparseArray([3, 1, 3]), (1, 3)),
        (pd.Series([3, 1, None]).astype("category"), (1, 3)),
        (pd.Series([3, 1, None, pd.NA, np.nan, pd.NaT], dtype=object), (1, 3)),
        ([0.5, 1.0, np.nan], (0.5, 1.0)),
        ([2**70, 1, 5], (1, 5, 2**70)),
        ([-0.0, 0.0, 1.0], (0, 1)),
        ([True, False, None], (False, True)),
        (pd.array([True, None, False], dtype="boolean"), (False, True)),
        ([True, True, True], (True,)),
        (pd.array(["b", None, "a"], dtype="string"), ("a", "b")),
        (np.array(["b", "a", "a"]), ("a", "b")),
        (pd.Categorical(["b", None, "a"], ["b", "c", "a"]), ("b", "c", "a")),
        (pd.Categorical([True, False], [True, False]), (True, False)),
        (pd.Series([1, "1", 2, "10"], dtype=object), (1, 2, "1", "10")),
        (pd.Series([True, "True", None], dtype=object), (True, "True")),
        (pd.Series([1, 2.5, "a"], dtype=object), (2.5, 1, "a")),
        (pd.Series([1, 1.0, "a"], dtype=object), (1, "a")),
        (pd.Series([np.int8(1), np.float32(2), None], dtype=object), (1, 2)),
        (["", " ", "\n"], ("", "\n", " ")),
        (["a\0b", "a\0c", "a"], ("a", "a\0b", "a\0c")),
        (["😀", "שלום", "x" * 10**6], ("x" * 10**6, "שלום", "😀")),
        (pd.Series(["\ud800", "\ud801", "\ud800"], dtype=object), ("\ud800", "\ud801")),
    ],
)
def test_states_and_labels_of_every_kind_of_column(values, states):
    data = encode(values)
    assert typed(data.states["a"]) == typed(states)
    assert [type(label) for label in data.states["a"]] == [type(label) for label in states]
    for cell, code in zip(pd.Series(values), data.column("a"), strict=True):
        if pd.isna(cell):
            assert code == -1
        else:
            assert data.states["a"][code] == cell


def test_codes_are_those_of_pandas_categoricals():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.integers(0, 5, (500, 4)), columns=list("abcy"))
    frame["b"] = frame["b"].map(lambda k: "vwxyz"[k])
    frame.loc[::9, "a"] = np.nan
    data = bnlr.Dataset.from_frame(frame, "y")
    for node in frame:
        expected = frame[node].astype("category")
        assert data.column(node).tolist() == expected.cat.codes.tolist()
        assert list(data.states[node]) == expected.cat.categories.tolist()


@pytest.mark.filterwarnings("ignore:column 'a' .* more labels than:bnlr.errors.BnlrWarning")
@pytest.mark.parametrize(
    ("card", "dtype"), [(128, np.int8), (129, np.int16), *in_full((40000, np.int32))]
)
def test_codes_use_the_smallest_type(card, dtype):
    data = encode(np.arange(card))
    assert data.codes.dtype == dtype
    assert data.column("a").tolist() == list(range(card))


def test_arrays_are_read_only_and_columns_contiguous():
    data = encode(["x", "y", "z"], weights=[1, 2, 3])
    for array in (data.codes, data.weights, data.column("a"), encode(["x", "y"]).weights):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
    assert data.codes.flags.f_contiguous
    assert data.column("a").flags.c_contiguous
    assert np.shares_memory(data.column("a"), data.codes)
    with pytest.raises(TypeError):
        data.states["a"] = ("x",)
    with pytest.raises(AttributeError):
        data.codes = np.zeros((3, 2), dtype=np.int8)


def test_the_frame_and_the_weights_given_stay_free():
    weights = np.ones(2)
    frame = pd.DataFrame({"a": [1, 2], "y": [0, 1]})
    data = bnlr.Dataset.from_frame(frame, "y", weights=weights)
    weights[0] = 5
    frame.loc[0, "a"] = 2
    assert data.weights.tolist() == [1, 1]
    assert data.column("a").tolist() == [0, 1]


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda d: pickle.loads(pickle.dumps(d))])  # noqa: S301
def test_copies_are_equal_and_still_read_only(clone):
    data = encode(["x", None, "z"], weights=[1, 2, 3])
    twin = clone(data)
    assert twin.codes.tolist() == data.codes.tolist()
    assert twin.codes.flags.f_contiguous
    assert not twin.codes.flags.writeable
    assert not twin.weights.flags.writeable
    assert dict(twin.states) == dict(data.states)
    assert repr(twin) == repr(data)


def test_known_states_order_the_columns_and_ignore_others():
    frame = pd.DataFrame({"z": [[1], {}], "a": [3, 1], 7: [0, 0], "y": ["yes", None]})
    data = bnlr.Dataset.from_frame(frame, "y", states=STATES)
    assert data.nodes == ("y", "a")
    assert data.codes.tolist() == [[1, 2], [-1, 0]]
    assert dict(data.states) == STATES


def test_absent_class_is_missing_everywhere():
    data = bnlr.Dataset.from_frame(pd.DataFrame({"a": [3, 1]}), "y", states=STATES)
    assert data.class_codes.tolist() == [-1, -1]
    assert not data.is_complete
    data.check_complete()


def test_known_states_take_no_rows():
    for dtype in ("object", "bool", "int64", "float64", "Int8", "str", "category"):
        frame = pd.DataFrame({"a": pd.Series([], dtype=dtype)})
        data = bnlr.Dataset.from_frame(frame, "y", states=STATES)
        assert data.codes.shape == (0, 2)
        assert data.is_complete


@pytest.mark.parametrize("dtype", ["object", "string[python]"])
def test_text_that_is_no_unicode_is_a_label_like_any_other(dtype):
    """Lone surrogates, which come from names of files, cannot be hashed as UTF-8."""
    data = encode(pd.Series(["x", "\udc80", None, "x"], dtype=dtype))
    assert data.states["a"] == ("x", "\udc80")
    assert data.column("a").tolist() == [0, 1, -1, 0]


def test_known_states_match_by_label_not_by_category_order():
    values = pd.Categorical(["z", "x", "y"], ["z", "y", "x", "unused and unknown"])
    data = encode(values, states={"a": ("x", "y", "z"), "y": ("n",)})
    assert data.column("a").tolist() == [2, 0, 1]


def test_numbers_match_by_value_but_not_text_or_booleans():
    states = {"a": (0, 1), "y": ("n",)}
    assert encode([1.0, np.nan, 0.0], states=states).column("a").tolist() == [1, -1, 0]
    for values, kind in ((["0", "1"], "text"), ([False, True], "boolean")):
        with pytest.raises(bnlr.StateError, match=f"a {kind}, but its states are such as 0"):
            encode(values, states=states)


def test_unseen_value_is_an_error_with_column_value_count_and_remedy():
    with pytest.raises(bnlr.StateError) as caught:
        encode([4, 1, 4, 0], states=STATES | {"y": ("n",)})
    for part in ("'a'", "0, 4 in 3 cells", "unseen='missing'"):
        assert part in str(caught.value)


def test_unseen_value_is_missing_with_one_warning():
    frame = pd.DataFrame({"a": [4, 1, None], "y": ["no", "maybe", "yes"]})
    with pytest.warns(bnlr.UnseenStateWarning) as caught:
        data = bnlr.Dataset.from_frame(frame, "y", states=STATES, unseen="missing")
    assert len(caught) == 1
    assert "column 'a' has 4 in 1 cell" in str(caught[0].message)
    assert "column 'y' has 'maybe' in 1 cell" in str(caught[0].message)
    assert data.codes.tolist() == [[0, -1], [-1, 0], [1, -1]]


@pytest.mark.parametrize(
    ("values", "lost"), [([0, 1, 0], 0), ([False, True], False), (["", "x"], "")]
)
def test_unseen_values_that_python_takes_for_false_count_too(values, lost):
    states = {"a": (values[1],), "y": ("n",)}
    with pytest.raises(bnlr.StateError) as caught:
        encode(values, states=states)
    assert f"column 'a' has {lost!r} in {values.count(lost)} cell" in str(caught.value)


def test_known_values_warn_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        encode([3, 1, None], states=STATES | {"y": ("n",)}, unseen="missing")


def test_most_frequent_uses_weights_and_the_first_of_equals():
    values = ["b", "c", "c", None]
    assert encode(values).most_frequent["a"] == "c"
    assert encode(values, weights=[3, 1, 1, 9]).most_frequent["a"] == "b"
    assert encode(values, weights=[2, 1, 1, 9]).most_frequent["a"] == "b"
    assert encode(pd.Categorical([None, None], ["p", "q"])).most_frequent["a"] == "p"


def test_take_keeps_states_and_weights():
    data = encode(["x", "y", "z", None], weights=[1, 2, 3, 4])
    for rows in ([2, 0, 2], np.array([2, 0, -2])):
        part = data.take(rows)
        assert part.column("a").tolist() == [2, 0, 2]
        assert part.weights.tolist() == [3, 1, 3]
        assert dict(part.states) == dict(data.states)
        assert part.codes.flags.f_contiguous
        assert not part.codes.flags.writeable
    assert data.take(data.column("a") < 0).weights.tolist() == [4]
    assert data.take(slice(1, 3)).column("a").tolist() == [1, 2]
    assert data.take([]).n_rows == 0
    whole = data.take(slice(None))
    assert not np.shares_memory(whole.codes, data.codes)
    assert whole.codes.flags.f_contiguous
    assert not encode(["x"]).take([0]).has_weights


@pytest.mark.parametrize("rows", [[4], [-5], [True], [0.5], [[0]], 1, ["x"]])
def test_take_refuses_rows_that_do_not_exist(rows):
    with pytest.raises(bnlr.DataError):
        encode(["x", "y", "z", None]).take(rows)


def test_unknown_column_is_named():
    with pytest.raises(bnlr.DataError, match="no variable 'b'"):
        encode([1, 2]).column("b")


def test_a_structure_of_other_columns_is_refused():
    data = encode([1, 2])
    with pytest.raises(
        bnlr.StateError, match=r"node 'b' .* is not a column of the data \('a', 'y'\)"
    ):
        bnlr.fit(bnlr.Structure.naive_bayes(["a", "b"], class_name="y"), data)


def test_a_structure_of_another_class_is_refused():
    with pytest.raises(bnlr.ParameterError, match="class is 'a', the data's 'y'"):
        bnlr.fit(bnlr.Structure([("y", "a")], class_name="a"), encode([1, 2]))


def test_check_complete_names_the_emptiest_attribute():
    encode([1, 2]).check_complete()
    with pytest.raises(bnlr.MissingCellsError, match=r"2 cells of 'a' .* row 1"):
        encode([1, None, None]).check_complete()


def test_check_learnable():
    frame = pd.DataFrame({"a": [1, 2, 3], "y": ["p", "q", None]})
    bnlr.Dataset.from_frame(frame, "y").check_learnable()
    for rows, words in (([0], "one value 'p'"), ([], "no rows"), ([2], "no row has a class")):
        with pytest.raises(bnlr.DataError, match=words):
            bnlr.Dataset.from_frame(frame, "y").take(rows).check_learnable()
    with pytest.raises(bnlr.DataError, match="one value 'q'"):
        bnlr.Dataset.from_frame(frame, "y", weights=[0, 1, 1]).check_learnable()


def test_from_codes():
    codes = np.array([[0, 2], [1, -1]])
    data = bnlr.Dataset.from_codes(codes, STATES, "y", weights=[1, 2])
    codes[0, 0] = 1
    assert data.codes.tolist() == [[0, 2], [1, -1]]
    assert data.codes.dtype == np.int8
    assert data.codes.flags.f_contiguous
    assert data.weights.tolist() == [1, 2]
    assert data.to_frame()["y"].tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    ("codes", "error", "words"),
    [
        ([[0, 3]], bnlr.StateError, "code 3 in row 0 is none of 'a'"),
        ([[0, 0], [-2, 0]], bnlr.StateError, "code -2 in row 1 is none of 'y'"),
        ([[0, 2**31]], bnlr.StateError, "2147483648"),
        (np.array([[0, 2**64 - 1]], dtype=np.uint64), bnlr.StateError, "18446744073709551615"),
        ([[0.0, 1.0]], bnlr.DataError, "integers"),
        ([[True, False]], bnlr.DataError, "integers"),
        ([[0, 1, 2]], bnlr.DataError, "shape"),
        ([0, 1], bnlr.DataError, "shape"),
        ([[0], [0, 1]], bnlr.DataError, "rectangular"),
        ([["x", "y"]], bnlr.DataError, "integers"),
        (None, bnlr.DataError, "integers"),
    ],
)
def test_from_codes_refuses(codes, error, words):
    with pytest.raises(error, match=words):
        bnlr.Dataset.from_codes(codes, STATES, "y")


def test_repr_tells_what_matters():
    frame = pd.DataFrame({"a": [1, 2, 3], "b": [1, None, 1], "y": list("pqp")})
    text = repr(bnlr.Dataset.from_frame(frame, "y", weights=[1, 1, 1]))
    assert text == (
        "Dataset(3 rows, class 'y' of 2 states, 2 attributes of 1-3 states, 1 cells missing, "
        "weighted)"
    )


numbers = st.integers(-3, 3) | st.sampled_from([0.5, -1.25, 2.0])
cells = st.none() | st.text(max_size=2) | numbers
bools = st.none() | st.text(max_size=2) | st.booleans()


@st.composite
def columns(draw):
    """A column of objects: any mix of text with numbers, or of text with booleans, with holes."""
    cell = draw(st.sampled_from([cells, bools, st.none() | numbers, st.none() | st.booleans()]))
    return draw(st.lists(cell, min_size=1, max_size=12).filter(lambda c: c.count(None) < len(c)))


@given(columns())
def test_labels_survive_the_round_trip(values):
    data = encode(pd.Series(values, dtype=object))
    frame = data.to_frame()
    again = bnlr.Dataset.from_frame(frame, "y")
    assert again.codes.tolist() == data.codes.tolist()
    assert typed(again.states["a"]) == typed(data.states["a"])
    for given_cell, cell, code in zip(values, frame["a"], data.column("a"), strict=True):
        assert (given_cell is None) == (code == -1)
        if given_cell is not None:
            assert key_of(data.states["a"][code]) == key_of(given_cell)
            assert cell == given_cell
    matched = encode(pd.Series(values, dtype=object), states=data.states)
    assert matched.codes.tolist() == data.codes.tolist()


@given(columns(), st.randoms(use_true_random=False))
def test_states_do_not_depend_on_the_order_of_rows(values, random):
    shuffled = random.sample(values, len(values))
    states = encode(pd.Series(values, dtype=object)).states["a"]
    assert typed(encode(pd.Series(shuffled, dtype=object)).states["a"]) == typed(states)


def test_masked_weights_are_refused():
    frame = pd.DataFrame({"a": [0, 1, 0], "c": [0, 1, 1]})
    weights = np.ma.masked_array([1.0, 2.0, 3.0], mask=[False, True, False])
    with pytest.raises(bnlr.ParameterError, match="some weights are masked"):
        bnlr.Dataset.from_frame(frame, "c", weights=weights)
