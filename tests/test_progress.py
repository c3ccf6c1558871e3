"""What a person sees of a computation: lines if asked, else one on a terminal after a while."""

import sys

from bnlr import progress
from bnlr.progress import ProgressLine


def on_a_terminal(monkeypatch, patience):
    monkeypatch.setattr(progress, "_PATIENCE", patience)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)


def shown(capsys, verbose):
    with ProgressLine(verbose) as line:
        for text in ("one", "two"):
            line.write(text)
    assert line.spent >= 0
    return capsys.readouterr()


def test_verbose_is_a_line_each(capsys):
    assert shown(capsys, 1) == ("", "one\ntwo\n")


def test_a_terminal_shows_one_line_that_is_wiped(capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    assert shown(capsys, 0) == ("", "\r\x1b[Kbnlr: one\r\x1b[Kbnlr: two\r\x1b[K")


def test_nothing_is_shown_of_what_is_over_soon(capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=1e9)
    assert shown(capsys, 0) == ("", "")


def test_nothing_is_shown_where_nobody_looks(capsys, monkeypatch):
    monkeypatch.setattr(progress, "_PATIENCE", -1.0)
    assert shown(capsys, 0) == ("", "")


def test_a_share_tells_the_time_that_the_rest_takes(capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    monkeypatch.setattr(ProgressLine, "spent", 50.0)
    with ProgressLine(verbose=0) as line:
        for done in (0, 250, 750):
            line.write_share(done, 1000, "pairs")
    first, second = capsys.readouterr().err.split("bnlr: ")[1:]
    assert first.startswith("250 of 1,000 pairs   about 2 min left")
    assert second.startswith("750 of 1,000 pairs   about 17 s left")
