"""The command line: what it prints, and its exit codes."""

import csv
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import cli
from tests.cases import CASES
from tests.cli.commands import refused, run
from tests.width import in_full

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-c", "import sys; from bnlr.cli import main; sys.exit(main())"]
ENV = {**os.environ, "PYTHONPATH": str(ROOT)}

PERFECT = "c -> a\nc -> b\na -> b\n"
IMPERFECT = "c -> a\nc -> b\nc -> z\na -> z\nb -> z\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("perfect.txt").write_text(PERFECT)
    Path("imperfect.txt").write_text(IMPERFECT)
    Path("broken.txt").write_text("c -> a\na -> b -> c\n")
    return tmp_path


# check


def test_check_says_that_a_network_is_perfect(files, capsys):
    code, out, err = run(capsys, "check", "perfect.txt", "--class", "c")
    assert (code, err) == (0, "")
    assert "class 'c', 3 nodes, 3 arcs" in out
    assert "is convex" in out


def test_check_names_violations_and_the_arc_that_mends_them(files, capsys):
    code, out, err = run(capsys, "check", "imperfect.txt", "--class", "c")
    assert (code, err) == (1, "")
    assert "'a' and 'b', parents of 'z'" in out
    assert "With this arc added it is convex: 'a' → 'b'" in out


def test_check_counts_parameters_where_states_are_known(capsys):
    code, out, _ = run(capsys, "check", CASES / "structure_figure_1.json")
    assert code == 0
    assert "9 log-linear, 14 Roos" in out
    assert "28" in out


@pytest.mark.parametrize("path", sorted(CASES.glob("structure*.json")), ids=lambda p: p.stem)
def test_check_json_has_the_case_s_answers(path, capsys):
    expected = json.loads(path.read_text())["expected"]
    code, out, _ = run(capsys, "check", path, "--json")
    report = json.loads(out)
    assert code == (0 if expected["is_perfect"] else 1)
    assert report["file"] == str(path)
    for key in ("is_perfect", "satisfies_condition_1", "witnesses"):
        assert report[key] == expected[key]
    assert report["parameter_counts"] == {
        key: expected["parameter_counts"][key] for key in ("beta", "roos", "loglinear")
    }


def test_check_of_several_files_is_a_table(files, capsys):
    code, out, err = run(capsys, "check", "perfect.txt", "imperfect.txt", "--class", "c")
    lines = [line.split() for line in out.splitlines()]
    assert (code, err) == (1, "")
    assert lines[0] == [
        "file",
        "class",
        "nodes",
        "arcs",
        "perfect",
        "violations",
        "arcs",
        "to",
        "add",
    ]
    assert lines[1][:7] == ["perfect.txt", "c", "3", "3", "yes", "0", "0"]
    assert lines[2][:7] == ["imperfect.txt", "c", "4", "5", "no", "1", "1"]
    code, out, _ = run(capsys, "check", "perfect.txt", "imperfect.txt", "--class", "c", "--json")
    assert [report["is_perfect"] for report in json.loads(out)] == [True, False]


def test_check_of_a_good_and_a_bad_file(files, capsys):
    code, out, err = run(capsys, "check", "perfect.txt", "broken.txt", "--class", "c")
    assert code == 2
    assert re.search("^perfect.txt +c +3 +3 +yes +0 +0$", out, re.M)
    assert re.search("^broken.txt +- +- +- +error", out, re.M)
    assert re.fullmatch(r"bnlr: error: broken\.txt:2:8: [^\n]+\n", err)
    code, out, _ = run(capsys, "check", "perfect.txt", "broken.txt", "--class", "c", "--json")
    assert code == 2
    assert "broken.txt:2:8" in json.loads(out)[1]["error"]


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["broken.txt", "--class", "c"], r"broken\.txt:2:8"),
        (["perfect.txt", "--class", "d"], "the class 'd' is not in the structure"),
        (["perfect.txt"], "does not say which node is the class; .*--class"),
        (["none.txt", "--class", "c"], r"cannot read none\.txt"),
        ([".", "--class", "c"], "cannot read"),
        (["cycle.txt", "--class", "c"], "cycle: 'c' → 'a' → 'c'"),
    ],
)
def test_check_refuses_in_one_line(argv, said, files, capsys):
    Path("cycle.txt").write_text("c a\na c\n")
    refused(run(capsys, "check", *argv), said)


# fit and predict


def mixed_frame():
    """Text, few and many whole numbers, decimals; odd names, and a class of two words."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 2, 300)
    return pd.DataFrame(
        {
            'say "so", then': np.where(rng.random(300) < 0.8, y, 1 - y),
            "naïve": np.array(["a b", "ж", 'q"q'])[(y + rng.integers(0, 2, 300)) % 3],
            "code": np.array(["007", "7"])[rng.integers(0, 2, 300)],
            "age": rng.integers(20, 80, 300) + 10 * y,
            "weight": np.round(rng.normal(60 + 5 * y, 5), 3),
            "class": np.array(["not ill", "ill, very"])[y],
        }
    )


@pytest.fixture(scope="module")
def learnt(tmp_path_factory):
    """The model file of those rows."""
    rows, path = (tmp_path_factory.mktemp("learnt") / name for name in ("mixed.csv", "m.json"))
    mixed_frame().to_csv(rows, index=False)
    assert cli.main(["fit", str(rows), "--class", "class", "--out", str(path), "--quiet"]) == 0
    return path.read_bytes()


@pytest.fixture
def mixed(files):
    frame = mixed_frame()
    frame.to_csv("mixed.csv", index=False)
    return frame


def read_output(text):
    head, *rows = csv.reader(io.StringIO(text))
    return head, rows


def test_fit_knows_every_method_of_learn_structure(capsys):
    from bnlr.search.methods import METHODS

    _, out, _ = run(capsys, "fit", "--help")
    *first, last = METHODS
    assert f"auto, pool, {', '.join(first)} or {last}; with options" in " ".join(out.split())


@pytest.mark.parametrize(
    "structure", [*in_full("fan"), "kdb", *in_full("hgc", "tpda", "score-fan", "score-kdb")]
)
def test_fit_learns_any_structure(structure, mixed, capsys):
    argv = ["mixed.csv", "--class", "class", "--structure", structure, "--out", "m.json"]
    code, out, err = run(capsys, "fit", *argv)
    assert (code, err) == (0, "")
    expected = bnlr.BNClassifier(structure).fit(mixed.drop(columns="class"), mixed["class"])
    assert bnlr.BNClassifier.load("m.json").network_.structure == expected.network_.structure
    assert f"structure    {structure}: " in out


@pytest.mark.parametrize("structure", ["naive-bayes", *in_full("tan")])
def test_fit_and_predict_are_what_python_gives(structure, mixed, capsys):
    argv = ["mixed.csv", "--class", "class", "--structure", structure, "--out", "m.json"]
    code, out, err = run(capsys, "fit", *argv)
    assert (code, err) == (0, "")
    x, y = mixed.drop(columns="class"), mixed["class"]
    classifier = bnlr.BNClassifier(structure).fit(x, y)
    for said in ("300 rows, 6 columns", "is convex", f"{classifier.result_.cll:.6f}", "m.json"):
        assert said in out
    code, out, err = run(capsys, "predict", "m.json", "mixed.csv", "--proba")
    head, rows = read_output(out)
    assert code == 0
    assert head == ["class", "P(class=ill, very)", "P(class=not ill)"]
    probabilities = [[float(cell) for cell in row[1:]] for row in rows]
    np.testing.assert_array_equal(probabilities, classifier.predict_proba(x))
    assert [row[0] for row in rows] == classifier.predict(x).tolist()
    assert f"accuracy {classifier.score(x, y):.4f}" in err


def test_predict_takes_columns_by_name(mixed, learnt, capsys):
    Path("m.json").write_bytes(learnt)
    _, expected, _ = run(capsys, "predict", "m.json", "mixed.csv")
    other = mixed.drop(columns="class").iloc[:, ::-1].assign(further=range(300))
    other.to_csv("other.csv", sep=";", index=False)
    code, out, err = run(capsys, "predict", "m.json", "other.csv")
    assert (code, out, err) == (0, expected, "")
    # One row's cells say nothing about the columns' types; the model does.
    other.head(1).to_csv("one.csv", index=False)
    code, out, _ = run(capsys, "predict", "m.json", "one.csv")
    assert (code, out) == (0, "".join(expected.splitlines(keepends=True)[:2]))


def test_predict_into_a_file(mixed, learnt, capsys):
    Path("m.json").write_bytes(learnt)
    _, expected, _ = run(capsys, "predict", "m.json", "mixed.csv", "--proba", "--quiet")
    argv = ["m.json", "mixed.csv", "--proba", "--quiet", "-o", "p.csv"]
    assert run(capsys, "predict", *argv) == (0, "", "")
    assert Path("p.csv").read_text() == expected


def network():
    structure = bnlr.Structure([("c", "a"), ("c", "b"), ("a", "out")], class_name="c")
    states = {"c": (0, 1), "a": ("x, y", "?"), "b": (False, True), "out": ("u", "v")}
    cpts = {
        "c": np.array([0.3, 0.7]),
        "a": np.array([[0.2, 0.8], [0.9, 0.1]]),
        "b": np.array([[0.6, 0.4], [0.3, 0.7]]),
        "out": np.full((2, 2), 0.5),
    }
    return bnlr.BayesianNetwork(structure, states, cpts)


def test_predict_with_a_network_and_without_the_columns_outside(files, capsys):
    bnlr.save(network(), "n.json")
    Path("d.csv").write_text('b,a,c\nTrue,?,1\nfalse,"x, y",0\n')
    code, out, err = run(capsys, "predict", "n.json", "d.csv", "--proba")
    _, rows = read_output(out)
    assert code == 0
    assert [row[0] for row in rows] == ["0", "1"]
    # P(c | a, b) by Bayes' rule on the tables above.
    joint = np.array([[0.3 * 0.8 * 0.4, 0.7 * 0.1 * 0.7], [0.3 * 0.2 * 0.6, 0.7 * 0.9 * 0.3]])
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose([[float(p) for p in row[1:]] for row in rows], expected, rtol=1e-14)
    assert "accuracy 0.0000" in err
    assert f"log-loss {-np.log([expected[0, 1], expected[1, 0]]).mean():.4f} on 2 rows" in err


@pytest.mark.slow
def test_fit_on_a_structure_from_a_file(files, mixed, capsys):
    Path("s.txt").write_text('class -> age\nclass -> "naïve"\nage -> naïve\n')
    argv = ["mixed.csv", "--class", "class", "--structure", "s.txt", "--out", "m.json"]
    code, out, _ = run(capsys, "fit", *argv)
    assert code == 0
    assert "2 attributes, 3 arcs" in out
    code, out, _ = run(capsys, "check", "m.json", "--json")
    assert json.loads(out)["canonical"] == [["class", "age"], ["class", "naïve"], ["age", "naïve"]]
    assert run(capsys, "predict", "m.json", "mixed.csv")[0] == 0


@pytest.mark.slow
def test_fit_options_reach_the_estimator(mixed, capsys):
    argv = ["mixed.csv", "--class", "class", "--out", "m.json", "--learner", "lr", "--space"]
    argv += ["loglinear", "--solver", "l-bfgs", "--penalty", "2.5", "--penalty-center"]
    argv += ["frequencies", "--pseudocount", "0.5", "--tol", "1e-8", "--max-iter", "77"]
    argv += ["--n-starts", "2", "--random-state", "5", "--quiet"]
    assert run(capsys, "fit", *argv) == (0, "", "")
    parameters = bnlr.BNClassifier.load("m.json").get_params()
    assert parameters == bnlr.BNClassifier().get_params() | {
        "learner": "lr",
        "space": "loglinear",
        "solver": "l-bfgs",
        "penalty": 2.5,
        "penalty_center": "frequencies",
        "pseudocount": 0.5,
        "tol": 1e-8,
        "max_iter": 77,
        "n_starts": 2,
        "random_state": 5,
    }


def test_frequencies_are_the_generative_estimates(files, capsys):
    Path("d.csv").write_text("a,class\nx,1\nx,1\ny,1\ny,2\n")
    argv = ["d.csv", "--class", "class", "--structure", "naive-bayes", "--learner", "frequencies"]
    assert run(capsys, "fit", *argv, "--out", "m.json")[0] == 0
    cpts = bnlr.BNClassifier.load("m.json").network_.cpts
    np.testing.assert_allclose(cpts["class"], [4 / 6, 2 / 6])
    np.testing.assert_allclose(cpts["a"], [[3 / 5, 2 / 5], [1 / 3, 2 / 3]])


@pytest.mark.slow
def test_rows_with_missing_cells(files, capsys):
    Path("d.csv").write_text("a,b,class\nx,u,1\n?,v,2\ny,NA,1\ny,v,2\nx,u,?\nx,v,1\n")
    code, out, err = run(capsys, "fit", "d.csv", "--class", "class", "--out", "m.json")
    assert (code, err) == (0, "")
    assert "3 cells, written '?' 2, 'NA' 1\n" in out
    assert "rows with missing cells, which are summed out" in out
    assert "left out     1 row with a missing cell or class" in out
    assert "classes      1 3, 2 2" in out
    x = pd.DataFrame({"a": ["x", None, "y", "y", "x"], "b": ["u", "v", None, "v", "v"]})
    classifier = bnlr.BNClassifier().fit(x, [1, 2, 1, 2, 1])
    np.testing.assert_array_equal(
        bnlr.BNClassifier.load("m.json").predict_proba(x), classifier.predict_proba(x)
    )
    code, out, _ = run(capsys, "fit", "d.csv", "--class", "class", "--drop-missing")
    assert code == 0
    assert "3 cells, written '?' 2, 'NA' 1; their rows are left out" in out
    assert "3 rows with a missing cell or class" in out
    assert "classes      1 2, 2 1" in out


def test_nothing_is_said_to_be_summed_out_by_a_learner_that_refuses_holes(files, capsys):
    Path("d.csv").write_text("a,b,class\nx,u,1\n?,v,2\ny,u,1\ny,v,2\n")
    code, out, err = run(capsys, "fit", "d.csv", "--class", "class", "--learner", "dfe")
    assert code == 2
    assert "1 cell, written '?' 1\n" in out
    assert "summed out" not in out
    assert "learner 'dfe' needs complete rows" in err


@pytest.mark.parametrize(
    ("option", "text", "wanted"),
    [
        ("--penalty", "xx", "'xx' is no number; give a number, 0 or larger, auto or cv"),
        ("--expect-missing", "many", "'many' is no number; give a share or as-seen"),
    ],
)
def test_numbers_that_are_none_are_told_in_plain_words(option, text, wanted, files, capsys):
    Path("d.csv").write_text("a,class\nx,1\ny,2\n")
    code, _, err = run(capsys, "fit", "d.csv", "--class", "class", option, text)
    assert code == 2
    assert f"argument {option}: {wanted}" in err


@pytest.mark.slow
def test_integers_with_holes_stay_labels(files, capsys):
    Path("d.csv").write_text("a,class\n" + "1,p\n2,q\n?,p\n3,q\n" * 5)
    run(capsys, "fit", "d.csv", "--class", "class", "--out", "m.json", "--quiet")
    assert bnlr.BNClassifier.load("m.json").network_.states["a"] == (1, 2, 3)


@pytest.mark.slow
def test_predict_sums_missing_cells_out_and_says_so(mixed, learnt, capsys):
    Path("m.json").write_bytes(learnt)
    rng = np.random.default_rng(0)
    x = mixed.drop(columns="class")
    holed = x.mask(rng.random(x.shape) < 0.3)
    holed.to_csv("holed.csv", index=False)
    code, out, err = run(capsys, "predict", "m.json", "holed.csv", "--proba")
    _, rows = read_output(out)
    with pytest.warns(bnlr.UnexpectedMissingWarning):
        expected = bnlr.BNClassifier().fit(x, mixed["class"]).predict_proba(holed)
    np.testing.assert_array_equal([[float(cell) for cell in row[1:]] for row in rows], expected)
    n_cells, n_rows = holed.isna().to_numpy().sum(), holed.isna().any(axis=1).sum()
    told, count = err.splitlines()
    assert re.match(r"bnlr: warning: cells are missing, but .* complete rows", told)
    assert (code, count) == (0, f"{n_cells} cells missing in {n_rows} rows, summed out")
    code, again, err = run(capsys, "predict", "m.json", "holed.csv", "--proba", "--quiet")
    assert (code, again) == (0, out)
    assert "summed out" not in err


def test_a_network_sums_missing_cells_out(files, capsys):
    bnlr.save(network(), "n.json")
    Path("d.csv").write_text('b,a,out\nTrue,,u\n,"x, y",v\n,,\n')
    code, out, err = run(capsys, "predict", "n.json", "d.csv", "--proba")
    _, rows = read_output(out)
    # By Bayes' rule on the tables of network(); `out` is a fair coin.
    joint = np.array([[0.3 * 0.4, 0.7 * 0.7], [0.3 * 0.2, 0.7 * 0.9], [0.3, 0.7]])
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose([[float(p) for p in row[1:]] for row in rows], expected, rtol=1e-12)
    assert (code, err) == (0, "5 cells missing in 3 rows, summed out\n")


@pytest.mark.parametrize("model", ["m.json", "n.json"])
def test_unseen_labels_are_missing_with_a_warning_unless_refused(model, mixed, learnt, capsys):
    Path("m.json").write_bytes(learnt)
    bnlr.save(network(), "n.json")
    for name, cell in [("new", "new"), ("hole", "NA")]:
        Path(f"{name}.csv").write_text(
            f'b,a,age,weight,code,naïve,"say ""so"", then"\nTrue,{cell},50,60,{cell},ж,1\n'
        )
    _, expected, _ = run(capsys, "predict", model, "hole.csv", "--proba")
    code, out, err = run(capsys, "predict", model, "new.csv", "--proba")
    assert (code, out) == (0, expected)
    err = err.splitlines(keepends=True)[0]
    assert re.fullmatch(r"bnlr: warning: column '(a|code)' has 'new' in 1 cell[^\n]*missing\n", err)
    found = run(capsys, "predict", model, "new.csv", "--unseen", "error")
    refused(found, r"'(a|code)' has 'new' in 1 cell")


@pytest.mark.slow
def test_fit_keeps_what_unseen_labels_are(mixed, capsys):
    argv = ["mixed.csv", "--class", "class", "--out", "m.json", "--quiet", "--unseen", "error"]
    run(capsys, "fit", *argv)
    mixed.assign(code="new").to_csv("unseen.csv", index=False)
    refused(run(capsys, "predict", "m.json", "unseen.csv"), "'code' has 'new' in 300 cells")
    code, _, err = run(capsys, "predict", "m.json", "unseen.csv", "--unseen", "missing")
    assert code == 0
    assert "'code' has 'new' in 300 cells" in err


@pytest.mark.parametrize(("given", "kept"), [("0.25", 0.25), *in_full(("as-seen", "as seen"))])
def test_fit_trains_for_holes_to_come(given, kept, mixed, capsys):
    argv = ["mixed.csv", "--class", "class", "--structure", "naive-bayes", "--out", "m.json"]
    code, out, err = run(capsys, "fit", *argv, "--expect-missing", given, "--random-state", "3")
    assert (code, err) == (0, "")
    assert bnlr.BNClassifier.load("m.json").expect_missing == kept
    assert ("masked copies of the rows" in out) == (given == "0.25")
    refused(run(capsys, "fit", *argv, "--expect-missing", "2", "--quiet"), "expect_missing")
    code, _, err = run(capsys, "fit", *argv, "--expect-missing", "many")
    assert code == 2
    assert "--expect-missing" in err


def test_separation_is_one_warning_line(files, capsys):
    Path("d.csv").write_text("a,class\n" + "x,1\n" * 5 + "y,2\n" * 5)
    code, _, err = run(capsys, "fit", "d.csv", "--class", "class", "--penalty", "0")
    assert code == 0
    assert re.fullmatch(r"bnlr: warning: No finite optimum[^\n]+\n", err)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["none.csv", "--class", "class"], r"cannot read none\.csv"),
        (["mixed.csv", "--class", "clas"], "no column 'clas'.*did you mean 'class'"),
        (
            ["mixed.csv", "--class", "class", "--structure", "none"],
            "cannot read none: .*a method: auto, pool, naive-bayes, tan, fan, kdb, hgc, tpda",
        ),
        (
            ["mixed.csv", "--class", "class", "--penalty", "2", "--learner", "dfe"],
            r"penalty is 2\.0, but learner 'dfe' takes none; leave penalty out",
        ),
        (["mixed.csv", "--class", "class", "--structure", "s.txt"], "'height'"),
        (["mixed.csv", "--class", "class", "--learner", "magic"], "'magic'"),
        (["mixed.csv", "--class", "class", "--penalty", "-1"], "penalty"),
        (["mixed.csv", "--class", "class", "--penalty", "nan"], "penalty"),
        (["mixed.csv", "--class", "class", "--out", "m.bif"], r"\.json"),
        (["mixed.csv", "--class", "class", "--out", "none/m.json"], "no folder none"),
        (["mixed.csv", "--class", "class", "--structure", "i.txt", "--learner", "lr"], "weight"),
        (["one.csv", "--class", "class"], "class"),
        (["unlabelled.csv", "--class", "class"], "no row with a class"),
        (["mixed.csv", "--class", "weight"], "the class 'weight' is continuous"),
        (["short.csv", "--class", "class"], r"short\.csv: line 3 has 1 cell .*, the header 2"),
    ],
)
def test_fit_refuses_in_one_line(argv, said, mixed, capsys):
    Path("s.txt").write_text("class height\n")
    Path("i.txt").write_text("class age\nclass weight\nclass naïve\nage naïve\nweight naïve\n")
    Path("one.csv").write_text("a,class\nx,1\ny,1\n")
    Path("unlabelled.csv").write_text("a,class\nx,?\ny,\n")
    Path("short.csv").write_text("a,class\nx,1\ny\n")
    refused(run(capsys, "fit", *argv, "--quiet"), said)


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["none.json", "mixed.csv"], r"cannot read none\.json"),
        (["mixed.csv", "mixed.csv"], "the model comes first"),
        (["rows.csv.gz", "mixed.csv"], "the model comes first"),
        (["rows.dat", "mixed.csv"], "the model comes first"),
        (["cut.json", "mixed.csv"], r"cut\.json"),
        (["m.json", "none.csv"], r"cannot read none\.csv"),
        (["m.json", "fewer.csv"], "no column 'age'"),
        (["m.json", "text.csv"], "'weight' holds 'heavy' in data row 3"),
        (["m.json", "mixed.csv", "--out", "none/p.csv"], "none/p.csv"),
    ],
)
def test_predict_refuses_in_one_line(argv, said, mixed, learnt, capsys):
    Path("m.json").write_bytes(learnt)
    Path("cut.json").write_bytes(Path("m.json").read_bytes()[:-9])
    mixed.drop(columns="age").to_csv("fewer.csv", index=False)
    heavy = mixed.astype({"weight": object})
    heavy.loc[2, "weight"] = "heavy"
    heavy.to_csv("text.csv", index=False)
    refused(run(capsys, "predict", *argv), said)


# demo


@pytest.mark.slow
def test_demo_tells_the_story(files, capsys):
    code, out, err = run(capsys, "demo", "--no-plot")
    assert (code, err) == (0, "")
    lines = [line.split() for line in out.splitlines()]
    # Predictors of naive Bayes on nine squares of three states: 1 + 9·2 and 1 + 9·3.
    assert ["naive", "Bayes", "9", "yes:", "perfect", "56", "28", "19"] in lines
    optima = [line[5] for line in lines if line[:2] == ["naive", "Bayes"] and len(line) == 9]
    assert optima == ["-38.4282"] * 3
    assert "1 violation" in out
    assert "predictions to the last bit" in out
    assert list(files.glob("*.png")) == []


@pytest.mark.slow  # the whole demo once more
def test_demo_draws_a_picture(files, capsys):
    pytest.importorskip("bnlr.report.plots.structure")
    pytest.importorskip("matplotlib")
    code, out, _ = run(capsys, "demo", "--plot", "story.png")
    assert code == 0
    assert "story.png" in out
    assert Path("story.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("words", "fault", "code", "out", "err"),
    [
        ((), None, 0, "Picture: bnlr-demo.png", ""),
        (("--plot", "story.png"), None, 0, "Picture: story.png", ""),
        ((), ImportError(), 0, "", "no picture without matplotlib"),
        ((), OSError(28, "No space left"), 0, "", "no picture, bnlr-demo.png cannot be written"),
        (("--plot", "story.png"), OSError(28, "No space left"), 2, "", "No space left"),
    ],
)
def test_only_a_picture_that_was_asked_for_must_be_drawn(
    words, fault, code, out, err, files, monkeypatch, capsys
):
    drawn = []

    def plot(target, *_):
        drawn.append(target)
        if fault is not None:
            raise fault

    monkeypatch.setattr("bnlr.report.plots.demo.plot_demo", plot)
    naive = SimpleNamespace(report=SimpleNamespace(structure=None), results=[])
    monkeypatch.setattr("bnlr.cli.demo._tell", lambda _: ([naive], {("TAN", "a, b"): (1.0, 0.0)}))
    found, said, warned = run(capsys, "demo", *words)
    assert found == code
    assert out in said
    assert err in warned
    assert drawn == [words[-1] if words else "bnlr-demo.png"]


# The command as such


def test_the_command_alone_tells_what_there_is(capsys):
    assert run(capsys) == run(capsys, "--help")
    assert run(capsys)[0] == 0


@pytest.mark.parametrize("argv", [["check"], ["fit", "d.csv"], ["dance"], ["check", "--what"]])
def test_wrong_use_is_code_2_and_one_line_that_names_the_help(argv, capsys):
    refused(run(capsys, *argv), r"\(see 'bnlr.* --help'\)$")


@pytest.mark.parametrize("command", ["check", "fit", "predict", "demo"])
def test_help_has_examples(command, capsys):
    code, out, _ = run(capsys, command, "--help")
    assert code == 0
    assert f"examples:\n  bnlr {command}" in out
    assert command in run(capsys, "--help")[1]


def test_version(capsys):
    assert run(capsys, "--version") == (0, f"bnlr {bnlr.__version__}\n", "")


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "bnlr: interrupted\n"),
        (MemoryError(), 2, "bnlr: error: out of memory; use fewer rows, states or arcs\n"),
        (
            OSError(28, "No space left on device"),
            2,
            "bnlr: error: output: No space left on device\n",
        ),
        (bnlr.DataError("two\n  lines"), 2, "bnlr: error: two lines\n"),
        (BrokenPipeError(), 141, ""),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else None,
)
def test_ends_without_a_traceback(error, code, said, files, capfd, monkeypatch):
    def fail(*_):
        raise error

    monkeypatch.setattr("bnlr.cli.check.read_structure", fail)
    monkeypatch.setattr("bnlr.cli._drop_output", lambda: 141)
    monkeypatch.setattr("bnlr.cli.check.BnlrError", ZeroDivisionError)  # so that none is caught
    assert cli.main(["check", "perfect.txt", "--class", "c"]) == code
    assert capfd.readouterr().err == said


@pytest.mark.slow
def test_a_reader_that_has_gone_is_no_error(files):
    Path("d.csv").write_text("a,b\n" + "x,y\n" * 50_000)
    structure = bnlr.Structure([("c", "a")], class_name="c")
    states = {"c": ("u", "v"), "a": ("x", "z")}
    cpts = {"c": np.array([0.5, 0.5]), "a": np.full((2, 2), 0.5)}
    bnlr.save(bnlr.BayesianNetwork(structure, states, cpts), "n.json")
    command = [*COMMAND, "predict", "n.json", "d.csv", "--proba"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENV
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == "c,P(c=u),P(c=v)\n"
        process.stdout.close()
        assert process.stderr.read() == ""
        assert process.wait() == 141


@pytest.mark.slow
def test_a_narrow_terminal_encoding_is_no_error(files):
    done = subprocess.run(
        [*COMMAND, "check", "imperfect.txt", "--class", "c"],
        capture_output=True,
        check=False,
        env={**ENV, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 1
    assert b"\\u2192" in done.stdout
    assert done.stderr == b""


@pytest.mark.slow
def test_predict_tells_where_no_class_is_known(mixed, capsys):
    argv = ["mixed.csv", "--class", "class", "--structure", "naive-bayes", "--out", "m.json"]
    assert run(capsys, "fit", *argv)[0] == 0
    mixed.assign(**{"class": "other"}).to_csv("others.csv", index=False)
    code, out, err = run(capsys, "predict", "m.json", "others.csv")
    assert code == 0
    assert len(read_output(out)[1]) == len(mixed)
    assert "no row has a class that the model knows in 'class'" in err


def test_workers_without_dask_are_refused_with_the_extra_to_install(capsys, monkeypatch):
    for name in [name for name in sys.modules if name.startswith("bnlr.cluster.")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("dask", "distributed"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(bnlr.InteropExtraError, match=r"pip install 'bnlr\[dask\]'"):
        bnlr.Dataset.from_dask(None, "class")
    refused(run(capsys, "fit", "d.parquet", "--class", "class", "--workers", "2"), "bnlr.dask")


# study


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ((), "python -m studies --help"),
        (("su",), "python -m studies su"),
        (
            ("su", "--quick", "--out", "my results"),
            "python -m studies su --quick --out 'my results'",
        ),
        (("greiner", "--no-such", "-x"), "python -m studies greiner --no-such -x"),
    ],
)
def test_study_says_in_a_line_what_to_do(files, capsys, words, command):
    said = refused(run(capsys, "study", *words), "no part of the installed package")
    assert said.endswith(f"the sources of bnlr {bnlr.__version__}: {command}\n")
    (files / "studies").mkdir()
    (files / "studies" / "__main__.py").touch()
    assert refused(run(capsys, "study", *words), f"in this folder: {command}")


@pytest.mark.slow
def test_what_study_says_runs():
    words = [sys.executable, "-m", "studies", "--help"]
    done = subprocess.run(words, cwd=ROOT, env=ENV, capture_output=True, text=True, check=True)
    assert "feelders-ivanovs" in done.stdout
