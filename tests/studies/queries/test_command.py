"""The examples' truths by enumeration, tables from made-up errors, and the command."""

import json

import numpy as np
import pytest

import bnlr
from studies.__main__ import COMMANDS
from studies.common import Record, Task, main
from studies.queries import command
from studies.queries.examples import EXAMPLES
from studies.queries.run import SIZES, run_task
from studies.queries.tables import points, statements

pytest.importorskip("matplotlib")


@pytest.mark.parametrize("example", EXAMPLES.values(), ids=list(EXAMPLES))
def test_many_events_answer_the_queries(example):
    events = example.events(200_000, np.random.default_rng(0))
    found = example.unlabelled.labelled_by(events).labels
    np.testing.assert_allclose(found, bnlr.QuerySet(example.queries).labels, atol=0.02)


def test_the_second_example_is_the_naive_bayes_network():
    example = EXAMPLES["4.2"]
    third = [[0.5, 0.5], [0.25, 0.75]]
    cpts = dict.fromkeys(example.structure.attributes, third) | {"C": [0.5, 0.5]}
    network = bnlr.BayesianNetwork(example.structure, example.states, cpts)
    assert bnlr.query_error(network, example.queries) == pytest.approx(0.0, abs=1e-20)


def test_both_learners_see_the_same_rows_and_more_rows_hold_fewer():
    few, again = (run_task(Task(example="4.1", rows=20, seed=2)) for _ in range(2))
    assert few == again
    assert few["labelled"] == 2
    assert few["qd"] < 1e-6 < few["ofe"]


def records(errors, n_seeds=10):
    """errors: {example: (OFE's, QD's)}, each a number or one a number of rows."""
    return [
        Record(
            Task(example=name, rows=rows, seed=seed),
            {"ofe": o if isinstance(o, float) else o[k], "qd": q, "labelled": 1},
        )
        for name, (o, q) in errors.items()
        for k, rows in enumerate(SIZES)
        for seed in range(n_seeds)
    ]


def verdicts(errors, n_seeds=10):
    return [line["holds"] for line in statements(points(records(errors, n_seeds)))]


GOOD = {"4.1": (0.25, 1e-9), "4.2": (1e-4, 0.2), "4.3": (0.06, 1e-3)}


@pytest.mark.parametrize(
    ("example", "errors", "place"),
    [
        # OFE is right for some number of rows; beyond 0.25.
        ("4.1", ([0.25] * 3 + [0.1] + [0.25] * 3, 1e-9), 0),
        ("4.1", ([0.25] * 6 + [0.31], 1e-9), 0),
        ("4.1", (0.25, 1e-5), 0),
        # OFE wins for every number of rows, and needs as many as QD.
        ("4.2", ([0.19] * 6 + [1e-4], 0.2 - 1e-2), 1),
        ("4.3", ([0.06] * 4 + [1e-4] * 3, 1e-3), 2),
    ],
)
def test_each_statement_fails_where_it_is_contradicted(example, errors, place):
    expected = [True] * 3
    expected[place] = False
    assert verdicts({**GOOD, example: errors}) == expected


def test_few_samples_have_no_verdict():
    assert verdicts(GOOD, 9) == [None] * 3


def test_statements_follow_the_means():
    good = GOOD
    assert verdicts(good) == [True] * 3
    assert verdicts({name: errors[::-1] for name, errors in good.items()}) == [False] * 3
    assert verdicts({"4.1": (0.25, 1e-9)}) == []


def test_wins_are_counted_by_seed():
    lines = [
        Record(Task(example="4.1", rows=20, seed=k), {"ofe": o, "qd": q, "labelled": 2})
        for k, (o, q) in enumerate([(0.2, 0.1), (0.2, 0.2), (0.1, 0.3)])
    ]
    (point,) = points(lines)
    assert point.wins == (1, 1, 1)
    assert point.mean("qd") == pytest.approx(0.2)
    assert point.labelled == 1.0


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr(command, "SIZES", (20, 50))
    out = tmp_path / "out"
    words = ["queries", "--seeds", "1", "--jobs", "0", "--quiet", "--out", str(out)]
    assert main(COMMANDS, words) == 0
    assert json.loads((out / "checks.json").read_text("utf-8")) == {"statements": []}
    assert (out / "index.html").read_text("utf-8").count("<img") == 1
