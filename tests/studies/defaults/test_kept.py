"""Scores of peers that an earlier run found stand in where their libraries are not installed."""

from dataclasses import replace

import numpy as np
import pytest

from studies.__main__ import COMMANDS
from studies.common import Record, Task, main
from studies.common.journal import read_journal
from studies.defaults import kept, learners, run
from studies.defaults.command import tasks
from studies.defaults.datasets import load
from studies.defaults.learners import LEARNERS

SETS = ("corral", "iris")


def scored(task, rng):
    """A record of scores with all the digits that a float has."""
    folds = {name: rng.exponential(size=5).tolist() for name in ("log_loss", "brier", "error")}
    return Record(task, {**folds, "zeros": int(rng.integers(9)), "unconverged": 0})


def task_of(data, learner, rows="0", seed=0, version=1):
    return Task(data=data, rows=rows, seed=seed, learner=learner, version=version, library="9.9")


@pytest.fixture
def absent(monkeypatch):
    """CatBoost, as if it were not installed."""
    own = replace(LEARNERS["catboost"], library=("no_such_library", "no-such-library"))
    monkeypatch.setitem(learners.LEARNERS, "catboost", own)
    monkeypatch.setattr(run, "warm_up", lambda _: None)


def test_every_digit_and_every_word_comes_back(tmp_path):
    rng = np.random.default_rng(0)
    given = [scored(task_of("iris", "catboost", seed=seed), rng) for seed in range(50)]
    given.append(Record(task_of("zoo", "ebm"), {"failed": 'ValueError: "a", b\nand é'}))
    ours = Record(Task(data="iris", rows="0", seed=0, learner="auto", version=5), given[0].result)
    path = tmp_path / "peers.csv"
    path.write_text(kept.text([ours, *given]), "utf-8")
    found = kept.read(path)
    assert list(found) == [record.task for record in given]
    assert [found[record.task].result for record in given] == [one.result for one in given]


def test_another_version_of_a_learner_is_not_taken(tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "peers.csv"
    given = [
        scored(task_of("iris", name, version=v), rng) for name in ("ebm", "gone") for v in (1, 2)
    ]
    path.write_text(kept.text(given[:2]), "utf-8")
    assert list(kept.read(path)) == [given[0].task]
    path.write_text(path.read_text("utf-8").replace(",ebm,", ",gone,"), "utf-8")
    assert kept.read(path) == {}
    assert kept.read(tmp_path / "none.csv") == {}


def test_what_stands_beside_the_study_is_whole():
    """Each line is of a set and learner that there are, and of numbers that can be scores."""
    found = kept.read()
    lines = kept.PATH.read_text("utf-8").splitlines() if kept.PATH.exists() else [""]
    assert len(found) == len(lines) - 1
    for task, record in found.items():
        assert kept.optional(task["learner"])
        if "failed" not in record.result:
            losses, errors = (np.array(record.result[name]) for name in ("log_loss", "error"))
            assert losses.shape == errors.shape == (5,)
            assert np.isfinite(losses).all()
            assert (losses >= 0).all()
            assert ((errors >= 0) & (errors <= 1)).all()


def test_they_are_taken_where_rows_and_seed_are_the_same(absent, tmp_path, monkeypatch, capsys):
    loaded = load(SETS, only_builtin=True).sets
    marks = {task["data"]: task["rows"] for task in tasks(loaded, 1, ["nb"])}
    rng = np.random.default_rng(0)
    given = {
        one.task: one
        for one in (
            scored(task_of("corral", "catboost", rows=marks["corral"]), rng),
            scored(task_of("iris", "catboost", rows="others"), rng),
            scored(task_of("corral", "catboost", rows=marks["corral"], seed=1), rng),
            scored(task_of("corral", "ebm", rows=marks["corral"]), rng),
        )
    }
    monkeypatch.setattr(kept, "read", lambda: given)
    words = ["defaults", "--quick", "--sets", ",".join(SETS), "--jobs", "0", "--quiet"]
    out = tmp_path / "out"
    assert main(COMMANDS, [*words, "--learners", "nb-counts,catboost", "--out", str(out)]) == 0
    records = read_journal(out / "journal.jsonl").records
    first = next(iter(given.values()))
    theirs = [one for task, one in records.items() if task["learner"] == "catboost"]
    assert [(one.task, one.result) for one in theirs] == [(first.task, first.result)]
    assert len(records) == 3
    page = (out / "index.html").read_text("utf-8")
    assert "library is not installed: CatBoost." in page
    assert "CatBoost" not in (out / "times.csv").read_text("utf-8")
    assert (out / "peers.csv").read_text("utf-8") == kept.text([first])

    # Nothing is said of those that are not asked for, nor taken in the quick version unasked.
    assert main(COMMANDS, [*words, "--learners", "nb-counts", "--out", str(tmp_path / "few")]) == 0
    assert kept.text([]) == (tmp_path / "few" / "peers.csv").read_text("utf-8")


def test_a_peer_without_library_or_scores_is_refused(absent, monkeypatch, capsys):
    monkeypatch.setattr(kept, "read", dict)
    assert main(COMMANDS, ["defaults", "--learners", "catboost"]) == 2
    assert "no-such-library, which is not installed" in capsys.readouterr().err


def test_a_library_that_lacks_another_one_is_no_score(monkeypatch):
    """Its absence would be kept as the peer's own failure."""

    def make():
        raise ModuleNotFoundError("No module named 'six'")

    monkeypatch.setitem(learners.LEARNERS, "hgb", replace(LEARNERS["hgb"], make=make))
    found = load(["iris"], only_builtin=True).sets
    with pytest.raises(ModuleNotFoundError, match="six"):
        run.run_task(tasks(found, 1, ["hgb"])[0], found.__getitem__)
