"""What goes to the terminal, and what does not."""

import sys
import warnings

import pytest

from bnlr.cli.console import one_line_warnings, say_table
from bnlr.cli.output import replacing
from bnlr.errors import BnlrWarning, ParameterError


class Terminal:
    """A stream that says that it is a terminal."""

    encoding = "utf-8"

    def __init__(self):
        self.text = ""

    def isatty(self):
        return True

    def write(self, text):
        self.text += text
        return len(text)

    def flush(self):
        pass


@pytest.mark.parametrize("is_quiet", [False, True])
def test_quiet_means_no_warnings_and_no_progress(is_quiet, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with one_line_warnings(is_quiet):
        assert sys.stderr.isatty() is not is_quiet
        warnings.warn("two\nlines", BnlrWarning, stacklevel=1)
        warnings.warn("not for users", RuntimeWarning, stacklevel=1)
        sys.stderr.write("errors stay\n")
    said = "" if is_quiet else "bnlr: warning: two lines\n"
    assert terminal.text == f"{said}errors stay\n"
    assert sys.stderr is terminal


@pytest.mark.parametrize("action", ["error", "ignore"])
def test_warnings_are_told_whatever_the_callers_filters_are(action, capsys):
    with warnings.catch_warnings():
        warnings.simplefilter(action)
        with one_line_warnings(is_quiet=False):
            warnings.warn("odd", BnlrWarning, stacklevel=1)
    assert capsys.readouterr().err == "bnlr: warning: odd\n"


@pytest.mark.parametrize("no_color", [None, "1"])
def test_a_table_on_a_terminal_is_folded_and_heeds_no_color(no_color, monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm-256color")
    if no_color is None:
        monkeypatch.delenv("NO_COLOR", raising=False)
    else:
        monkeypatch.setenv("NO_COLOR", no_color)
    say_table(
        ("file", "arcs"), [("long-" * 20, "7"), ("[b]x[/b]", "12")], right=("arcs",), fold="file"
    )
    lines = [line.replace("\x1b[1m", "").replace("\x1b[0m", "") for line in
             terminal.text.splitlines()]  # fmt: skip
    assert max(map(len, lines)) <= 40
    assert "[b]x[/b]" in lines[-1]
    assert lines[-1].endswith("12")
    assert "\x1b[3" not in terminal.text  # no colour, with or without NO_COLOR


def test_a_file_appears_when_it_is_whole(tmp_path):
    target = tmp_path / "out.csv"
    with replacing(str(target)) as file:
        file.write("half")
        assert not target.exists()
        file.write(" and half\r\n")
    assert target.read_bytes() == b"half and half\r\n"
    with pytest.raises(UnicodeEncodeError), replacing(str(target)) as file:
        file.write("other" * 10_000 + "\ud800")
    assert target.read_bytes() == b"half and half\r\n"
    assert list(tmp_path.iterdir()) == [target]
    with pytest.raises(ParameterError, match="cannot write"), replacing(str(tmp_path)):
        pass


def test_columns_that_must_not_be_folded_are_whole_on_the_narrowest_terminal(monkeypatch):
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "12")
    monkeypatch.setenv("NO_COLOR", "1")
    say_table(("file", "violations"), [("a" * 50, "1,234,567")], right=("violations",), fold="file")
    assert "1,234,567" in terminal.text
    assert "violations" in terminal.text
    assert terminal.text.replace("\n", "").count("a") == 50 + 1  # and that of "violations"
