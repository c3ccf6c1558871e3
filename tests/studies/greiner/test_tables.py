"""Tables, tests and statements from made-up errors."""

import pytest
from scipy import stats

from studies.common import Record, Task
from studies.greiner import curves, tables
from studies.greiner.datasets import n_folds
from studies.greiner.learners import UNTUNED
from studies.greiner.paper import TABLE_1, Accuracy, Verdict
from studies.greiner.statements import statements


def record(data, learner, errors, n=25, rows="complete", fold=0, **more):
    task = Task(
        part="tables", data=data, rows=rows, structure="naive-bayes", learner=learner, fold=fold
    )
    result = {"n": n, "errors": errors, "errors_whole": errors // 2, **more}
    return Record(task, result)


def folds(data, learner, errors, **more):
    return [record(data, learner, e, fold=k, **more) for k, e in enumerate(errors)]


def test_five_folds_give_the_error_bar_that_the_paper_prints_for_corral():
    found = tables.accuracies(folds("corral", "OFE", [0, 1, 0, 3, 4]))
    cell = found["complete"]["corral"]["NB+OFE"]
    assert cell.mean == pytest.approx(93.6)
    assert round(cell.error, 2) == 3.25


def test_a_test_set_gives_the_error_bar_that_the_paper_prints_for_mofn():
    found = tables.accuracies([record("mofn-3-7-10", "OFE", 136, n=1024)])
    cell = found["complete"]["mofn-3-7-10"]["NB+OFE"]
    assert (round(cell.mean, 2), round(cell.error, 2)) == (86.72, 1.06)


def test_what_lacks_a_fold_is_left_out():
    assert tables.accuracies(folds("iris", "OFE", [1, 2, 3, 4])) == {}


def test_whole_test_rows_have_a_table_of_their_own():
    found = tables.accuracies(folds("iris", "EM", [4, 4, 4, 4, 4], rows="incomplete"))
    assert found["incomplete"]["iris"]["NB+EM"].mean == pytest.approx(84.0)
    assert found[tables.WHOLE]["iris"]["NB+EM"].mean == pytest.approx(92.0)
    assert set(found) == {"incomplete", tables.WHOLE}


def test_close_is_two_points_or_two_error_bars():
    printed = Accuracy(80.0, 0.5)
    assert tables.is_close(Accuracy(82.0, 0), printed)
    assert not tables.is_close(Accuracy(82.1, 0), printed)
    assert not tables.is_close(Accuracy(77.9, 0), printed)
    assert tables.is_close(Accuracy(84.9, 0), Accuracy(80.0, 2.5))


OURS = {
    name: {"A": Accuracy(a, 1.0), "B": Accuracy(b, 1.0)}
    for name, a, b in (("x", 80.0, 78.0), ("y", 90.0, 90.0), ("z", 70.0, 65.0), ("u", 60.0, 61.0))
}


def test_comparisons_are_one_sided_paired_t_tests():
    (found,) = tables.comparisons({("A", "B"): Verdict("A", "B", 0.1)}, {}, OURS)
    a, b = ([row[name].mean for row in OURS.values()] for name in "AB")
    expected = stats.ttest_rel(a, b, alternative="greater")
    assert found.ours.p == pytest.approx(expected.pvalue)
    assert found.wins == (2, 1, 1)
    assert found.from_printed is None
    assert tables.test(OURS, "B", "A").p == pytest.approx(1 - expected.pvalue)


def test_sets_apart_are_named():
    printed = {"x": {"A": Accuracy(80, 1)}, "z": {"A": Accuracy(75, 1)}}
    assert tables.apart(OURS, printed, "A") == ["z"]


@pytest.mark.parametrize(("gain", "holds"), [(2, True), (-3, False)])
def test_statements_hold_or_not(gain, holds):
    """ELR is ahead by ``gain`` points, on every other set by one more."""
    records = [
        line
        for k, data in enumerate(TABLE_1)
        for learner, errors in (("OFE", 20), ("ELR", 20 - gain - k % 2))
        for line in folds(data, learner, [errors] * n_folds(data), n=100)
    ]
    said = statements(tables.accuracies(records), records)
    (line,) = (line for line in said if "NB+ELR is better than NB+OFE" in line["statement"])
    assert line["holds"] is holds
    assert line["figures"]["mean gain"] == pytest.approx(gain + 12 / 25)
    assert line["figures"]["pairs"] == 25


def test_statement_on_ofe_names_the_sets_apart():
    records = folds("vehicle", "OFE", [60, 61, 59, 60, 60], n=150)
    (line, *_) = statements(tables.accuracies(records), records)
    assert line["figures"] == {"close": 0, "of": 1, "apart": "vehicle"}
    assert line["holds"] is None


def sampled(size, seed, **errors):
    task = Task(
        part="irrelevant attributes", rows="complete", k=6, agreement=0.8, size=size, seed=seed
    )
    return Record(task, {"errors": errors})


def test_curves_pair_the_samples():
    records = [
        sampled(10, 1, **{"OFE": 0.30, "ELR": 0.30, UNTUNED: 0.34}),
        sampled(10, 2, **{"OFE": 0.20, "ELR": 0.19, UNTUNED: 0.25}),
        sampled(20, 1, **{"OFE": 0.20, "ELR": 0.20, UNTUNED: 0.20}),
        sampled(20, 2, **{"OFE": 0.21, "ELR": 0.21, UNTUNED: 0.20}),
    ]
    found = curves.curves(records, "irrelevant attributes", ("size",))
    assert found[10,]["OFE"].mean == pytest.approx(0.25)
    assert found[10,]["OFE"].standard_error == pytest.approx(0.05)
    test = curves.test(found.values(), "OFE", UNTUNED)
    expected = stats.ttest_1samp([0.04, 0.05, 0.0, -0.01], 0, alternative="greater")
    assert test.p == pytest.approx(expected.pvalue)
    (line,) = (s for s in statements({}, records) if s["statement"].startswith("figure 11 (a)"))
    assert line["figures"]["p, at its optimum"] == pytest.approx(expected.pvalue)
    tuned = stats.ttest_1samp([0.0, -0.01, 0.0, 0.0], 0, alternative="greater")
    assert line["figures"]["p"] == pytest.approx(tuned.pvalue)
    assert line["holds"] is None  # of two samples a point
    assert line["figures"]["gain, ELR at its optimum"] == pytest.approx(0.02)


def test_accuracies_with_fewer_cuts_are_by_cost():
    records = [
        Record(
            Task(part="cuts", data="iris", cost=cost, fold=k),
            {"n": 10, "errors": {"naive-bayes": cost, "tan": 0}},
        )
        for cost in (2, 4)
        for k in range(5)
    ]
    found = tables.with_fewer_cuts(records[:-1])["iris"]
    assert {cost: cell.mean for cost, cell in found["NB+OFE"].items()} == {2.0: 80.0}
    found = tables.with_fewer_cuts(records)["iris"]
    assert {cost: cell.mean for cost, cell in found["NB+OFE"].items()} == {2.0: 80.0, 4.0: 60.0}
    assert found["TAN+OFE"][4.0].mean == 100.0


def test_traces_are_means_of_shares():
    records = [
        Record(
            Task(part="iterations", structure="tan", fold=k),
            {"n_train": 10, "n_test": 5, "train": [k, 0], "test": [1, k]},
        )
        for k in (1, 3)
    ]
    (trace,) = curves.traces(records).values()
    assert trace.train == pytest.approx((0.2, 0.0))
    assert trace.test == pytest.approx((0.2, 0.4))
