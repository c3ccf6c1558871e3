"""A structure from left to right, as Graphviz lays it out: names in boxes, parents before children.

The class stands among its parents and children by its own arcs, but for those to attributes, which
their boxes' edges tell: a hundred arcs from one node would hide all others.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bnlr.report.plots import canvas
from bnlr.report.plots.graph import Marks, arc_color, draw_legend, key
from bnlr.report.plots.graphviz import Plan, Point, planned
from bnlr.report.plots.labels import shortened, width_of
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIZE = 8.5
_LEAST_SIZE = 4.0
_HEIGHT = 0.2
_PADDING = 0.08
_MOST_INCHES = 20.0, 14.0
_BELOW, _ABOVE = 0.9, 0.5


def plan_of(structure: Structure, marks: Marks) -> Plan | None:
    """Return where things go, None where Graphviz cannot tell."""
    sizes = {node: (width_of(shortened(node)) + _PADDING, _HEIGHT) for node in structure.nodes}
    own = structure.class_name
    return planned(sizes, [arc for arc in structure.edges if arc[0] != own], marks.embedding)


def layered_size(plan: Plan) -> tuple[float, float]:
    """Return the inches of a figure, no larger than a screen or two."""
    scale = scale_of(plan)
    return max(5.0, scale * plan.size[0] + 0.4), scale * plan.size[1] + _BELOW + _ABOVE


def scale_of(plan: Plan) -> float:
    """Return by how much all is made smaller."""
    return min(1.0, *(most / size for most, size in zip(_MOST_INCHES, plan.size, strict=True)))


def draw_layered(ax: "Axes", structure: Structure, marks: Marks, plan: Plan) -> None:
    """Draw a structure where the plan has it."""
    size = max(_LEAST_SIZE, _SIZE * scale_of(plan))
    for arc, points in plan.paths.items():
        is_added = arc in marks.embedding
        color = canvas.BLUE if is_added else arc_color(structure, marks, arc)
        _draw_path(ax, points, color, canvas.DASHES if is_added else "solid")
    for node in structure.nodes:
        _draw_box(ax, plan.places[node], shortened(node), size, _box(structure, marks, node))
    ax.set(xlim=(-0.1, plan.size[0] + 0.1), ylim=(-0.1, plan.size[1] + 0.1))
    ax.set_aspect("equal")
    ax.set_axis_off()
    children = set(structure.children(structure.class_name))
    arcs = [key("arc from the class", "s", "white", canvas.ORANGE)] if children else []
    draw_legend(ax, structure, marks, arcs)


def _box(structure: Structure, marks: Marks, node: str) -> dict[str, Any]:
    own = structure.class_name
    face = canvas.ORANGE if node == own else canvas.SKY if node in marks.relevant else "white"
    if node in marks.unmarried:
        face = canvas.ORANGE if node == own else canvas.VERMILLION
    is_child = own in structure.parents(node)
    edge = canvas.ORANGE if is_child else canvas.GREY
    return {"facecolor": face, "edgecolor": edge, "linewidth": 1.6 if is_child else 0.8}


def _draw_box(ax: "Axes", place: Point, text: str, size: float, box: dict[str, Any]) -> None:
    ax.text(
        place[0],
        place[1],
        text,
        ha="center",
        va="center",
        fontsize=size,
        color=canvas.BLACK,
        zorder=4,
        bbox={"boxstyle": "round,pad=0.15", **box},
    )


def _draw_path(ax: "Axes", points: Sequence[Point], color: str, linestyle: Any) -> None:
    from matplotlib.patches import FancyArrowPatch  # noqa: PLC0415  an extra
    from matplotlib.path import Path  # noqa: PLC0415  as above

    codes = [Path.MOVETO, *[Path.CURVE4] * (len(points) - 1)]
    ax.add_patch(
        FancyArrowPatch(
            path=Path(points, codes),
            arrowstyle="-|>",
            mutation_scale=7,
            color=color,
            linewidth=0.9,
            linestyle=linestyle,
            shrinkA=0,
            shrinkB=0,
            zorder=2,
        )
    )
