"""What no picture shows is refused before a figure is made."""

import pytest
from matplotlib import pyplot

import bnlr

NAIVE = bnlr.Structure.naive_bayes(["a", "b"], "class")


@pytest.mark.parametrize(
    ("draw", "said"),
    [
        (lambda: bnlr.plot_structure("tan"), "structure is 'tan'; give a bnlr.Structure"),
        (lambda: bnlr.plot_structure(NAIVE, 3), "report is 3; give what bnlr.analyze returns"),
        (lambda: bnlr.plot_trace([1, 2]), "results is a list; give a dict of fits"),
        (
            lambda: bnlr.plot_trace({"a": NAIVE}),
            r"results\['a'\] is .*; give what bnlr.fit returns",
        ),
        (lambda: bnlr.plot_search(NAIVE), "search is .*; give what bnlr.cll_search returns"),
        (lambda: bnlr.plot_contributions(NAIVE), "explanation is .*; give what explain"),
    ],
)
def test_other_things_than_what_is_drawn_are_refused(draw, said):
    before = pyplot.get_fignums()
    with pytest.raises(bnlr.ParameterError, match=said):
        draw()
    assert pyplot.get_fignums() == before
