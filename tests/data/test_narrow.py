"""Narrow integers: what is computed with codes is what Python's own integers give."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import parquet as pq

import bnlr
from bnlr import Dataset, Structure
from bnlr.data.compress import merge_rows
from bnlr.data.narrow import offsets, smallest_dtype, smallest_unsigned
from bnlr.design.cells import cell_sums
from bnlr.design.counting import Families, family_counts
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from tests.width import in_full

# What the columns hold is odd, and that may be said of them.
pytestmark = pytest.mark.filterwarnings("ignore::bnlr.BnlrWarning")

INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


@pytest.mark.parametrize("n", [-20, -9, 0, 9, 20])
def test_numbers_that_fill_a_byte(n):
    x = np.tile(np.arange(-128 + max(n, 0), 128 + min(n, 0)), 20)
    data = Dataset.from_frame(pd.DataFrame({"x": x, "y": x % 2}), "y")
    assert list(data.states["x"]) == sorted(set(x.tolist()))
    assert [data.states["x"][code] for code in data.column("x")] == x.tolist()


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_offsets(dtype, order):
    rng = np.random.default_rng(0)
    limits = np.iinfo(dtype)
    for n in (1, 2, 127, 128, 129, 255, 256, 257, 1024, 2**15, 2**15 + 1, 2**16):
        for _ in range(20):
            span = min(n, int(limits.max) - int(limits.min) + 1)
            low = int(rng.choice([int(limits.min), -1, 0, 100, int(limits.max) - span + 1]))
            low = max(int(limits.min), min(low, int(limits.max) - span + 1))
            whole = [low + int(k) for k in rng.integers(0, span, 30)] + [low, low + span - 1]
            found = offsets(np.array(whole, np.dtype(dtype).newbyteorder(order)), low, n)
            assert found.tolist() == [number - low for number in whole]
            assert found.dtype == smallest_dtype([n])


def test_smallest_types_hold_their_codes():
    for n in (1, 2, 127, 128, 129, 2**15, 2**15 + 1, 2**16, 2**16 + 1, 2**31, 2**32 + 1):
        signed, unsigned = np.iinfo(smallest_dtype([1, n])), np.iinfo(smallest_unsigned(n))
        assert signed.min <= -1
        assert signed.max >= n - 1
        assert unsigned.max >= n - 1
        assert signed.bits == 8 or np.iinfo(f"int{signed.bits // 2}").max < n - 1
        assert unsigned.bits == 8 or np.iinfo(f"uint{unsigned.bits // 2}").max < n - 1


@pytest.mark.slow
def test_classes_and_groups_of_any_number():
    """Packed classes and codes are those of the rows, at each bound of a type."""
    rng = np.random.default_rng(1)
    for n_classes, card in ((255, 2), (256, 3), (257, 2), (65_536, 2), (65_537, 2), (70_000, 3)):
        states = {"y": tuple(range(n_classes)), "a": tuple(range(card))}
        rows = [[c, int(rng.integers(card))] for c in rng.integers(0, n_classes, 40).tolist()]
        rows.append([n_classes - 1, 0])
        data = Dataset.from_codes(rows, states, "y")
        layout = TableLayout.of(Structure([("y", "a")], "y"), data.cards)
        design = Design.of(layout, data, merge=False)
        assert design.classes.tolist() == [c for c, _ in rows]


@pytest.mark.parametrize("card", [255, 256, 257, *in_full(65_535, 65_536, 65_537)])
def test_counts_of_families_with_codes_of_any_width(card):
    rng = np.random.default_rng(card)
    states = {"a": tuple(range(card)), "b": (0, 1, 2), "y": (0, 1)}
    rows = np.column_stack([rng.integers(-1, n, 300) for n in (card, 3, 2)])
    rows[:2, 0] = card - 1
    data = Dataset.from_codes(rows, states, "y")
    expected = np.zeros((card, 3, 2))
    for a, b, y in rows.tolist():
        if min(a, b, y) >= 0:
            expected[a, b, y] += 1
    np.testing.assert_array_equal(family_counts(data, [("a", "b", "y")])[0], expected)
    whole = rows[(rows >= 0).all(axis=1)]
    kept = Dataset.from_codes(whole, states, "y")
    laid = Families.of(kept, [("a", "b", "y")])
    sums = cell_sums(np.ascontiguousarray(kept.codes.T), laid, np.ones((len(whole), 1)))
    np.testing.assert_array_equal(sums.reshape(expected.shape), expected)
    packed = Design.of(TableLayout.of(Structure([("y", "b"), ("a", "b")], "y"), kept.cards), kept)
    np.testing.assert_array_equal(packed.counts()[1:].reshape(expected.shape), expected)


@pytest.mark.slow
def test_rows_merge_by_value_whatever_their_range():
    rng = np.random.default_rng(2)
    for _ in range(200):
        n_rows, n_columns = int(rng.integers(1, 30)), int(rng.integers(1, 40))
        columns = []
        for _ in range(n_columns):
            dtype = np.dtype(str(rng.choice(["int8", "int16", "int32", "uint16", "uint32"])))
            low = int(rng.integers(np.iinfo(dtype).min, np.iinfo(dtype).max - 3))
            columns.append(np.array(low + rng.integers(0, 3, n_rows), dtype))
        merged = merge_rows(columns, None)
        rows = list(zip(*(column.tolist() for column in columns), strict=True))
        counts = {row: float(rows.count(row)) for row in rows}
        found = {rows[k]: n for k, n in zip(merged.first, merged.weights, strict=True)}
        assert found == counts


def test_more_cells_than_64_bits_number_are_refused():
    cards = np.full(70, 2)
    with pytest.raises(bnlr.TooLargeError, match="cells"):
        Families.at(cards, np.arange(70), [70])
    with pytest.raises(bnlr.TooLargeError, match="cells"):
        Families.at(np.full(4, 2**20), np.tile(np.arange(3), 9), [3] * 9)


@pytest.mark.slow
def test_tables_of_very_many_states_are_refused():
    n_states = 20_000
    codes = np.tile(np.arange(n_states), 20)[:, None] + np.zeros(3, int)  # no identifiers
    data = Dataset.from_codes(codes, dict.fromkeys("aby", range(n_states)), "y")
    for method in ("tan", "kdb", "fan"):
        with pytest.raises(bnlr.TooLargeError, match="class"):
            bnlr.learn_structure(data, method)


def test_learner_dfe_refuses_what_cannot_be_numbered():
    parents = [f"p{k}" for k in range(40)]
    structure = Structure([("y", "a"), *((p, "b") for p in parents)], "y")
    rows = np.random.default_rng(0).integers(0, 2, (20, 43))
    data = Dataset.from_frame(pd.DataFrame(rows, columns=["y", "a", "b", *parents]), "y")
    with pytest.raises(bnlr.TooLargeError, match="'b'"):
        bnlr.fit(structure, data, learner="dfe")


@pytest.mark.parametrize("index", [np.uint8, np.uint16, np.uint32, np.uint64, np.int8, np.int64])
@pytest.mark.parametrize("hole", [None, 1])
def test_dictionaries_of_any_index(index, hole, tmp_path):
    numbers = pa.array([2, 0, hole, 2], pa.from_numpy_dtype(index))
    column = pa.DictionaryArray.from_arrays(numbers, pa.array(["u", "unused", "v"]))
    pq.write_table(pa.table({"a": column, "y": [1, 0, 0, 1]}), tmp_path / "rows.parquet")
    data = Dataset.from_parquet(tmp_path / "rows.parquet", "y")
    assert data.states["a"] == ("u", "unused", "v")
    assert data.column("a").tolist() == [2, 0, -1 if hole is None else 1, 2]


@pytest.mark.parametrize("kind", [pa.int64(), pa.uint64()])
def test_large_numbers_beside_a_hole(kind, tmp_path):
    cells = [2**53, 2**53 + 1, None, 2**62 + 1, 2**62]
    pq.write_table(
        pa.table({"a": pa.array(cells, kind), "y": list("nynyn")}), tmp_path / "a.parquet"
    )
    data = Dataset.from_parquet(tmp_path / "a.parquet", "y", batch_rows=2)
    labels = data.states["a"]
    assert [None if c < 0 else labels[c] for c in data.column("a")] == cells


@pytest.mark.parametrize("suffix", [".csv", ".parquet", ".arff"])
@pytest.mark.parametrize("hole", [False, True])
@pytest.mark.parametrize("first", [2**53, -(2**53), 2**62, 2**63, 10**25])
def test_large_numbers_of_files(suffix, hole, first, tmp_path):
    """A file's whole numbers stay as they are written, beside holes too."""
    cells = [first, first + 1, first + 2, first + 3, first]
    cells[2] = None if hole else cells[2]
    path = tmp_path / f"rows{suffix}"
    written = ["?" if cell is None else str(cell) for cell in cells]
    if suffix == ".csv":
        path.write_text("a,y\n" + "".join(f"{cell},n\n" for cell in written), "utf-8")
    elif suffix == ".arff":
        head = "@relation r\n@attribute a numeric\n@attribute y {n}\n@data\n"
        path.write_text(head + "".join(f"{cell},n\n" for cell in written), "utf-8")
    elif first > 2**63:
        return  # no integer of Parquet's
    else:
        kind = pa.uint64() if first == 2**63 else pa.int64()
        pq.write_table(pa.table({"a": pa.array(cells, kind), "y": ["n"] * 5}), path)
    data = Dataset.from_frame(bnlr.read_frame(path), "y")
    labels = data.states["a"]
    assert [None if c < 0 else labels[c] for c in data.column("a")] == cells
