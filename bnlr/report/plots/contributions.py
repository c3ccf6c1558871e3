"""One row's log-odds as a staircase: from the prior, over what each family adds, to the end."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnlr._typing import State
from bnlr.arguments import check_kind, whole
from bnlr.network.explanation import Explanation
from bnlr.report.plots import canvas
from bnlr.report.plots.labels import shortened, wrapped

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bnlr._typing import FloatArray

_MOST_BARS = 12
_GAP = 2 * "\u2003"  # several blanks are one in SVG


class _Step(NamedTuple):
    """What is shown of one term: its name and cells, and its log-odds."""

    label: str
    value: float


def plot_contributions(
    explanation: Explanation,
    ax: "Axes | None" = None,
    *,
    label: State | None = None,
    against: State | None = None,
    n_terms: int = _MOST_BARS,
) -> "Axes":
    """Draw what speaks for a class and against another in one row, in natural log-odds.

    Parameters
    ----------
    explanation : Explanation
        As of ``network.explain(row)`` or ``classifier.explain(row)``.
    ax : matplotlib Axes, optional
        Where to draw; if not given, the axes of a new figure.
    label, against
        The classes; if not given, the most probable one and, of the others, the most probable.
    n_terms : int
        How many terms are shown, the largest; the rest is one bar.

    Raises
    ------
    ParameterError
        ``label`` or ``against`` is no class, ``n_terms`` no whole number from 1 on, or the first
        argument no explanation.
    PlotExtraError
        matplotlib is not installed; an ImportError.
    """
    remedy = "what explain(row) of a network or a classifier returns"
    check_kind("explanation", explanation, Explanation, remedy)
    label, against = _classes(explanation, label, against)
    steps, total = _steps(explanation, label, against, whole("n_terms", n_terms, 1))
    axes = canvas.axes_or_new(ax, 4.5, 1.4 + 0.33 * len(steps))
    ends = np.cumsum([step.value for step in _finite(steps)])
    _draw_steps(axes, steps, np.concatenate([[0.0], ends[:-1]]))
    _draw_total(axes, len(steps), total, float(ends[-1]))
    _label_rows(axes, [*(step.label for step in steps), "sum: log-odds"])
    axes.axvline(0.0, color=canvas.GREY, linewidth=0.8, zorder=0)
    axes.use_sticky_edges = False
    axes.margins(x=0.2)
    one, other = shortened(label, 18), shortened(against, 18)
    axes.set_xlabel(f"← {other}{_GAP}log-odds{_GAP}{one} →")
    place = _place(explanation, label)
    canvas.style(axes, f"P({one}) {_probability(explanation.probabilities[place])}")
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", length=0)
    return axes


def _classes(
    explanation: Explanation, label: State | None, against: State | None
) -> tuple[State, State]:
    order = [int(c) for c in np.argsort(-explanation.probabilities, kind="stable")]
    if label is None:
        taken = None if against is None else _place(explanation, against)
        label = explanation.classes[next(c for c in order if c != taken)]
    if against is None:
        place = _place(explanation, label)
        others = [c for c in order if c != place]
        against = explanation.classes[others[0] if others else place]
    return label, against


def _place(explanation: Explanation, label: State) -> int:
    """Return a class's number; `Explanation.against` refuses what is none."""
    explanation.against(label)
    same = [k for k, own in enumerate(explanation.classes) if type(own) is type(label)]
    exact = [k for k in same if explanation.classes[k] == label]
    return exact[0] if exact else explanation.classes.index(label)


def _steps(
    explanation: Explanation, label: State, against: State, n_terms: int
) -> tuple[list[_Step], float]:
    frame = explanation.against(against)
    values: FloatArray = frame.iloc[:, 1 + _place(explanation, label)].to_numpy(np.float64)
    names = [_name(str(k), str(v)) for k, v in zip(frame.index, frame.iloc[:, 0], strict=True)]
    order = sorted(range(1, len(values)), key=lambda k: (-abs(values[k]), k))
    steps = [_Step("prior", float(values[0]))]
    steps += [_Step(names[k], float(values[k])) for k in order[:n_terms]]
    rest = order[n_terms:]
    if rest:
        steps.append(_Step(f"{len(rest)} more", float(values[rest].sum())))
    with np.errstate(invalid="ignore"):
        total = float(values.sum())
    return steps, 0.0 if np.isnan(total) else total


def _name(term: str, cells: str) -> str:
    """Return the cells, which name the family's nodes already, or else the term."""
    return cells or term


def _finite(steps: list[_Step]) -> list[_Step]:
    """Let infinite steps be a little longer than all finite ones together."""
    far = 1.2 * max(1.0, sum(abs(step.value) for step in steps if np.isfinite(step.value)))
    return [_Step(s.label, float(np.clip(s.value, -far, far))) for s in steps]


def _draw_steps(ax: "Axes", steps: list[_Step], starts: "FloatArray") -> None:
    for row, (step, drawn, start) in enumerate(zip(steps, _finite(steps), starts, strict=True)):
        color = canvas.BLUE if step.value >= 0 else canvas.VERMILLION
        hatch = None if step.value >= 0 else "///"
        ax.barh(
            row, drawn.value, left=start, height=0.62, color=color, hatch=hatch, edgecolor="white",
            linewidth=0.5, zorder=2,
        )  # fmt: skip
        end = start + drawn.value
        ax.plot([end, end], [row - 0.31, row + 1.31], color=canvas.GREY, linewidth=0.7, zorder=1)
        _write(ax, row, step.value, max(start, end))


def _draw_total(ax: "Axes", row: int, total: float, drawn: float) -> None:
    ax.barh(row, drawn, height=0.62, color=canvas.BLACK, zorder=2)
    _write(ax, row, total, max(0.0, drawn), weight="bold")


def _write(ax: "Axes", row: int, value: float, place: float, weight: str = "normal") -> None:
    text = f"{value:+.2f}" if np.isfinite(value) else "+∞" if value > 0 else "−∞"
    ax.annotate(
        text.replace("-", "−"), (place, row), (4, 0), textcoords="offset points", va="center",
        fontsize=8, fontweight=weight,
    )  # fmt: skip


def _label_rows(ax: "Axes", labels: list[str]) -> None:
    ax.set_yticks(range(len(labels)), [wrapped(label, 26, 2) for label in labels])
    ax.set_ylim(len(labels) - 0.45, -0.6)
    ax.get_yticklabels()[-1].set_fontweight("bold")


def _probability(value: float) -> str:
    """Return a probability that is written 1 or 0 only where it is."""
    if 0.0 < value < 0.001:
        return "< 0.001"
    if 0.999 < value < 1.0:
        return "> 0.999"
    return f"= {value:.3g}"
