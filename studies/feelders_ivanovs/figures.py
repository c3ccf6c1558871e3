"""Figure 3 for any data set, and the structures."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import bnlr
from studies.common.drawing import canvas, svg_bytes
from studies.feelders_ivanovs.datasets import StudyData
from studies.feelders_ivanovs.paper import SOLVER_LABELS, SPACE_LABELS, SPACES, Column
from studies.feelders_ivanovs.tables import Race, Rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_COLOURS = dict(zip(SPACES, (canvas.BLUE, canvas.VERMILLION, canvas.GREEN), strict=True))
_DASHES = {
    "cg": "-",
    "cg-brent": (0, (5, 2)),
    "bfgs": (0, (1.5, 1.5)),
    "newton": (0, (4, 1, 1, 1)),
}
_FLOOR = 1e-8
_OTHERS = {"newton": "Newton", "l-bfgs": "L-BFGS", "cg-half": "CG with half steps"}
_CLL, _FLOPS = 1, 4


CONVERGENCE_ALT = (
    "Distance from the largest CLL by iterations and by flops, a curve a space and solver"
)


def label(column: Column) -> str:
    """Name a column as the paper does, as far as it has it."""
    space, solver = column
    return f"{SPACE_LABELS[space]} {SOLVER_LABELS.get(solver, _OTHERS.get(solver, solver))}"


def convergence(race: Race) -> bytes:
    """CLL against iterations and against flops, as figure 3: the distance from the best, as an SVG.

    The paper's nine, and Newton where it was run. The dashed line is the threshold of table 2.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(9.6, 4.2)
    left, right = figure.subplots(1, 2, sharey=True)
    _curves(left, race, lambda rows: [row[0] for row in rows], "iterations")
    _curves(right, race, lambda rows: [row[_FLOPS] - rows[0][_FLOPS] for row in rows], "flops")
    left.set_xscale("symlog", linthresh=1)
    left.xaxis.set_major_formatter("{x:.0f}")
    left.set_xlim(left=0)
    right.set_xscale("log")
    left.set_ylabel("largest CLL − CLL")
    handles, labels = left.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside right upper", frameon=False, fontsize=8)
    canvas.style(left, f"{race.data}: by iterations")
    canvas.style(right, "by floating point operations")
    return svg_bytes(figure)


def _curves(axes: "Axes", race: Race, spent: Callable[[Rows], list[float]], name: str) -> None:
    floor = _FLOOR * max(1.0, abs(race.best))
    for column, run in race.runs.items():
        space, solver = column
        if solver not in _DASHES:
            continue  # more curves than can be told apart
        gaps = [race.best - row[_CLL] for row in run["rows"]]
        near = next((k for k, gap in enumerate(gaps) if gap <= floor), len(gaps))
        axes.plot(
            spent(run["rows"])[: near + 1],
            [max(gap, floor) for gap in gaps[: near + 1]],
            color=_COLOURS[space],
            linestyle=_DASHES[solver],
            linewidth=1.4,
            label=label(column),
        )
    axes.axhline(race.best - race.threshold, color=canvas.GREY, linewidth=0.8, linestyle="--")
    axes.set(yscale="log", xlabel=name)
    axes.margins(x=0.02)


def structure(study: StudyData) -> bytes:
    """Draw the structure of a data set, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(5.6, 4.6)
    bnlr.plot_structure(study.structure, ax=figure.add_subplot())
    return svg_bytes(figure)
