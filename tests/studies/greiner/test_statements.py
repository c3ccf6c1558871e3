"""Each statement holds on made-up data that bear it out, and fails on data that contradict it."""

import pytest

from studies.common import Record, Task
from studies.greiner import tables
from studies.greiner.datasets import VARIED, is_dealt, n_folds
from studies.greiner.learners import OWN_TPDA, TPDA_VARIANTS, UNTUNED
from studies.greiner.paper import TABLE_1, TABLE_2, TABLE_3, Accuracy
from studies.greiner.statements import _ORDERINGS, statements
from studies.wrong_structure.truth import Truth


def line_of(said, start):
    (line,) = (line for line in said if line["statement"].startswith(start))
    return line


def moved(printed, system, points, n_sets=25, of=25):
    """The paper's own accuracies of the first ``of`` sets, of ``n_sets`` of them moved."""
    return {
        data: {
            name: Accuracy(cell.mean - (points if name == system and k < n_sets else 0), cell.error)
            for name, cell in row.items()
        }
        for k, (data, row) in enumerate(list(printed.items())[:of])
    }


@pytest.mark.parametrize("system", ["NB+OFE", "TAN+OFE"])
@pytest.mark.parametrize(("n_apart", "holds"), [(0, True), (3, True), (4, False), (25, False)])
def test_the_count_of_close_sets_decides(system, n_apart, holds):
    ours = moved(TABLE_2, system, 30.0, n_apart)
    line = line_of(statements({"complete": ours}, []), f"{system} is within")
    assert line["holds"] is holds
    assert line["figures"]["close"] == 25 - n_apart


@pytest.mark.parametrize("n_apart", [0, 1, 24])
def test_fewer_sets_than_the_papers_have_no_verdict(n_apart):
    ours = moved(TABLE_2, "NB+OFE", 30.0, n_apart, of=24)
    said = statements({"complete": ours}, [])
    assert {line["holds"] for line in said} == {None}
    assert line_of(said, "NB+OFE is within")["figures"]["of"] == 24


@pytest.mark.parametrize(("rows", "better", "worse"), _ORDERINGS)
def test_orderings_hold_or_fail(rows, better, worse):
    printed = TABLE_2 if rows == "complete" else TABLE_3
    start = f"{rows}: {better} is better than {worse}"
    said = statements({rows: moved(printed, worse, 10.0)}, [])
    assert line_of(said, start)["holds"] is True
    said = statements({rows: moved(printed, better, 10.0)}, [])
    assert line_of(said, start)["holds"] is False


def partition(number, gains):
    """All folds of all sets, complete rows: TAN+ELR ahead of TAN+OFE by a gain of 0 or 1 in turn.

    ``gains`` are the errors that TAN+ELR saves on even and on odd sets.
    """
    return [
        Record(
            Task(
                part="tables",
                data=data,
                partition=number,
                rows="complete",
                structure="tan",
                learner=learner,
                fold=fold,
            ),
            {"n": 100, "errors": 50 - (gains[k % 2] if learner == "ELR" else 0)},
        )
        for k, data in enumerate(TABLE_1)
        if number == 0 or is_dealt(data)
        for learner in ("OFE", "ELR")
        for fold in range(n_folds(data))
    ]


BETTER, EVEN = (5, 4), (5, -5)
CLAIM = "complete: TAN+ELR is better than TAN+OFE"


@pytest.mark.parametrize(
    ("gains", "holds", "word", "share"),
    [
        ((BETTER, BETTER, BETTER), True, "robust", 1.0),
        ((BETTER, EVEN, EVEN, EVEN), None, "fragile", 0.25),
        ((EVEN, EVEN), False, "fails", 0.0),
        ((BETTER,), True, "yes, in one partition", 1.0),
        ((EVEN,), False, "no, in one partition", 0.0),
    ],
)
def test_an_ordering_is_robust_fragile_or_fails(gains, holds, word, share):
    records = [line for k, own in enumerate(gains) for line in partition(k, own)]
    line = line_of(statements(tables.accuracies(records), records), CLAIM)
    assert (line["holds"], line["verdict"]) == (holds, word)
    assert line["figures"]["share below 0.05"] == share
    assert len(line["figures"]["p by partition"]) == len(gains)
    assert line["figures"]["p of the paper's accuracies"] == pytest.approx(0.12, abs=0.005)
    assert line["figures"]["p printed"] == 0.12
    assert "p without letter" in line["figures"]


def test_a_partition_that_lacks_a_set_is_left_out_and_leaves_no_verdict():
    records = partition(0, BETTER) + [r for r in partition(1, EVEN) if r.task["data"] != "iris"]
    line = line_of(statements(tables.accuracies(records), records), CLAIM)
    assert len(line["figures"]["p by partition"]) == 1
    assert (line["holds"], line["verdict"]) == (None, "no verdict, 1 of 2 partitions are whole")


def in_two_spaces(learner, ahead):
    """Accuracies on the sets of table III, in β by so many points ahead."""
    own = {f"NB+{learner}": Accuracy(80 + ahead, 1), f"NB+{learner}_θ": Accuracy(80.0, 1)}
    return {data: dict(own) for data in TABLE_3}


@pytest.mark.parametrize("learner", ["ELR", "APN"])
def test_beta_or_theta(learner):
    for ahead in (1.0, -1.0):
        said = statements({"incomplete": in_two_spaces(learner, ahead)}, [])
        assert line_of(said, f"incomplete: NB+{learner} in β")["holds"] is (ahead > 0)


def complex_records(part, rows, elr, n_samples=10, **fields):
    names = ("OFE", "ELR", UNTUNED) if rows == "complete" else ("APN", "EM", "ELR", UNTUNED)
    return [
        Record(
            Task(part=part, rows=rows, seed=seed, **fields),
            {
                "errors": dict.fromkeys(names, 0.2 + seed / 1000) | {"ELR": elr + seed / 900},
                "iterations": dict.fromkeys(names, 0),
            },
        )
        for seed in range(1, 1 + n_samples)
    ]


@pytest.mark.parametrize("rows", ["complete", "incomplete"])
@pytest.mark.parametrize(("elr", "holds"), [(0.3, True), (0.1, False)])
def test_models_that_are_too_complex(rows, elr, holds):
    number = 11 if rows == "complete" else 12
    records = complex_records("irrelevant attributes", rows, elr, k=6, agreement=0.8, size=20)
    records += complex_records("superfluous links", rows, elr, m=2)
    said = [s for s in statements({}, records) if s["statement"].startswith(f"figure {number}")]
    assert len(said) == (2 if rows == "complete" else 4)
    assert {line["holds"] for line in said} == {holds}


def test_few_samples_have_no_verdict_on_models_that_are_too_complex():
    records = complex_records(
        "irrelevant attributes", "complete", 0.3, 9, k=6, agreement=0.8, size=20
    )
    records += complex_records("superfluous links", "incomplete", 0.1, 9, m=2)
    said = [s for s in statements({}, records) if s["statement"].startswith("figure 1")]
    assert [line["holds"] for line in said] == [None] * 3


def small(_):
    return 0.001


def growing(m):
    return 0.001 + 0.05 * m


def figure_8_records(errors, rows="complete", n_seeds=10):
    return [
        Record(
            Task(part="wrong structure", rows=rows, m=m, seed=seed, learner=learner),
            {"error": Truth(m).bayes_error + excess(m)},
        )
        for m in range(6)
        for seed in range(1, 1 + n_seeds)
        for learner, excess in errors.items()
    ]


def test_figure_8():
    said = statements({}, figure_8_records({"ofe": growing, "elr": small}))
    assert [line["holds"] for line in said] == [True] * 3
    said = statements({}, figure_8_records({"ofe": small, "elr": growing}))
    assert [line["holds"] for line in said] == [False] * 3


def natural_records(gains, n_sets):
    """ELR saves so many of a hundred errors, by structure, on every other set one more."""
    return [
        Record(
            Task(part="natural holes", data=f"s{k}", structure=kind, learner=learner, fold=fold),
            {"n": 100, "errors": 50 - (gain + k % 2 if learner == "ELR" else 0)},
        )
        for kind, gain in gains.items()
        for k in range(n_sets)
        for learner in ("ELR", "APN", "EM")
        for fold in range(5)
    ]


@pytest.mark.parametrize(
    ("nb", "tan", "n_sets", "holds"),
    [(5, -5, 20, True), (-5, 5, 20, False), (5, -5, 19, None)],
)
def test_natural_holes(nb, tan, n_sets, holds):
    records = natural_records({"naive-bayes": nb, "tan": tan}, n_sets)
    said = [s for s in statements({}, records) if s["statement"].startswith("natural holes")]
    assert [line["holds"] for line in said] == [holds] * 4
    assert said[2]["figures"]["p printed"] == 0.078


def tpda_records(ours, variant):
    """Points by which GBN+OFE is away from table II, by our TPDA and by all variants."""
    return [
        Record(
            Task(part="tpda", data=data, rows="complete", variant=name, fold=fold),
            {
                "n": 10**6,
                "errors": round(1e4 * (100 - TABLE_2[data]["GBN+OFE"].mean + away)),
                "arcs": 7,
            },
        )
        for data in VARIED
        if "GBN+OFE" in TABLE_2[data]
        for name in TPDA_VARIANTS
        for away in [ours if name == OWN_TPDA else variant]
        for fold in range(n_folds(data))
    ]


@pytest.mark.parametrize(("ours", "variant", "holds"), [(3, 1, True), (1, 3, False), (2, 2, False)])
def test_general_networks_by_variants_of_tpda(ours, variant, holds):
    records = tpda_records(ours, variant)
    said = [s for s in statements({}, records) if s["statement"].startswith("GBN+OFE")]
    assert [line["holds"] for line in said] == [holds] * (len(TPDA_VARIANTS) - 1)
    for line in said:
        assert line["figures"]["mean distance"] == pytest.approx(variant, abs=1e-3)
        assert line["figures"]["ours"] == pytest.approx(ours, abs=1e-3)
    fewer = [r for r in records if r.task["data"] != VARIED[0]]
    said = [s for s in statements({}, fewer) if s["statement"].startswith("GBN+OFE")]
    assert [line["holds"] for line in said] == [None] * (len(TPDA_VARIANTS) - 1)
