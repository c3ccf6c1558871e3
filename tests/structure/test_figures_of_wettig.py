"""What the text of Wettig et al. (2003) says of its figures 1 and 2, whose drawings it lacks."""

import bnlr

from .graphs import is_acyclic_with, labelled_dags, literal_condition_1

B_2 = bnlr.Structure([("X1", "X2"), ("X0", "X2")], class_name="X0")
FIGURE_2 = frozenset([("X0", "X1"), ("X0", "X2"), ("X0", "X3"), ("X1", "X2"), ("X3", "X2")])


def is_moral(s):
    """Whether the class is joined to each parent of its children (the remark on Condition 1)."""
    joined = {*s.parents(s.class_name), *s.children(s.class_name), s.class_name}
    return all(joined.issuperset(s.parents(child)) for child in s.children(s.class_name))


def satisfies(s):
    assert bnlr.analyze(s).satisfies_condition_1 == all(literal_condition_1(s).values())
    return bnlr.analyze(s).satisfies_condition_1


def test_figure_1_on_the_right_fails_as_its_class_is_not_moral():
    assert not satisfies(B_2)
    assert not is_moral(B_2)
    assert satisfies(bnlr.Structure([*B_2.edges, ("X0", "X1")], class_name="X0"))


def described():
    """Graphs of four nodes as figure 2's right: not TAN, moral, mended by the arc X1 → X3."""
    names = dict(zip("abcd", ("X0", "X1", "X2", "X3"), strict=True))
    for nodes, own in labelled_dags(4):
        arcs = [(names[tail], names[head]) for tail, head in own]
        s = bnlr.Structure(arcs, "X0", [names[n] for n in nodes])
        if is_moral(s) and not satisfies(s) and _is_mended(s, ("X1", "X3")):
            yield frozenset(arcs)


def _is_mended(s, arc):
    if arc in s.edges or not is_acyclic_with(s, [arc]):
        return False
    return satisfies(bnlr.Structure([*s.edges, arc], s.class_name, s.nodes))


def test_the_text_leaves_one_graph_of_four_nodes_to_be_figure_2s_right():
    """Condition 1 demands more than that the class is moral. X1 is a child: those come first."""
    found = set(described())
    assert len(found) == 2
    assert {arcs for arcs in found if ("X0", "X1") in arcs} == {FIGURE_2}


def test_trees_that_augment_naive_bayes_satisfy_it():
    """Figure 2's left is one of them."""
    for parents in ({}, {"X2": "X1"}, {"X2": "X1", "X3": "X1"}, {"X2": "X1", "X3": "X2"}):
        arcs = [("X0", f"X{k}") for k in (1, 2, 3)] + [(p, c) for c, p in parents.items()]
        assert satisfies(bnlr.Structure(arcs, class_name="X0"))
