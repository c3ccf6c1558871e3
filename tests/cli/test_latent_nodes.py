"""``bnlr fit --states``, and commands that read what it wrote."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from tests.cli.commands import run

WORDS = ("d.csv", "--class", "kind", "--structure", "arcs.txt", "--seed", "0")


@pytest.fixture(autouse=True)
def _files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    h = rng.integers(0, 2, 120)
    signs = {name: np.where(rng.random(120) < 0.85, h, 1 - h) for name in ("a one", "b")}
    y = np.where(rng.random(120) < 0.9, h, 1 - h)
    pd.DataFrame({**signs, "kind": np.array(["no", "yes"])[y]}).to_csv("d.csv", index=False)
    (tmp_path / "arcs.txt").write_text(
        '"my cause" -> kind\n"my cause" -> "a one"\n"my cause" -> b\n'
    )


@pytest.mark.slow
def test_fit_predict_and_convert(capsys, tmp_path):
    code, out, _ = run(
        capsys, "fit", *WORDS, "--states", 'my cause=low,"so, so",high', "-o", "m.json"
    )
    assert code == 0
    assert "latent       'my cause' of 3 states" in out
    classifier = bnlr.BNClassifier.load("m.json")
    assert classifier.network_.states["my cause"] == ("low", "so, so", "high")
    code, by_classifier, err = run(capsys, "predict", "m.json", "d.csv", "--proba")
    assert code == 0
    assert "missing" not in err
    for suffix in ("bif", "net", "xdsl", "json"):
        assert run(capsys, "convert", "m.json", f"n.{suffix}")[0] == 0
        code, by_network, err = run(capsys, "predict", f"n.{suffix}", "d.csv", "--proba")
        assert (code, by_network) == (0, by_classifier)
    fewer = pd.read_csv("d.csv").drop(columns="b")
    fewer.to_csv("fewer.csv", index=False)
    for model in ("m.json", "n.bif"):
        code, _, err = run(capsys, "predict", model, "fewer.csv")
        assert (code, "no column 'b'" in err) == (2, True)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "node 'my cause' .*: --states 'my cause=low,high'"),
        (("--states", "cause=a,b"), "'cause', which is no node"),
        (("--states", "my cause"), "gives no option a value"),
        (("--states", "my cause=a,a"), "lists the state 'a' twice"),
        (("--states", "my cause="), "no states; write --states 'my cause=low,high'"),
        (("--states", "my cause=a,b", "--states", "my cause=c,d"), "already, 'a', 'b'; give each"),
        (("--states", "my cause=a,b", "--learner", "lr"), "latent, .*use --learner elr"),
    ],
)
def test_what_cannot_be_meant_is_one_line_with_options_of_the_shell(capsys, words, message):
    code, _, err = run(capsys, "fit", *WORDS, *words)
    assert code == 2
    assert err.count("\n") == 1
    import re

    assert re.search(message, err), err
