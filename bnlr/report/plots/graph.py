"""A structure as a picture: what keeps it from being convex is marked, and what would mend it."""

from collections.abc import Callable, Sequence
from math import atan2, degrees
from typing import TYPE_CHECKING, Any, NamedTuple

from bnlr._typing import Arc
from bnlr.errors import TooLargeError
from bnlr.report.plots import canvas
from bnlr.report.plots.labels import shortened, width_of, wrapped
from bnlr.structure.dag import Structure
from bnlr.structure.layout import CENTRE, Point, bend, layout
from bnlr.structure.report import StructureReport

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

_LEVEL_LABELS = 16
_MOST_LABELS = 100
_MOST_MARKED = 100_000
_MOST_ADDED = 100
_LABEL_SIZE = 8.5
_LABEL_RADIUS = 1.1
_SHARE_OF_LABELS = 0.55
_REACH = 1.2
_CLASS_WIDTH = 12
_LEVEL_WIDTH = 15


class Marks(NamedTuple):
    """What is drawn in a colour of its own; ``n_hidden`` arcs of an embedding are too many."""

    unmarried: frozenset[str]
    arcs_of_unmarried: frozenset[Arc]
    embedding: tuple[Arc, ...]
    relevant: frozenset[str]
    n_hidden: int = 0


def figure_size(structure: Structure) -> tuple[float, float]:
    """Return the inches that a structure needs: a circle of labels that keep apart."""
    n = len(structure.attributes)
    if n < 2:
        return 3.6, 2.0 + n
    if n > _LEVEL_LABELS:
        widest = max(width_of(shortened(node)) for node in structure.attributes)
        room = 2 * max(0.0, widest - 0.8) if n <= _MOST_LABELS else 0.0
        side = min(11.0, 6.4 + (n - _LEVEL_LABELS) / 18 + room)
        return side, side
    side = 4.6 if n <= 3 else 6.0
    widest = max(width_of(wrapped(node, _LEVEL_WIDTH, 2)) for node in structure.attributes)
    return side, min(side, 1.3 / _REACH * (side - 2 * widest) + 1.0)


def draw_structure(ax: "Axes", structure: Structure, marks: Marks) -> None:
    """Draw nodes, arcs, unmarried parents and the arcs that would marry them."""
    places = layout(structure)
    scale = _scale(len(structure.attributes))
    for arc in structure.edges:
        _draw_arc(ax, places, arc, scale, **_arc_style(structure, marks, arc))
    for arc in marks.embedding:
        _draw_arc(ax, places, arc, scale, color=canvas.BLUE, width=1.4, linestyle=canvas.DASHES)
    for node in structure.attributes:
        _draw_node(ax, places[node], scale, node in marks.unmarried, node in marks.relevant)
    _draw_class(ax, structure.class_name, structure.class_name in marks.unmarried)
    names = structure.attributes if len(structure.attributes) <= _MOST_LABELS else ()
    _draw_labels(ax, places, names)
    draw_legend(ax, structure, marks)
    ax.set_aspect("equal")
    ax.set_axis_off()


def marks_of(structure: Structure, report: StructureReport) -> Marks:
    """Return what a structure's report makes of its nodes and arcs."""
    triples: Sequence[tuple[str, str, str]] = ()
    if report.n_violations <= _MOST_MARKED:
        triples = report.violations
    pairs = [(parent, child) for child, *parents in triples for parent in parents]
    embedding = _or_none(lambda: report.embedding) if triples else ()
    is_many = len(embedding) > _MOST_ADDED
    return Marks(
        frozenset(parent for parent, _ in pairs),
        frozenset(pairs),
        () if is_many else embedding,
        frozenset(structure.markov_blanket()),
        len(embedding) if is_many else 0,
    )


def _or_none(arcs: Callable[[], tuple[Arc, ...]]) -> tuple[Arc, ...]:
    try:
        return arcs()
    except TooLargeError:
        return ()


def _scale(n: int) -> float:
    """Return how large nodes and arrowheads are, 1 where there is room."""
    return 1.0 if n <= 24 else 0.8 if n <= 50 else 0.65


def _arc_style(structure: Structure, marks: Marks, arc: Arc) -> dict[str, Any]:
    color = arc_color(structure, marks, arc)
    return {"color": color, "width": {canvas.VERMILLION: 1.6, canvas.BLACK: 1.4}.get(color, 1.0)}


def arc_color(structure: Structure, marks: Marks, arc: Arc) -> str:
    """Return the colour of an arc: that of unmarried parents, of the class, felt by it or not."""
    own = structure.class_name
    if arc in marks.arcs_of_unmarried:
        return canvas.VERMILLION
    if own in arc:
        return canvas.FAINT
    is_felt = arc[1] in marks.relevant and own in structure.parents(arc[1])
    return canvas.BLACK if is_felt else canvas.GREY


def _draw_arc(
    ax: "Axes",
    places: dict[str, Point],
    arc: Arc,
    scale: float,
    *,
    color: str,
    width: float,
    linestyle: Any = "solid",
) -> None:
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415  an extra

    start, end = places[arc[0]], places[arc[1]]
    ax.add_patch(
        FancyArrowPatch(
            start,
            end,
            arrowstyle="-|>",
            mutation_scale=10 * scale,
            connectionstyle=f"arc3,rad={bend(start, end):.3f}",
            color=color,
            linewidth=width * scale,
            linestyle=linestyle,
            # Points: the radius of a node, or about that of the class's box.
            shrinkA=15 if start == CENTRE else 5.5 * scale,
            shrinkB=15 if end == CENTRE else 5.5 * scale,
            zorder=1 if color == canvas.FAINT else 2,
        )
    )


def _draw_node(
    ax: "Axes", place: Point, scale: float, is_unmarried: bool, is_relevant: bool
) -> None:
    face = canvas.VERMILLION if is_unmarried else canvas.SKY if is_relevant else "white"
    ax.plot(
        *place,
        marker="D" if is_unmarried else "o",
        markersize=9 * scale,
        markerfacecolor=face,
        markeredgecolor=canvas.BLACK if is_relevant else canvas.GREY,
        zorder=3,
    )


def _draw_class(ax: "Axes", name: str, is_unmarried: bool) -> None:
    ax.text(
        *CENTRE,
        wrapped(name, _CLASS_WIDTH, 3),
        ha="center",
        va="center",
        fontsize=9,
        fontweight="bold",
        color=canvas.BLACK,
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
    box = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
    # Without ticks the layout leaves axes wider than they are to begin with.
    inches = 1.15 * (box.width if is_level else min(box.width, box.height))
    size = _LABEL_SIZE if is_level else min(_LABEL_SIZE, 92 * inches / len(names))
    longest = inches * _SHARE_OF_LABELS / 2 * _LABEL_SIZE / size
    shown = {
        node: wrapped(node, _LEVEL_WIDTH, 2) if is_level else shortened(node, widest=longest)
        for node in names
    }
    for node, text in shown.items():
        x, y = places[node]
        turn = _level(x, y) if is_level else _radial(x, y)
        ax.text(_LABEL_RADIUS * x, _LABEL_RADIUS * y, text, fontsize=size, **turn)
    widest = max((width_of(text, size) for text in shown.values()), default=0.0)
    wide = _REACH / (1 - min(_SHARE_OF_LABELS, 2 * widest / inches))
    ys = [y for _, y in places.values()]
    ax.set(xlim=(-wide, wide))
    above = 0.3 if len(names) > 1 else 0.5
    ax.set(ylim=(min(ys) - 0.3, max(ys) + above) if is_level else (-wide, wide))


def _level(x: float, y: float) -> dict[str, Any]:
    beside = "center" if abs(x) < 0.15 else "left" if x > 0 else "right"
    above = ("bottom" if y > 0 else "top") if beside == "center" else "center"
    return {"ha": beside, "va": above, "multialignment": beside, "linespacing": 1.0}


def _radial(x: float, y: float) -> dict[str, Any]:
    angle = degrees(atan2(y, x))
    is_right = x >= 0
    return {
        "ha": "left" if is_right else "right",
        "va": "center",
        "rotation": angle if is_right else angle - 180,
        "rotation_mode": "anchor",
    }


def draw_legend(
    ax: "Axes", structure: Structure, marks: Marks, further: Sequence["Line2D"] = ()
) -> None:
    """Say below what the colours mean; ``further`` are keys of one layout alone."""
    attributes = frozenset(structure.attributes)
    items = [key("class", "s", canvas.ORANGE)]
    if (attributes & marks.relevant) - marks.unmarried:
        items.append(key("attribute", "o", canvas.SKY))
    if attributes - marks.relevant:
        items.append(key("attribute without effect on the class", "o", "white", canvas.GREY))
    if marks.unmarried:
        items.append(
            key("parents that are not joined", "D", canvas.VERMILLION, line=canvas.VERMILLION)
        )
    if marks.embedding:
        items.append(key("arc that makes it convex", "", "none", line=canvas.BLUE, dashed=True))
    if marks.n_hidden:
        hidden = f"{marks.n_hidden:,} arcs that make it convex, too many to draw"
        items.append(key(hidden, "", "none"))
    items += further
    ax.legend(
        handles=items,
        loc="upper center",
        bbox_to_anchor=(0.5, -0.01),
        ncols=2 if len(items) > 3 else 3,
        frameon=False,
        fontsize=8,
    )


def key(
    label: str,
    marker: str,
    face: str,
    edge: str = canvas.BLACK,
    *,
    line: str = "none",
    dashed: bool = False,
) -> "Line2D":
    """Return an entry of the legend."""
    from matplotlib.lines import Line2D  # noqa: PLC0415  an extra

    return Line2D(
        [],
        [],
        label=label,
        marker=marker,
        color=line,
        linewidth=1.4,
        linestyle=canvas.DASHES if dashed else "solid",
        markerfacecolor=face,
        markeredgecolor=edge,
    )
