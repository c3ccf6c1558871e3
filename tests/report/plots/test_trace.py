"""Convergence against what it cost: curves compared with the traces they are drawn from."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import bnlr
from bnlr.report.plots.trace import plot_trace
from tests.report.plots.texts import overlaps, words
from tests.width import in_full


@pytest.fixture(scope="module")
def data():
    return bnlr.Dataset.from_frame(bnlr.load_dataset("monks-2"), "class")


@pytest.fixture(scope="module")
def fits(data):
    structure = bnlr.learn_structure(data)
    return {s: bnlr.fit(structure, data, solver=s, penalty=0.3) for s in ("newton", "cg", "bfgs")}


def spent(trace, against):
    """Literal sums over the trace's rows."""
    if against == "passes":
        totals, total = [], 0
        for row in trace.itertuples():
            total += row.n_cll + row.n_grad + row.n_hvp
            totals.append(total)
        return totals
    return list(trace["iteration" if against == "iterations" else against])


@pytest.mark.parametrize("against", ["iterations", "passes", "flops", "seconds"])
def test_a_curve_is_the_trace(fits, against):
    ax = plot_trace(fits, against=against)
    best = max(result.trace["objective"].max() for result in fits.values())
    for (name, result), line in zip(fits.items(), ax.lines, strict=True):
        assert line.get_label().startswith(f"{name} (")
        np.testing.assert_allclose(line.get_xdata(), spent(result.trace, against))
        distances = best - result.trace["objective"].to_numpy()
        np.testing.assert_allclose(line.get_ydata(), np.maximum(distances, 1e-12 * abs(best)))
    assert ax.get_xlabel().split()[0] in ("iteration", "passes", "floating", "seconds")


def test_labels_say_what_each_fit_cost(fits):
    total = int(spent(fits["newton"].trace, "passes")[-1])
    labels = [line.get_label() for line in plot_trace(fits, against="passes").lines]
    assert labels[0] == f"newton ({total} passes)"
    flops = plot_trace(fits, against="flops").lines[0].get_label()
    prefix = {"k": 1e3, "M": 1e6, "G": 1e9}
    number, unit, word = flops.removeprefix("newton (").removesuffix(")").split()
    assert word == "flops"
    assert float(number) * prefix[unit] == pytest.approx(
        fits["newton"].trace["flops"].iloc[-1], rel=0.05
    )


@pytest.mark.slow
def test_one_iteration_and_one_pass_are_singular(data):
    closed = bnlr.fit(bnlr.learn_structure(data), data, learner="frequencies")
    for against, text in (("iterations", "x (0 iterations)"), ("passes", "x (0 passes)")):
        assert plot_trace({"x": closed}, against=against).lines[0].get_label() == text
    one = bnlr.fit(bnlr.learn_structure(data), data, learner="dfe", max_iter=1)
    for against, text in (("iterations", "x (1 iteration)"), ("passes", "x (1 pass)")):
        assert plot_trace({"x": one}, against=against).lines[0].get_label() == text


@pytest.mark.parametrize("learner", ["em", *in_full("apn"), "dfe"])
def test_other_objectives_are_drawn_too(data, learner):
    result = bnlr.fit(bnlr.learn_structure(data), data, learner=learner)
    column = {"dfe": "loss"}.get(learner, "ll")
    values = result.trace[column].to_numpy() * (-1 if column == "loss" else 1)
    line = plot_trace({learner: result}).lines[0]
    expected = np.maximum(values.max() - values, 1e-12 * abs(values.max()))
    np.testing.assert_allclose(line.get_ydata(), expected)


def test_errors_of_queries_fall():
    chain = bnlr.Structure([("A", "X"), ("X", "C")], "C")
    asked = [bnlr.Query({"C": 1}, {"A": a}, p=p) for a, p in ((1, 0.9), (0, 0.2))]
    result = bnlr.fit_queries(chain, asked, dict.fromkeys("AXC", (0, 1)), random_state=0)
    ys = plot_trace({"queries": result}).lines[0].get_ydata()
    assert ys[0] == pytest.approx(result.start_error - result.error, rel=1e-6)
    assert ys[0] > ys[-1]


def test_what_cannot_be_compared_is_refused(data, fits):
    em = bnlr.fit(bnlr.learn_structure(data), data, learner="em")
    with pytest.raises(bnlr.ParameterError, match=r"different objectives.*'em' ll.*objective"):
        plot_trace({"em": em, **fits})
    with pytest.raises(bnlr.ParameterError, match="'em' has no count of flops"):
        plot_trace({"em": em}, against="flops")
    with pytest.raises(
        bnlr.ParameterError, match="against is 'time'; choose one of iterations, passes"
    ):
        plot_trace(fits, against="time")


@pytest.mark.slow
def test_many_fits_have_their_legend_beside_them(fits):
    from tests.report.plots.test_structure import drawn

    ax = plot_trace({f"{name} {k}": fit for name, fit in fits.items() for k in range(3)})
    renderer = drawn(ax.figure).get_renderer()
    legend = ax.get_legend().get_window_extent(renderer)
    assert not legend.overlaps(ax.get_window_extent(renderer).padded(-3))
    styles = {(line.get_color(), line.get_marker(), line.get_linestyle()) for line in ax.lines}
    assert len(styles) == 9


def test_draws_into_given_axes(fits):
    ax = Figure().add_subplot()
    assert plot_trace(fits, ax, against="passes") is ax


@pytest.mark.slow
def test_trace_shows_each_fit_down_to_the_best(results):
    ax = plot_trace(results)
    shown = words(ax.figure)
    for name, result in results.items():
        assert f"{name} ({result.n_iter} iterations)" in shown
    best = max(result.cll for result in results.values())
    lines = {line.get_label().split()[0]: line.get_ydata() for line in ax.lines}
    for name, result in results.items():
        assert lines[name][0] == pytest.approx(best - result.start_cll)
        assert lines[name][-1] == pytest.approx(best - result.cll, abs=1e-9)
        assert (lines[name] > 0).all()
    assert ax.get_yscale() == "log"
    assert overlaps(ax.figure) == []


def test_trace_of_penalised_fits_and_of_none_at_all():
    data = bnlr.Dataset.from_frame(bnlr.load_dataset("monks-1"), "class")
    fits = {"λ = 1": bnlr.fit(bnlr.learn_structure(data), data, penalty=1.0)}
    line = plot_trace(fits).lines[0]
    assert line.get_ydata()[0] > line.get_ydata()[-1] > 0
    assert len(plot_trace({}).lines) == 0
