"""Comparisons, ranks and statements of made-up measures."""

import math

import numpy as np
import pytest

from studies.common import Record, Task
from studies.common.ranks import wilcoxon
from studies.common.statistics import WinsTiesLosses, corrected_resampled_t, paired_t
from studies.defaults.compare import ALL, HELD_OUT, NOT_ZERO, TUNED, compare, comparisons, subsets
from studies.defaults.findings import findings
from studies.defaults.learners import LEARNERS
from studies.defaults.overview import overall
from studies.defaults.sets import SETS, is_counted, is_held_out
from studies.defaults.statements import statements
from studies.defaults.tables import counted, near_zero, ranked, ranks, results
from tests.studies.defaults.makers import measured

NAMES = [name for name, learner in LEARNERS.items() if learner.is_ranked]


def made(losses, sets=tuple(SETS)):
    """losses: {learner: loss or function of the set's place}; others lose 1.0."""
    found = {}
    for k, data in enumerate(sets):
        own = {name: losses.get(name, 1.0) for name in NAMES}
        found[data] = {n: measured(v(k) if callable(v) else v) for n, v in own.items()}
    return found


def test_results_need_every_seed_and_no_refusal():
    full = {"log_loss": [0.1, 0.3], "brier": [0, 0], "error": [0, 1], "zeros": 1, "unconverged": 0}
    records = [
        Record(Task(data="d", learner="lr", seed=0), full),
        Record(Task(data="d", learner="lr", seed=1), {**full, "log_loss": [0.5, 0.5]}),
        Record(Task(data="d", learner="fan", seed=0), full),
        Record(Task(data="d", learner="pyagrum", seed=0), full),
        Record(Task(data="d", learner="pyagrum", seed=1), {"failed": "no"}),
    ]
    found = results(records, 2)
    assert list(found["d"]) == ["lr"]
    own = found["d"]["lr"]
    assert own.mean() == pytest.approx(0.35)
    assert own.by_seed().tolist() == pytest.approx([0.2, 0.5])
    assert own.zeros == 2


def test_variants_are_in_no_comparison():
    found = made({})
    assert len(found) == 43
    assert set(counted(found, NAMES)) == {name for name in SETS if is_counted(name)}
    assert len(counted(found, NAMES)) == 37


def test_parts_of_the_sets():
    found = made({"hgb": lambda k: 0.005 if k == 0 else 0.5})  # the first is anneal
    parts = subsets(found, ("auto", "lr"))
    assert near_zero(found) == ["anneal"]
    assert set(parts[ALL]) - set(parts[NOT_ZERO]) == {"anneal"}
    assert sorted(parts[HELD_OUT] + parts[TUNED]) == sorted(parts[ALL])
    assert all(is_held_out(data) for data in parts[HELD_OUT])


def test_comparison_by_hand():
    sets = ("iris", "vote", "zoo", "pima")
    losses = [0.5, 0.25, 1.0, 2.0]
    found = made({"auto": lambda k: losses[k]}, sets)
    own = compare(found, sets, "auto", "lr")
    assert own.ratio == pytest.approx((0.5 * 0.25 * 1.0 * 2.0) ** 0.25)
    assert own.signs == WinsTiesLosses(2, 1, 1)
    logs = np.log(losses)
    assert own.p_wilcoxon == pytest.approx((wilcoxon(logs),) * 2)
    assert own.p_t == pytest.approx((paired_t(logs).p,) * 2)
    assert own.loss == pytest.approx((sum(losses) / 4 - 1.0) * 1.005)
    assert own.error_points == 0


def test_significance_on_a_set_is_over_the_folds_of_all_seeds():
    pair = {"auto": measured(0.9, spread=0.05), "lr": measured(1.0)}
    found = {"iris": pair, "zoo": pair}
    own = compare(found, ("iris", "zoo"), "auto", "lr")
    differences = [
        scale * 1.0 - (scale * 0.9 + 0.05 * k) for scale in (1.0, 1.01) for k in (-2, -1, 0, 1, 2)
    ]
    significant = corrected_resampled_t(differences, 1 / 4).p < 0.05
    assert own.tests == (WinsTiesLosses(2, 0, 0) if significant else WinsTiesLosses(0, 2, 0))
    assert own.signs == WinsTiesLosses(2, 0, 0)


def test_a_loss_of_nothing_has_a_floor():
    found = made({"auto": 0.0, "lr": 0.004, "hgb": 0.05}, ("iris", "zoo"))
    assert compare(found, ("iris", "zoo"), "auto", "lr").ratio == pytest.approx(1.0)
    assert compare(found, ("iris", "zoo"), "auto", "lr").signs == WinsTiesLosses(0, 2, 0)
    assert compare(found, ("iris", "zoo"), "auto", "hgb").ratio == pytest.approx(0.1 / 1.005)


def test_ranks_and_overview():
    found = made({"auto": 0.5, "lr": 2.0})
    placed = ranks(found)
    assert placed.n_sets == 37
    assert placed.means["auto"] == 1
    assert placed.means["lr"] == len(NAMES)
    lines = {line.learner: line for line in overall(found)}
    assert overall(found)[0].learner == "auto"
    assert lines["fan"].against.ratio == pytest.approx(0.5)
    assert lines["lr"].against is None


def test_a_learner_that_lacks_a_set_is_not_ranked():
    found = made({})
    del found["zoo"]["pyagrum"]
    assert "pyagrum" not in ranked(found)
    assert "pyagrum" not in {line.learner for line in overall(found)}
    assert compare(found, counted(found, ("auto", "pyagrum")), "auto", "pyagrum").n == 36


def test_without_logistic_regression_there_is_nothing_to_compare_with():
    found = made({})
    for own in found.values():
        del own["lr"]
    lines = overall(found)
    assert {line.learner for line in lines} == {*NAMES} - {"lr"}
    assert all(line.against is None for line in lines)


def about(said, wanted):
    return [line for line in said if wanted(line["statement"])]


def alternating(low, high):
    return lambda k: low if k % 2 else high


@pytest.mark.parametrize(
    ("losses", "hold"),
    [
        ({"auto": 0.6, "fan": 0.9, "hgb": 0.7}, [True] * 8),
        ({"auto": 0.8, "fan": 0.9, "hgb": 0.7}, [True, True, False, True, True, False, True, True]),
        ({"auto": alternating(0.5, 2.5), "fan": 1.1}, [*[False] * 6, True, False]),
    ],
)
def test_statements_hold_or_not(losses, hold):
    said = about(statements(made(losses)), lambda text: "CLL" not in text and "pool" not in text)
    assert [line["holds"] for line in said] == hold
    assert {line["figures"]["sets"] for line in said} == {37}


def test_the_search_against_fan_and_on_the_way_to_boosting():
    found = made({"cll": 0.8, "fan": 0.9, "hgb": 0.7})
    against, *towards = about(statements(found), lambda text: "CLL" in text)
    assert against["holds"]
    assert len(towards) == 5
    assert all(line["holds"] for line in towards)
    assert towards[0]["figures"]["share"] == pytest.approx(0.5, rel=0.1)
    found = made({"cll": 0.85, "fan": 0.9, "hgb": 0.7})
    towards = about(statements(found), lambda text: "of what" in text)
    assert [line["holds"] for line in towards] == [False] * 5


def test_who_is_not_behind_boosting_has_nothing_to_make_up_for():
    found = made({"cll": 0.9, "fan": 0.6, "hgb": 0.7})
    towards = about(statements(found), lambda text: "of what" in text)
    assert [line["holds"] for line in towards] == [None] * 5
    assert {line["figures"]["share"] for line in towards} == {"none is behind"}


@pytest.mark.parametrize(
    ("losses", "hold"),
    [
        ({"pool": 0.8}, [True] * 6),
        ({"pool": 0.9}, [False, True, True, True, True, True]),
        ({"pool": alternating(0.8, 1.02)}, [False, True, True, True, False, False]),
        ({"pool": 0.9, "ebm": 0.8, "hgb": 0.7}, [False, True, True, False, False, True]),
        ({"pool": alternating(3.0, 0.2)}, [True, True, True, True, False, True]),
    ],
)
def test_statements_on_the_pool(losses, hold):
    said = about(statements(made(losses)), lambda text: "pool" in text)
    assert [line["holds"] for line in said] == hold


def test_the_pool_may_not_err_more_often():
    found = made({"pool": 0.5})
    for own in found.values():
        own["pool"] = measured(0.5, error=0.101)
    (line,) = about(statements(found), lambda text: "mean error not above" in text)
    assert not line["holds"]
    assert line["figures"]["points"] == pytest.approx(0.1)


def test_errors_near_those_of_boosting():
    found = made({"auto": 0.5})
    for own in found.values():
        own["auto"] = measured(0.5, error=0.104)
    (line,) = about(statements(found), lambda text: "points" in text)
    assert not line["holds"]
    assert line["figures"]["points"] == pytest.approx(0.4)


def test_no_statement_of_few_sets():
    found = made({"auto": 0.5}, ("iris", "zoo", "vote"))
    assert statements(found) == []


def test_sentences_say_where_it_loses():
    found = made({"auto": lambda k: 3.0 if k == 20 else 0.5})  # iris
    said = findings(found, overall(found), comparisons(found))
    assert any("auto loses significantly to HGB on iris (3.015 against 1.005)." in s for s in said)
    ratio = math.exp((36 * math.log(0.5) + math.log(3.0)) / 37)
    assert any(f"{ratio:.3f} over all 37 sets" in s for s in said)
