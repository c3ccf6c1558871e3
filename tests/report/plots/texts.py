"""The texts of a picture: what they say, and whether they keep apart."""

import itertools

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text


def texts(figure):
    off = [ax for ax in figure.axes if not ax.axison]
    hidden = {tick for ax in off for tick in (*ax.get_xticklabels(), *ax.get_yticklabels())}
    found = [t for t in figure.findobj(Text) if t.get_visible() and t.get_text().strip()]
    return [t for t in found if t not in hidden]


def words(figure):
    return " | ".join(t.get_text() for t in texts(figure))


def drawn(figure):
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return canvas


def overlaps(figure):
    """Pairs of level texts whose boxes meet."""
    renderer = drawn(figure).get_renderer()
    boxes = [
        (t.get_text(), t.get_window_extent(renderer).padded(-1))
        for t in texts(figure)
        if t.get_rotation() in (0.0, 90.0)
    ]
    return [(a, b) for (a, one), (b, two) in itertools.combinations(boxes, 2) if one.overlaps(two)]
