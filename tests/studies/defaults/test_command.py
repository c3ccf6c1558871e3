"""The command from its options to its files and its page."""

import csv
import json
from importlib.metadata import version

import pytest

from studies.__main__ import COMMANDS
from studies.common import main
from studies.defaults import command, learners, run
from studies.defaults.datasets import load

pytest.importorskip("matplotlib")

FEW = "fan,nb-counts,lr,hgb"


def studies(*words):
    return main(COMMANDS, ["defaults", *map(str, words)])


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """The quick study with four learners, without workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(run, "warm_up", lambda _: None)
        out = tmp_path_factory.mktemp("few") / "out"
        words = ("--quick", "--jobs", 0, "--quiet", "--learners", FEW, "--out", out)
        assert studies(*words) == 0
    return out


def test_scores_and_comparisons(few):
    lines = list(csv.DictReader((few / "scores.csv").read_text("utf-8").splitlines()))
    assert {line["learner"] for line in lines} == set(FEW.split(","))
    assert len(lines) == 3 * 4
    losses = {(x["data"], x["learner"]): float(x["log_loss"]) for x in lines}
    assert losses["corral", "fan"] < 0.5 * losses["corral", "lr"]
    assert losses["corral", "lr"] < losses["corral", "nb-counts"]
    pairs = list(csv.DictReader((few / "comparisons.csv").read_text("utf-8").splitlines()))
    assert {(x["first"], x["second"]) for x in pairs} == {("fan", "lr"), ("fan", "hgb")}
    assert json.loads((few / "checks.json").read_text()) == {"verdicts": []}


def test_the_page_opens_offline_and_times_stand_apart(few):
    text = (few / "index.html").read_text("utf-8")
    assert text.count("<img") == 1
    assert "quick version" in text
    assert "tic‑tac‑toe" in text
    assert "Milliseconds" not in text
    assert (few / "times.html").read_text("utf-8").count("<img") == 1
    times = list(csv.DictReader((few / "times.csv").read_text("utf-8").splitlines()))
    assert all(float(line["fit_seconds"]) > 0 for line in times)


def test_a_resumed_run_does_only_what_is_new(few, tmp_path, monkeypatch):
    done = []
    monkeypatch.setattr(run, "warm_up", lambda _: done.append(1))
    before = (few / "scores.csv").read_bytes()
    words = ("--quick", "--jobs", 0, "--quiet", "--out", few, "--resume")
    assert studies(*words, "--learners", "lr,nb", "--sets", "iris") == 0
    assert len(done) == 1
    assert studies(*words, "--learners", FEW) == 0
    assert len(done) == 1
    assert (few / "scores.csv").read_bytes() == before


def test_a_learner_without_its_library_is_refused_by_the_name_to_install(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(learners, "find_spec", lambda _: None)
    monkeypatch.setattr(command.kept, "read", dict)  # no scores of an earlier run
    assert studies("--learners", "ebm", "--out", tmp_path / "out") == 2
    assert "pip install interpret-core" in capsys.readouterr().err


def test_tasks_of_optional_peers_name_their_version():
    rows = load(["iris"], only_builtin=True).sets
    ours, peer = command.tasks(rows, 1, ("fan", "pyagrum"))
    assert "library" not in ours
    assert peer["library"] == version("pyagrum")
