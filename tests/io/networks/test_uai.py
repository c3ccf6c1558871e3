"""UAI as the competitions and pyAgrum write it, and what is refused."""

import pytest

import bnlr
from bnlr.errors import ModelFileError
from bnlr.io.networks.formats import recognised
from bnlr.io.networks.uai import parse

GOOD = """BAYES
3
2 2 3
3
1 0
2 0 1
3 0 1 2   # the child last

2
 0.436 0.564

4
 0.128 0.872
 0.920 0.080

12
 0.210 0.333 0.457
 0.811 0.000 0.189
 0.5 0.5 0
 2.5e-1 .25 0.5
"""


def test_the_last_node_of_a_table_is_its_child_and_fastest():
    net = parse(GOOD, "f").network("0")
    assert net.structure == bnlr.Structure(
        [("0", "1"), ("0", "2"), ("1", "2")], "0", nodes=["0", "1", "2"]
    )
    assert net.states == {"0": ("0", "1"), "1": ("0", "1"), "2": ("0", "1", "2")}
    assert net.cpts["2"][0, 1].tolist() == [0.811, 0.0, 0.189]


def test_other_readers_see_numbers_and_no_exponents(tmp_path):
    s = bnlr.Structure([("b", "a")], "a", nodes=["a", "b"])
    cpts = {"b": [1e-9, 1 - 1e-9], "a": [[5e-324, 1.0], [0.25, 0.75]]}
    net = bnlr.BayesianNetwork(s, {"a": ("n", "y"), "b": (1, 2)}, cpts)
    bnlr.save(net, tmp_path / "x.uai")
    body = (tmp_path / "x.uai").read_text().partition("#")[0]
    assert body.split()[:10] == ["BAYES", "2", "2", "2", "2", "2", "1", "0", "1", "1"]
    assert set(body) <= set("BAYES0123456789. \n")
    assert [float(word) for word in body.split()[11:15]] == [5e-324, 1.0, 0.25, 0.75]


REFUSED = {
    "another kind": ("BAYES", "MARKOV", "f:1: a network of type 'MARKOV'; only BAYES"),
    "no count": ("BAYES\n3", "BAYES\nx", "f:2: expected how many nodes, found 'x'"),
    "no states": ("2 2 3", "2 0 3", "f:3: a node of no states"),
    "an empty table": ("1 0\n", "0\n", "f:5: a table of no node"),
    "an unknown node": (
        "2 0 1",
        "2 0 3",
        "f:6: a table of the node 3; nodes have the numbers 0 to",
    ),
    "too few numbers": ("12\n", "11\n", "f:16: a table of 11 numbers, which are not"),
    "a number too many": ("0.5\n", "0.5 0.5\n", "f:20: '0.5' after the last table"),
    "cut short": (".25 0.5", ".25", "f:21: expected a number, found the end of the file; is it"),
    "no number": ("0.436", "half", "f:9: 'half' is not a number"),
    "two tables of a node": ("2 0 1", "2 1 0", "probabilities of '0' stand in line .* already"),
    "a huge count": (
        "BAYES\n3",
        "BAYES\n999999999",
        "f:5: a node of no states",
    ),
    "many states": ("2 2 3", "2 2 999999999", "f:16: a table of 12 numbers, which are not"),
    "a digit too many": ("BAYES\n3", "BAYES\n9999999999", "f:2: expected how many nodes"),
    "no text": (GOOD, "", "f:1: expected BAYES, found the end"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name):
    old, new, said = REFUSED[name]
    assert GOOD.replace(old, new, 1) != GOOD
    with pytest.raises(ModelFileError, match=said):
        parse(GOOD.replace(old, new, 1), "f").network("0")


def test_a_node_without_a_table_costs_nothing_and_is_refused():
    with pytest.raises(ModelFileError, match="'1' has no probabilities"):
        parse("BAYES 2 2 999999999 1 1 0 2 0.5 0.5", "f").network("0")


def test_it_is_known_by_its_first_word():
    assert recognised(GOOD) == recognised(f"# by hand\n{GOOD}") == ".uai"
    assert recognised("BAYESIAN") == ""


def test_agrum_s_first_parent_is_the_fastest():
    marked = GOOD.replace("1 0\n", "1 0 # a\n").replace("2 0 1\n", "2 0 1  # b\n")
    marked = marked.replace("# the child last", "# c")
    with pytest.warns(bnlr.BnlrWarning, match="f is aGrUM's, by its comments"):
        net = parse(marked, "f").network("0")
    assert net.structure.parents("2") == ("1", "0")
    assert net.cpts["2"][1, 0].tolist() == [0.5, 0.5, 0.0]


def test_it_reads_what_pyagrum_writes(tmp_path):
    gum = pytest.importorskip("pyagrum")
    model = gum.fastBN("a[3]->c[2]<-b[4]")
    gum.saveBN(model, str(tmp_path / "x.uai"))
    with pytest.warns(bnlr.BnlrWarning, match="first one is the fastest"):
        net = bnlr.load(tmp_path / "x.uai", "0")
    place = {name: str(model.idFromName(name)) for name in "abc"}
    for a in range(3):
        for b in range(4):
            expected = model.cpt("c")[{"a": a, "b": b}]
            codes = {place["a"]: a, place["b"]: b}
            found = net.cpts[place["c"]]
            for parent in net.structure.parents(place["c"]):
                found = found[codes[parent]]
            assert found.tolist() == pytest.approx(list(expected), abs=1e-5)
