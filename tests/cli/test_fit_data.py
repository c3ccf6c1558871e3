"""What ``bnlr fit`` makes of data files, what it says of them, and what it refuses."""

import gzip
import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.cli import main
from tests.cli.commands import refused, run

ROWS = [("x", 1, "y"), ("z", 2, "n"), ("x", 1, "y"), ("z", 3, "n"), ("x", 2, "n")]
FAST = ["--class", "class", "--structure", "naive-bayes", "--penalty", "1"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(name, rows=ROWS, head=("a", "b", "class"), sep=",", end="\n", encoding="utf-8"):
    lines = [sep.join(map(str, row)) for row in (head, *rows)]
    raw = (end.join(lines) + end).encode(encoding)
    Path(name).write_bytes(gzip.compress(raw) if name.endswith(".gz") else raw)
    return name


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    """The model of the rows in a plain file."""
    rows, path = (str(tmp_path_factory.mktemp("plain") / name) for name in ("plain.csv", "m.json"))
    assert main(["fit", written(rows), *FAST, "--out", path, "--quiet"]) == 0
    return path


def model(capsys, *argv):
    code, out, err = run(capsys, "fit", *FAST, *argv, "--out", "m.json")
    assert (code, err) == (0, "")
    return bnlr.BNClassifier.load("m.json"), out


@pytest.mark.parametrize(
    ("name", "settings", "layout"),
    [
        ("d.csv", {}, "comma-separated"),
        ("d.csv.gz", {}, "comma-separated"),
        ("d.tsv", {"sep": "\t"}, "tab-separated"),
        ("d.txt", {"sep": ";"}, "semicolon-separated"),
        ("windows.csv", {"end": "\r\n", "encoding": "utf-8-sig"}, "comma-separated"),
        ("mac.csv", {"end": "\r"}, "comma-separated"),
        ("excel.txt", {"sep": "\t", "encoding": "utf-16"}, "tab-separated"),
    ],
)
def test_ways_to_write_the_same_rows(name, settings, layout, plain, folder, capsys):
    classifier, out = model(capsys, written(name, **settings))
    expected = bnlr.BNClassifier.load(plain)
    frame = pd.DataFrame(ROWS, columns=["a", "b", "class"]).drop(columns="class")
    np.testing.assert_array_equal(classifier.predict_proba(frame), expected.predict_proba(frame))
    assert out.startswith(f"data         {name}: 5 rows, 3 columns ({layout})\n")


def test_standard_input_is_data_too(folder, monkeypatch, capsys):
    raw = Path(written("d.csv")).read_bytes()
    for content in (raw, gzip.compress(raw)):
        monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(content)))
        _, out = model(capsys, "-")
        assert out.startswith("data         <stdin>: 5 rows, 3 columns (comma-separated)\n")


def test_an_encoding_is_named(folder, capsys):
    written("d.csv", [("café", 1, "y"), ("thé", 2, "n")], encoding="latin-1")
    refused(run(capsys, "fit", "d.csv", *FAST, "-q"), "not UTF-8 text .*--encoding")
    classifier, _ = model(capsys, "d.csv", "--encoding", "latin-1")
    assert classifier.network_.states["a"] == ("café", "thé")
    refused(run(capsys, "fit", "d.csv", *FAST, "--encoding", "latn-1"), "did you mean 'latin-1'")


def test_decimal_commas_where_semicolons_separate(folder, capsys):
    rng = np.random.default_rng(0)
    rows = [(f"{x:.2f}", "ab"[int(x > 0)]) for x in rng.normal(size=50)]
    written("point.csv", rows, ("v", "class"))
    written("comma.csv", [(v.replace(".", ","), c) for v, c in rows], ("v", "class"), sep=";")
    one, _ = model(capsys, "point.csv")
    other, out = model(capsys, "comma.csv")
    np.testing.assert_array_equal(
        one.discretizer_.cut_points_[0], other.discretizer_.cut_points_[0]
    )
    assert re.search("^v +numbers, -[0-9.]+ to [0-9.]+ +cut into 2 intervals$", out, re.M)
    _, points, _ = run(capsys, "predict", "m.json", "point.csv")
    assert run(capsys, "predict", "m.json", "comma.csv")[1] == points


def test_every_column_is_said(folder, capsys):
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    frame = pd.DataFrame(
        {
            "age": rng.integers(20, 60, 200) + 20 * y,
            "code": rng.integers(1, 4, 200),
            "noise": rng.normal(size=200).round(3),
            "sex": np.array(["f", "m"])[y],
            "empty": [None] * 200,
            "class": y,
        }
    )
    frame.loc[:4, "sex"] = None
    frame.to_csv("d.csv", index=False)
    code, out, err = run(capsys, "fit", "d.csv", *FAST, "--discretize", "mdl")
    assert code == 0
    empty, same = err.splitlines()
    assert "'empty'" in empty
    assert same.startswith("bnlr: warning: d.csv: 'sex' tells the class in every row")
    assert "missing      205 cells, written '' 205" in out
    rows = dict(re.split(" {2,}", line, maxsplit=1) for line in out.splitlines() if "  " in line)
    low, high = frame["age"].min(), frame["age"].max()
    assert re.fullmatch(rf"numbers, {low} to {high} +cut into \d intervals +-", rows["age"])
    assert re.fullmatch("numbers, 1 to 3 +3 labels +-", rows["code"])
    assert re.match("numbers, .* not cut: it tells the classes apart nowhere", rows["noise"])
    assert re.fullmatch("text, 'f', 'm' +2 labels +5", rows["sex"])
    assert re.fullmatch("empty +left out: empty +200", rows["empty"])


@pytest.mark.slow
def test_many_columns_are_counted_and_listed_on_demand(folder, capsys):
    head = [f"a{k}" for k in range(30)] + ["class"]
    rows = [["x"] * 30 + ["y"], ["z"] * 30 + ["n"]]
    written("wide.csv", rows, head)
    _, out = model(capsys, "wide.csv", "--structure", "naive-bayes")
    assert "columns      30 of text (--verbose lists them)\n" in out
    _, out = model(capsys, "wide.csv", "--structure", "naive-bayes", "--verbose")
    assert len(re.findall(r"^a\d+ +text, 'x', 'z' +2 labels$", out, re.M)) == 30
    assert re.search(r"^ *iteration ", out, re.M)


def test_further_texts_for_missing_cells(folder, capsys):
    written("d.csv", [*ROWS, ("unknown", -9, "y")])
    classifier, out = model(capsys, "d.csv", "--na", "-9", "--na", "unknown")
    assert classifier.network_.states["a"] == ("x", "z")
    assert classifier.network_.states["b"] == (1, 2, 3)
    assert re.search("^missing +2 cells, written '(-9|unknown)' 1, '(-9|unknown)' 1$", out, re.M)
    _, out, err = run(capsys, "predict", "m.json", "d.csv", "--na", "-9", "--na", "unknown")
    assert "2 cells missing in 1 row, summed out" in err


def test_weights_are_repeated_rows(folder, capsys):
    weights = [2, 1, 0, 3, 1]
    rows = [(*row[:2], w, row[2]) for row, w in zip(ROWS, weights, strict=True)]
    written("w.csv", rows, ("a", "b", "w", "class"))
    written("r.csv", [row for row, w in zip(ROWS, weights, strict=True) for _ in range(w)])
    weighted, out = model(capsys, "w.csv", "--weight", "w")
    repeated, _ = model(capsys, "r.csv")
    assert "weights      w, 7 in all\n" in out
    assert "w" not in weighted.network_.structure.nodes
    for node, cpt in repeated.network_.cpts.items():
        np.testing.assert_allclose(weighted.network_.cpts[node], cpt, rtol=1e-6)


@pytest.mark.parametrize(
    ("cell", "said"), [("-2", "'-2' in data row 2"), ("", "'' in data row 2"), ("x", "data row 2")]
)
def test_bad_weights_are_named(cell, said, folder, capsys):
    written("w.csv", [("x", 1, "y"), ("z", cell, "n")], ("a", "w", "class"))
    refused(run(capsys, "fit", "w.csv", *FAST, "--weight", "w"), f"w.csv: .*'w'.*{said}")


def test_the_class_is_no_weight(folder, capsys):
    argv = ["fit", written("d.csv"), *FAST, "--weight", "class"]
    refused(run(capsys, *argv), "--weight class: that is the class; name another column")


def test_columns_are_ignored_on_demand(folder, capsys):
    classifier, _ = model(capsys, written("d.csv"), "--ignore", "b")
    assert classifier.network_.structure.attributes == ("a",)
    for name, said in [("bb", "did you mean 'b'"), ("class", "that is the class")]:
        refused(run(capsys, "fit", "d.csv", *FAST, "--ignore", name), said)


def test_a_column_of_identifiers_is_warned_of(folder, capsys):
    rows = [(f"patient {k}", "xz"[k % 2], "yn"[k % 3 == 0]) for k in range(40)]
    written("d.csv", rows, ("id", "a", "class"))
    code, _, err = run(capsys, "fit", "d.csv", *FAST)
    assert code == 0
    assert re.fullmatch(r"bnlr: warning: d\.csv: 'id' .* --ignore id leaves it out\n", err)
    assert run(capsys, "fit", "d.csv", *FAST, "--ignore", "id")[2] == ""


@pytest.mark.slow
def test_cells_that_make_labels_of_numbers_are_warned_of(folder, capsys):
    rows = [(k / 8, "xz"[k % 2], "yn"[k % 3 == 0]) for k in range(60)]
    written("whole.csv", rows, ("v", "a", "class"))
    assert run(capsys, "fit", "whole.csv", *FAST)[2] == ""
    rows[6] = rows[40] = ("n/a", "x", "y")
    rows[9] = ("inf", "x", "y")
    written("d.csv", rows, ("v", "a", "class"))
    code, _, err = run(capsys, "fit", "d.csv", *FAST)
    assert code == 0
    assert re.fullmatch(
        r"bnlr: warning: d\.csv: 'v' holds numbers but for 'n/a' \(data row 7\), "
        r"'inf' \(data row 10\), .* --na n/a --na inf\n",
        err,
    )
    rows[9] = (9 / 8, "x", "y")
    written("d.csv", rows, ("v", "a", "class"))
    _, out, err = run(capsys, "fit", "d.csv", *FAST, "--na", "n/a", "--out", "m.json")
    assert err == ""
    assert re.search(r"\nv +numbers", out)
    said = r"'v' holds 'n/a' in data row 7, .*: --na n/a\n"
    refused(run(capsys, "predict", "m.json", "d.csv", "--forget"), said)
    few = [(k % 12, "n") for k in range(30)] + [("low", "y")] * 2
    written("labels.csv", few, ("v", "class"))
    assert "holds numbers" not in run(capsys, "fit", "labels.csv", *FAST)[2]


def test_names_of_columns_are_one_line(folder, capsys):
    rows = [("x", 1, "y"), ("z", 2, "n")] * 4
    pd.DataFrame(rows, columns=["a\nb", "\x1b[31mX", "class"]).to_csv("d.csv", index=False)
    _, out, _ = run(capsys, "fit", "d.csv", *FAST)
    assert re.search(r"\n'a\\nb' +text", out)
    assert "\x1b" not in out


def test_parquet_by_another_name_is_told(folder, capsys):
    Path("d.csv").write_bytes(b"PAR1\0\0 and so on")
    refused(run(capsys, "fit", "d.csv", *FAST), r"d\.csv: Parquet.*ends in \.parquet")


def test_rows_of_classes_that_the_model_does_not_know_are_counted(folder, capsys):
    model(capsys, written("d.csv"))
    written("new.csv", [*ROWS, ("x", 1, "Y"), ("x", 1, "Y"), ("z", 1, "m")])
    code, out, err = run(capsys, "predict", "m.json", "new.csv", "-o", "-")
    assert (code, len(out.splitlines())) == (0, 9)
    assert not Path("-").exists()
    assert err.endswith(
        "on 5 rows with a class that the model knows; "
        "it does not know 'Y' in 2 rows, 'm' in 1 row\n"
    )


def test_an_index_without_a_name_is_left_out(folder, capsys):
    frame = pd.DataFrame(ROWS, columns=["a", "b", "class"])
    frame.to_csv("d.csv")
    code, out, err = run(capsys, "fit", "d.csv", *FAST)
    assert code == 0
    assert "5 rows, 3 columns" in out
    assert re.fullmatch("bnlr: warning: .*no name and numbers the rows; it is left out\n", err)


def test_holes_as_labels_and_methods_with_options(folder, capsys):
    written("d.csv", [("x", 1, "y"), ("", 2, "n"), ("x", 1, "y"), ("z", "", "n")] * 5)
    classifier, _ = model(capsys, "d.csv", "--missing", "state", "--structure", "kdb:k=1")
    assert classifier.missing == "state"
    assert len(classifier.network_.states["a"]) == 3
    assert classifier.structure_options == {"k": 1}
    refused(run(capsys, "fit", "d.csv", *FAST, "--structure", "kdb:l=1", "-q"), "no option 'l'")


def test_any_parameter_can_be_set(folder, capsys):
    argv = [written("d.csv"), "--set", "max_iter=7", "--set", "discretize=None", "--seed", "3"]
    classifier, _ = model(capsys, *argv)
    found = classifier.get_params()
    assert (found["max_iter"], found["discretize"], found["random_state"]) == (7, None, 3)
    refused(run(capsys, "fit", *argv, *FAST, "--set", "penlty=1"), "did you mean penalty")
    refused(run(capsys, "fit", *argv, *FAST, "--set", "penalty"), "write NAME=VALUE")


def test_quiet_silences_warnings_and_progress(folder, capsys, monkeypatch):
    written("d.csv", [("x", "y")] * 5 + [("z", "n")] * 5, ("a", "class"))
    separated = ["fit", "d.csv", "--class", "class", "--penalty", "0"]
    assert "warning: No finite optimum" in run(capsys, *separated)[2]
    assert run(capsys, *separated, "--quiet") == (0, "", "")


REFUSED = {
    "empty": (b"", "found no columns"),
    "header": (b"a,class\n", "no rows below the header"),
    "binary": (bytes(range(256)) * 9, "a binary file"),
    "Excel": (b"PK\x03\x04\x14\0\x06\0", "a damaged or unknown packing"),
    "twice": (b"a,a,class\n1,2,y\n", "two columns are named 'a', columns 1 and 2"),
    "short": (b"a,class\n1,y\n2\n", r"line 3 has 1 cell \('2'\), the header 2"),
    "row names": (b"a,class\n1,x,y\n", "line 2 has 3 cells, .* give it a name"),
    "huge cell": (b"a,class\n" + b"x" * 200_000 + b",y\n", "line 2.*quote left open"),
    "one class": (b"a,class\nx,y\nz,y\n", "the class 'class' is 'y' in all rows"),
    "the class only": (b"class\ny\nn\n", "'class' is the only column"),
    "no class": (b"a,clas\nx,y\n", "no column 'class'.*did you mean 'clas'"),
    "measured class": (b"class,a\n" + b"".join(b"%d.5,x\n" % k for k in range(30)), "continuous"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_bad_data_are_refused_in_one_line(name, folder, capsys):
    raw, said = REFUSED[name]
    Path("d.csv").write_bytes(raw)
    refused(run(capsys, "fit", "d.csv", *FAST, "-q"), f"d.csv.*{said}")


@pytest.mark.parametrize(
    ("data", "said"), [("none.csv", "No such file"), (".", "Is a directory"), ("", "directory")]
)
def test_paths_that_hold_no_file(data, said, folder, capsys):
    refused(run(capsys, "fit", data, *FAST), said)


@pytest.mark.slow
def test_predictions_keep_columns_of_the_data(folder, capsys):
    rows = [(f"p, {k}", *row) for k, row in enumerate(ROWS)]
    pd.DataFrame(rows, columns=["id", "a", "b", "class"]).to_csv("d.csv", index=False)
    model(capsys, "d.csv", "--ignore", "id")
    _, plain, _ = run(capsys, "predict", "m.json", "d.csv", "--proba")
    argv = ["predict", "m.json", "d.csv", "--proba", "--keep", "id", "--keep", "class"]
    code, out, _ = run(capsys, *argv)
    found = pd.read_csv(io.StringIO(out))
    assert code == 0
    assert list(found.columns)[:3] == ["id", "class (given)", "class"]
    assert found["id"].tolist() == [row[0] for row in rows]
    assert found["class (given)"].tolist() == [row[-1] for row in ROWS]
    pd.testing.assert_frame_equal(found.iloc[:, 2:], pd.read_csv(io.StringIO(plain)))
    refused(run(capsys, *argv, "--keep", "idd"), "did you mean 'id'")


@pytest.mark.slow
def test_output_replaces_the_old_file_whole_or_not_at_all(folder, capsys, monkeypatch):
    classifier, _ = model(capsys, written("d.csv"))
    Path("p.csv").write_text("old")
    Path("link.csv").symlink_to("p.csv")

    def fail(*args):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("bnlr.cli.predict._write_rows", fail)
        refused(run(capsys, "predict", "m.json", "d.csv", "--out", "p.csv"), "No space left")
    assert Path("p.csv").read_text() == "old"
    assert run(capsys, "predict", "m.json", "d.csv", "--out", "link.csv", "-q") == (0, "", "")
    assert Path("link.csv").is_symlink()
    frame = pd.DataFrame(ROWS, columns=["a", "b", "class"]).drop(columns="class")
    expected = ["class", *classifier.predict(frame)]
    assert Path("p.csv").read_text().splitlines() == expected
    assert sorted(path.name for path in folder.iterdir()) == [
        "d.csv",
        "link.csv",
        "m.json",
        "p.csv",
    ]


def test_input_is_never_overwritten(folder, capsys):
    model(capsys, written("d.csv"))
    Path("link.csv").symlink_to("d.csv")
    before = {name: Path(name).read_bytes() for name in ("d.csv", "m.json")}
    for out in ("d.csv", "./d.csv", "link.csv", "m.json"):
        refused(run(capsys, "predict", "m.json", "d.csv", "--out", out), "is the input")
    refused(run(capsys, "convert", "m.json", "m.json"), "is the input")
    refused(run(capsys, "predict", "d.csv", "m.json"), "the model comes first")
    assert {name: Path(name).read_bytes() for name in before} == before


@pytest.mark.parametrize("out", ["none/x", ".", "m.json/x"])
def test_places_that_cannot_be_written_are_refused_before_the_work(out, folder, capsys):
    model(capsys, written("d.csv"))
    refused(run(capsys, "predict", "m.json", "none.csv", "--out", out), "cannot write")


def test_a_device_can_be_written(folder, capsys):
    model(capsys, written("d.csv"))
    argv = ["predict", "m.json", "d.csv", "-q", "--out"]
    assert run(capsys, *argv, "/dev/null") == (0, "", "")
    assert not Path("/dev/null").is_file()


def test_saved_models_are_json_that_anyone_can_read(folder, capsys):
    model(capsys, written("d.csv"))
    assert json.loads(Path("m.json").read_text())["kind"] == "classifier"


def test_the_class_of_a_classifier_is_its_own(folder, capsys):
    model(capsys, written("d.csv"))
    _, plain, _ = run(capsys, "predict", "m.json", "d.csv")
    assert run(capsys, "predict", "m.json", "d.csv", "--class", "class")[:2] == (0, plain)
    refused(run(capsys, "predict", "m.json", "d.csv", "--class", "a"), "predicts 'class'")
