"""How fits converge: against iterations, passes over the rows, flops or seconds."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

import numpy as np

from bnlr.arguments import check_kind, one_of
from bnlr.errors import ParameterError
from bnlr.learn.result import FitResult, QueryResult
from bnlr.report.plots import canvas
from bnlr.words import quoted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from bnlr._typing import FloatArray

Against = Literal["iterations", "passes", "flops", "seconds"]

_LABELS = {
    "iterations": "iteration",
    "passes": "passes over the rows",
    "flops": "floating point operations",
    "seconds": "seconds",
}
_MARKED_POINTS = 12
_FEW = 30


class _Curve(NamedTuple):
    """What was spent and what was reached, larger is better, at the end of each iteration."""

    spent: "FloatArray"
    reached: "FloatArray"
    objective: str


def plot_trace(
    results: Mapping[str, FitResult], ax: "Axes | None" = None, *, against: Against = "iterations"
) -> "Axes":
    """Draw how far each fit is from the best objective found, log scale.

    Parameters
    ----------
    results : dict of FitResult
        Fits of one objective to the same data, by the name to show. Objectives are CLLs, less the
        penalty where there is one; log-likelihoods of "em" and "apn", losses of "dfe", errors of
        `fit_queries`. A fit that reaches the best exactly has its end at 10⁻¹² of it.
    ax : matplotlib Axes, optional
        Where to draw; if not given, the axes of a new figure.
    against : {"iterations", "passes", "flops", "seconds"}
        What it cost to come there. A pass is an evaluation of the objective, of its gradient or of
        a Hessian-vector product; flops are those of Feelders & Ivanovs' (2006) model.

    Raises
    ------
    ParameterError
        No dict of fits, fits of different objectives, another word for ``against``, or flops of a
        fit for which there is no model: rows with missing cells, or a learner but "lr" and "elr".
    PlotExtraError
        matplotlib is not installed; an ImportError.
    """
    against = cast(Against, one_of("against", against, _LABELS))
    check_kind("results", results, Mapping, "a dict of fits, such as {'newton': result}")
    for name, result in results.items():
        check_kind(f"results[{name!r}]", result, (FitResult, QueryResult), "what bnlr.fit returns")
    curves = {name: _curve(name, result, against) for name, result in results.items()}
    _check_alike(curves)
    axes = canvas.axes_or_new(ax, 6.4 if len(curves) <= 4 else 8.4, 4.0)
    best = max((float(curve.reached.max()) for curve in curves.values()), default=0.0)
    for k, (name, curve) in enumerate(curves.items()):
        _draw(axes, k, f"{name} ({_amount(against, curve.spent[-1])})", curve, best)
    axes.set(yscale="log", xlabel=_LABELS[against], ylabel="distance from the best")
    _set_scale(axes, against, [curve.spent for curve in curves.values()])
    axes.margins(x=0.03)
    if curves:
        _add_legend(axes, is_beside=len(curves) > 4)
    canvas.style(axes, "Convergence")
    return axes


def _curve(name: str, result: FitResult, against: Against) -> _Curve:
    trace = result.trace
    objective = next(c for c in ("objective", "cll", "ll", "loss") if c in trace.columns)
    values = trace[objective].to_numpy(np.float64)
    is_cost = objective == "loss" or isinstance(result, QueryResult)
    kind = "error" if isinstance(result, QueryResult) else objective
    spent = _spent(trace, against)
    if np.isnan(spent).any():
        raise ParameterError(
            f"{quoted(name)} has no count of flops, as where cells are missing; draw it against "
            "iterations, passes or seconds"
        )
    return _Curve(spent, -values if is_cost else values, kind)


def _spent(trace: "pd.DataFrame", against: Against) -> "FloatArray":
    if against == "passes":
        passes = trace[["n_cll", "n_grad", "n_hvp"]].to_numpy(np.float64).sum(axis=1)
        return np.cumsum(passes)
    return trace["iteration" if against == "iterations" else against].to_numpy(np.float64)


def _check_alike(curves: Mapping[str, _Curve]) -> None:
    names = {curve.objective: name for name, curve in curves.items()}
    if len(names) > 1:
        told = ", ".join(f"{quoted(name)} {kind}" for kind, name in sorted(names.items()))
        raise ParameterError(f"fits of different objectives cannot be compared: {told}")


def _draw(ax: "Axes", k: int, label: str, curve: _Curve, best: float) -> None:
    floor = 1e-12 * max(1.0, abs(best))
    ax.plot(
        curve.spent,
        np.maximum(best - curve.reached, floor),
        label=label.replace("$", r"\$"),
        color=canvas.SERIES[k % 7],
        linestyle=canvas.LINES[k // 7 % 2],
        marker=canvas.MARKERS[k % 7],
        markersize=4,
        markevery=max(1, len(curve.spent) // _MARKED_POINTS),
        linewidth=1.4,
    )


def _add_legend(ax: "Axes", *, is_beside: bool) -> None:
    if is_beside:
        ax.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    else:
        ax.legend(frameon=False, fontsize=8)


def _amount(against: Against, spent: float) -> str:
    if against == "seconds":
        return f"{spent:.3g} s"
    if against == "flops":
        return f"{_with_prefix(spent)}flops"
    return f"{spent:.0f} {against if spent != 1 else against.rstrip('s').removesuffix('e')}"


def _with_prefix(number: float) -> str:
    from matplotlib.ticker import EngFormatter  # noqa: PLC0415  an extra

    return str(EngFormatter(places=1)(number)).rstrip() + " "


def _set_scale(ax: "Axes", against: Against, spent: "list[FloatArray]") -> None:
    """Spread the beginning where one fit needs much more than another."""
    ends = [float(amounts[-1]) for amounts in spent]
    if against in ("iterations", "passes"):
        if max(ends, default=0.0) > _FEW:
            ax.set_xscale("symlog", linthresh=1)
            ax.xaxis.set_major_formatter("{x:.0f}")
        return
    steps = [float(amounts[amounts > 0].min()) for amounts in spent if (amounts > 0).any()]
    if steps and max(ends) > _FEW * min(steps):
        ax.set_xscale("symlog", linthresh=min(steps))
