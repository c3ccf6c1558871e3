"""Cells go in and come out the same, whatever type and range a column has.

The plain Python list from which a column was made is what its codes must stand for, whichever way
they came in. ``BNLR_CELL_COLUMNS`` in the environment says how many columns are tried; 5000, a
slow search, miss few pairs of a type and a range.
"""

import os
from collections import Counter
from itertools import pairwise, product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

from bnlr import BNClassifier, Dataset
from tests.width import width

# What the columns hold is odd, and that may be said of them.
pytestmark = pytest.mark.filterwarnings("ignore::bnlr.BnlrWarning")

N_COLUMNS = int(os.environ.get("BNLR_CELL_COLUMNS", width(5000, 800)))
ROWS = {24: 0.72, 300: 0.23, 1100: 0.05}  # spans up to the number of rows are numbered unhashed
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
EXACT = {"float16": 2**11, "float32": 2**24, "float64": 2**53}
SPANS = [1, 2, 5, 60, 64, 65, 100, 127, 128, 129, 200, 255, 256, 257, 300, 1023, 1024, 1025, 40_000]
WORDS = ["".join(pair) for pair in product("ab1.é \"',;\n\0雪Ω-", "ab1.é \"',;\n\0雪Ω-", ["", "x"])]
HOLES = [None, np.nan, pd.NA, pd.NaT]


def whole_numbers(rng, n_rows, low, high):
    """Whole numbers about a power of two, or on both sides of one, within the bounds."""
    power = int(rng.integers(-1, max(abs(low), high).bit_length() + 1))
    middle = 2**power if power >= 0 else 0
    middle = int(rng.choice([-1, 1])) * middle + int(rng.integers(-1, 2))
    span = int(rng.choice(SPANS))
    first = middle - int(rng.choice([0, span // 2, span]))
    first = min(max(first, low), high)
    last = min(first + span, high)
    if rng.random() < 0.2:  # a byte holds the numbers, but not their differences
        first, last = max(low, -int(rng.integers(60, 129))), int(rng.integers(60, 128))
    numbers = [first + int(k) for k in rng.integers(0, last - first + 1, n_rows)]
    numbers[:2] = [first, last]
    return [numbers[k] for k in rng.permutation(n_rows)]


def with_holes(rng, cells, hole=None):
    if rng.random() < 0.5:
        return cells
    gone = rng.random(len(cells)) < 0.2
    gone[rng.integers(len(cells))] = False
    return [hole if is_gone else cell for cell, is_gone in zip(cells, gone, strict=True)]


def plain(cells):
    return [None if pd.isna(cell) else cell for cell in cells]


def integers(rng, n_rows):
    name = str(rng.choice(INTEGERS))
    limits = np.iinfo(name)
    cells = whole_numbers(rng, n_rows, int(limits.min), int(limits.max))
    how = rng.integers(5)
    if how == 0:
        return pd.Series(np.array(cells, dtype=name)), cells
    if how == 1:
        return pd.Series(np.array(cells, dtype=name).astype(f">{name[0]}{limits.bits // 8}")), cells
    if how == 2:
        return pd.Series(pd.Categorical(np.array(cells, dtype=name))), cells
    cells = with_holes(rng, cells)
    if how == 3:
        return pd.Series(pd.array(cells, dtype=name.replace("i", "I").replace("u", "U"))), cells
    return pd.Series(pd.array(cells, dtype=pd.ArrowDtype(getattr(pa, name)()))), cells


def objects(rng, n_rows):
    cells = whole_numbers(rng, n_rows, -(2**70), 2**70)
    cells = with_holes(rng, cells, HOLES[rng.integers(len(HOLES))])
    return pd.Series(cells, dtype=object), plain(cells)


def whole_floats(rng, n_rows):
    name = str(rng.choice(list(EXACT)))
    most = EXACT[name]
    cells = with_holes(rng, whole_numbers(rng, n_rows, -most, most))
    return held_as_floats(rng, [None if cell is None else float(cell) for cell in cells], name)


def fractions(rng, n_rows):
    name = str(rng.choice(list(EXACT)))
    found = np.asarray(rng.normal(size=rng.integers(1, 20)) * 2.0 ** rng.integers(-9, 9), name)
    cells = found[rng.integers(0, len(found), n_rows)].tolist()
    return held_as_floats(rng, with_holes(rng, cells), name)


def held_as_floats(rng, cells, name):
    how = rng.integers(4) if name != "float16" else 0
    if how == 0:
        values = np.array([np.nan if cell is None else cell for cell in cells], dtype=name)
        return pd.Series(values), cells
    if how == 1:
        return pd.Series(pd.array(cells, dtype=name.capitalize())), cells
    if how == 2:
        return pd.Series(pd.array(cells, dtype=pd.ArrowDtype(getattr(pa, name)()))), cells
    return pd.Series(cells, dtype=object), cells


def booleans(rng, n_rows):
    cells = [bool(bit) for bit in rng.integers(0, 2, n_rows)]
    how = rng.integers(5)
    if how == 0:
        return pd.Series(np.array(cells)), cells
    cells = with_holes(rng, cells)
    if how == 1:
        return pd.Series(pd.array(cells, dtype=pd.ArrowDtype(pa.bool_()))), cells
    return pd.Series(cells, dtype=["boolean", "object", "category"][how - 2]), cells


def texts(rng, n_rows):
    found = [WORDS[k] for k in rng.permutation(len(WORDS))[: rng.choice([1, 3, 130, 300])]]
    cells = with_holes(rng, [found[k] for k in rng.integers(0, len(found), n_rows)])
    held = ["object", "string", "str", "category", "string[python]", pd.ArrowDtype(pa.string())]
    kind = held[rng.integers(len(held))]
    return pd.Series(cells, dtype=kind), cells


def mixtures(rng, n_rows):
    """Text with numbers, or with booleans: '1', 1 and True are three labels."""
    other = [1, 2, -128, 127, 2.5, 10**20] if rng.random() < 0.5 else [True, False]
    found = ["1", "2", "True", "", *other]
    cells = with_holes(rng, [found[k] for k in rng.integers(0, len(found), n_rows)])
    return pd.Series(cells, dtype=object), cells


def categories(rng, n_rows):
    """Categories in any order, some of them unused; text, or numbers in any range."""
    n = int(rng.choice([2, 5, 127, 128, 129, 255, 256, 257, 400]))
    if rng.random() < 0.5:
        labels = [f"s{k}" for k in range(n)]
    else:
        first = int(rng.choice([-n // 2, 0, 127, -(2**31), 2**40]))
        labels = list(range(first, first + n))
    labels = [labels[k] for k in rng.permutation(n)]
    cells = with_holes(rng, [labels[k] for k in rng.integers(0, n, n_rows)])
    ordered = bool(rng.random() < 0.5)
    return pd.Series(pd.Categorical(cells, labels, ordered=ordered)), cells


def dictionaries(rng, n_rows):
    """Arrow's dictionaries of text or whole numbers, their indices signed or not."""
    cells = [f"s{k}" for k in rng.integers(0, rng.choice([2, 100]), n_rows)]
    if rng.random() < 0.5:
        cells = [int(cell[1:]) + 2**53 for cell in cells]
    cells = with_holes(rng, cells)
    array = pa.array(cells).dictionary_encode()
    index = getattr(pa, rng.choice(["int8", "int32", "uint8", "uint16", "uint32", "uint64"]))()
    array = array.cast(pa.dictionary(index, array.type.value_type))
    return pd.Series(pd.array(array, dtype=pd.ArrowDtype(array.type))), cells


def sparse(rng, n_rows):
    """Sparse whole numbers or floats about any filler, also one that is missing or common."""
    name = str(rng.choice([*INTEGERS, "float32", "float64"]))
    is_whole = name in INTEGERS
    limits = np.iinfo(name) if is_whole else None
    low, high = (int(limits.min), int(limits.max)) if is_whole else (-EXACT[name], EXACT[name])
    cells = whole_numbers(rng, n_rows, low, high)
    cells = cells if is_whole else [float(cell) for cell in with_holes(rng, cells, np.nan)]
    filler = [0, np.nan, cells[0], max(cells)][rng.integers(4)]
    held = pd.arrays.SparseArray(np.array(cells, dtype=name), fill_value=filler)
    return pd.Series(held), plain(cells)


KINDS = [
    integers,
    integers,
    objects,
    whole_floats,
    fractions,
    booleans,
    texts,
    mixtures,
    categories,
]


def tables(seed, n_columns, kinds=KINDS):
    """Yield frames with a class, and the plain cells of each column."""
    rng = np.random.default_rng(seed)
    for n_rows, share in ROWS.items():
        cells, columns = {}, {}
        for k in range(max(1, round(share * n_columns))):
            kind = kinds[k % len(kinds)]
            columns[f"x{k}"], cells[f"x{k}"] = kind(rng, n_rows)
        cells["y"] = [k % 2 for k in range(n_rows)]
        yield pd.DataFrame({**columns, "y": cells["y"]}), cells


def key(cell):
    """Equal for equal cells of the same kind only."""
    return (isinstance(cell, str), isinstance(cell, bool), cell)


def wrong(data, cells):
    """Columns in which a cell came out other than it was, or a state that was none."""
    found = []
    for node, own in cells.items():
        place = {key(label): code for code, label in enumerate(data.states[node])}
        codes = [-1 if cell is None else place.get(key(cell), -2) for cell in own]
        if data.column(node).tolist() != codes:
            found.append(node)
    return found


def states_of(column, cells):
    """The states a column should have: its categories, or its values sorted within kinds."""
    if isinstance(column.dtype, pd.CategoricalDtype):
        return list(column.cat.categories)
    seen = {key(cell): cell for cell in cells if cell is not None}.values()
    if (
        len({type(cell) in (int, float) for cell in seen} | {type(cell) is str for cell in seen})
        > 2
    ):
        return None
    try:
        return sorted(seen)
    except TypeError:  # kinds that do not compare
        return None


@pytest.mark.slow
@pytest.mark.wide
def test_from_frame():
    for frame, cells in tables(0, N_COLUMNS):
        data = Dataset.from_frame(frame, "y")
        assert wrong(data, cells) == []
        for node, own in cells.items():
            states = states_of(frame[node], own)
            assert states is None or list(data.states[node]) == states


@pytest.mark.slow
@pytest.mark.wide
def test_arrays_of_dictionaries_and_sparse_ones():
    for frame, cells in tables(1, N_COLUMNS // 10, [dictionaries, sparse]):
        data = Dataset.from_frame(frame, "y")
        assert wrong(data, cells) == []
        for node, own in cells.items():
            assert list(data.states[node]) == states_of(frame[node], own)
        pieces = [frame.iloc[: len(frame) // 2], frame.iloc[len(frame) // 2 :]]
        assert wrong(Dataset.from_chunks(pieces, "y"), cells) == []


@pytest.mark.parametrize("index", [pa.int8(), pa.uint8()])
def test_a_classifier_of_dictionaries_is_that_of_their_texts(index):
    texts = pd.Series(["a", "b", None, "a", "b", "b"] * 5, dtype="string")
    array = pa.array(texts).dictionary_encode().cast(pa.dictionary(index, pa.string()))
    column = pd.Series(pd.array(array, dtype=pd.ArrowDtype(array.type)))
    y = list("pqppqq") * 5
    found = [
        BNClassifier("naive-bayes").fit(X, y).predict_proba(X)
        for X in (texts.to_frame("a"), column.to_frame("a"))
    ]
    np.testing.assert_array_equal(*found)


@pytest.mark.slow
@pytest.mark.wide
def test_states_given():
    rng = np.random.default_rng(1)
    for frame, cells in tables(2, N_COLUMNS // 10):
        states = {}
        for node, own in cells.items():
            seen = list({key(cell): cell for cell in own if cell is not None}.values())
            others = [f"other {k}" for k in range(rng.choice([0, 1, 127, 128]))]
            listed = [*others, *seen] if rng.random() < 0.5 else [*seen, *others]
            states[node] = [listed[k] for k in rng.permutation(len(listed))]
        assert wrong(Dataset.from_frame(frame, "y", states=states), cells) == []


def held_otherwise(rng, cells):
    """A piece of a column of whole numbers in any type that holds it."""
    seen = [cell for cell in cells if cell is not None]
    low, high = min(seen, default=0), max(seen, default=0)
    fits = [n for n in INTEGERS if np.iinfo(n).min <= low and high <= np.iinfo(n).max]
    whole = [n for n in fits if len(seen) == len(cells)]
    nullable = [n.replace("i", "I").replace("u", "U") for n in fits]
    arrow = [pd.ArrowDtype(getattr(pa, n)()) for n in fits]
    kinds = [*whole, *nullable, *arrow, object]
    return pd.Series(cells, dtype=kinds[rng.integers(len(kinds))])


@pytest.mark.slow
@pytest.mark.wide
def test_chunks_of_other_ranges_and_types():
    rng = np.random.default_rng(3)
    for frame, cells in tables(4, N_COLUMNS // 10):
        starts = [0, *sorted(rng.integers(0, len(frame), 4).tolist()), len(frame)]
        is_number = {
            name: all(cell is None or type(cell) is int for cell in cells[name])
            and not isinstance(frame[name].dtype, pd.CategoricalDtype)
            for name in frame
        }
        pieces = []
        for start, stop in pairwise(starts):
            piece = frame.iloc[start:stop].reset_index(drop=True)
            other = {
                name: held_otherwise(rng, cells[name][start:stop])
                for name, is_one in is_number.items()
                if is_one and start < stop
            }
            pieces.append(pd.DataFrame({name: other.get(name, piece[name]) for name in frame}))
        assert wrong(Dataset.from_chunks(pieces, "y"), cells) == []


def parquet_column(column):
    """The column as Arrow holds it, None where Arrow has no such type."""
    try:
        return pa.array(column, from_pandas=True)
    except (pa.ArrowException, OverflowError, ValueError):
        return None


@pytest.mark.slow
@pytest.mark.wide
def test_from_parquet(tmp_path):
    rng = np.random.default_rng(5)
    for frame, cells in tables(6, N_COLUMNS // 10):
        arrays = {name: parquet_column(frame[name]) for name in frame}
        arrays = {name: array for name, array in arrays.items() if array is not None}
        assert len(arrays) > len(cells) / 2
        pq.write_table(pa.table(arrays), tmp_path / "rows.parquet", row_group_size=100)
        for batch_rows in (int(rng.integers(len(frame) // 5, len(frame))), 10**6):
            data = Dataset.from_parquet(tmp_path / "rows.parquet", "y", batch_rows=batch_rows)
            assert wrong(data, {name: cells[name] for name in arrays}) == []


def native(column):
    """The column in the machine's own order of bytes, in which alone pandas picks rows."""
    is_plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iuf"
    return pd.Series(column.to_numpy().astype(column.dtype.type)) if is_plain else column


def few_values(rng, n_rows, n_values=8):
    """A column of few labels, which are far apart where they are numbers, and never missing."""
    while True:
        kind = KINDS[rng.integers(len(KINDS))]
        column, cells = kind(rng, n_rows)
        column = native(column)
        seen = [cell for cell in cells if cell is not None]
        if pd.api.types.is_float_dtype(column.dtype):
            continue  # cut into intervals
        chosen = [seen[k] for k in rng.permutation(len(seen))[:n_values]]
        at = [cells.index(cell) for cell in chosen]
        rows = [at[k] for k in rng.integers(0, len(at), n_rows)]
        return column.iloc[rows].reset_index(drop=True), [cells[k] for k in rows]


def frequency_posteriors(columns, cards, classes):
    """P(1 | row) of naive Bayes with one added to every count, by counting in plain Python."""
    n, n_of = len(classes), Counter(classes)
    scores = {c: [(n_of[c] + 1) / (n + 2)] * n for c in (0, 1)}
    for name, cells in columns.items():
        joint = Counter(zip(map(key, cells), classes, strict=True))
        for c in (0, 1):
            scores[c] = [
                score * (joint[key(cell), c] + 1) / (n_of[c] + cards[name])
                for score, cell in zip(scores[c], cells, strict=True)
            ]
    return [one / (one + zero) for zero, one in zip(scores[0], scores[1], strict=True)]


@pytest.mark.parametrize("seed", range(8))
def test_classifier_counts_and_predicts_by_the_labels(seed):
    rng = np.random.default_rng(seed)
    n_rows = 300
    made = {f"x{k}": few_values(rng, n_rows) for k in range(20)}
    frame = pd.DataFrame({name: column for name, (column, _) in made.items()})
    cells = {name: own for name, (_, own) in made.items()}
    classes = rng.integers(0, 2, n_rows).tolist()
    classifier = BNClassifier(
        "naive-bayes", learner="frequencies", penalty=0, temperature=None, discretize=None
    )
    found = classifier.fit(frame, classes).predict_proba(frame)[:, 1]
    cards = classifier.network_.cards
    for name, own in cells.items():
        n_seen = len(set(map(key, own)))
        is_category = isinstance(frame[name].dtype, pd.CategoricalDtype)
        assert cards[name] == (len(frame[name].cat.categories) if is_category else n_seen)
    np.testing.assert_allclose(found, frequency_posteriors(cells, cards, classes), rtol=1e-9)


@pytest.mark.parametrize("seed", range(4))
def test_a_classifiers_states_are_what_objects_with_holes_hold(seed):
    (frame, cells), *_ = tables(seed, 60, [objects])
    X, y = frame.drop(columns="y"), frame["y"]
    states = BNClassifier("naive-bayes", discretize=None).fit(X, y).network_.states
    assert {node: list(states[node]) for node in X} == {
        node: sorted({cell for cell in cells[node] if cell is not None}) for node in X
    }


@pytest.mark.parametrize("seed", range(40))
def test_the_class_comes_back_as_it_was(seed):
    rng = np.random.default_rng(seed)
    kind = [integers, texts, booleans, categories][seed % 4]
    column, cells = kind(rng, 40)
    column = native(column)
    seen = sorted({cell for cell in cells if cell is not None}, key=str)
    if len(seen) < 2:
        seen = [*seen, type(seen[0])(seen[0] * 2 + 1) if type(seen[0]) is int else "another"]
        column = pd.Series(seen)
    at = {cell: (cells.index(cell) if cell in cells else k) for k, cell in enumerate(seen)}
    rows = [at[cell] for cell in seen] * 4  # classes of one size: each row's own is the likeliest
    labels = [*seen] * 4
    y = column.iloc[rows].reset_index(drop=True)
    X = pd.DataFrame({"a": [f"s{seen.index(cell)}" for cell in labels]})
    classifier = BNClassifier(
        "naive-bayes", learner="frequencies", penalty=0, temperature=None
    ).fit(X, y)
    assert [key(label) for label in classifier.classes_.tolist()] == [key(c) for c in sorted(seen)]
    assert [key(label) for label in classifier.predict(X).tolist()] == [key(c) for c in labels]
    data = Dataset.from_frame(X.assign(y=y), "y")
    assert wrong(data, {"y": labels}) == []
