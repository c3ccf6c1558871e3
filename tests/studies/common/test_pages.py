"""Parts that studies share."""

import pytest

from studies.common.pages import course, statements


def test_the_course_of_curves_is_where_they_begin_and_end():
    told = course({"OFE": [0.25, 9.0, 0.5], "none": [], "ELR": [1]})
    assert told == "OFE from 0.25 to 0.5; ELR from 1 to 1"


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ({"holds": True}, "<td>yes</td>"),
        ({"holds": False}, "<strong>no</strong>"),
        ({"holds": None}, "<strong>no verdict</strong>"),
        ({"holds": None, "verdict": "fragile"}, "<strong>fragile</strong>"),
        ({"holds": True, "verdict": "robust"}, "<td>robust</td>"),
    ],
)
def test_a_statement_holds_or_not_or_has_no_verdict(line, word):
    text = statements([{"statement": "s", "figures": {"p": [0.5, 0.25]}, **line}], "")
    assert word in text
    assert "p: 0.5, 0.25" in text
