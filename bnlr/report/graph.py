"""A structure as a picture: the class in the middle, the attributes on a circle around it.

On a circle every label has a place of its own, whatever the graph; neighbours in the graph stand
side by side where a walk along its arcs can have it so.
"""

from collections.abc import Iterator, Sequence
from math import atan2, cos, degrees, hypot, pi, sin
from textwrap import fill
from typing import TYPE_CHECKING, Any

from bnlr._typing import Arc
from bnlr.report import canvas
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

Point = tuple[float, float]

_LEVEL_LABELS = 16
_MOST_LABELS = 100
_LONGEST_LABEL = 26
_LABEL_SIZE = 8.5
_LABEL_RADIUS = 1.1
_REACH = 1.2
_CLASS_WIDTH = 12
_FREE_RADIUS = 0.35
_CENTRE = (0.0, 0.0)


def draw_structure(ax: "Axes", structure: Structure, report: StructureReport) -> None:
    """Draw nodes, arcs, unmarried parents and the arcs that would marry them."""
    places = layout(structure)
    unmarried = {node for _, *parents in report.violations for node in parents}
    blanket = set(structure.markov_blanket())
    for arc in structure.edges:
        _draw_arc(ax, places, arc, canvas.BLACK)
    for arc in report.embedding:
        _draw_arc(ax, places, arc, canvas.BLUE, dashed=True)
    for node in structure.attributes:
        _draw_node(ax, places[node], node in unmarried, node in blanket)
    _draw_class(ax, structure.class_name, structure.class_name in unmarried)
    names = structure.attributes if len(structure.attributes) <= _MOST_LABELS else ()
    _draw_labels(ax, places, names)
    _draw_legend(ax, structure, report, unmarried)
    ax.set_aspect("equal")
    ax.set_axis_off()


def layout(structure: Structure) -> dict[str, Point]:
    """Return a place for each node: the class at (0, 0), the others on the unit circle."""
    order = list(_walk(structure))
    places = {structure.class_name: _CENTRE}
    for k, node in enumerate(order):
        angle = pi / 2 - 2 * pi * k / len(order)
        places[node] = cos(angle), sin(angle)
    return places


def _walk(structure: Structure) -> Iterator[str]:
    """Yield the attributes in the order of a depth-first walk, arcs of the class left out."""
    neighbours: dict[str, list[str]] = {node: [] for node in structure.attributes}
    for parent, child in structure.edges:
        if structure.class_name not in (parent, child):
            neighbours[parent].append(child)
            neighbours[child].append(parent)
    seen: set[str] = set()
    for start in structure.attributes:
        waiting = [start]
        while waiting:
            node = waiting.pop()
            if node not in seen:
                seen.add(node)
                yield node
                waiting += reversed(neighbours[node])


def _draw_arc(
    ax: "Axes", places: dict[str, Point], arc: Arc, color: str, dashed: bool = False
) -> None:
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415  an extra

    start, end = places[arc[0]], places[arc[1]]
    is_spoke = _CENTRE in (start, end)
    is_faint = is_spoke and not dashed
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=10,
            connectionstyle=f"arc3,rad={0.0 if is_spoke else _bend(start, end):.3f}",
            color=canvas.FAINT if is_faint else color,
            linewidth=1.0 if is_faint else 1.4,
            linestyle=canvas.DASHES if dashed else "solid",
            shrinkA=14 if start == _CENTRE else 6,
            shrinkB=14 if end == _CENTRE else 6,
            zorder=1 if is_faint else 2,
        )
    )


def _bend(start: Point, end: Point) -> float:
    """Return how much to bend a chord: a little inwards, but around the class in the middle."""
    length = hypot(end[0] - start[0], end[1] - start[1])
    turn = start[0] * end[1] - start[1] * end[0]
    outwards = 1.0 if turn > 0 else -1.0
    distance = abs(turn) / length
    # An arc's middle leaves its chord by half of bend times length.
    if distance < _FREE_RADIUS:
        return outwards * 2 * (_FREE_RADIUS - distance) / length
    return -outwards * min(0.15, 2 * (distance - _FREE_RADIUS) / length)


def _draw_node(ax: "Axes", place: Point, is_unmarried: bool, in_blanket: bool) -> None:
    face = canvas.VERMILLION if is_unmarried else canvas.SKY if in_blanket else "white"
    ax.plot(
        *place,
        marker="D" if is_unmarried else "o",
        markersize=9,
        markerfacecolor=face,
        markeredgecolor=canvas.BLACK if in_blanket else canvas.GREY,
        zorder=3,
    )


def _draw_class(ax: "Axes", name: str, is_unmarried: bool) -> None:
    ax.text(
        *_CENTRE,
        fill(shortened(name), _CLASS_WIDTH),
        ha="center",
        va="center",
        fontsize=9,
        fontweight="bold",
        zorder=4,
        bbox={
            "boxstyle": "round,pad=0.35",
            "facecolor": canvas.ORANGE,
            "edgecolor": canvas.VERMILLION if is_unmarried else canvas.BLACK,
            "linewidth": 3 if is_unmarried else 1,
        },
    )


def _draw_labels(ax: "Axes", places: dict[str, Point], names: Sequence[str]) -> None:
    """Write names outside the circle, and make the axes wide enough for them."""
    is_level = len(names) <= _LEVEL_LABELS
    size = _LABEL_SIZE if is_level else min(_LABEL_SIZE, 500 / len(names))
    for node in names:
        x, y = places[node]
        turn = _level(x, y) if is_level else _radial(x, y)
        ax.text(_LABEL_RADIUS * x, _LABEL_RADIUS * y, shortened(node), fontsize=size, **turn)
    longest = max((len(shortened(node)) for node in names), default=0)
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    # Letters are about 0.6 of their size wide; half of the axes at least stay for the circle.
    share = min(0.5, 2 * longest * 0.6 * size / 72 / min(box.width, box.height))
    wide = _REACH / (1 - share)
    ax.set(xlim=(-wide, wide))
    ax.set(ylim=(-_REACH - 0.1, _REACH + 0.1) if is_level else (-wide, wide))


def _level(x: float, y: float) -> dict[str, Any]:
    beside = "center" if abs(x) < 0.15 else "left" if x > 0 else "right"
    above = ("bottom" if y > 0 else "top") if beside == "center" else "center"
    return {"ha": beside, "va": above}


def _radial(x: float, y: float) -> dict[str, Any]:
    angle = degrees(atan2(y, x))
    is_right = x >= 0
    return {
        "ha": "left" if is_right else "right",
        "va": "center",
        "rotation": angle if is_right else angle - 180,
        "rotation_mode": "anchor",
    }


def shortened(name: str) -> str:
    """Return a label of at most 26 characters on one line, with no mathematics in it."""
    line = " ".join(name.split())
    cut = line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…"
    return cut.replace("$", r"\$")


def _draw_legend(
    ax: "Axes", structure: Structure, report: StructureReport, unmarried: set[str]
) -> None:
    n_outside = len(structure.attributes) - len(structure.markov_blanket())
    n_plain = len(structure.attributes) - n_outside - len(unmarried - {structure.class_name})
    items = [_key("class", "s", canvas.ORANGE)]
    if n_plain:
        items.append(_key("attribute", "o", canvas.SKY))
    if n_outside:
        items.append(_key("attribute without effect on the class", "o", "white", canvas.GREY))
    if unmarried:
        items.append(_key("parents that are not joined", "D", canvas.VERMILLION))
    if report.embedding:
        items.append(_key("arc that makes it convex", "", canvas.BLUE))
    ax.legend(
        handles=items,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=2 if len(items) > 3 else 3,
        frameon=False,
        fontsize=8,
    )


def _key(label: str, marker: str, face: str, edge: str = canvas.BLACK) -> "Line2D":
    from matplotlib.lines import Line2D  # noqa: PLC0415  an extra

    return Line2D(
        [],
        [],
        label=label,
        marker=marker,
        color="none" if marker else face,
        linestyle=canvas.DASHES,
        markerfacecolor=face,
        markeredgecolor=edge,
    )
