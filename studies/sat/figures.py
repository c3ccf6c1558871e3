"""The CLLs that the starts of each formula reach."""

from collections.abc import Sequence

import numpy as np

from studies.common.drawing import canvas, svg_bytes
from studies.sat.tables import UNSATISFIABLE, FormulaResult


def reached(found: Sequence[FormulaResult]) -> bytes:
    """A column of dots a formula, a dot a start, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(max(5.0, 0.42 * len(found) + 2.0), 3.8)
    axes = figure.subplots()
    ordered = sorted(found, key=lambda v: (not v.is_satisfiable, v.formula.n_variables))
    for is_satisfiable, colour, marker, label in (
        (True, canvas.BLUE, "o", "satisfiable"),
        (False, canvas.VERMILLION, "s", "unsatisfiable"),
    ):
        own = [(x, v) for x, v in enumerate(ordered) if v.is_satisfiable == is_satisfiable]
        xs = [x + shift for x, v in own for shift in _spread(len(v.clls))]
        ys = [cll for _, v in own for cll in v.clls]
        if own:
            axes.scatter(xs, ys, s=12, color=colour, marker=marker, alpha=0.6, label=label)
    axes.axhline(0.0, color=canvas.GREY, linewidth=0.8)
    axes.axhline(UNSATISFIABLE, color=canvas.GREY, linewidth=0.8, linestyle=":")
    axes.annotate(
        "−2 ln 2",
        (1.0, UNSATISFIABLE),
        xycoords=axes.get_yaxis_transform(),
        xytext=(3, 0),
        textcoords="offset points",
        fontsize=8,
        va="center",
        color=canvas.GREY,
    )
    axes.set_xticks(range(len(ordered)), [v.formula.name for v in ordered], rotation=60, ha="right")
    axes.set_ylabel("CLL where ELR ends, nats")
    axes.legend(frameon=False, fontsize=8, loc="lower left")
    canvas.style(axes, "")
    return svg_bytes(figure)


def _spread(n: int) -> list[float]:
    """Places beside each other in one column."""
    return np.linspace(-0.25, 0.25, n).tolist() if n > 1 else [0.0]
