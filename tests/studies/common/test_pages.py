"""Parts that studies share."""

import pytest

from studies.common.drawing import canvas, png_bytes, svg_bytes
from studies.common.pages import course, drawn, statements


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


@pytest.mark.parametrize(
    ("inches", "start"),
    [
        (3.9, "<figure>"),
        (5.0, '<figure class="graph" tabindex="0">'),
        (9.0, '<figure class="graph wide" tabindex="0">'),
    ],
)
def test_small_screens_scroll_a_drawing_that_is_wider(inches, start):
    pytest.importorskip("matplotlib")
    assert drawn(lambda: svg_bytes(canvas.new_figure(inches, 2.0)), "c", "a").startswith(start)
    figure = canvas.new_figure(inches, 2.0)
    assert drawn(lambda: png_bytes(figure, dpi=96), "c", "a").startswith(start)
