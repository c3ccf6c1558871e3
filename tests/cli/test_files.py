"""The commands on files of other programs: check, convert, fit and predict."""

import csv
import io
import json
import re
from pathlib import Path

import pytest

import bnlr
from bnlr import cli
from bnlr.io.files import NETWORK_FORMATS
from bnlr.io.tables.cells import read_frame
from tests.cli.commands import in_one_process, run
from tests.io import hostile
from tests.io.networks.test_formats import small, without_class
from tests.io.networks.test_xmlbif import WEKA
from tests.io.tables.test_arff import WEATHER

NETWORKS = (*(f"n{extension}" for extension in NETWORK_FORMATS), "n.json")
HEAVY = {"sklearn", "statsmodels", "pandas", "numba", "scipy", "networkx", "rich", "pyagrum"}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in NETWORKS:
        bnlr.save(small(), name)
    Path("weka.xml").write_text(WEKA)
    Path("weather.arff").write_text(WEATHER)
    Path("edges.txt").write_text("c -> a\nc -> b\nc -> z\na -> z\nb -> z\n")
    read_frame("weather.arff", "play").to_parquet("weather.parquet")
    return tmp_path


@pytest.mark.parametrize("name", NETWORKS)
def test_check_says_the_same_of_every_format(name, files, capsys):
    code, out, err = run(capsys, "check", name)
    assert (code, err) == (0, "")
    assert out.startswith(f"{name}: class 'c', 3 nodes, 3 arcs\n")
    expected = bnlr.analyze(small().structure, small().cards)
    assert out.partition("\n")[2].strip() == str(expected)
    code, out, _ = run(capsys, "check", name, "--json")
    sizes = {"n_nodes": 3, "n_arcs": 3, "n_violations": 0}
    assert json.loads(out) == {"file": name, **json.loads(json.dumps(expected.to_dict())), **sizes}


def test_check_of_files_of_all_kinds_is_one_table(files, capsys):
    code, out, err = run(capsys, "check", *NETWORKS, "edges.txt", "--class", "c")
    assert (code, err) == (1, "")
    rows = [line.split() for line in out.splitlines()]
    assert [row[0] for row in rows[1:]] == [*NETWORKS, "edges.txt"]
    assert [row[4] for row in rows[1:]] == ["yes"] * len(NETWORKS) + ["no"]
    assert len({tuple(row[1:]) for row in rows[1:-1]}) == 1


def test_check_goes_on_after_files_that_cannot_be_read(files, capsys):
    Path("n.net").write_text("net { }\nnode a {")
    code, out, err = run(capsys, "check", "n.net", "weka.xml", "n.bif", "--json")
    assert code == 2
    found = json.loads(out)
    assert [list(one)[:2] for one in found] == [["file", "error"]] * 2 + [["file", "class"]]
    assert found[0]["error"].startswith("n.net:2:")
    assert re.fullmatch(r"bnlr: error: n\.net:2:.*\nbnlr: error: weka\.xml does not say .*\n", err)


@pytest.mark.slow
def test_check_stays_light(files):
    arcs = ["check", "edges.txt", "--class", "c"]
    codes, modules = in_one_process([*(["check", name] for name in NETWORKS), arcs])
    assert codes == [0] * len(NETWORKS) + [1]
    assert "bnlr" in modules
    assert not HEAVY & modules


@pytest.mark.parametrize("source", NETWORKS)
@pytest.mark.parametrize("target", NETWORKS)
def test_convert_keeps_everything(source, target, files, capsys):
    net = hostile.network(4)
    bnlr.save(net, f"a_{source}")
    code, out, err = run(capsys, "convert", f"a_{source}", f"b_{target}")
    assert (code, err) == (0, "")
    assert out.startswith(f"b_{target}: class ")
    hostile.assert_same(bnlr.load(f"b_{target}"), net)


def test_convert_names_the_class(files, capsys):
    without_class(files / "n.bif")
    code, out, err = run(capsys, "convert", "n.bif", "b.json")
    assert (code, out) == (2, "")
    assert re.fullmatch(r"bnlr: error: n\.bif does not say which .*--class.*\n", err)
    assert not Path("b.json").exists()
    assert run(capsys, "convert", "n.bif", "b.json", "--class", "d", "--quiet") == (0, "", "")
    assert bnlr.load("b.json").structure.class_name == "d"


@pytest.mark.slow
def test_convert_takes_a_classifier_s_network(files, capsys):
    run(capsys, "fit", "weather.arff", "--class", "play", "--out", "m.json", "--quiet")
    code, _, err = run(capsys, "convert", "m.json", "m.net")
    assert code == 0
    cut = list(bnlr.BNClassifier.load("m.json")._fitted.cut_points)
    assert cut
    assert "are intervals" in err
    assert all(repr(name) in err for name in cut)
    hostile.assert_same(bnlr.load("m.net"), bnlr.BNClassifier.load("m.json").network_)


@pytest.mark.slow
def test_convert_says_that_a_pool_is_more_than_its_network(files, capsys):
    run(capsys, "fit", "weather.arff", "--class", "play", "--out", "one.json", "--quiet")
    assert "pool" not in run(capsys, "convert", "one.json", "one.bif")[2]
    argv = ["--class", "play", "--structure", "pool", "--out", "m.json"]
    code, out, _ = run(capsys, "fit", "weather.arff", *argv)
    assert code == 0
    assert "predictions are the pool's" in out
    code, _, err = run(capsys, "convert", "m.json", "m.bif")
    assert code == 0
    assert "m.json is a pool of networks; this is the best of them alone" in err
    hostile.assert_same(bnlr.load("m.bif"), bnlr.BNClassifier.load("m.json").pool_.networks[0])


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["none.bif", "b.json"], r"cannot read none\.bif"),
        (["n.bif", "b.dsc"], r"b\.dsc: the format \.dsc is not supported"),
        (["n.bif", "b.dsl"], r"b\.dsl: \.dsl is read but not written"),
        (["n.bif", "b.bif.gz"], r"b\.bif\.gz: \.gz is read but not written"),
        (["n.bif", "b.txt"], r"must end in \.json"),
        (["n.bif", "none/b.net"], "there is no folder none"),
        (["edges.txt", "b.net"], r"edges\.txt: the extension \.txt is of no .*\.xdsl, \.uai"),
        (["weather.arff", "b.net"], "it holds data, not a network"),
        (["n.bif", "b.net", "--class", "x"], "the class 'x' is not in the structure"),
    ],
)
def test_convert_refuses_in_one_line(argv, said, files, capsys):
    code, out, err = run(capsys, "convert", *argv)
    assert (code, out) == (2, "")
    assert re.fullmatch(r"bnlr: error: [^\n]+\n", err)
    assert re.search(said, err)


@pytest.mark.slow
def test_fit_and_predict_on_arff_and_parquet(files, capsys):
    answers = {}
    for name in ("weather.arff", "weather.parquet"):
        options = ["--class", "play", "--structure", "naive-bayes", "--learner", "frequencies"]
        code, out, err = run(capsys, "fit", name, *options, "--out", f"{name}.json")
        assert (code, err) == (0, "")
        assert re.search(r"^missing +2 cells, written '(\?|null)' 2$", out, re.M)
        assert re.search(
            "^the 'temp' % +numbers, [0-9.]+ to [0-9.]+ +(cut|not cut|[0-9])", out, re.M
        )
        assert re.search("^humidity +numbers, ", out, re.M)
        for data in ("weather.arff", "weather.parquet"):
            code, out, err = run(capsys, "predict", f"{name}.json", data, "--proba")
            assert code == 0
            assert err.startswith("2 cells missing in 1 row, summed out\n")
            answers[name, data] = list(csv.reader(io.StringIO(out)))
    first = answers["weather.arff", "weather.arff"]
    assert all(answer == first for answer in answers.values())
    states = bnlr.BNClassifier.load("weather.arff.json").network_.states
    assert states["code"] == ("1", "2", "3", "NA", "")


def test_fit_on_a_structure_in_bif(files, capsys):
    net = bnlr.load("weka.xml", "play")
    bnlr.save(net, "weka.bif")
    Path("w.csv").write_text("outlook,play\n" + "sunny,yes\nrainy,no\nsunny,no\n" * 5)
    code, out, _ = run(capsys, "fit", "w.csv", "--class", "play", "--structure", "weka.bif")
    assert code == 0
    assert "1 attribute, 1 arc\n" in out


def test_fit_says_what_is_wrong_with_a_file(files, capsys):
    Path("bad.arff").write_text(WEATHER.replace("sunny,85", "sunnny,85"))
    code, out, err = run(capsys, "fit", "bad.arff", "--class", "play")
    assert (code, out) == (2, "")
    assert re.fullmatch(r"bnlr: error: bad\.arff:13: 'sunnny' is no value of 'outlook', .*\n", err)
    assert "did you mean 'sunny'" in err
    code, out, err = run(capsys, "fit", "weather.arff", "--class", "Play")
    assert code == 2
    assert "did you mean 'play'" in err


def test_predict_with_a_network_of_another_program(tmp_path, capsys):
    structure = bnlr.Structure([("c", "a")], class_name="c")
    states = {"c": ("no", "yes"), "a": ("x", "y")}
    network = bnlr.BayesianNetwork(
        structure, states, {"c": [0.25, 0.75], "a": [[0.9, 0.1], [0.2, 0.8]]}
    )
    model, rows = tmp_path / "model.bif", tmp_path / "rows.csv"
    bnlr.save(network, model)
    model.write_text(
        "".join(
            line for line in model.read_text().splitlines(keepends=True) if "bnlr_class" not in line
        )
    )
    rows.write_text("a\nx\ny\n")
    assert cli.main(["predict", str(model), str(rows)]) == 2
    assert "--class" in capsys.readouterr().err
    assert cli.main(["predict", str(model), str(rows), "--class", "c"]) == 0
    assert capsys.readouterr().out.split() == ["c", "no", "yes"]
