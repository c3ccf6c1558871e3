"""Packed files: their content whatever the name, limits, and damage in words."""

import io
import tracemalloc
from contextlib import suppress
from pathlib import Path

import pytest

from bnlr.io.packing import inner_name, packed_file, unpacked
from tests.io.packed import PACKINGS, zipped

RAW = bytes(range(256)) * 4000


@pytest.mark.parametrize("suffix", PACKINGS)
def test_the_content_comes_back_and_can_be_read_again(suffix):
    file = io.BytesIO(PACKINGS[suffix](RAW))
    content = unpacked(file)
    assert content.read(7) == RAW[:7]
    content.seek(0)
    assert content.read() == RAW
    assert packed_file(content) is file


def test_what_is_not_packed_is_the_file_itself():
    for raw in (b"", b"P", b"a,b\n", b"BZ", b"\x1f"):
        file = io.BytesIO(raw)
        assert unpacked(file) is file is packed_file(file)
        assert file.read() == raw


@pytest.mark.slow
@pytest.mark.parametrize("suffix", PACKINGS)
def test_damage_is_said_in_words(suffix):
    packed = PACKINGS[suffix](RAW)
    for length in range(6, len(packed), 97):
        with pytest.raises(OSError, match=r"damaged|not whole|password|unpack"):
            unpacked(io.BytesIO(packed[:length])).read()
    for place in range(6, len(packed), 31):
        changed = bytearray(packed)
        changed[place] ^= 0xFF
        with suppress(OSError):  # what is found undamaged is the content, by its checksum
            assert unpacked(io.BytesIO(changed)).read() == RAW


@pytest.mark.parametrize(
    "suffix",
    [pytest.param(kind, marks=() if kind == ".gz" else pytest.mark.slow) for kind in PACKINGS],
)
def test_a_bomb_is_refused_before_it_takes_memory(suffix, monkeypatch):
    packed = PACKINGS[suffix](bytes(2**20) * 80)
    tracemalloc.start()
    content = unpacked(io.BytesIO(packed))
    with pytest.raises(OSError, match="more than 64 MiB; set BNLR_MAX_UNPACKED_MIB"):
        sum(len(block) for block in iter(lambda: content.read(2**18), b""))
    assert tracemalloc.get_traced_memory()[1] < 2**24
    tracemalloc.stop()
    monkeypatch.setenv("BNLR_MAX_UNPACKED_MIB", "100")
    assert len(unpacked(io.BytesIO(packed)).read()) == 80 * 2**20
    monkeypatch.setenv("BNLR_MAX_UNPACKED_MIB", "1")
    with pytest.raises(OSError, match="more than 1 MiB"):
        unpacked(io.BytesIO(PACKINGS[suffix](bytes(2**21)))).read()


def test_a_zip_has_one_member(tmp_path):
    for names, said in (((), "zip of 0 files"), (("a", "b"), "zip of 2 files")):
        with pytest.raises(OSError, match=said):
            unpacked(io.BytesIO(zipped(b"x", *names)))
    locked = bytearray(zipped(b"x", "a"))
    locked[6] |= 1
    locked[locked.index(b"PK\x01\x02") + 8] |= 1
    with pytest.raises(OSError, match="password"):
        unpacked(io.BytesIO(locked))


def test_the_name_that_tells_the_format(tmp_path):
    for name, inner in (
        *(("a.bif.gz", "a.bif"), ("a.BIF.XZ", "a.BIF"), ("a.bif", "a.bif"), ("a.gz", "a")),
        *(("a.net.zip", "a.net"), ("none.zip", "none"), ("-", "-")),
    ):
        assert inner_name(Path(name)) == inner
    (tmp_path / "a.zip").write_bytes(zipped(b"x", "b/c.bif"))
    assert inner_name(tmp_path / "a.zip") == "c.bif"
    (tmp_path / "a.zip").write_bytes(b"no zip")
    assert inner_name(tmp_path / "a.zip") == "a"
