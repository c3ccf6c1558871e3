"""`Dataset.from_chunks` against `Dataset.from_frame` of the chunks put together."""

import gc
import warnings
import weakref

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bnlr
from bnlr.data.chunks import blocks
from bnlr.data.labels import key_of

GOOD = pd.DataFrame({"a": ["p", "q", "p", None], "b": [3, 1, 2, 1], "y": [0, 1, 1, 0]})
STATES = {"y": (0, 1), "a": ("p", "q")}


def cut(frame, sizes):
    """Yield the frame in pieces of these sizes, over and over."""
    start, k = 0, 0
    while start < len(frame):
        yield frame.iloc[start : start + sizes[k % len(sizes)]]
        start, k = start + sizes[k % len(sizes)], k + 1


def same(data, expected):
    assert data.codes.dtype == expected.codes.dtype
    assert data.codes.flags.f_contiguous
    assert type(data.codes) is np.ndarray
    assert not data.codes.flags.writeable
    np.testing.assert_array_equal(data.codes, expected.codes)
    np.testing.assert_array_equal(data.weights, expected.weights)
    assert data.nodes == expected.nodes
    for node, labels in expected.states.items():
        found = data.states[node]
        assert [(type(x), key_of(x)) for x in found] == [(type(x), key_of(x)) for x in labels]
    assert data.missing_counts == expected.missing_counts
    assert repr(data) == repr(expected)


def both_ways(chunks, tmp_path, class_name="y", **options):
    """Compare memory and file with the frame of all chunks."""
    chunks = list(chunks)
    whole = pd.concat(chunks, ignore_index=True)
    expected = bnlr.Dataset.from_frame(whole, class_name, **options)
    same(bnlr.Dataset.from_chunks(iter(chunks), class_name, **options), expected)
    path = tmp_path / "codes"
    path.unlink(missing_ok=True)
    same(bnlr.Dataset.from_chunks(iter(chunks), class_name, store=path, **options), expected)
    assert [p.name for p in tmp_path.iterdir()] == ["codes"]
    return expected


numbers = st.integers(-3, 3) | st.sampled_from([0.5, -1.25, 2.0])
cell_kinds = [
    st.none() | st.text(max_size=2),
    st.none() | st.text(max_size=2) | numbers,
    st.none() | st.text(max_size=2) | st.booleans(),
    st.none() | st.integers(-3, 200),
    st.none() | numbers,
    st.none() | st.booleans(),
]


@st.composite
def columns(draw, n_rows):
    """A column of any dtype that may hold states, with holes."""
    cells = draw(st.lists(draw(st.sampled_from(cell_kinds)), min_size=n_rows, max_size=n_rows))
    if all(cell is None for cell in cells):
        cells[-1] = 1
    column = pd.Series(cells, dtype=object)
    dtype = draw(st.sampled_from(["object", "inferred", "nullable", "category"]))
    if dtype == "inferred":
        return column.infer_objects()
    if dtype == "nullable":
        return column.convert_dtypes()
    return column.astype(dtype)


@st.composite
def frames(draw):
    n_rows = draw(st.integers(1, 12))
    return pd.DataFrame({name: draw(columns(n_rows)) for name in "aby"})


splits = st.lists(st.integers(1, 5), min_size=1, max_size=5)
here = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@here
@given(frames(), splits)
def test_any_split_gives_the_same_data(tmp_path, frame, sizes):
    both_ways(cut(frame, sizes), tmp_path)


@here
@given(frames(), splits, st.data())
def test_any_split_gives_the_same_data_with_known_states(tmp_path, frame, sizes, more):
    states = dict(bnlr.Dataset.from_frame(frame, "y").states)
    for node in more.draw(st.lists(st.sampled_from("ab"), unique=True)):
        states[node] = ("never seen", *states[node][::-1][:3])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.UnseenStateWarning)
        both_ways(cut(frame, sizes), tmp_path, states=states, unseen="missing")


@pytest.mark.slow
def test_chunks_and_blocks_of_any_size(tmp_path, monkeypatch):
    monkeypatch.setattr(blocks, "_MIN_ROWS", 16)
    monkeypatch.setattr(blocks, "_MAX_BYTES", 200)
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(rng.integers(0, 5, (700, 3)), columns=list("aby"))
    frame["b"] = frame["b"].map(lambda k: "zyxwv"[k])
    for sizes in ([1], [700], [699], [64], [3, 200, 17], [500, 1]):
        both_ways(cut(frame, sizes), tmp_path)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:column 'a' .* more labels than:bnlr.errors.BnlrWarning")
@pytest.mark.parametrize("card", [127, 128, 129, 300, 40_000])
def test_codes_widen_midway_and_only_as_needed(card, tmp_path):
    rng = np.random.default_rng(card)
    values = np.concatenate([rng.integers(0, 100, 500), rng.permutation(card)])
    frame = pd.DataFrame({"a": values, "y": values % 2})
    expected = both_ways(cut(frame, [150, 301, 7000]), tmp_path)
    assert expected.codes.dtype == np.min_scalar_type(-card)


def test_provisional_codes_may_be_wider_than_the_final_ones(tmp_path):
    """Categories that never occur have codes until the chunks turn out to disagree."""
    many = pd.Categorical(["c3", "c200", "c3"], [f"c{k}" for k in range(300)])
    few = pd.Categorical(["z", None], ["z"])
    chunks = [pd.DataFrame({"a": c, "y": 0}) for c in (few, many, few)]
    expected = both_ways(chunks, tmp_path)
    assert expected.states["a"] == ("c200", "c3", "z")
    assert expected.codes.dtype == np.int8


@pytest.mark.parametrize(
    ("parts", "states"),
    [
        (([1, 2], [1.0, np.nan]), (1, 2)),
        (([1, 2], [1.5, np.nan]), (1.0, 1.5, 2.0)),
        (([1.5], pd.array([2, None], dtype="Int64")), (1.5, 2.0)),
        (([None, None], ["x", "y"]), ("x", "y")),
        (([2**60, 1], [2]), (1, 2, 2**60)),
        ((pd.Series([1, "x"], dtype=object), pd.Series(["1"], dtype=object)), (1, "1", "x")),
        ((pd.Series(["x"], dtype=object), pd.Series([2], dtype=object)), (2, "x")),
        ((pd.Series([1.0, "x"], dtype=object), pd.Series([1.5], dtype=object)), (1.0, 1.5, "x")),
        ((pd.Categorical(["b"], ["b", "a"]), pd.Categorical(["a"], ["b", "a"])), ("b", "a")),
        ((pd.Categorical(["b"], ["b", "a"]), pd.Categorical(["a"], ["a", "b"])), ("b", "a")),
        ((pd.Categorical(["b"], ["b", "c"]), pd.Categorical(["a"], ["b", "a"])), ("a", "b")),
        ((pd.Categorical(["b"], ["b", "c"]), ["a"]), ("a", "b")),
        ((["a"], pd.Categorical(["b"], ["b", "c"])), ("a", "b")),
        ((pd.Categorical([1.0], [1.0, 0.5]), pd.Categorical([2.0])), (1, 2)),
    ],
)
def test_types_that_differ_between_chunks(parts, states, tmp_path):
    chunks = [pd.DataFrame({"a": part, "y": 0}) for part in parts]
    data = both_ways(chunks, tmp_path)
    assert data.states["a"] == states


def test_ordered_categories_are_kept():
    parts = [pd.Categorical(x, ["low", "mid", "high"], ordered=True) for x in (["high"], ["low"])]
    data = bnlr.Dataset.from_chunks([pd.DataFrame({"a": p, "y": 0}) for p in parts], "y")
    assert data.states["a"] == ("low", "mid", "high")


def test_a_chunk_without_values_says_nothing_about_categories():
    parts = [pd.Categorical(["q"], ["q", "p"]), [None], np.array([np.nan])]
    data = bnlr.Dataset.from_chunks([pd.DataFrame({"a": p, "y": 0}) for p in parts], "y")
    assert data.states["a"] == ("q", "p")
    assert data.column("a").tolist() == [0, -1, -1]
    frames = [pd.DataFrame({"a": p, "y": 0}) for p in ([np.nan], [True, False])]
    assert bnlr.Dataset.from_chunks(frames, "y").states["a"] == (False, True)


def test_columns_go_by_name_and_empty_chunks_are_no_matter(tmp_path):
    expected = bnlr.Dataset.from_frame(GOOD, "y")
    chunks = [GOOD.iloc[:0], GOOD.iloc[:1], GOOD.iloc[:0].astype(object), GOOD[["y", "b", "a"]][1:]]
    same(bnlr.Dataset.from_chunks(chunks, "y"), expected)
    same(bnlr.Dataset.from_chunks(chunks, "y", store=tmp_path / "codes"), expected)


def test_a_reader_of_csv_files(tmp_path):
    GOOD.to_csv(tmp_path / "rows.csv", index=False)
    with pd.read_csv(tmp_path / "rows.csv", chunksize=2) as reader:
        same(bnlr.Dataset.from_chunks(reader, "y"), bnlr.Dataset.from_frame(GOOD, "y"))


def test_weights_are_a_column():
    weights = [0, 2, 0.5, 1e-300]
    chunks = cut(GOOD.assign(w=weights), [1, 3])
    same(
        bnlr.Dataset.from_chunks(chunks, "y", weights="w"),
        bnlr.Dataset.from_frame(GOOD, "y", weights=weights),
    )
    chunks = cut(GOOD.assign(w=weights), [1, 3])
    same(
        bnlr.Dataset.from_chunks(chunks, "y", states=STATES, weights="w"),
        bnlr.Dataset.from_frame(GOOD, "y", states=STATES, weights=weights),
    )


def test_known_states_ignore_other_columns_and_an_absent_class(tmp_path):
    chunks = [pd.DataFrame({"z": [[1]], "a": ["q"]}), pd.DataFrame({"a": ["p"], 7: [{}], "y": [1]})]
    for store in (None, tmp_path / "codes"):
        data = bnlr.Dataset.from_chunks(iter(chunks), "y", states=STATES, store=store)
        assert data.codes.tolist() == [[-1, 1], [1, 0]]
    for store in (None, tmp_path / "none"):
        data = bnlr.Dataset.from_chunks([], "y", states=STATES, store=store)
        assert data.codes.shape == (0, 2)


def test_unseen_values_of_all_chunks_give_one_warning():
    chunks = cut(pd.DataFrame({"a": ["x", "p", "x", "z"], "y": [0, 5, 1, 1]}), [1, 2])
    with pytest.warns(bnlr.UnseenStateWarning) as caught:
        bnlr.Dataset.from_chunks(chunks, "y", states=STATES, unseen="missing")
    assert len(caught) == 1
    assert caught[0].filename == __file__
    for part in ("'a' has 'x', 'z' in 3 cells", "'y' has 5 in 1 cell"):
        assert part in str(caught[0].message)


@pytest.mark.slow
def test_one_chunk_at_a_time_is_kept():
    def make():
        for _ in range(4):
            frame = GOOD.copy()
            alive = weakref.ref(frame)
            yield frame
            del frame
            gc.collect()
            assert alive() is None

    assert bnlr.Dataset.from_chunks(make(), "y").n_rows == 16


def refuse(error, *words, chunks, store, **options):
    for path in (None, store / "codes"):
        with pytest.raises(bnlr.BnlrError) as caught:
            bnlr.Dataset.from_chunks(
                chunks() if callable(chunks) else chunks, "y", store=path, **options
            )
        assert type(caught.value) in (error, bnlr.CellTypeError)
        for word in words:
            assert word in str(caught.value)
        assert len(str(caught.value)) < 700
        assert list(store.iterdir()) == []


def series(*parts, dtype=None):
    return [pd.DataFrame({"a": pd.Series(p, dtype=dtype), "y": 0}) for p in parts]


@pytest.mark.parametrize(
    ("chunks", "words"),
    [
        ([], ["no rows", "states="]),
        ([GOOD.iloc[:0]], ["no rows"]),
        (GOOD, ["DataFrame", "from_frame"]),
        ("file.csv", ["str"]),
        (None, ["NoneType"]),
        (3, ["int"]),
        ({"a": GOOD}, ["chunk 0", "not str"]),
        ([GOOD, GOOD.to_dict()], ["chunk 1", "dict"]),
        ([GOOD, pd.DataFrame()], ["chunk 1", "no columns"]),
        ([GOOD, GOOD[["a", "y"]]], ["chunk 1", "no column 'b'"]),
        ([GOOD, GOOD[["a", "b"]]], ["chunk 1", "no column 'y'"]),
        ([GOOD.iloc[:0], GOOD.assign(z=1)], ["chunk 1", "'z'", "chunk 0 has not"]),
        ([GOOD, GOOD[["a", "b", "y", "a"]]], ["chunk 1", "two columns", "'a'"]),
        ([GOOD.rename(columns={"y": "Y"})], ["chunk 0", "no column 'y'"]),
        ([GOOD.rename(columns={"a": 0})], ["chunk 0", "name 0"]),
        (series([None], [np.nan], [None]), ["'a' has no values"]),
        (series([1, 2], [["x"]]), ["chunk 1", "['x'] in row 0"]),
        (series([1, 2], [2.5, np.inf]), ["chunk 1", "inf in row 1"]),
        (
            series([1, 2], ["1", "x"]),
            ["chunk 1", "'a'", "number 1 in chunk 0", "text '1' in chunk 1"],
        ),
        (
            series([None], [True], [2]),
            ["chunk 2", "boolean True in chunk 1", "number 2 in chunk 2"],
        ),
        (series(["x"], [1], dtype=object)[:1] + series([1]), ["chunk 1", "text 'x' in chunk 0"]),
        (series([True], [1], dtype=object), ["True == 1"]),
        (series(range(30), [0.5]), ["continuous", "31"]),
        (
            series(np.linspace(0, 1, 15), np.linspace(2.1, 3, 15)),
            ["chunk 1", "continuous", "30 rows"],
        ),
    ],
)
def test_unusable_chunks(chunks, words, tmp_path):
    refuse(bnlr.DataError, *words, chunks=chunks, store=tmp_path)


def test_ordered_categories_that_differ(tmp_path):
    one = pd.Categorical(["b"], ["b", "a"], ordered=True)
    for other in (one.reorder_categories(["a", "b"]), one.as_unordered(), ["a"]):
        for parts in ((one, other), (other, one)):
            chunks = [pd.DataFrame({"a": p, "y": 0}) for p in parts]
            refuse(bnlr.DataError, "chunk 1", "'a'", "ordered", chunks=chunks, store=tmp_path)


@pytest.mark.parametrize(
    ("weights", "options", "words"),
    [
        ([1, -1, 1, 1], {}, ["chunk 1", "-1.0 of row 0"]),
        ([1, 1, 1, np.nan], {}, ["chunk 1", "row 2"]),
        ([0, 0, 0, 0], {}, ["all weights are zero"]),
        (list("1111"), {}, ["chunk 0", "numbers"]),
        ([1e308] * 4, {}, ["overflows"]),
        ([1] * 4, {"weights": "y"}, ["'y'", "node too"]),
        ([1] * 4, {"weights": "a", "states": STATES}, ["'a'", "node too"]),
        ([1] * 4, {"weights": [1, 1, 1, 1]}, ["name of the column"]),
        ([1] * 4, {"unseen": "drop"}, ["choose one of missing, error"]),
    ],
)
def test_unusable_weights(weights, options, words, tmp_path):
    frame = GOOD.assign(w=weights)
    options = {"weights": "w"} | options
    refuse(
        bnlr.ParameterError, *words, chunks=lambda: cut(frame, [1, 3]), store=tmp_path, **options
    )


def test_absent_weights(tmp_path):
    frames = [GOOD.assign(w=1), GOOD]
    refuse(bnlr.DataError, "chunk 1", "'w'", chunks=frames, store=tmp_path, weights="w")
    frames[1] = frames[0][["w", "w", "a", "y"]]
    words = ["chunk 1", "two columns of weights 'w'", "drop one"]
    refuse(bnlr.DataError, *words, chunks=frames, store=tmp_path, weights="w")


def test_unseen_values_end_the_run_at_their_chunk(tmp_path):
    def make():
        yield GOOD
        yield GOOD.assign(a="x")
        raise AssertionError("read on")

    words = ["chunk 1", "'a' has 'x' in 4 cells", "unseen='missing'"]
    refuse(bnlr.StateError, *words, chunks=make, store=tmp_path, states=STATES)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, bnlr.DataError])
def test_an_error_of_the_generator_passes_and_leaves_nothing(error, tmp_path):
    def make():
        for _ in range(3):
            yield GOOD
        raise error("mine")

    with pytest.raises(error, match=r"^mine$"):
        bnlr.Dataset.from_chunks(make(), "y", store=tmp_path / "codes")
    assert list(tmp_path.iterdir()) == []
