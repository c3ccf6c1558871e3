"""Wrinkles and embeddings: by hand, verdicts that can fail, the command."""

import json

import numpy as np
import pytest

import bnlr
from studies.__main__ import COMMANDS
from studies.common import Record, Task, main
from studies.embeddings.run import STRUCTURES, has_other_maximum, random_structure, run_task
from studies.embeddings.tables import embeddings, statements, wrinkles


@pytest.mark.parametrize(
    ("values", "has"),
    [
        ([1, 2, 3, 2], False),
        ([3, 2, 1], False),
        ([1, 3, 2, 2.5, 0], True),
        ([2, 1, 3], True),
        ([2, 2 - 1e-12, 2], False),
        ([-100, -100, -100], False),
    ],
)
def test_a_dip_between_two_heights_is_a_further_maximum(values, has):
    assert has_other_maximum(np.array(values, float)) is has


def record(part, result, **fields):
    return Record(Task(part=part, **fields), result)


@pytest.mark.parametrize(
    ("segments", "cpts", "tables", "holds"),
    [
        (10, 3, 0, [True, True]),
        (10, 0, 0, [False, True]),
        (10, 3, 1, [True, False]),
        (9, 0, 0, [None, None]),
        (1, 1, 1, [True, False]),
    ],
)
def test_verdicts_on_wrinkles(segments, cpts, tables, holds):
    result = {"segments": segments, "cpts": cpts, "tables": tables}
    bent = wrinkles([record("wrinkles", result, structure="TAN")])
    assert [line["holds"] for line in statements(bent, [])] == holds


def grown(last, n=10):
    """Structures that need arcs, of which the last satisfies the condition then or not, and one."""
    rows = {
        "holds": [True] + [False] * n,
        "embedded": [True] * n + [last],
        "arcs": [0] + [2, 4] * (n // 2),
        "before": [10] * (n + 1),
        "after": [10] + [20, 40] * (n // 2),
    }
    return embeddings([record("embeddings", rows, nodes=5, degree=1.0)])


@pytest.mark.parametrize(
    ("last", "n", "holds"),
    [(True, 10, True), (False, 10, False), (True, 8, None), (False, 2, False)],
)
def test_verdict_on_embeddings(last, n, holds):
    (found,) = grown(last, n)
    assert (found["fail"], found["arcs, median"], found["growth, most"]) == (n, 3.0, 4.0)
    (line,) = statements([], [found])
    assert line["holds"] is holds


def test_structures_satisfy_condition_1_where_they_must():
    assert all(bnlr.analyze(s).satisfies_condition_1 for s in STRUCTURES.values())


def test_random_structures_have_the_degree_asked_for():
    rng = np.random.default_rng(0)
    arcs = [len(random_structure(12, 2.0, rng).edges) for _ in range(200)]
    assert np.mean(arcs) == pytest.approx(24, rel=0.05)


def test_embeddings_are_counted_by_hand():
    found = run_task(Task(part="embeddings", nodes=5, degree=2.0, structures=30))
    for holds, arcs, before, after in zip(
        *(found[k] for k in ("holds", "arcs", "before", "after")), strict=True
    ):
        assert holds == (arcs == 0)
        assert after >= before
        assert (after == before) or not holds


def test_the_command(tmp_path):
    out = tmp_path / "out"
    words = ["embeddings", "--quick", "--jobs", "0", "--quiet", "--out", str(out)]
    assert main(COMMANDS, words) == 0
    said = json.loads((out / "checks.json").read_text("utf-8"))["statements"]
    assert len(said) == 5
    assert said[-1]["holds"] is True
