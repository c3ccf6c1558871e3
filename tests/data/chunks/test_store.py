"""Data sets whose codes stay in a file, and the passes over long columns."""

import errno
import os
import pickle
import subprocess
import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.data import scan
from bnlr.data.chunks import store
from tests.data.chunks.test_read import GOOD, STATES, cut, same


def test_the_file_holds_the_codes_column_after_column(tmp_path):
    path = tmp_path / "codes"
    data = bnlr.Dataset.from_chunks([GOOD], "y", store=str(path))
    expected = bnlr.Dataset.from_frame(GOOD, "y").codes
    assert path.read_bytes() == expected.T.tobytes()
    with pytest.raises(ValueError, match="read-only"):
        data.codes[0, 0] = 1
    assert not data.column("a").flags.writeable


def test_a_relative_path_and_a_change_of_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    data = bnlr.Dataset.from_chunks(cut(GOOD, [1]), "y", store="codes")
    assert (tmp_path / "codes").stat().st_size == data.codes.size


def test_a_stored_data_set_is_one_like_any_other(tmp_path):
    rng = np.random.default_rng(8)
    frame = pd.DataFrame(rng.integers(0, 3, (300, 4)), columns=list("abcy"))
    data = bnlr.Dataset.from_chunks(cut(frame, [70]), "y", store=tmp_path / "codes")
    expected = bnlr.Dataset.from_frame(frame, "y")
    same(data.take(slice(0, 200)), expected.take(slice(0, 200)))
    same(data.take([5, 2]), expected.take([5, 2]))
    same(pickle.loads(pickle.dumps(data)), expected)  # noqa: S301
    assert data.most_frequent == expected.most_frequent
    pd.testing.assert_frame_equal(data.to_frame(), expected.to_frame())
    tree = bnlr.Structure.naive_bayes(list("abc"), class_name="y")
    assert bnlr.fit(tree, data, penalty=1.0).cll == bnlr.fit(tree, expected, penalty=1.0).cll


def refuse(error, *words, chunks=(GOOD,), **options):
    with pytest.raises(bnlr.BnlrError) as caught:
        bnlr.Dataset.from_chunks(chunks, "y", **options)
    assert type(caught.value) is error
    for word in words:
        assert word in str(caught.value)


def test_paths_that_cannot_be_a_store(tmp_path):
    (tmp_path / "file").write_bytes(b"mine")
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    before = sorted(tmp_path.iterdir())
    for name in ("file", "link"):
        refuse(bnlr.ParameterError, f"{name}' exists already", "delete", store=tmp_path / name)
    refuse(bnlr.ParameterError, "exists already", store=tmp_path)
    refuse(bnlr.ParameterError, "no directory", store=tmp_path / "no" / "codes")
    refuse(bnlr.ParameterError, "no directory", store=tmp_path / "file" / "codes")
    for path in (3, "", b"codes", [tmp_path / "x"]):
        refuse(bnlr.ParameterError, "path of a file", store=path)
    assert sorted(tmp_path.iterdir()) == before
    assert (tmp_path / "file").read_bytes() == b"mine"


def test_a_file_that_appears_meanwhile_is_kept(tmp_path):
    def make():
        yield GOOD
        (tmp_path / "codes").write_bytes(b"another's")

    refuse(bnlr.ParameterError, "exists already", chunks=make(), store=tmp_path / "codes")
    assert [p.read_bytes() for p in tmp_path.iterdir()] == [b"another's"]


@pytest.mark.parametrize("n_good", [0, 1])
def test_a_full_disk(n_good, tmp_path, monkeypatch):
    calls = []

    def full(path, n_bytes):
        calls.append(n_bytes)
        if len(calls) > n_good:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        path.write_bytes(bytes(n_bytes))

    monkeypatch.setattr(store, "_reserve", full)
    frames = [GOOD, GOOD.iloc[:3]]
    refuse(bnlr.TooLargeError, "No space left", chunks=frames, store=tmp_path / "codes")
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_take_its_name(tmp_path, monkeypatch):
    def lost(*_):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "replace", lost)
    refuse(bnlr.ParameterError, "cannot be written: Input/output", store=tmp_path / "codes")
    assert list(tmp_path.iterdir()) == []


def test_a_system_that_cannot_reserve_room(tmp_path, monkeypatch):
    monkeypatch.delattr(os, "posix_fallocate", raising=False)
    data = bnlr.Dataset.from_chunks([GOOD, GOOD], "y", store=tmp_path / "codes")
    same(data, bnlr.Dataset.from_frame(pd.concat([GOOD, GOOD]), "y"))


def test_no_memory(monkeypatch):
    def none(*_, **__):
        raise MemoryError

    with monkeypatch.context() as patch:
        patch.setattr(store.np, "empty", none)
        with pytest.raises(bnlr.TooLargeError, match="store="):
            store.Memory().allocate((10**6, 3), np.int8)


def test_a_directory_that_cannot_be_written(tmp_path, monkeypatch):
    def refused(**_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(store.tempfile, "mkdtemp", refused)
    refuse(bnlr.ParameterError, "Permission denied", store=tmp_path / "codes")


N = 3 * scan._BLOCK + 5


@pytest.fixture(scope="module")
def long():
    return np.random.default_rng(4).integers(-1, 6, N).astype(np.int8)


def test_counts_over_several_blocks(long):
    weights = np.random.default_rng(5).integers(0, 9, N).astype(float)
    for given, w in ((None, np.ones(N)), (weights, weights)):
        expected = [w[long == k].sum() for k in range(7)]
        assert scan.code_weights(long, 7, given).tolist() == expected
    assert scan.count_missing(long) == (long == -1).sum()
    assert scan.count_missing(np.abs(long)) == 0
    assert scan.count_missing(long[:0]) == 0


@pytest.mark.parametrize("row", [0, scan._BLOCK, N - 1, N])
def test_the_first_hole(row):
    codes = np.zeros(N, np.int8)
    codes[row:] = -1
    assert scan.first_missing(codes) == row


@pytest.mark.parametrize("row", [0, scan._FIRST_BLOCK, 2 * scan._BLOCK, N - 1])
def test_a_rare_number_is_found_wherever_it_is(row):
    numbers = np.full(N, -1, np.int16)
    numbers[row] = 3
    assert scan.occurring(numbers, 4).tolist() == [False, False, False, True]


@pytest.mark.parametrize("given", [np.int8, np.int16, np.int64])
@pytest.mark.parametrize("made", [np.int8, np.int16])
def test_relabel(given, made, long):
    lookup = np.array([4, -1, 0, 5, 2, 3, -1], made)
    numbers = long.astype(given)
    out = numbers if given is made else np.empty(N, made)
    scan.relabel(numbers, lookup, out)
    expected = [-1 if k < 0 else lookup[k] for k in long.tolist()]
    assert out.tolist() == expected


@pytest.mark.parametrize("rare", [(), (9,), (300, -40)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float32, "Int64", "category"])
def test_values_that_come_late_in_a_long_column(rare, dtype):
    values = np.random.default_rng(6).integers(2, 5, N)
    values[N - 1 - len(rare) : N - 1] = rare
    if dtype in (np.int8, np.uint8) and rare and not 0 <= min(rare) <= max(rare) < 128:
        pytest.skip("beyond the type")
    column = pd.Series(values).astype(dtype)
    data = bnlr.Dataset.from_frame(pd.DataFrame({"a": column, "y": 0}), "y")
    labels, codes = np.unique(values, return_inverse=True)
    assert data.states["a"] == tuple(labels.tolist())
    np.testing.assert_array_equal(data.column("a"), codes)


@pytest.mark.parametrize(
    ("dtype", "values"),
    [
        (np.int8, [-128, 127, 0]),
        (np.int64, [-(2**63), 2**63 - 1]),
        (np.uint64, [2**64 - 1, 2**64 - 3, 0]),
        (np.uint64, [2**64 - 1, 2**64 - 3]),
        (np.int64, [-(2**63), -(2**63) + 2]),
        (np.float64, [2.0**40, 2.0**40 + 1]),
        (np.float64, [-1e300, 1e300, 0.5]),
        (np.float16, [-3, 200]),
        (">i2", [500, -500]),
        (">f8", [500, np.nan, -500]),
    ],
)
def test_integers_at_the_ends_of_their_types(dtype, values):
    column = np.array(values, dtype=dtype)
    data = bnlr.Dataset.from_frame(pd.DataFrame({"a": column, "y": 0}), "y")
    known = sorted(x for x in values if not np.isnan(x))
    assert list(data.states["a"]) == known
    assert data.column("a").tolist() == [known.index(x) if not np.isnan(x) else -1 for x in values]


def test_objects_that_python_calls_equal():
    """Hashing objects finds True, 1 and 1.0 equal; they must be told apart all the same."""
    from decimal import Decimal

    for cells in ([1, Decimal(1), "x"], [True, 1.0, "x"], [0.0, "x", False]):
        frame = pd.DataFrame({"a": pd.Series(cells, dtype=object), "y": 0})
        with pytest.raises(bnlr.DataError):
            bnlr.Dataset.from_frame(frame, "y")
    pair = namedtuple("pair", "k")
    frame = pd.DataFrame({"a": pd.Series(["x", pair(1)], dtype=object), "y": 0})
    with pytest.raises(bnlr.DataError, match="row 1"):
        bnlr.Dataset.from_frame(frame, "y")


def test_nothing_is_made_where_the_states_are_wrong(tmp_path):
    refuse(bnlr.StateError, "'a'", store=tmp_path / "codes", states=STATES | {"a": ("p",)})
    assert list(Path(tmp_path).iterdir()) == []


KILLED = """
import os, signal, sys
import pandas as pd
import bnlr

def chunks():
    for k in range(9):
        if k == 5:
            os.kill(os.getpid(), signal.SIGKILL)
        yield pd.DataFrame({"a": ["x", "z"] * 50, "y": ["p", "q"] * 50})

bnlr.Dataset.from_chunks(chunks(), "y", store=sys.argv[1])
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no locks there")
def test_what_a_killed_build_has_left_is_removed_by_the_next_one(tmp_path):
    root = Path(__file__).resolve().parents[3]
    for name in ("codes", "others"):
        done = subprocess.run(
            [sys.executable, "-c", KILLED, tmp_path / name],
            check=False, env={**os.environ, "PYTHONPATH": str(root)},
        )  # fmt: skip
        assert done.returncode == -9
    assert len(list(tmp_path.iterdir())) == 1  # the second has removed what the first left
    (tmp_path / ".mine").mkdir()
    (tmp_path / ".mine" / "notes").write_text("", "utf-8")

    def chunks():
        """A build within a build, which is not abandoned."""
        for _ in range(3):
            bnlr.Dataset.from_chunks([GOOD], "y", store=tmp_path / "inner").codes.sum()
            (tmp_path / "inner").unlink()
            yield GOOD

    bnlr.Dataset.from_chunks(chunks(), "y", store=tmp_path / "codes")
    assert {path.name for path in tmp_path.iterdir()} == {"codes", ".mine"}
