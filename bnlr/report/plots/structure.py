"""A structure as a picture, by itself or in given axes."""

from typing import TYPE_CHECKING

from bnlr.arguments import check_kind, one_of
from bnlr.errors import ParameterError
from bnlr.report.plots import canvas, graphviz
from bnlr.report.plots.graph import draw_structure, figure_size, marks_of
from bnlr.report.plots.layered import draw_layered, layered_size, plan_of
from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport, analyze

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_LAYOUTS = ("auto", "circle", "layered")
_LEVEL_LABELS, _MOST_LABELS = 16, 100


def plot_structure(
    structure: Structure,
    report: StructureReport | None = None,
    ax: "Axes | None" = None,
    layout: str = "auto",
) -> "Axes":
    """Draw a structure: the class in the middle, the attributes around it, or parents to the left.

    Parents that keep the structure from being a logistic regression are marked, and arcs that would
    make it one are dashed, if they are 100 at most. Of more than 100 attributes a circle leaves the
    names out.

    Parameters
    ----------
    structure : Structure
    report : StructureReport, optional
        That of the structure; made if not given.
    ax : matplotlib Axes, optional
        Where to draw; if not given, the axes of a new figure, ``plot_structure(s).figure``.
    layout : {"auto", "circle", "layered"}
        "layered": from left to right, names in boxes, as the program ``dot`` of Graphviz lays it
        out. "auto": that, where ``dot`` is on the path, for 17 to 100 attributes with arcs between
        more than half of them, in a figure of its own; else "circle".

    Raises
    ------
    ParameterError
        Something else than a structure and its report; "layered", and ``dot`` is not there or
        fails.
    PlotExtraError
        matplotlib is not installed; an ImportError.
    """
    remedy = "a bnlr.Structure, such as classifier.network_.structure"
    check_kind("structure", structure, Structure, remedy)
    check_kind("report", report, (StructureReport, type(None)), "what bnlr.analyze returns")
    report = analyze(structure) if report is None else report
    meant = one_of("layout", layout, _LAYOUTS)
    canvas.require_matplotlib()
    marks = marks_of(structure, report)
    is_layered = meant == "layered" or (meant == "auto" and ax is None and _has_layers(structure))
    plan = plan_of(structure, marks) if is_layered else None
    if plan is None and meant == "layered":
        raise ParameterError(
            "layout 'layered' needs the program dot of Graphviz, which is not on the path or fails "
            "on this graph; install Graphviz, or take layout='circle'"
        )
    size = figure_size(structure) if plan is None else layered_size(plan)
    axes = canvas.axes_or_new(ax, *size)
    if plan is None:
        draw_structure(axes, structure, marks)
    else:
        draw_layered(axes, structure, marks, plan)
    canvas.style(axes, _verdict(report))
    return axes


def _has_layers(structure: Structure) -> bool:
    """Whether layers say more than a circle: a forest of names has them, naive Bayes has none."""
    n = len(structure.attributes)
    n_between = sum(structure.class_name not in arc for arc in structure.edges)
    return _LEVEL_LABELS < n <= _MOST_LABELS and n_between > n / 2 and graphviz.is_there()


def _verdict(report: StructureReport) -> str:
    if report.is_perfect:
        return "Learning is convex: a logistic regression"
    n = report.n_violations
    return f"Not convex: {n:,} {'pair' if n == 1 else 'pairs'} of parents not joined"
