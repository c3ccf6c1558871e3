"""Whether probabilities mean what they say: reliability diagrams and their figures."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bnlr._typing import BoolArray, FloatArray, IntArray
from bnlr.data.labels import key_of
from bnlr.errors import DataError, ParameterError
from bnlr.report.plots import canvas
from bnlr.report.plots.labels import shortened
from bnlr.report.scores import brier_score, log_loss, wilson_interval
from bnlr.words import listed, quoted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_MOST_CURVES = 4
_N_TICKS, _N_BARS = 6, 20
# Of a class that few rows have, or nearly all, all lies in a corner, which is then shown alone.
_CORNERS = (0.05, 0.1, 0.2, 0.5)
_SUMS_TO_ONE = 1e-6


@dataclass(frozen=True)
class _Event:
    """Something that has probabilities and happens or not: a class, or that the best is right."""

    name: str
    probabilities: FloatArray
    happened: BoolArray


def reliability_table(
    happened: ArrayLike, probabilities: ArrayLike, n_bins: int = 10, level: float = 0.95
) -> "pd.DataFrame":
    """Return predicted and observed frequencies in bins of about as many rows each.

    Parameters
    ----------
    happened : boolean array of shape (n_rows,)
    probabilities : array of shape (n_rows,)
        Equal ones come into the same bin, so that there may be fewer bins.
    n_bins : int
    level : float
        Coverage of the intervals of the observed frequencies (Wilson's, which hold for few rows).

    Returns
    -------
    A row a bin: n, predicted (mean), observed (share), lower, upper.

    Raises
    ------
    ParameterError
        ``n_bins`` or ``level`` outside their domain.
    DataError
        No rows, or probabilities outside 0 to 1.
    """
    import pandas as pd  # noqa: PLC0415  heavy

    values, truth = np.asarray(probabilities, float), np.asarray(happened, bool)
    _check_options(n_bins, level)
    _check_probabilities(values)
    bins = _equal_count_bins(values, n_bins)
    n = np.bincount(bins)
    hits = np.bincount(bins, truth).round().astype(int)
    intervals = [wilson_interval(int(k), int(of), level) for k, of in zip(hits, n, strict=True)]
    lower, upper = zip(*intervals, strict=True)
    predicted = np.bincount(bins, values) / n
    return pd.DataFrame(
        {"n": n, "predicted": predicted, "observed": hits / n, "lower": lower, "upper": upper}
    )


def _equal_count_bins(values: FloatArray, n_bins: int) -> IntArray:
    """Return each row's bin, numbered from 0 without gaps; equal values share one."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    middles = np.cumsum(counts) - counts / 2
    wanted = np.floor(middles * n_bins / len(values)).astype(int)
    _, numbers = np.unique(wanted, return_inverse=True)
    return np.asarray(numbers[inverse], dtype=np.intp)


def expected_calibration_error(table: "pd.DataFrame") -> float:
    """Return the mean distance of predicted from observed over a `reliability_table`'s rows."""
    gaps = (table["predicted"] - table["observed"]).abs()
    return float(np.average(gaps, weights=table["n"]))


def plot_reliability(
    y_true: ArrayLike,
    probabilities: ArrayLike,
    classes: Sequence[Any] | None = None,
    ax: "Axes | None" = None,
    *,
    n_bins: int = 10,
    level: float = 0.95,
) -> "Axes":
    """Draw how often classes come about against how probable they were said to be.

    Points are bins of about as many rows each, with Wilson's intervals; below them stands how often
    each probability was given. For two classes the curve is that of the second, for three or four
    there is one a class, for more it is that of the most probable class being right.

    Parameters
    ----------
    y_true : array-like of shape (n_rows,)
        The classes that came about.
    probabilities : array-like of shape (n_rows, n_classes) or (n_rows,)
        As of ``predict_proba``; one column is P(the second class).
    classes : sequence, optional
        The labels of the columns, as ``classes_``; if not given, those in ``y_true``, sorted.
    ax : matplotlib Axes, optional
        Where to draw; if not given, the axes of a new figure.
    n_bins : int
        The most bins.
    level : float
        Coverage of the intervals, between 0 and 1.

    Raises
    ------
    DataError
        Other numbers of rows or classes than ``probabilities`` has, or no probabilities.
    ParameterError
        ``n_bins`` or ``level`` outside their domain.
    PlotExtraError
        matplotlib is not installed; an ImportError.
    """
    _check_options(n_bins, level)
    codes, shares, labels = _read(y_true, probabilities, classes)
    events = _events(codes, shares, labels)
    tables = [reliability_table(e.happened, e.probabilities, n_bins, level) for e in events]
    axes = canvas.axes_or_new(ax, 4.4, 4.8)
    low, high = ends = _ends(events, tables)
    axes.plot(ends, ends, color=canvas.GREY, linestyle=canvas.DASHES, linewidth=1, zorder=1)
    for k, (event, table) in enumerate(zip(events, tables, strict=True)):
        _draw_curve(axes, k, event.name if len(events) > 1 else "", table)
    margin, ticks = 0.02 * (high - low), np.linspace(low, high, _N_TICKS).round(10)
    limits = (low - margin, high + margin)
    axes.set(xlim=limits, ylim=limits, ylabel="observed frequency", xticks=ticks, yticks=ticks)
    axes.tick_params(labelbottom=False)
    _draw_histogram(axes, events, ends)
    if len(events) > 1:
        axes.legend(frameon=False, fontsize=8, loc="upper left")
    error = float(np.mean([expected_calibration_error(table) for table in tables]))
    figures = f"Brier {brier_score(codes, shares):.3g}, log-loss {log_loss(codes, shares):.3g}"
    canvas.style(axes, f"Calibration error {error:.3g},\n{figures}")
    return axes


def _events(codes: IntArray, shares: FloatArray, labels: Sequence[Any]) -> list[_Event]:
    if len(labels) > _MOST_CURVES:
        best = shares.argmax(axis=1)
        return [_Event("the most probable class", shares.max(axis=1), best == codes)]
    wanted = [1] if len(labels) == 2 else range(len(labels))
    return [_Event(str(labels[c]), shares[:, c], codes == c) for c in wanted]


def _draw_curve(ax: "Axes", k: int, name: str, table: "pd.DataFrame") -> None:
    observed = table["observed"].to_numpy()
    reach = [observed - table["lower"].to_numpy(), table["upper"].to_numpy() - observed]
    ax.errorbar(
        table["predicted"],
        observed,
        # Rounding may put an end a hair inside.
        yerr=np.maximum(reach, 0.0),
        label=shortened(name) if name else None,
        color=canvas.SERIES[k],
        marker=canvas.MARKERS[k],
        markersize=5,
        linewidth=1.4,
        elinewidth=0.9,
        capsize=2,
        zorder=2,
    )


def _ends(events: Sequence[_Event], tables: "Sequence[pd.DataFrame]") -> tuple[float, float]:
    """Return what the axes show: 0 to 1, or the corner in which all probabilities and bars lie."""
    low = min(*(e.probabilities.min() for e in events), *(t["lower"].min() for t in tables))
    high = max(*(e.probabilities.max() for e in events), *(t["upper"].max() for t in tables))
    for width in _CORNERS:
        if high <= width:
            return 0.0, width
        if low >= 1.0 - width:
            return 1.0 - width, 1.0
    return 0.0, 1.0


def _draw_histogram(ax: "Axes", events: Sequence[_Event], ends: tuple[float, float]) -> None:
    """Draw how often each probability was given, in a strip below the axes."""
    strip = ax.inset_axes((0.0, -0.27, 1.0, 0.22), sharex=ax)
    edges, top = np.linspace(*ends, _N_BARS + 1), 0
    for k, event in enumerate(events):
        heights, _ = np.histogram(event.probabilities, edges)
        top = max(top, int(heights.max()))
        strip.stairs(heights, edges, fill=len(events) == 1, color=canvas.SERIES[k], linewidth=1.2)
    named = f"P({shortened(events[0].name)})" if len(events) == 1 else "predicted probability"
    strip.set(xlabel=named, ylabel="rows")
    strip.set_yticks([0, top], ["0", f"{top:,}"])
    canvas.style(strip, "")


def _read(
    y_true: ArrayLike, probabilities: ArrayLike, classes: Sequence[Any] | None
) -> tuple[IntArray, FloatArray, list[Any]]:
    truth = np.asarray(y_true, dtype=object).ravel()
    try:
        shares = np.asarray(probabilities, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"probabilities must be an array of numbers: {error}") from error
    if shares.ndim == 1:
        shares = np.column_stack([1.0 - shares, shares])
    if shares.ndim != 2 or len(shares) != len(truth):
        raise DataError(
            f"probabilities have the shape {shares.shape}, y_true {len(truth)} rows; give a row "
            "a row and a column a class"
        )
    _check_probabilities(shares)
    if not np.allclose(shares.sum(axis=1), 1.0, rtol=0, atol=_SUMS_TO_ONE):
        raise DataError("probabilities must sum to 1 in each row, as predict_proba's do")
    labels = sorted(set(truth.tolist())) if classes is None else list(classes)
    if len(labels) != shares.shape[1]:
        raise DataError(
            f"probabilities have {shares.shape[1]} columns, but there are {len(labels)} classes: "
            f"{listed(labels)}; give the columns' labels as classes"
        )
    return _codes(truth, labels), shares, labels


def _codes(truth: Any, labels: Sequence[Any]) -> IntArray:
    places = {key_of(_plain(label)): k for k, label in enumerate(labels)}
    codes = [places.get(key_of(_plain(label)), -1) for label in truth]
    if -1 in codes:
        unknown = truth[codes.index(-1)]
        raise DataError(f"y_true holds {quoted(unknown)}, which is none of {listed(labels)}")
    return np.array(codes, dtype=np.intp)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label


def _check_probabilities(values: FloatArray) -> None:
    if values.size == 0:
        raise DataError("there are no rows to compare with")
    if not ((values >= 0) & (values <= 1)).all():
        raise DataError("probabilities must lie between 0 and 1, and none may be missing")


def _check_options(n_bins: int, level: float) -> None:
    if not isinstance(n_bins, (int, np.integer)) or isinstance(n_bins, bool) or n_bins < 1:
        raise ParameterError(f"n_bins must be a whole number, 1 or more, got {quoted(n_bins)}")
    if not isinstance(level, (int, float)) or not 0 < level < 1:
        raise ParameterError(f"level must lie between 0 and 1, got {quoted(level)}")
