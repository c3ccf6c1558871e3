"""Hugin NET as Hugin, GeNIe and pyAgrum write it, and what is refused."""

import numpy as np
import pytest

from bnlr.errors import ModelFileError
from bnlr.io.networks.hugin import parse

HUGIN = """\
net
{
    node_size = (80 40);
    HR_Color_Interface = "65535";   % a comment; with a semicolon
    HR_Html_Desc = "say \\"hi\\" {now}; 100%";
}

node Smoking
{
    label = "Has the patient smoked?";
    position = (310 210);
    states = ("yes" "no, \\"never\\"" "100%");
}
discrete node L
{
    subtype = boolean;
    states = ("false" "true");
}
node X { states = ("x" "y"); state_values = (0.5 1.5); }

potential (Smoking) { data = ( 0.5 0.3 0.2 ); experience = (10); }
potential (L | Smoking X)
{
    data = (((0.1 0.9)  % Smoking=yes X=x
             (0.2 0.8))
            ((0.3 0.7) (0.4 0.6))
            ((0.45 0.55) (0.625 0.375)));
}
potential (X |) { data = (0.5 0.5); }
"""


def test_hugin():
    net = parse(HUGIN, "f").network("Smoking")
    assert net.structure.nodes == ("Smoking", "L", "X")
    assert net.structure.parents("L") == ("Smoking", "X")
    assert net.states["Smoking"] == ("yes", 'no, "never"', "100%")
    assert net.cpts["L"][..., 0].tolist() == [[0.1, 0.2], [0.3, 0.4], [0.45, 0.625]]


def test_states_without_quotes_as_pyagrum_writes_them():
    text = "net { name = n; }\nnode a { states = (x y z ); ID = a; }\npotential (a ) { data = "
    assert parse(text + "(0.25 0.25 0.5); }", "f").network("a").states["a"] == ("x", "y", "z")


def test_pgmpy_rounds_to_eight_decimals_and_writes_more_digits():
    text = """net {
}
node a{
    states = ("u"  "v"  "w");
}
node b{
    states = ("x"  "y");
}
potential (a |){
 data = (0.99999987 0.00000009 0.00000003);
}
potential (b | a){
 data = ((9.9999990e-01 9.0000000e-08)
 (2.5000000e-01 7.5000000e-01)
 (0.5 0.5));
}
"""
    net = parse(text, "f").network("b")
    assert net.states == {"a": ("u", "v", "w"), "b": ("x", "y")}
    for node in net.structure.nodes:
        np.testing.assert_allclose(net.cpts[node].sum(axis=-1), 1.0, rtol=0, atol=1e-15)
    assert net.cpts["b"][1].tolist() == [0.25, 0.75]


def test_what_does_not_matter_is_skipped():
    text = """net { node_size = (80 40); HR_Zoom = "1"; HR_Zoom = "2"; HR_x = a|b=c;
      name = "a;{b}"; }
    node a { label = "say \\"so\\" {"; position = (1, 2); HR_LinkMode = "[b:0]"; % odd; {
      subtype = number; state_values = (0 1); states = ("n" "y"); }
    potential (a) { model_nodes = (); data = (2 6); }"""
    text = text.replace("model_nodes = (); ", "")
    net = parse(text, "f").network("a")
    assert net.states["a"] == ("n", "y")
    assert net.cpts["a"].tolist() == [0.25, 0.75]


def test_an_expression_is_refused_as_such():
    text = 'node a { states = ("n"); } potential (a) { model_data = (if (b == "x", 1, 2)); }'
    with pytest.raises(ModelFileError, match="f:1:28: the potential of 'a' is an expression"):
        parse(text, "f")


@pytest.mark.parametrize("zero", ["(0 0)(1 1)", "(1 1)(0 0.0)"])
def test_columns_of_weights(zero):
    text = """node a { states = ("n" "y"); } node b { states = ("n" "y"); }
    potential (a) { data = (1e308 1e308); } potential (b | a) { data = ((1 3)(10 0)); }"""
    net = parse(text, "f").network("a")
    assert net.cpts["a"].tolist() == [0.5, 0.5]
    assert net.cpts["b"].tolist() == [[0.25, 0.75], [1.0, 0.0]]
    with pytest.raises(ModelFileError, match=r"f:2: P\(b \| a=[ny]\) sums to 0, not 1, which no"):
        parse(text.replace("(1 3)(10 0)", zero), "f").network("a")


GOOD = """net { }
node a { states = ("a0" "a1"); }
node b { states = ("b0" "b1"); }
potential (a) { data = (0.5 0.5); }
potential (b | a) { data = ((0.5 0.5) (0.5 0.5)); }
"""
REFUSED = {
    "another keyword": ("net {", "nets {", "f:1:1: expected net, node or potential"),
    "continuous": ("node a", "continuous node a", "f:2:1: continuous nodes cannot be read"),
    "a decision": ("node a", "decision a", "f:2:1: decision nodes cannot be read"),
    "a utility": ("node a", "utility a", "f:2:1: utility nodes cannot be read"),
    "classes": ("net {", "class c {", "f:1:1: classes of networks cannot be read"),
    "no states": ('states = ("b0" "b1");', "", "f:3:1: node 'b' has no states"),
    "an empty list": ('("b0" "b1")', "()", "f:3:1: node 'b' has no states"),
    "a state alone": ('("b0" "b1")', '"b0"', "states must be one list"),
    "a state twice": ('"b1"', '"b0"', "f:3: .*lists the state 'b0' twice"),
    "an attribute twice": ("states", "states = (x); states", "attribute 'states' stands twice"),
    "no equals": ("states =", "states", "f:2:17: expected '=' after the attribute's name"),
    "no semicolon": ("(0.5 0.5);", "(0.5 0.5)", "f:4:.*expected ';', found '}'"),
    "not closed": ("((0.5 0.5) (", "((0.5 0.5 (", "f:5:.*not closed"),
    "closed too often": ("data = (0.5", "data = )(0.5", "f:4:.*(closed|expected ';')"),
    "two children": ("(b | a)", "(b a)", "f:5:14: a potential of several nodes"),
    "an expression": ("data = (0.5 0.5)", 'model_nodes = (); model_data = ("x")', "an expression"),
    "no data": ("data = (0.5 0.5);", "", "f:4:1: the potential of .a. has no data"),
    "too few": ("(0.5 0.5);", "(1.0);", r"f:4: P\(a\) has 1 numbers.*need 2"),
    "no number": ("(0.5 0.5);", "(0.5 half);", "f:4: 'half' is not a number"),
    "a quote left open": ('"b1")', '"b1)', "f:3:.*not closed"),
    "an unknown node": ("(b | a)", "(b | c)", "f:5: the node 'c' is not defined"),
    "no potential": ("potential (a) { data = (0.5 0.5); }\n", "", "f:2: the node 'a' has no prob"),
    "a cycle": ("(a) { data = (0.5 0.5)", "(a|b) { data = (1 0 1 0)", "f: .*cycle"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name):
    old, new, said = REFUSED[name]
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    with pytest.raises(ModelFileError, match=said):
        parse(text, "f").network("b")


PARTS = "net {{ }} node a {{ {} }} potential (a) {{ data = (1 3); }}"


@pytest.mark.parametrize(
    ("attributes", "states"),
    [
        ("states = ([0;1.5[ [1.5;3] );", ("[0;1.5[", "[1.5;3]")),  # pyAgrum's intervals
        ("states = ((0,1] (1,2]);", ("(0,1]", "(1,2]")),
        ("states = (a;b c );", ("a;b", "c")),
        ('states = (a % b )\n "b" );', ("a", "b")),
        ('subtype = interval; state_values = (0 1 2.5); states = ("" "");', ("0 - 1", "1 - 2.5")),
        ('subtype = "number"; states = ("" ""); state_values = (-1 4);', ("-1", "4")),
        ("subtype = number; state_values = (-1 4);", ("-1", "4")),
        ("subtype = boolean;", ("false", "true")),
        ('subtype = number; states = ("" "x"); state_values = (-1 4);', ("", "x")),
    ],
)
def test_states_without_quotes_or_without_labels(attributes, states):
    network = parse(PARTS.format(attributes), "f").network("a")
    assert network.states == {"a": states}
    assert network.cpts["a"].tolist() == [0.25, 0.75]


@pytest.mark.parametrize(
    ("attributes", "said"),
    [
        ("states = ((a b));", "states must be one list"),
        ('states = (("a" "b"));', "states must be one list"),
        ("states = (a b;", "not closed|one list"),
        ("states = a;", "one list"),
        ('subtype = number; state_values = (1 2 3); states = ("" "");', "lists the state '' twice"),
        ("subtype = number;", "no states"),
    ],
)
def test_states_that_are_refused(attributes, said):
    with pytest.raises(ModelFileError, match=said):
        parse(PARTS.format(attributes), "f").network("a")
