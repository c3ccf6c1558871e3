"""A structure as a small SVG for notebooks: self-contained, in the page's own colour of text."""

from collections.abc import Collection, Iterable
from html import escape
from math import atan2, cos, degrees, hypot, sin

from bnlr._typing import Arc
from bnlr.printable import printable
from bnlr.structure.layout import Graph, Point, bend, layout

_MOST_NODES, _MOST_ARCS, _MOST_NAMES, _LEVEL_NAMES = 300, 3000, 100, 16
_LONGEST, _LETTER = 24, 6.6
_RADIUS, _MOST_RADIUS, _ROOM = 90.0, 330.0, 4.0
_NODE, _CLASS_HEIGHT, _GAP = 6.0, 14.0, 6.0
_CLASS, _MARKED, _PLAIN = "#0072b2", "#d55e00", "#8a8a8a"
_HEAD = (
    '<defs><marker id="bnlr-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" '
    'markerHeight="6" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="currentColor" '
    'fill-opacity="0.6"/></marker></defs>'
)


def svg(graph: Graph, marked: Collection[str] = (), added: Iterable[Arc] = ()) -> str:
    """Return the picture, or an empty text of a graph too large for one.

    Parameters
    ----------
    graph
        Of more than 100 attributes the names are left out.
    marked
        Nodes in a colour of their own.
    added
        Arcs that the graph does not have, drawn dashed.
    """
    n = len(graph.attributes)
    if n > _MOST_NODES or len(graph.edges) > _MOST_ARCS:
        return ""
    radius = min(_MOST_RADIUS, _RADIUS + _ROOM * max(0, n - 8))
    names = {node: _cut(node) for node in graph.nodes}
    longest = max((len(names[node]) for node in graph.attributes), default=0)
    has_names = n <= _MOST_NAMES
    edge = radius + 2 * _NODE + (_GAP + _LETTER * longest if has_names else 0.0)
    half = _LETTER * len(names[graph.class_name]) / 2 + 10.0
    places = {node: (radius * x, -radius * y) for node, (x, y) in layout(graph).items()}
    sizes = dict.fromkeys(graph.nodes, (_NODE, _NODE))
    sizes[graph.class_name] = half, _CLASS_HEIGHT
    tall = edge if n > _LEVEL_NAMES else radius + 4 * _NODE
    wide = max(edge, half + 4.0)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{2 * wide:.0f}" '
        f'height="{2 * tall:.0f}" viewBox="{-wide:.1f} {-tall:.1f} {2 * wide:.1f} {2 * tall:.1f}" '
        'style="max-width:100%;height:auto" font-family="sans-serif" font-size="12">',
        f"<title>{_alt(graph)}</title>{_HEAD}",
        *(_arc(places, sizes, arc, "") for arc in graph.edges),
        *(_arc(places, sizes, arc, ' stroke-dasharray="5 4"') for arc in added),
    ]
    for node in graph.attributes:
        x, y = places[node]
        color = _MARKED if node in marked else _PLAIN
        title = f"<title>{escape(printable(node))}</title>"
        parts.append(
            f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_NODE:g}" fill="{color}">{title}</circle>'
        )
        if has_names:
            parts.append(_name(names[node], (x, y), is_level=n <= _LEVEL_NAMES))
    color = _MARKED if graph.class_name in marked else _CLASS
    parts.append(
        f'<rect x="{-half:.1f}" y="{-_CLASS_HEIGHT:g}" width="{2 * half:.1f}" '
        f'height="{2 * _CLASS_HEIGHT:g}" rx="8" fill="{color}"/><text text-anchor="middle" '
        f'dominant-baseline="central" fill="#fff">{escape(names[graph.class_name])}</text></svg>'
    )
    return "".join(parts)


def _cut(name: str) -> str:
    text = printable(name)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def _alt(graph: Graph) -> str:
    return escape(
        f"Structure of {len(graph.nodes)} nodes and {len(graph.edges)} arcs, class "
        f"{printable(graph.class_name)}"
    )


def _arc(
    places: dict[str, Point], sizes: dict[str, tuple[float, float]], arc: Arc, style: str
) -> str:
    """A path from one node's border to the other's."""
    start, end = places[arc[0]], places[arc[1]]
    length = hypot(end[0] - start[0], end[1] - start[1]) or 1.0
    turned = (end[1] - start[1]) / length, -(end[0] - start[0]) / length
    # The chord bends by shares of its length in a picture of radius 1; y points down here.
    much = -length * bend(_upright(start), _upright(end))
    middle = (
        (start[0] + end[0]) / 2 + much * turned[0],
        (start[1] + end[1]) / 2 + much * turned[1],
    )
    (x0, y0), (x1, y1) = _border(start, middle, sizes[arc[0]]), _border(end, middle, sizes[arc[1]])
    return (
        f'<path d="M{x0:.1f} {y0:.1f}Q{middle[0]:.1f} {middle[1]:.1f} {x1:.1f} {y1:.1f}" '
        f'fill="none" stroke="currentColor" stroke-opacity="0.45"{style} '
        'marker-end="url(#bnlr-arrow)"/>'
    )


def _upright(point: Point) -> Point:
    """A point on the circle of radius 1 with y up, the middle as it is."""
    far = hypot(*point)
    return (0.0, 0.0) if far == 0 else (point[0] / far, -point[1] / far)


def _border(point: Point, towards: Point, size: tuple[float, float]) -> Point:
    """Where an ellipse around a point is left towards another."""
    angle = atan2(towards[1] - point[1], towards[0] - point[0])
    reach = 1.0 / hypot(cos(angle) / size[0], sin(angle) / size[1])
    return point[0] + reach * cos(angle), point[1] + reach * sin(angle)


def _name(text: str, place: Point, *, is_level: bool) -> str:
    angle = atan2(place[1], place[0])
    is_left = cos(angle) < -1e-9
    out = _NODE + _GAP
    x, y = place[0] + out * cos(angle), place[1] + out * sin(angle)
    anchor = "end" if is_left else "start"
    turn = ""
    if is_level:
        anchor = "middle" if abs(cos(angle)) < 1e-9 else anchor
    else:
        turned = degrees(angle) + (180.0 if is_left else 0.0)
        turn = f' transform="rotate({turned:.1f} {x:.1f} {y:.1f})"'
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" dominant-baseline="central" '
        f'fill="currentColor"{turn}>{escape(text)}</text>'
    )
