"""Reliability diagrams against literal loops and statsmodels."""

import numpy as np
import pytest
from sklearn import metrics
from statsmodels.stats.proportion import proportion_confint

import bnlr
from bnlr.report.plots.reliability import (
    expected_calibration_error,
    plot_reliability,
    reliability_table,
)
from tests.report.plots.texts import overlaps, words
from tests.report.test_scores import drawn_rows
from tests.width import in_full


@pytest.mark.parametrize("n", [1, 7, 10, 23, 500])
def test_bins_of_distinct_values_are_a_sorted_cut(n):
    rng = np.random.default_rng(n)
    values, happened = rng.random(n), rng.random(n) < 0.4
    table = reliability_table(happened, values, n_bins=10, level=0.9)
    order = np.argsort(values)
    bins = {}
    for place, row in enumerate(order):
        bins.setdefault(int((place + 0.5) * 10 // n), []).append(row)
    assert len(table) == len(bins) == min(n, 10)
    assert table["n"].max() - table["n"].min() <= 1
    for (_, rows), one in zip(sorted(bins.items()), table.itertuples(), strict=True):
        low, high = proportion_confint(happened[rows].sum(), len(rows), 0.1, method="wilson")
        assert one.n == len(rows)
        assert one.predicted == pytest.approx(np.mean(values[rows]))
        assert one.observed == pytest.approx(np.mean(happened[rows]))
        assert (one.lower, one.upper) == pytest.approx((low, high))
    gaps = sum(len(r) * abs(values[r].mean() - happened[r].mean()) for r in bins.values()) / n
    assert expected_calibration_error(table) == pytest.approx(gaps)


def test_equal_probabilities_share_a_bin_whatever_the_order():
    values = np.array([0.5] * 60 + [0.1] * 30 + [0.9] * 10)
    happened = np.arange(100) % 3 == 0
    table = reliability_table(happened, values)
    assert table["predicted"].tolist() == pytest.approx([0.1, 0.5, 0.9])
    assert table["n"].tolist() == [30, 60, 10]
    turned = np.random.default_rng(0).permutation(100)
    again = reliability_table(happened[turned], values[turned])
    np.testing.assert_allclose(again.to_numpy(), table.to_numpy(), rtol=1e-13)


class TestPicture:
    @pytest.mark.slow
    def test_of_two_classes_it_is_the_second_and_one_column_will_do(self):
        codes, shares = drawn_rows(400, 2)
        labels = np.array(["no", "yes"])
        one = plot_reliability(labels[codes], shares)
        table = reliability_table(codes == 1, shares[:, 1])
        (bars,) = one.containers
        points = bars.lines[0]
        np.testing.assert_allclose(points.get_xdata(orig=False), table["predicted"])
        np.testing.assert_allclose(points.get_ydata(), table["observed"])
        other = plot_reliability(labels[codes], shares[:, 1])
        assert words(one.figure) == words(other.figure)
        assert "P(yes)" in words(one.figure)
        title = f"Calibration error {expected_calibration_error(table):.3g}"
        assert title in words(one.figure)
        assert f"Brier {metrics.brier_score_loss(codes, shares[:, 1]):.3g}" in words(one.figure)
        assert overlaps(one.figure) == []

    def test_bars_below_count_the_rows(self):
        codes, shares = drawn_rows(400, 2)
        (strip,) = plot_reliability(codes, shares).child_axes
        heights = strip.patches[0].get_data().values
        expected, _ = np.histogram(shares[:, 1], np.linspace(0, 1, 21))
        np.testing.assert_array_equal(heights, expected)

    @pytest.mark.parametrize(("n_classes", "n_curves"), [(3, 3), *in_full((4, 4), (5, 1))])
    def test_a_curve_a_class_or_that_of_the_best(self, n_classes, n_curves):
        codes, shares = drawn_rows(300, n_classes)
        ax = plot_reliability(codes, shares, range(n_classes))
        assert len(ax.containers) == n_curves
        if n_curves == 1:
            table = reliability_table(shares.argmax(axis=1) == codes, shares.max(axis=1))
            np.testing.assert_allclose(ax.containers[0].lines[0].get_ydata(), table["observed"])
        assert overlaps(ax.figure) == []

    def test_labels_of_any_kind_keep_their_columns(self):
        shares = np.array([[0.9, 0.1], [0.2, 0.8]])
        ax = plot_reliability(["$b$", "a"], shares, ["$b$", "a"])
        np.testing.assert_allclose(ax.containers[0].lines[0].get_ydata(), [0.0, 1.0])

    def test_a_class_that_never_came_is_no_trouble(self):
        ax = plot_reliability([0, 0], [[0.9, 0.1, 0.0], [0.8, 0.2, 0.0]], [0, 1, 2])
        assert len(ax.containers) == 3

    @pytest.mark.parametrize(
        ("arguments", "error", "said"),
        [
            (([0, 1], [[0.5, 0.5]]), bnlr.DataError, r"shape \(1, 2\), y_true 2 rows"),
            (([0, 1], [0.5, 1.5]), bnlr.DataError, "between 0 and 1"),
            (([0, 1], [0.5, float("nan")]), bnlr.DataError, "none may be missing"),
            (([0, 1], [[0.5, 0.4], [0.5, 0.5]]), bnlr.DataError, "sum to 1"),
            (([0, 0], [0.5, 0.5]), bnlr.DataError, "2 columns, but there are 1 classes: 0"),
            (([0, 2], [0.5, 0.5], [0, 1]), bnlr.DataError, "y_true holds 2, .* none of 0, 1"),
            (([0, "1"], [0.5, 0.5], [0, 1]), bnlr.DataError, "y_true holds '1'"),
            (([], []), bnlr.DataError, "no rows"),
            (([0, 1], ["a", "b"]), bnlr.DataError, "array of numbers"),
        ],
    )
    def test_bad_input_is_refused(self, arguments, error, said):
        with pytest.raises(error, match=said):
            plot_reliability(*arguments)

    @pytest.mark.parametrize(
        "options", [{"n_bins": 0}, {"n_bins": 2.5}, {"level": 1.0}, {"level": "a"}]
    )
    def test_options_outside_their_domain_are_refused(self, options):
        with pytest.raises(bnlr.ParameterError, match="must"):
            plot_reliability([0, 1], [0.2, 0.7], **options)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [(0, 0.012, 0.05), (0, 0.3, 0.5), (0, 0.7, None), (0.98, 1, 0.05), (0.4, 0.45, None)],
)
def test_a_corner_in_which_all_lies_is_shown_alone(low, high, expected):
    rng = np.random.default_rng(0)
    probabilities = rng.uniform(low, high, 4000)
    axes = plot_reliability(rng.random(4000) < probabilities, probabilities)
    begin, end = (0, 1)
    if expected is not None:
        begin, end = (0, expected) if low == 0 else (1 - expected, 1)
    margin = 0.02 * (end - begin)
    assert axes.get_xlim() == axes.get_ylim() == pytest.approx((begin - margin, end + margin))
    np.testing.assert_allclose(axes.get_xticks(), np.linspace(begin, end, 6), atol=1e-9)
    (strip,) = axes.child_axes
    (bars,) = strip.patches
    assert bars.get_data().values.sum() == 4000
