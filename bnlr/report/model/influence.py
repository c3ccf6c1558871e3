"""How much each attribute matters: what the log-loss would be without it."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from bnlr.errors import TooLargeError
from bnlr.network.opinion_pool import joint_blanket, pooled_posteriors
from bnlr.report.html import Column, Html, Section, figure, folded, inline, named, table
from bnlr.report.model.effects import effects_figure
from bnlr.report.model.evaluation import Evaluation
from bnlr.report.plots import canvas
from bnlr.report.plots.drawing import svg_of
from bnlr.report.plots.labels import shortened
from bnlr.report.scores import log_loss

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from bnlr.network.opinion_pool import Opinion

_MOST_ROWS = 2000
_MOST_CELLS = 200_000
_MOST_BARS = 20


def losses_without(opinions: "Sequence[Opinion]") -> dict[str, float]:
    """Return by how much the log-loss rises if an attribute is missing in every row.

    The attribute is summed out exactly; nothing is fitted again.

    Parameters
    ----------
    opinions : sequence of Opinion
        Of rows with a class: a network's, or those of the networks in a pool.

    Returns
    -------
    {attribute: mean rise of −log P(class | row), natural log}, the largest first. Attributes
    outside of the class's Markov blankets are left out where all its cells are there, since they
    tell nothing then. Negative values mean that the rows are predicted better without. A rise from
    or to an infinite log-loss is ±inf, or 0 between two.

    Raises
    ------
    TooLargeError
        Exact inference would not fit in memory.
    """
    codes = opinions[0].data.class_codes.astype(np.intp)
    before = log_loss(codes, pooled_posteriors(opinions, in_logs=False))
    rises = {}
    for node in _telling(opinions):
        blind = [one.without(node) for one in opinions]
        after = log_loss(codes, pooled_posteriors(blind, in_logs=False))
        rises[node] = 0.0 if after == before else after - before
    return dict(sorted(rises.items(), key=lambda item: (-item[1], item[0])))


def _telling(opinions: "Sequence[Opinion]") -> tuple[str, ...]:
    """Attributes that the class depends on; all of them where cells of these are missing."""
    blanket, first = joint_blanket(opinions), opinions[0]
    has_holes = any(node in first.data.missing_counts for node in blanket)
    return first.network.structure.attributes if has_holes else blanket


def influence_section(evaluation: Evaluation) -> Section | None:
    """A bar an attribute; None where no row has a class."""
    structure, opinions = evaluation.network.structure, evaluation.opinions
    if not evaluation.known.size or not joint_blanket(opinions):
        return None
    most = min(_MOST_ROWS, max(100, _MOST_CELLS // len(structure.attributes)))
    chosen = evaluation.known
    if len(chosen) > most:
        chosen = chosen[np.linspace(0, len(chosen) - 1, most).round().astype(int)]
    title = "Which attributes matter"
    try:
        rises = losses_without([one.take(chosen) for one in opinions])
        effects = effects_figure(evaluation.network, list(rises), of_pool=bool(evaluation.pool))
    except TooLargeError as error:
        return Section(title, [f"Left out: {error}."])
    pictures = [*_shown(rises), *([] if effects is None else [effects])]
    return Section(title, [*_about(len(chosen), len(evaluation.known)), *pictures])


def _about(n_used: int, n_rows: int) -> Iterator[Html]:
    rows = "these rows" if n_used == n_rows else f"{n_used:,} of these rows, evenly spaced,"
    yield inline(
        f"By how much the log-loss of {rows} rises if nobody knew the attribute. It is summed out "
        "exactly, and nothing is fitted again. Attributes that tell the same stand in for each "
        "other, so that each of them may seem to matter little."
    )


def _shown(rises: "Mapping[str, float]") -> Iterator[Html]:
    drawing = svg_of(plot_influence(rises))
    first = next(iter(rises))
    caption = "Rise of the log-loss without each attribute" + (
        f", the first {_MOST_BARS} of {len(rises):,}." if len(rises) > _MOST_BARS else "."
    )
    yield figure(drawing, caption, f"Bars: {first} matters most, by {rises[first]:.3g}")
    rows = [[named(node), _number(rise)] for node, rise in rises.items()]
    columns: list[Column | str] = ["attribute", Column("rise", "+.4f")]
    yield folded("The figures", table(columns, rows, "Rise of the log-loss without an attribute."))


def _number(rise: float) -> float | str:
    return rise if np.isfinite(rise) else "∞" if rise > 0 else "−∞"


def plot_influence(rises: "Mapping[str, float]", ax: "Axes | None" = None) -> "Axes":
    """Draw a bar an attribute, the first 20 of what `losses_without` gives.

    Raises
    ------
    PlotExtraError
        matplotlib is not installed; an ImportError.
    """
    items = list(rises.items())[:_MOST_BARS]
    axes = canvas.axes_or_new(ax, 5.0, 0.9 + 0.26 * max(1, len(items)))
    far = 1.2 * max((abs(v) for _, v in items if np.isfinite(v)), default=1.0) or 1.0
    values = [float(np.clip(value, -far, far)) for _, value in items]
    colors = [canvas.BLUE if value >= 0 else canvas.VERMILLION for value in values]
    bars = axes.barh(range(len(items)), values, color=colors, height=0.62)
    axes.bar_label(bars, _labels([value for _, value in items]), padding=3, fontsize=8)
    axes.set_yticks(range(len(items)), [shortened(node) for node, _ in items])
    axes.set_ylim(len(items) - 0.45, -0.6)
    axes.axvline(0.0, color=canvas.GREY, linewidth=0.8)
    axes.use_sticky_edges = False
    is_positive = min(values, default=0.0) >= 0
    axes.margins(x=0.16 if is_positive else 0.25)
    if is_positive:
        axes.set_xlim(left=0.0)
    axes.set_xlabel("rise of the log-loss without it")
    canvas.style(axes, "")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return axes


def _labels(values: "Sequence[float]") -> list[str]:
    return [_in_digits(value).replace("-", "−") for value in values]


def _in_digits(value: float) -> str:
    if not np.isfinite(value):
        return "+∞" if value > 0 else "-∞"
    return f"{value:+.3f}" if abs(value) >= 5e-4 else "0.000"
