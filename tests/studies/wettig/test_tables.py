"""The checks hold on results that bear them out, and fail on results that contradict them."""

import pytest

from studies.common import Record, Task
from studies.wettig.run import EMBEDDED, KINDS
from studies.wettig.tables import checks, levels
from studies.wettig.truth import SAMPLES, drawn_sample


def record(sample, kind, cll, start=0, **more):
    return Record(
        Task(sample=sample.name, kind=kind, start=start),
        {"cll": cll, "bound": sample.l_model, "iterations": 9, **more},
    )


def supporting():
    """Every start of every kind at one of the suprema, all of which are reached."""
    found = []
    for sample in SAMPLES.values():
        found.append(record(sample, EMBEDDED, sample.l_model, arcs=["X0 → X1"]))
        for kind in KINDS:
            reached = levels(sample)[: 1 if kind == "frequencies" else None]
            found += [record(sample, kind, cll, k) for k, cll in enumerate(reached)]
    drawn = map(drawn_sample, range(1, 31))
    return found + [record(sample, "frequencies", levels(sample)[0]) for sample in drawn]


def changed(is_changed, **results):
    return [
        Record(r.task, {**r.result, **results}) if is_changed(r.task) else r for r in supporting()
    ]


def test_all_hold():
    said = checks(supporting())
    assert len(said) == 7
    assert all(line["holds"] for line in said)


@pytest.mark.parametrize(
    ("place", "records"),
    [
        (0, [r for r in supporting() if r.task["start"] == 0]),
        (1, changed(lambda t: t["sample"] == "D″" and t["kind"] == "wide", cll=-99.0)),
        (2, changed(lambda t: t["sample"] == "D″" and t["kind"] == "wide", bound=-1.0)),
        (3, changed(lambda t: t["sample"] == "D" and t["kind"] == EMBEDDED, cll=-0.5)),
        (4, changed(lambda t: t["sample"] == "D′" and t["kind"] == "frequencies", cll=-9.9)),
        (6, changed(lambda t: t["sample"] == "drawn 7", cll=-99.0)),
        (5, changed(lambda t: t["sample"] == "drawn 7", cll=-99.0)),
    ],
)
def test_each_fails_where_it_is_contradicted(place, records):
    assert checks(records)[place]["holds"] is False


@pytest.mark.parametrize(
    "is_missing",
    [
        lambda task: task["kind"] == EMBEDDED,
        lambda task: task["kind"] == "frequencies",
        lambda task: task["kind"] not in {EMBEDDED, "frequencies"},
    ],
)
def test_a_sample_that_lacks_something_leaves_no_verdict(is_missing):
    kept = [r for r in supporting() if r.task["sample"] != "D″" or not is_missing(r.task)]
    assert [line["holds"] for line in checks(kept)] == [None] * 5 + [True] * 2


def test_few_drawn_samples_contradict_and_bear_nothing_out():
    own = [r for r in supporting() if r.task["sample"] in SAMPLES]
    few = [r for r in supporting() if r.task["sample"] not in SAMPLES][:9]
    assert [line["holds"] for line in checks([*own, *few])[5:]] == [None] * 2
    bad = [Record(few[0].task, {**few[0].result, "cll": -99.0}), *few[1:]]
    assert checks([*own, *bad])[5]["holds"] is False


def test_another_supremum_is_not_the_best():
    sample = drawn_sample(7)
    records = changed(lambda t: t["sample"] == sample.name, cll=levels(sample)[-1])
    figures = checks(records)[-1]["figures"]
    assert (figures["another supremum"], figures["no supremum"]) == (1, 0)


def test_drawn_samples_are_seeded_and_differ():
    assert drawn_sample(3) == drawn_sample(3)
    samples = [drawn_sample(k) for k in range(1, 200)]
    assert len({(one.n, one.e) for one in samples}) > 190
    assert {one.e for one in samples} == {0, 1}
    assert any(one.has_ties for one in samples)
