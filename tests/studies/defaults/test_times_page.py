"""Seconds: medians of ratios, and whether a fit of the default costs few enough of boosting's."""

import pytest

from studies.common import Record, Task
from studies.defaults.sets import SETS, is_counted
from studies.defaults.times import median_ratio, seconds
from studies.defaults.times_page import verdicts


def taken(ratio):
    """One second a fit of boosting and ``ratio(place)`` of the default, on all sets."""
    return seconds(
        Record(
            Task(data=data, learner=name),
            {},
            seconds={"fit": ratio(place) if name == "auto" else 1.0, "predict": 0.5},
        )
        for place, data in enumerate(SETS)
        for name in ("auto", "hgb")
    )


def test_medians_of_ratios():
    found = taken(float)
    n_sets, own = median_ratio(found, ("anneal-orig", "audiology", "letter"), "auto", "hgb")
    assert n_sets == 3
    assert own.fit == pytest.approx(2.0)  # of 1, 2 and 23
    assert own.predict == pytest.approx(1.0)
    assert median_ratio(found, ("letter",), "auto", "ebm") is None


@pytest.mark.parametrize(("times", "holds"), [(7.9, True), (8.1, False)])
def test_the_median_over_counted_sets_is_judged(times, holds):
    (line,) = verdicts(taken(lambda place: times if is_counted(list(SETS)[place]) else 100.0))
    assert line["holds"] == holds
    assert line["figures"]["ratio"] == pytest.approx(times)
    assert line["figures"]["sets"] == 37


def test_no_verdict_on_few_sets():
    found = taken(lambda _: 1.0)
    assert verdicts({data: found[data] for data in ("iris", "zoo")}) == []
