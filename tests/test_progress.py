"""What a person sees of a computation: lines if asked, else one on a terminal after a while."""

import sys

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import progress
from bnlr.progress import ProgressLine
from bnlr.progress import shown as shown_items
from bnlr.search.cll.progress import SearchProgress


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


@pytest.mark.parametrize(
    ("spent", "verbose", "terminal", "is_told"),
    [
        (50.0, 0, False, True),
        (10.0, 0, False, False),
        (50.0, 1, False, False),
        (50.0, 0, True, False),
    ],
)
def test_a_long_work_says_so_first_where_nobody_sees_it(
    spent, verbose, terminal, is_told, monkeypatch, caplog
):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    monkeypatch.setattr(ProgressLine, "spent", spent)
    with ProgressLine(verbose) as line:
        for done in (0, 250, 500):
            line.write_share(done, 1000, "pairs")
    told = [record.getMessage() for record in caplog.records if record.name == "bnlr"]
    assert told == ["1,000 pairs: about 2 min to come, by what is done so far"] * is_told


@pytest.mark.parametrize(
    ("step", "spent", "n_promising", "max_steps", "told"),
    [
        (1, 5.0, 90, None, None),  # a step makes most of the other moves worthless
        (10, 50.0, 90, None, "55 s"),
        (20, 100.0, 90, None, "2 min"),
        (20, 100.0, 13, None, "70 s"),
        (20, 100.0, 90, 22, None),
    ],
)
def test_a_search_is_thought_to_go_on_for_as_many_steps_as_it_took(
    step, spent, n_promising, max_steps, told, monkeypatch, caplog
):
    monkeypatch.setattr(SearchProgress, "spent", spent)
    monkeypatch.setattr(progress, "_LONG", 50.0)
    with SearchProgress(0, max_steps, None, "BIC") as line:
        line.show(step, -1.0, n_promising)
    assert [record.args[1] for record in caplog.records] == [told] * (told is not None)


@pytest.mark.slow
def test_long_fits_searches_and_choices_say_so(monkeypatch, caplog):
    monkeypatch.setattr(progress, "_LONG", -1.0)
    rng = np.random.default_rng(0)
    rows = pd.DataFrame(rng.integers(0, 2, (500, 2)), columns=["a", "b"])
    rows["class"] = np.where(rng.random(500) < 0.9, rows["a"] ^ rows["b"], 0)
    data = bnlr.Dataset.from_frame(rows, "class")
    bnlr.fit(bnlr.learn_structure(data, "naive-bayes"), data, penalty=1)
    bnlr.cll_search(data, max_steps=1)
    bnlr.BNClassifier().fit(rows.drop(columns="class"), rows["class"])
    told = " ".join(record.getMessage() for record in caplog.records)
    assert "20 iterations: about" in told
    assert "search by CLL: about" in told
    assert "choosing structure and penalty: about" in told


def test_items_are_passed_on_and_counted(capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    assert list(shown_items("abc", "letters")) == list("abc")
    texts = capsys.readouterr().err
    assert "1 of 3 letters" in texts
    assert "2 of 3 letters" in texts
    assert texts.endswith("\r\x1b[K")


FRAME = pd.DataFrame({"a": [*"xy"] * 3000, "b": [*"xy"] * 3000, "class": [*"xxy"] * 2000})


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "arff"])
def test_reading_a_file_shows_how_far_it_is(suffix, tmp_path, capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    path = tmp_path / f"rows.{suffix}"
    if suffix == "arff":
        head = "".join(f"@attribute {name} {{x,y}}\n" for name in FRAME)
        path.write_text(f"@relation r\n{head}@data\n{FRAME.to_csv(header=False, index=False)}")
    else:
        FRAME.to_csv(path, index=False)
    read = bnlr.read_frame(path, "class")
    assert (read.astype(str) == FRAME.astype(str)).all(axis=None)
    texts = capsys.readouterr().err
    assert "1 of 3 columns" in texts
    if suffix != "arff":
        assert f" of {path.stat().st_size:,} bytes" in texts


def test_encoding_a_frame_shows_its_columns(capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    bnlr.Dataset.from_frame(FRAME, "class")
    assert "2 of 3 columns" in capsys.readouterr().err


def test_chunks_show_their_rows(capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    bnlr.Dataset.from_chunks([FRAME, FRAME], "class")
    assert "12,000 rows" in capsys.readouterr().err


def test_parquet_shows_rows_of_all(tmp_path, capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    pytest.importorskip("pyarrow")
    FRAME.to_parquet(tmp_path / "rows.parquet")
    bnlr.Dataset.from_parquet(tmp_path / "rows.parquet", "class", batch_rows=1000)
    assert "3,000 of 6,000 rows" in capsys.readouterr().err


def test_what_goes_on_far_below_is_told_within_a_stage_only(capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    progress.tell(lambda: "too early")
    with progress.stage():
        progress.tell(lambda: "outer")
        with progress.stage():
            progress.tell(lambda: "inner")
        progress.tell(lambda: "outer again")
    progress.tell(lambda: "too late")
    shown = capsys.readouterr().err
    assert "too" not in shown
    assert [text for text in ("outer", "inner", "outer again") if f"bnlr: {text}" in shown] == [
        "outer",
        "inner",
        "outer again",
    ]


def test_a_proof_counts_its_products(capsys, monkeypatch):
    on_a_terminal(monkeypatch, patience=-1.0)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({name: rng.integers(0, 4, 5_000) for name in "abcdefgh"})
    data = bnlr.Dataset.from_frame(frame, "h")
    bnlr.fit(bnlr.learn_structure(data, "naive-bayes"), data)
    assert "proof of the optimum" in capsys.readouterr().err
