"""Figure 8: error against how wrong the structure is."""

from studies.common.drawing import canvas, svg_bytes
from studies.common.pages import course
from studies.wrong_structure.run import CURVES, LABELS
from studies.wrong_structure.tables import Curves
from studies.wrong_structure.truth import Truth

LOOKS = {
    LABELS["ofe"]: (canvas.BLUE, "o", "-"),
    LABELS["em"]: (canvas.BLUE, "o", "-"),
    LABELS["apn"]: (canvas.GREEN, "^", canvas.DASHES),
    LABELS["elr-tuned"]: (canvas.VERMILLION, "s", "-"),
    LABELS["elr"]: (canvas.PURPLE, "D", canvas.DASHES),
}
"""Colour, marker and line of a learner, wherever its errors are drawn."""

_TITLES = {"complete": "(a) complete rows", "incomplete": "(b) half of the cells missing"}


def figure_8_alt(points: Curves) -> str:
    """What figure 8 shows: where each learner's mean error begins and ends."""
    lines = {
        f"{LABELS[learner]}, {rows} rows,": [
            points[rows, learner, m].mean
            for m in sorted({m for _, _, m in points})
            if (rows, learner, m) in points
        ]
        for rows, learners in CURVES.items()
        for learner in learners
    }
    return f"Mean error by m: {course(lines)}"


def figure_8(points: Curves) -> bytes:
    """Mean errors with their standard errors, (a) complete and (b) incomplete rows, as an SVG.

    Raises
    ------
    bnlr.PlotExtraError
        matplotlib is not installed.
    """
    figure = canvas.new_figure(9.6, 4.0)
    for axes, (rows, learners) in zip(
        figure.subplots(1, 2, sharey=True), CURVES.items(), strict=True
    ):
        every_m = sorted({m for _, _, m in points})
        for k, learner in enumerate(learners):
            known = [m for m in every_m if (rows, learner, m) in points]
            colour, marker, dashes = LOOKS[LABELS[learner]]
            axes.errorbar(
                [m + 0.05 * (k - 1) for m in known],  # beside each other where they are equal
                [points[rows, learner, m].mean for m in known],
                [points[rows, learner, m].standard_error for m in known],
                label=LABELS[learner],
                color=colour,
                marker=marker,
                linestyle=dashes,
                markersize=4,
                linewidth=1.4,
                capsize=2,
            )
        least = [Truth(m).bayes_error for m in every_m]
        axes.plot(every_m, least, color=canvas.GREY, linestyle=":", label="Bayes error")
        axes.set_xlabel("m, how many attributes are copies of each other")
        axes.set_xticks(every_m)
        axes.set_ylim(bottom=0)
        axes.legend(frameon=False, fontsize=8, loc="upper left")
        canvas.style(axes, _TITLES[rows])
        axes.label_outer()
    figure.axes[0].set_ylabel("classification error")
    return svg_bytes(figure)
