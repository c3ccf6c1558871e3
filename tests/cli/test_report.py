"""``bnlr report``: the page it writes, what it says, and what it refuses."""

import csv
import hashlib
import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics

import bnlr
from tests.classifier.pool.makers import pool_of_four
from tests.cli.commands import run
from tests.io.networks.test_formats import small
from tests.report.model.test_report_page import check_stands_alone, plain
from tests.width import in_full

PAGE = "model-report.html"


def pool_of_two(X, y):
    """What predictions and the page are of, without a search for candidates."""
    whole = pool_of_four(X, y)
    whole.pool_ = bnlr.Pool(whole.pool_.members[:2], 0.4)
    return whole


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    frame = bnlr.load_dataset("monks-1")
    frame.to_csv(folder / "monks.csv", index=False)
    X, y = frame.drop(columns="class"), frame["class"]
    bnlr.BNClassifier("tan", penalty=1.0).fit(X, y).save(folder / "model.json")
    pool_of_two(X, y).save(folder / "pool.json")
    bnlr.save(small(), folder / "n.bif")
    bnlr.save(small(), folder / "n.json")
    states = small().states
    names = list(states)
    rows = [[str(states[name][k % len(states[name])]) for name in names] for k in range(7)]
    lines = [",".join(f'"{cell}"' for cell in row) for row in (names, *rows)]
    (folder / "n.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def files(folder, tmp_path, monkeypatch):
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_a_page_is_written_beside_and_named_with_the_scores_of_predict(files, capsys):
    code, out, err = run(capsys, "report", "model.json", "--data", "monks.csv")
    assert (code, out, err) == (0, f"page         {PAGE}\n", "")
    text = Path(PAGE).read_text(encoding="utf-8")
    check_stands_alone(text)
    for name in ("model.json", "monks.csv"):
        digest = hashlib.sha256(Path(name).read_bytes()).hexdigest()
        assert f"{name}, SHA-256 {digest}" in plain(text)
    _, _, told = run(capsys, "predict", "model.json", "monks.csv", "--out", "p.csv")
    accuracy, loss = re.search(r"accuracy ([\d.]+), log-loss ([\d.]+)", told).groups()
    shown = plain(text).replace(" ", "")
    assert f"log-loss{loss}" in shown
    assert f"accuracy{float(accuracy):.1%}" in shown


@pytest.mark.slow
def test_the_command_in_the_page_makes_the_same_page(files, capsys):
    words = ["report", "model.json", "--data", "monks.csv", "--row", "5", "--row", "9"]
    words += ["--title", "it's <b>", "--out", "a page.html", "--na", "-9", "--encoding", "utf-8"]
    assert run(capsys, *words)[0] == 0
    first = Path("a page.html").read_bytes()
    command = plain(first.decode()).rpartition("bnlr report")[2].partition("What this")[0]
    Path("a page.html").unlink()
    assert run(capsys, "report", *shlex.split(command))[0] == 0
    assert Path("a page.html").read_bytes() == first
    assert b"Row 5:" in first
    assert b"Row 9:" in first
    assert b"it&#x27;s &lt;b&gt;" in first


@pytest.mark.slow
def test_a_pool_predicts_and_has_a_page(files, capsys):
    frame = bnlr.load_dataset("monks-1")
    pool = bnlr.BNClassifier.load("pool.json")
    shares = pool.predict_proba(frame.drop(columns="class"))
    code, out, _ = run(capsys, "predict", "pool.json", "monks.csv", "--proba")
    assert code == 0
    lines = list(csv.reader(out.splitlines()))
    np.testing.assert_array_equal(np.array([line[1:] for line in lines[1:]], float), shares)
    assert run(capsys, "report", "pool.json", "--data", "monks.csv")[0] == 0
    text = plain(Path("pool-report.html").read_text(encoding="utf-8"))
    loss = metrics.log_loss(frame["class"], shares)
    assert f"log-loss{loss:.4f}" in text.replace(" ", "")
    assert "A pool of 2 Bayesian networks to predict" in text


@pytest.mark.slow
@pytest.mark.parametrize("model", ["n.bif", *in_full("n.json")])
def test_networks_of_every_format_have_a_page(files, capsys, model):
    own = small().structure.class_name
    code, _, err = run(
        capsys, "report", model, "--class", own, "--data", "n.csv", "--out", "p.html"
    )
    assert (code, err) == (0, "")
    text = Path("p.html").read_text(encoding="utf-8")
    check_stands_alone(text)
    assert "The file holds the network alone" in text


@pytest.mark.slow
def test_rows_come_from_standard_input_too(files, capsys, monkeypatch):
    raw = io.BytesIO(Path("monks.csv").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(raw, encoding="utf-8"))
    code, out, err = run(capsys, "report", "model.json", "--data", "-", "--out", "p.html", "-q")
    assert (code, out, err) == (0, "", "")
    assert "SHA-256" in Path("p.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_rows_without_a_class_are_only_predicted(files, capsys):
    bnlr.load_dataset("monks-1").drop(columns="class").to_csv("new.csv", index=False)
    assert run(capsys, "report", "model.json", "--data", "new.csv")[0] == 0
    assert "No row has a class" in Path(PAGE).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["nothing.json", "--data", "monks.csv"], "cannot read nothing.json"),
        (["model.json", "--data", "nothing.csv"], "nothing.csv"),
        (["model.json", "--data", "n.csv"], "n.csv has no column"),
        (["model.json", "--data", "monks.csv", "--row", "0"], "from 1 to"),
        (["model.json", "--data", "monks.csv", "--row", "x"], "row"),
        (["model.json"], "--data"),
        (["model.json", "--data", "monks.csv", "--out", "monks.csv"], "is the input"),
        (["model.json", "--data", "monks.csv", "--out", "no/p.html"], "no folder no"),
        (["model.json", "--data", "monks.csv", "--out", "."], "folder"),
    ],
)
def test_bad_input_is_one_line_and_leaves_nothing(files, capsys, words, said):
    before = {path: path.read_bytes() for path in files.iterdir()}
    code, out, err = run(capsys, "report", *words)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"bnlr: error: [^\n]+\n", err)
    assert said in err
    assert {path: path.read_bytes() for path in files.iterdir()} == before


def test_without_matplotlib_the_remedy_is_named(files, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    code, _, err = run(capsys, "report", "model.json", "--data", "monks.csv")
    assert code == 2
    assert "pip install 'bnlr[plot]'" in err
    assert not Path(PAGE).exists()


def test_help_has_examples(capsys):
    code, out, _ = run(capsys, "report", "--help")
    assert code == 0
    assert "bnlr report model.json --data new.csv" in out


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="chromium is not installed")
def test_a_browser_opens_the_page_and_shows_it(files, capsys):
    assert run(capsys, "report", "model.json", "--data", "monks.csv")[0] == 0
    command = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run"]
    command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
    command += [f"--user-data-dir={files / 'profile'}", "--window-size=1200,900", "--dump-dom"]
    page = (files / PAGE).as_uri()
    done = subprocess.run([*command, page], check=True, capture_output=True, text=True, timeout=60)
    # The browser's own tree: nothing was moved out of its place, as it does with what is malformed.
    assert plain(done.stdout) == plain(Path(PAGE).read_text(encoding="utf-8"))
    assert done.stdout.count("<img") == Path(PAGE).read_text(encoding="utf-8").count("<img")


def test_a_model_file_is_not_overwritten_by_a_page(files, capsys):
    before = Path("model.json").read_bytes()
    Path("other.json").write_bytes(before)
    code, _, err = run(capsys, "report", "model.json", "--data", "monks.csv", "--out", "other.json")
    assert code == 2
    assert "'other.json' is no page by its name; let it end in .html" in err
    assert Path("other.json").read_bytes() == before
