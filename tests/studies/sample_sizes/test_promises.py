"""True values by enumeration; verdicts that fail on tries that contradict them; the command."""

import json

import numpy as np
import pytest

import bnlr
from studies.__main__ import COMMANDS
from studies.common import Record, Task, main
from studies.sample_sizes import run
from studies.sample_sizes.run import PROMISES, SHARES, run_task, world
from studies.sample_sizes.tables import observation, points, statements

pytest.importorskip("matplotlib")


def record(promise, share, n_failed, tries=100):
    off = [2 * PROMISES[promise].eps] * n_failed + [0.0] * (tries - n_failed)
    return Record(
        Task(promise=promise, share=share, repetitions=tries),
        {"promised": {"queries": 9.5}, "used": {"queries": 10}, "off": off, "failed": n_failed},
    )


@pytest.mark.parametrize("promise", PROMISES)
@pytest.mark.parametrize(("n_failed", "holds"), [(0, True), (10, True), (11, False), (100, False)])
def test_a_promise_is_kept_or_broken(promise, n_failed, holds):
    every = [record(promise, 1.0, n_failed), record(promise, 0.1, 50)]
    (line,) = statements(points([Record(r.task, r.result) for r in every]))
    assert line["holds"] is holds
    assert line["figures"]["failed"] == n_failed
    assert line["figures"]["smallest share that keeps it"] == (1.0 if holds else "none")


def test_the_network_of_the_events_has_no_error_and_another_has():
    assert observation()["holds"]
    other = observation(world().other)
    assert not other["holds"]
    assert other["figures"]["error"] == pytest.approx(world().error)


@pytest.mark.parametrize("n_failed", [0, 19])
def test_few_tries_have_no_verdict(n_failed):
    (line,) = statements(points([record("theorem 3", 1.0, n_failed, 19)]))
    assert line["holds"] is None
    assert line["figures"]["tries"] == 19


def test_without_the_whole_number_there_is_no_verdict():
    assert statements(points([record("theorem 3", 0.1, 0)])) == []


def test_the_world_is_what_sampling_says():
    own = world()
    frame = own.true.sample(200_000, random_state=3)
    for query, answer, condition in zip(own.queries, own.answers, own.conditions, strict=True):
        matches = np.logical_and.reduce(
            [np.ones(len(frame), bool), *(frame[n] == v for n, v in query.evidence.items())]
        )
        ((node, state),) = query.targets.items()
        assert matches.mean() == pytest.approx(condition, abs=0.01)
        assert (frame.loc[matches, node] == state).mean() == pytest.approx(answer, abs=0.02)
    assert own.error == pytest.approx(own.weights @ (own.given - own.answers) ** 2)


def test_a_learnt_network_that_rules_a_condition_out_is_the_queries_own_error(monkeypatch):
    def ruled_out(graph, own, _):
        cpts = {
            node: np.broadcast_to([1.0, 0.0], (2,) * len(graph.parents(node)) + (2,))
            for node in graph.nodes
        }
        return bnlr.BayesianNetwork(graph, own.true.states, cpts)

    monkeypatch.setattr(run, "_fitted", ruled_out)
    with pytest.raises(bnlr.ImpossibleEvidenceError, match="query"):
        run_task(Task(promise="theorem 7", share=1.0, repetitions=2))


def test_events_give_each_querys_answer():
    own = world()
    joint, conditions, both = run.events(own)
    assert joint.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(joint @ conditions, own.conditions)
    np.testing.assert_allclose((joint @ both) / (joint @ conditions), own.answers)


@pytest.mark.parametrize("promise", ["theorem 3, worst", "theorem 4"])
def test_fewer_examples_are_further_off(promise):
    spread = [
        np.mean(run_task(Task(promise=promise, share=share, repetitions=300))["off"])
        for share in (SHARES[0], SHARES[-1])
    ]
    assert spread[0] < spread[1] / 3


def test_the_command(tmp_path):
    out = tmp_path / "out"
    words = ["sample-sizes", "--quick", "--seeds", "20", "--jobs", "0", "--quiet"]
    assert main(COMMANDS, [*words, "--out", str(out)]) == 0
    said = json.loads((out / "checks.json").read_text("utf-8"))["statements"]
    assert len(said) == len(PROMISES) + 1
    assert said[0]["holds"] is True
    assert "<img" in (out / "index.html").read_text("utf-8")
