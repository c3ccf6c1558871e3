"""BIF as JavaBayes, bnlearn, pgmpy and pyAgrum write it, and what is refused."""

import numpy as np
import pytest

from bnlr.errors import ModelFileError
from bnlr.io.networks.bif import parse

JAVABAYES = """\
// Bayesian Network in the Interchange Format
network "Dog-Problem" { //5 variables
    property "credal-set constant-density-bounded 1.1" ;
}
variable  "light-on" { //2 values
    type discrete[2] {  "true"  "false" };
    property "position = (218, 195)" ;
}
variable  "bowel-problem" { //2 values
    type discrete[2] {  "true"  "false" };
    property "position = (335, 99)" ;
}
variable  "dog-out" {
    type discrete[3] {  "true" "far; away" "false" };
}
probability (  "light-on" ) { //1 variable(s) and 2 values
    table 0.15 /* little */ 0.85 ;
}
probability (  "bowel-problem" ) { table 0.01 0.99; }
probability (  "dog-out"  "bowel-problem"  "light-on" ) { //3 variable(s) and 12 values
    table 0.9 0.8 0.7 0.6
          0.06 0.15 0.1 0.3 // p(far | …)
          0.04 0.05 0.2 0.1;
}
"""
BNLEARN = """\
network unknown {
}
variable asia {
  type discrete [ 2 ] { yes, no };
}
variable age {
  type discrete [ 3 ] { <20, 20-40, 40+ };
}
probability ( asia ) {
  table 0.01, 0.99;
}
probability ( age | asia ) {
  (yes) 0.05, 0.9, 0.05;
  (no) 0.3333333, 0.3333333, 0.3333333;
}
"""
PGMPY = """\
network unknown {
}

variable family-out {
    type discrete [ 2 ] { true, false };
    property position = (112, 69) ;
}

variable hear_bark {
    type discrete [ 2 ] { true, false };
}

probability ( family-out ) {
    table 0.15, 0.85 ;
}

probability ( hear_bark | family-out ) {
    ( true ) 0.7, 0.3;
    default 0.01, 0.99;

}
"""


def test_javabayes_lists_a_table_by_the_child_s_states():
    net = parse(JAVABAYES, "f").network("dog-out")
    assert net.structure.parents("dog-out") == ("bowel-problem", "light-on")
    assert net.states["dog-out"] == ("true", "far; away", "false")
    # P(true | bowel-problem, light-on) comes first, the last parent fastest.
    assert net.cpts["dog-out"][..., 0].tolist() == [[0.9, 0.8], [0.7, 0.6]]
    assert net.cpts["dog-out"][1, 0].tolist() == [0.7, 0.1, 0.2]


def test_bnlearn_s_labels_and_rounded_numbers():
    net = parse(BNLEARN, "f").network("asia")
    assert net.states["age"] == ("<20", "20-40", "40+")
    np.testing.assert_allclose(net.cpts["age"], [[0.05, 0.9, 0.05], [1 / 3] * 3], rtol=1e-15)


def test_pgmpy_and_default_rows():
    net = parse(PGMPY, "f").network("family-out")
    assert net.structure.edges == (("family-out", "hear_bark"),)
    assert net.cpts["hear_bark"].tolist() == [[0.7, 0.3], [0.01, 0.99]]


def test_rows_in_any_order_and_parents_of_different_cards():
    text = """
    network n { }
    variable a { type discrete [2] { a0, a1 }; }
    variable b { type discrete [3] { b0, b1, b2 }; }
    variable x { type discrete [2] { x0, x1 }; }
    probability ( a ) { table 0.5, 0.5; }
    probability ( b ) { default 0.25, 0.25, 0.5; }
    probability ( x | b, a ) {
      (b2, a1) 0.9, 0.1; (b0, a0) 0.1, 0.9; (b1, a1) 0.2, 0.8; default 0.4 0.6;
    }"""
    cpt = parse(text, "f").network("x").cpts["x"]
    expected = np.full((3, 2), 0.4)
    expected[2, 1], expected[0, 0], expected[1, 1] = 0.9, 0.1, 0.2
    assert cpt[..., 0].tolist() == expected.tolist()


GOOD = """network n { }
variable a { type discrete [2] { a0, a1 }; }
variable b { type discrete [2] { b0, b1 }; }
probability ( a ) { table 0.5, 0.5; }
probability ( b | a ) { (a0) 0.5, 0.5; (a1) 0.5, 0.5; }
"""
# What to replace in it, by what, and what the error says, with its line.
REFUSED = {
    "another keyword": ("network n", "netwerk n", "f:1:1: expected network, variable or prob"),
    "continuous": ("type discrete [2] { a0, a1 }", "type continuous", "f:2:19: the type is 'cont"),
    "a count that lies": ("[2] { b0", "[3] { b0", "f:3:29: 3 states are announced, 2 are"),
    "a huge count": ("[2] { b0", "[9999999999] { b0", "states are announced, 2 are"),
    "a state twice": ("b0, b1", "b0, b0", "f:3: .*lists the state 'b0' twice"),
    "no states": ("[2] { b0, b1 }", "[0] { }", "f:3: .*'b' has no states"),
    "a node twice": ("variable b", "variable a", "f:3: 'a' is defined already"),
    "no type": ("type discrete [2] { b0, b1 };", "", "f:3:1: variable 'b' has no type"),
    "two types": ("b1 };", "b1 }; type discrete [1] { x };", "has two types"),
    "an unknown node": ("( b | a )", "( b | A )", "f:5: the node 'A' is not defined; its nodes"),
    "an unknown child": ("( a )", "( aa )", "f:4: the node 'aa' is not defined; did you mean 'a'"),
    "two tables": ("( b | a )", "( a )", "f:5: probabilities of 'a' stand in line 4 already"),
    "a second table": ("table 0.5, 0.5;", "table 0.5, 0.5; table 1 0;", "f:4:37: a second 'table'"),
    "table and rows": ("(a1) 0.5", "table 0.5", "has a table and rows"),
    "no block": ("probability ( a ) { table 0.5, 0.5; }\n", "", "f:2: the node 'a' has no prob"),
    "an unknown state": ("(a1)", "(a2)", r"f:5: 'a2' is no state of 'a', which has 'a0', 'a1'"),
    "a row twice": ("(a1)", "(a0)", r"f:5: the row \(a0\) of 'b' stands there twice"),
    "a row too few": ("(a1) 0.5, 0.5;", "", r"f:5: P\(b \| a\) lacks the row \(a1\)"),
    "too many states in a row": ("(a1)", "(a1, a1)", "names 2 states, there are 1 parents"),
    "too few numbers in a row": ("(a1) 0.5, 0.5", "(a1) 1.0", "has 1 numbers, 'b' has 2 states"),
    "too few in a table": ("table 0.5, 0.5", "table 1.0", r"f:4: P\(a\) has 1 numbers.*need 2"),
    "a word for a number": ("table 0.5", "table half", "f:4: 'half' is not a number"),
    "a quote left open": ("{ b0, b1 }", '{ "b0, b1 }', "f:3:.* not closed"),
    "a comment left open": ("table", "/* table", "f:4:21: .*not closed"),
    "a property left open": ("n { }", "n { property x ", "f:1:.*the property does not end"),
    "something in a block": ("table 0.5, 0.5;", "tables 0.5, 0.5;", "f:4:21: expected '}' or a"),
    "a cycle": ("( a ) { table 0.5, 0.5; }", "( a | b ) { default 1 0; }", "f: .*cycle"),
    "an arc twice": ("( b | a )", "( b | a, a )", "f: the arc 'a' → 'b' is listed twice"),
    "its own parent": ("( b | a )", "( b | b )", "f: .*'b'"),
    "no text at all": (GOOD, "", "f: no variables"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name):
    old, new, said = REFUSED[name]
    text = GOOD.replace(old, new, 1)
    assert text != GOOD
    with pytest.raises(ModelFileError, match=said):
        parse(text, "f").network("b")
