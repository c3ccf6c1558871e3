"""A search by the conditional likelihood: what each step promised, and what it brought."""

from typing import TYPE_CHECKING, Any, NamedTuple

from bnlr.arguments import check_kind
from bnlr.report.plots import canvas
from bnlr.report.plots.labels import wrapped
from bnlr.search.cll import CLLSearch

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

_MOST_STEPS = 60
_WIDE = 30.0
_SIZE = 8


class _Row(NamedTuple):
    """What is shown of one step."""

    label: str
    predicted: float
    gain: float
    test: str


def plot_search(search: CLLSearch, ax: "Axes | None" = None) -> "Axes":
    """Draw the gain that each step of a search was predicted to bring beside what it brought.

    A bar is the gain of the CLL, of all rows or of the rows left out, whichever the search went by;
    a diamond is the prediction from the score test. Beside each stand the parameters that came in
    and the p-value of the likelihood-ratio test on all rows, multiplied by the number of moves
    screened in the step. Gains far apart are on a scale that is logarithmic from 1 on.

    Parameters
    ----------
    search : CLLSearch
        Of more than 60 steps the first 60 are drawn.
    ax : matplotlib Axes, optional
        Where to draw; if not given, the axes of a new figure.

    Raises
    ------
    ParameterError
        Something else than a search.
    PlotExtraError
        matplotlib is not installed; an ImportError.
    """
    check_kind("search", search, CLLSearch, "what bnlr.cll_search returns")
    steps = search.steps
    rows = [_row(step) for step in steps.head(_MOST_STEPS).to_dict("records")]
    axes = canvas.axes_or_new(ax, 8.0, 1.4 + 0.32 * max(1, len(rows)))
    left_out = " of rows left out" if search.criterion in ("cv", "validation") else ""
    axes.set_xlabel(f"gain of the CLL{left_out}")
    canvas.style(axes, _title(search, len(steps)))
    if rows:
        _draw(axes, rows)
    else:
        axes.set(xticks=[], yticks=[])
        axes.text(0.5, 0.5, search.message, transform=axes.transAxes, ha="center", va="center")
    return axes


def _title(search: CLLSearch, n: int) -> str:
    shown = f", the first {_MOST_STEPS} shown" if n > _MOST_STEPS else ""
    steps = "1 step" if n == 1 else f"{n} steps"
    scores = f"{search.start_score:.6g} → {search.score:.6g}".replace("-", "−")
    return f"Search by the CLL ({search.criterion}): {steps}{shown}, score {scores}"


def _row(step: "Mapping[Any, Any]") -> _Row:
    given = f" given {step['separator']}" if step["separator"] else ""
    label = f"{step['step']}. {step['move']} {step['arc']}{given}"
    p = step["p_corrected"]
    small = "p < 1e-99" if p < 1e-99 else f"p {p:.2g}"
    df = f"df {step['df']:+d}".replace("-", "−")
    return _Row(label, step["gain_predicted"], step["gain"], f"{df}, {small}")


def _draw(ax: "Axes", rows: "Sequence[_Row]") -> None:
    places = range(len(rows))
    ax.barh(
        places, [r.gain for r in rows], height=0.5, color=canvas.SKY, edgecolor=canvas.BLUE,
        label="gain",
    )  # fmt: skip
    ax.plot(
        [r.predicted for r in rows], places, "D", markersize=5.5, markeredgecolor="black",
        color=canvas.ORANGE, label="predicted",
    )  # fmt: skip
    ax.axvline(0.0, color=canvas.BLACK, linewidth=0.8)
    ax.set_yticks(places, [wrapped(r.label, 38, 2) for r in rows])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    _set_scale(ax, [value for r in rows for value in (r.gain, r.predicted)])
    for place, row in zip(places, rows, strict=True):
        ax.annotate(
            row.test, (1.0, place), (6, 0), xycoords=ax.get_yaxis_transform(), fontsize=_SIZE,
            textcoords="offset points", va="center", annotation_clip=False,
        )  # fmt: skip
    ax.legend(
        frameon=False, fontsize=_SIZE, loc="upper left", bbox_to_anchor=(1.0, 0.0),
        borderaxespad=2.4,
    )  # fmt: skip


def _set_scale(ax: "Axes", values: "Sequence[float]") -> None:
    """Spread the small gains where the largest is far above them."""
    sizes = sorted(abs(value) for value in values)
    if sizes[-1] > _WIDE * max(1.0, sizes[len(sizes) // 4]):
        ax.set_xscale("symlog", linthresh=1.0)
    ax.margins(x=0.04)
