"""How the shell's options read tables, what it says of them, and where it writes."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bnlr
from bnlr.io.tables.options import ReadOptions
from bnlr.io.tables.typed import as_text_of_list, texts_of
from tests.cli.commands import refused, run
from tests.width import in_full

FAST = ["--class", "class", "--structure", "naive-bayes", "--penalty", "1"]
ESCAPE = "\x1b[31mred\u202e"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def fitted(capsys, *argv):
    code, out, err = run(capsys, "fit", *argv, *FAST, "--out", "m.json")
    assert (code, err) == (0, "")
    return bnlr.BNClassifier.load("m.json").network_.states, out


def measured(n=60):
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, n)
    return pd.DataFrame({"v": (rng.normal(size=n) + 2 * y).round(3), "class": y})


@pytest.mark.slow
def test_no_header_in_fit_and_predict(capsys):
    Path("d.csv").write_text("x,1,y\nz,2,n\nx,1,y\n", "utf-8")
    code, _, err = run(capsys, "fit", "d.csv", "--class", "column3", "--no-header", "-o", "m.json")
    assert (code, err) == (0, "")
    code, out, _ = run(capsys, "predict", "m.json", "d.csv", "--no-header")
    assert out.splitlines() == ["column3", "y", "n", "y"]
    refused(run(capsys, "fit", "d.csv", *FAST), "no column 'class'.*a row: --no-header")


def test_the_encoding_of_data_is_not_that_of_models(capsys):
    lines = [
        "network n {}",
        "variable größe { type discrete [ 2 ] { groß, klein }; }",
        "variable a { type discrete [ 2 ] { é, o }; }",
        "probability ( größe ) { table 0.4, 0.6; }",
        "probability ( a | größe ) { (groß) 0.9, 0.1; (klein) 0.2, 0.8; }",
    ]
    Path("m.bif").write_text("\n".join(lines), "utf-8")
    Path("d.csv").write_text("a,größe\né,groß\no,klein\n", "latin-1")
    words = ["predict", "m.bif", "d.csv", "--class", "größe", "--encoding", "latin-1"]
    code, out, _ = run(capsys, *words)
    assert (code, out.splitlines()) == (0, ["größe", "groß", "klein"])
    code, *_ = run(capsys, "fit", "d.csv", "--class", "größe", "--structure", "m.bif", *words[-2:])
    assert code == 0


@pytest.mark.slow
def test_na_is_a_list_and_may_be_kept_as_a_label(capsys):
    Path("d.csv").write_text("a,b,class\nNA,-9,y\nEU,1,n\nnone,2,y\nEU,n/a,n\n", "utf-8")
    states, out = fitted(capsys, "d.csv", "--na", "-9,none,n/a", "--keep-na")
    assert states["a"] == ("EU", "NA")
    assert states["b"] == (1, 2)
    assert "missing      3 cells, written" in out
    _, _, err = run(capsys, "predict", "m.json", "d.csv", "--na", "-9,none", "--na", "n/a")
    assert "3 cells missing in 3 rows" in err  # the model knows the label NA
    Path("u.csv").write_text("a,b,class\nNA,1,y\nUS,1,n\n", "utf-8")
    Path("e.csv").write_text("a,b,class\nEU,1,y\nUS,2,n\nEU,1,y\n", "utf-8")
    fitted(capsys, "e.csv")
    words = ["predict", "m.json", "u.csv"]
    assert "1 cell missing" in run(capsys, *words)[2]
    assert "'NA'" in run(capsys, *words, "--keep-na")[2]  # a label that the model does not know


@pytest.mark.slow
@given(st.text(min_size=1).filter(lambda text: text.strip(", ") and not {*"\0\r\n"} & {*text}))
def test_any_text_may_stand_in_the_list(text):
    text = text.strip()
    assert texts_of(as_text_of_list(text)) == [text]
    typed = shlex.split(ReadOptions(is_shell=True).named("missing", text))
    value = typed[1] if len(typed) == 2 else typed[0].removeprefix("--na=")
    assert [one.strip() for one in texts_of(value)] == [text]


@pytest.mark.parametrize(
    ("given", "texts"),
    [
        ("-9", ["-9"]),
        ("-9,none", ["-9", "none"]),
        ("n/a, none", ["n/a", "none"]),
        ("1,5", ["1,5"]),
        ('"a,b",c', ["a,b", "c"]),
        (",", [","]),
        ("", [""]),
    ],
)
def test_lists_of_texts(given, texts):
    assert texts_of(given) == texts


@pytest.mark.slow
def test_numbers_with_marks_are_told_and_read_alike_in_predict(capsys):
    frame = measured()
    frame.assign(v=[f"$ {1000 * v:,.2f}" for v in frame["v"]]).to_csv("d.csv", index=False)
    _, out = fitted(capsys, "d.csv")
    assert re.search(r"\nv +numbers such as '-?\$ [^']+', -[\d.]+ to [\d.]+ +cut into", out)
    _, marked, _ = run(capsys, "predict", "m.json", "d.csv", "--proba")
    frame.assign(v=1000 * frame["v"]).to_csv("plain.csv", index=False)
    assert run(capsys, "predict", "m.json", "plain.csv", "--proba")[1] == marked
    Path("one.csv").write_text('v\n"1,004"\n', "utf-8")
    said = r"'v' holds '1,004' in data row 1.*say which mark decimals have, --decimal \. or --dec"
    refused(run(capsys, "predict", "m.json", "one.csv"), said)
    for mark in ".,":
        assert run(capsys, "predict", "m.json", "one.csv", "--decimal", mark)[0] == 0


def test_a_column_that_could_be_either_names_the_option(capsys):
    frame = measured()
    frame["v"] = [f"{k + 1},{k:03}" for k in range(len(frame))]
    frame.to_csv("d.csv", index=False)
    code, _, err = run(capsys, "fit", "d.csv", *FAST)
    assert code == 0
    assert re.search(r"holds numbers as text.*--decimal \. or --decimal ,\n", err)
    assert fitted(capsys, "d.csv", "--decimal", ".")[0]["v"]


@pytest.mark.slow
def test_remedies_name_every_column_and_text(capsys):
    frame = measured()
    columns = {f"v{k}": frame["v"].astype(object) for k in range(12)}
    table = pd.DataFrame({**columns, "class": frame["class"]})
    for k in range(12):
        table.loc[k, f"v{k}"] = f"n/a{k}"
    table.to_csv("d.csv", index=False)
    code, _, err = run(capsys, "fit", "d.csv", *FAST)
    assert code == 0
    remedy = err.rpartition("make them missing: ")[2].split()
    assert remedy == [word for k in range(12) for word in ("--na", f"n/a{k}")]
    assert run(capsys, "fit", "d.csv", *FAST, *remedy)[2] == ""


def test_weights_of_an_arff_file_are_heeded(capsys):
    head = "@relation r\n@attribute a {x,z}\n@attribute class {y,n}\n@data\n"
    Path("w.arff").write_text(f"{head}x,y,{{3}}\nz,n\nx,n,{{0}}\n", "utf-8")
    Path("r.arff").write_text(f"{head}x,y\nx,y\nx,y\nz,n\n", "utf-8")
    _, out = fitted(capsys, "w.arff")
    weighted = bnlr.BNClassifier.load("m.json").network_.cpts
    assert "weights      of the file, 4 in all\n" in out
    fitted(capsys, "r.arff")
    for node, cpt in bnlr.BNClassifier.load("m.json").network_.cpts.items():
        np.testing.assert_allclose(weighted[node], cpt, rtol=1e-6)
    refused(run(capsys, "fit", "w.arff", *FAST, "--weight", "a"), "--weight a: w.arff gives")


@pytest.mark.slow
def test_a_report_s_command_holds_the_options_of_reading(capsys):
    Path("d.csv").write_text("a^class\nx^y\nz^n\nx^y\nz^n\n", "utf-8")
    options = ["--delimiter", "^", "--na", "-9,none", "--keep-na", "--comment", "%"]
    fitted(capsys, "d.csv", *options)
    code, _, err = run(capsys, "report", "m.json", "--data", "d.csv", *options, "-o", "r.html")
    assert (code, err) == (0, "")
    page = Path("r.html").read_text("utf-8")
    assert "--na=-9 --na none --keep-na --delimiter" in page


@pytest.mark.slow
def test_a_model_remembers_how_the_rows_of_its_fit_were_read(capsys):
    """All options at once; without them no line of the file would be read as it was."""
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 80)
    lines = [
        f"{'é' if (k + j) % 5 else 'NA'}^{'n/a' if k % 7 == 0 else f'1.{k % 90 + 9:03}'}^{j}"
        for k, j in enumerate(y)
    ]
    Path("d.csv").write_text("\n".join(["% a comment", *lines, "% another"]), "latin-1")
    options = [*("--na", "n/a,--", "--keep-na", "--no-header", "--delimiter", "^"),
               *("--decimal", ",", "--comment", "%", "--encoding", "latin-1")]  # fmt: skip
    typed = "--na n/a --na ' --' --keep-na --no-header --delimiter '^' --decimal , --comment %"
    typed += " --encoding latin-1"
    own = ["--class", "column3", "--structure", "naive-bayes", "--penalty", "1", "-o", "m.json"]
    code, out, err = run(capsys, "fit", "d.csv", *own, *options)
    assert (code, err) == (0, "")
    assert out.endswith(f"saved        m.json; predict and report will read with {typed}\n")
    told = ["predict", "m.json", "d.csv", "--proba"]
    code, expected, plain = run(capsys, *told, "--forget", *options)
    assert code == 0
    assert "read as in the fit" not in plain
    code, found, err = run(capsys, *told)
    assert (code, found) == (0, expected)
    assert err == f"read as in the fit: {typed}  (--forget: without)\n{plain}"
    assert run(capsys, *told, "--quiet") == (0, expected, "")
    assert run(capsys, *told, "--forget", *shlex.split(typed)) == (0, expected, plain)
    code, _, err = run(capsys, "report", "m.json", "--data", "d.csv", "-o", "r.html")
    assert (code, err) == (0, f"read as in the fit: {typed}  (--forget: without)\n")
    bnlr.BNClassifier.load("m.json").save("again.json")
    assert Path("again.json").read_bytes() == Path("m.json").read_bytes()


@pytest.mark.slow
def test_what_is_remembered_may_be_said_anew_or_forgotten(capsys):
    rows = [f"{k}.5,{'y' if k > 9 else 'n'}" for k in range(20)]
    Path("d.csv").write_text("\n".join(["v,class", *rows, "-9,n"]), "utf-8")
    fitted(capsys, "d.csv", "--na", "-9", "--decimal", ".")
    Path("new.csv").write_text("v;w\n7,5;1\n-9;1\n-1;1\n", "utf-8")
    words = ["predict", "m.json", "new.csv"]
    assert "1 cell missing" in run(capsys, *words, "--decimal", ",")[2]
    _, _, err = run(capsys, *words, "--na", "-1,-9", "--decimal", ",")
    assert err.startswith("2 cells missing in 2 rows")
    assert run(capsys, *words, "--decimal", ",", "--forget")[2] == ""
    code, _, err = run(capsys, *words)  # 7,5 is no number where points are decimals
    assert code == 2
    assert err.startswith("read as in the fit: --na=-9 --decimal .  (--forget: without)\n")
    page = ["report", "m.json", "--data", "new.csv", "--decimal", ",", "--forget", "-o", "r.html"]
    assert run(capsys, *page)[0] == 0
    assert "--forget --decimal ," in Path("r.html").read_text("utf-8")


@pytest.mark.slow
def test_models_that_were_told_nothing_read_as_ever(capsys):
    Path("d.csv").write_text("a,class\nx,y\nz,n\nx,y\nz,n\n", "utf-8")
    fitted(capsys, "d.csv")
    assert run(capsys, "predict", "m.json", "d.csv")[2].startswith("accuracy")
    assert reading_of("m.json") is None
    fitted(capsys, "d.csv", "--na", "zz")
    assert reading_of("m.json") == {"missing": ["zz"]}
    frame = bnlr.read_frame("d.csv")
    bnlr.BNClassifier.load("m.json").fit(frame[["a"]], frame["class"]).save("n.json")
    assert reading_of("n.json") is None  # nobody told how to read the new rows


def reading_of(path):
    return json.loads(Path(path).read_text("utf-8"))["content"]["reading"]


def test_control_characters_are_shown_and_not_obeyed(capsys):
    frame = pd.DataFrame({ESCAPE: [ESCAPE, "z"] * 6, "class": [f"y{ESCAPE}", "n"] * 6})
    frame.to_csv(f"{ESCAPE}.csv", index=False)
    done = [run(capsys, "fit", f"{ESCAPE}.csv", *FAST, "--out", f"{ESCAPE}.json", "-v")]
    done.append(run(capsys, "check", f"{ESCAPE}.json", f"{ESCAPE}.csv"))
    done.append(run(capsys, "fit", f"{ESCAPE}.csv", "--class", ESCAPE + "x"))
    done.append(run(capsys, "convert", f"{ESCAPE}.json", f"{ESCAPE}.net"))
    done.append(run(capsys, "predict", f"{ESCAPE}.json", f"{ESCAPE}none.csv"))
    done.append(run(capsys, f"{ESCAPE}"))
    assert [code for code, _, _ in done] == [0, 2, 2, 0, 2, 2]
    for _, out, err in done:
        assert all(line.isprintable() for line in (out + err).split("\n"))
    assert any(r"\x1b[31mred\u202e" in out for _, out, _ in done)


def test_names_and_labels_in_what_python_shows():
    network = bnlr.BayesianNetwork(
        bnlr.Structure([(ESCAPE, "a\nb")], class_name=ESCAPE),
        {ESCAPE: (f"{ESCAPE}1", "2\r"), "a\nb": ("\x07", "y")},
        {ESCAPE: [0.5, 0.5], "a\nb": [[0.2, 0.8], [0.5, 0.5]]},
    )
    row = pd.DataFrame({"a\nb": ["\x07"]})
    explained = network.explain(row)
    shown = [repr(network), repr(network.structure), repr(explained), explained._repr_html_()]
    shown.append(repr(bnlr.Query({ESCAPE: "2\r"}, {"a\nb": "y"})))
    classifier = bnlr.BNClassifier("naive-bayes", discretize=None)
    sample = network.sample(50, random_state=0)
    classifier.fit(sample[["a\nb"]], sample[ESCAPE])
    shown += [classifier.summary(), repr(classifier.explain(row)), str(classifier.result_)]
    with pytest.raises(bnlr.BnlrError) as caught:
        network.query([f"no {ESCAPE}"], {})
    shown.append(str(caught.value))
    for text in shown:
        assert all(line.isprintable() for line in text.split("\n"))


CLOSED = {
    "closed": (">&-", "it is closed"),
    "full": (">/dev/full", "No space left on device"),
}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no such device")
@pytest.mark.parametrize("how", CLOSED)
@pytest.mark.parametrize(
    "command", ["check m.txt --class c", *in_full("", "check m.txt --class c --json")]
)
def test_an_output_that_cannot_be_written_has_a_code_of_its_own(command, how):
    Path("m.txt").write_text("c -> a\na -> b\nc -> b\n", "utf-8")
    redirected, said = CLOSED[how]
    done = in_shell(f"{command} {redirected}")
    assert done.returncode == 4
    assert done.stderr == f"bnlr: error: cannot write standard output: {said}\n"


def in_shell(command):
    root = Path(__file__).resolve().parents[2]
    return subprocess.run(  # noqa: S602  what the shell does is tested
        f"{sys.executable} -m bnlr {command}", shell=True, check=False, capture_output=True,
        text=True, env={**os.environ, "PYTHONPATH": str(root)},
    )  # fmt: skip


@pytest.mark.slow
def test_streams_that_nothing_is_written_to_may_be_closed():
    Path("m.txt").write_text("c -> a\n", "utf-8")
    assert in_shell("check m.txt --class c --quiet >&-").returncode == 0
    assert in_shell("check m.txt --class c 2>&-").returncode == 0
    done = in_shell("check none.txt --class c >&-")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    for command in ("fit - --class c", "check -"):
        done = in_shell(f"{command} <&-")
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "standard input is closed" in done.stderr


@pytest.mark.slow
def test_the_remedy_for_dates_works_as_it_is_printed(capsys):
    """Copied from the warning it makes numbers of them, and prediction remembers it."""
    days = [f"20{k % 30 + 10}-{k % 12 + 1:02}-{k % 28 + 1:02}" for k in range(200)]
    rows = [f"{day},{'y' if day > '2025' else 'n'}" for day in days]
    Path("d.csv").write_text("\n".join(["last seen,class", *rows]), "utf-8")
    err = run(capsys, "fit", "d.csv", *FAST)[2]
    found = re.search("'last seen' holds dates, which (--dates .*) reads as numbers\n", err)
    _, out = fitted(capsys, "d.csv", *shlex.split(found[1]))
    assert "numbers, 2010 to 2039." in out
    Path("new.csv").write_text("last seen\n2011-07-31\n2038-01-02 12:00\n\n", "utf-8")
    code, out, err = run(capsys, "predict", "m.json", "new.csv")
    assert (code, out.split()) == (0, ["class", "n", "y"])
    assert err.startswith("read as in the fit: --dates 'last seen'  (--forget: without)\n")
    Path("new.csv").write_text("last seen\nnever\n", "utf-8")
    code, _, err = run(capsys, "predict", "m.json", "new.csv")
    assert code == 2
    assert "'never' in data row 1, which is no date such as 2021-07-02" in err
    assert "missing: --na never" in err
    table = "\n".join(f"{row},{k % 3}" for k, row in enumerate(rows))
    Path("d.csv").write_text(f"last seen,class,k\n{table}", "utf-8")
    fitted(capsys, "d.csv", "--dates", "last seen", "--ignore", "last seen")
    Path("new.csv").write_text("k\n1\n2\n", "utf-8")
    code, _, err = run(capsys, "predict", "m.json", "new.csv")
    assert (code, err) == (0, "")
