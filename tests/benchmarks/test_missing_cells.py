"""The races with missing cells: peers say what enumeration says, and liars are found out."""

import re
from dataclasses import dataclass

import numpy as np
import pytest

import bnlr
from benchmarks import missing_cells, report, targets
from benchmarks.bench import Bench
from benchmarks.generated import dataset, hidden, sample, sample_dag, structure_of, tree
from benchmarks.inference_peers import INFERENCE_PEERS, PyAgrum, evidence, excuse
from benchmarks.records import RaceOptions, as_json
from benchmarks.workloads import FitTask
from tests.oracles import gradients, joint
from tests.oracles.counts import normalised
from tests.oracles.model import Model

SHAPES = ("tree", "dag")
RACES = ("posterior", "gradient", "em")


def toy(shape, n_rows=40, races=RACES):
    """Five nodes, a third of the attributes' cells hidden."""
    if shape == "tree":
        codes, cards, parents = sample(n_rows, 4, 1, seed=1)
        whole = dataset(codes, cards)
        structure = tree(whole, parents)
    else:
        codes, cards, parents = sample_dag(n_rows, 5, 3, seed=30)
        whole = dataset(codes, cards)
        structure = structure_of(whole, parents)
    return FitTask("toy", hidden(whole, 0.35, seed=2), structure, races=races, whole=whole)


def peer_of(name, task):
    pytest.importorskip(INFERENCE_PEERS[name].package)
    return INFERENCE_PEERS[name](missing_cells.start(task))


def oracle(task):
    """Model, CPTs and rows as the oracles want them, the nodes in the data's order."""
    rows = [[None if c < 0 else int(c) for c in row] for row in task.data.codes]
    model = Model.of(task.structure, {n: task.data.states[n] for n in task.data.nodes})
    return model, dict(missing_cells.start(task).cpts), rows


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", list(INFERENCE_PEERS))
def test_peers_posteriors_are_those_of_enumeration(name, shape):
    task = toy(shape)
    peer, (model, cpts, rows) = peer_of(name, task), oracle(task)
    for form in peer.forms:
        found = peer.posteriors(evidence(task.data, labelled=False), form)
        np.testing.assert_allclose(found, joint.posteriors(model, cpts, rows), atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", list(INFERENCE_PEERS))
def test_peers_family_counts_are_those_of_enumeration(name, shape):
    task = toy(shape)
    peer, (model, cpts, rows) = peer_of(name, task), oracle(task)
    cll, counts = peer.contrast(evidence(task.data, labelled=True))
    assert cll == pytest.approx(joint.cll(model, cpts, rows), rel=1e-12)
    with_class = gradients.expected_counts(model, cpts, rows)
    without = gradients.expected_counts(model, cpts, [model.without_class(row) for row in rows])
    for node, table in counts.items():
        np.testing.assert_allclose(table, with_class[node] - without[node], atol=1e-11)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_race_evaluates_the_gradient_of_enumeration(shape):
    task = toy(shape)
    model, cpts, rows = oracle(task)
    found = missing_cells.Gradient(task).own(task.data, 1)
    slopes = gradients.cll_gradient(model, cpts, rows)
    stacked = np.concatenate([slopes[n].ravel() for n in task.structure.nodes])
    expected = np.concatenate([[joint.cll(model, cpts, rows)], stacked])
    np.testing.assert_allclose(found, expected, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_peer_makes_as_many_steps_of_em_as_it_is_told(shape):
    task = toy(shape)
    peer, (model, cpts, rows) = peer_of("pyagrum", task), oracle(task)
    for _ in range(3):
        cpts = normalised(gradients.expected_counts(model, cpts, rows), 0.0)
    found = peer.learnt(peer.em(task.data, 3)).cpts
    for node, cpt in cpts.items():
        np.testing.assert_allclose(found[node], cpt, atol=1e-10)


def test_evidence_is_what_is_observed():
    codes = np.array([[0, -1, 1], [1, 2, -1]])
    states = {"c": (0, 1), "x": (0, 1, 2), "y": (0, 1)}
    data = bnlr.Dataset.from_codes(codes, states, "c")
    assert evidence(data, labelled=True) == [{"c": 0, "y": 1}, {"c": 1, "x": 2}]
    assert evidence(data, labelled=False) == [{"y": 1}, {"x": 2}]


# The race itself


@dataclass
class Twin:
    """A peer that answers as bnlr does, times a factor."""

    network: bnlr.BayesianNetwork
    factor = 1.0
    name = "twin"
    package = "numpy"
    forms = ("only",)
    rows = {"posterior": 5, "gradient": 5, "em": 5}  # noqa: RUF012
    excuses = {}  # noqa: RUF012

    def posteriors(self, rows, _form):
        nodes = self.network.structure.attributes
        codes = np.array([[row.get(n, -1) for n in nodes] for row in rows])
        states = {n: self.network.states[n] for n in nodes}
        whole = {**states, self.network.structure.class_name: self.network.class_states}
        table = np.column_stack([codes, np.zeros(len(codes), dtype=int)])
        data = bnlr.Dataset.from_codes(table, whole, self.network.structure.class_name)
        return self.factor * self.network.predict_proba(data)


class Liar(Twin):
    factor = 1 + 1e-5


class Nonsense(Twin):
    factor = float("nan")


class Refuses(Twin):
    excuses = {"posterior": "it is tired"}  # noqa: RUF012


class Absent(Twin):
    package = "no_such_package"


class Breaks(Twin):
    def posteriors(self, _rows, _form):
        raise RuntimeError("out of wits\nsecond line")


def run(monkeypatch, peer, threads=(1, 2)):
    monkeypatch.setitem(INFERENCE_PEERS, "toy", peer)
    options = RaceOptions(threads=threads, peers=("toy",), repeats=1, smoke=True)
    bench = Bench(toy("tree", n_rows=40, races=("posterior",)), options, lambda _: None)
    missing_cells.run(bench)
    return as_json(bench.sheet)


@pytest.mark.slow
def test_a_peer_on_some_of_the_rows_is_scaled(monkeypatch):
    sheet = run(monkeypatch, Twin)
    assert sheet["notes"] == []
    assert sheet["same_bytes_on_all_threads"] is True
    one, two, peer = sheet["records"]
    assert [r["threads"] for r in sheet["records"]] == [1, 2, 1]
    assert one["rows_measured"] is two["rows_measured"] is None
    assert peer["rows_measured"] == 10
    assert peer["form"] == "only; 10 of 40 rows, scaled"
    assert peer["difference"] < 1e-12
    for record in sheet["records"]:
        assert record["rows_per_second"] * record["seconds"] == pytest.approx(40)


def test_seconds_are_scaled_by_the_rows(monkeypatch):
    monkeypatch.setattr(missing_cells.race, "timed", lambda call: (call(), 3.0))
    sheet = run(monkeypatch, Twin)
    assert sheet["records"][-1]["seconds"] == pytest.approx(3.0 * 40 / 10)


@pytest.mark.parametrize("peer", [Liar, Nonsense])
def test_a_difference_fails_the_run(monkeypatch, peer):
    sheet = run(monkeypatch, peer)
    found = report.figures([sheet], {})
    (text,) = report.failures(found)
    assert "WRONG" in text
    assert "twin" in text


@pytest.mark.parametrize(
    ("peer", "words"),
    [
        (Refuses, "it is tired"),
        (Absent, "it is not installed"),
        (Breaks, "fails in .*: out of wits"),
    ],
)
def test_a_peer_left_out_is_told_and_fails_nothing(monkeypatch, peer, words):
    sheet = run(monkeypatch, peer)
    (note,) = sheet["notes"]
    assert re.search(f"{words}$", note)
    assert {r["contender"] for r in sheet["records"]} == {"bnlr"}
    assert report.failures(report.figures([sheet], {})) == []


def test_em_of_pgmpy_has_an_excuse():
    pytest.importorskip("pgmpy")
    assert "missing" in excuse(INFERENCE_PEERS["pgmpy"], "em")
    assert excuse(INFERENCE_PEERS["pgmpy"], "posterior") is None


@pytest.mark.slow  # pyAgrum's hundreds of steps
@pytest.mark.parametrize("shape", ["tree", "dag"])
def test_all_races_agree_with_pyagrum(shape, monkeypatch):
    pytest.importorskip(PyAgrum.package)
    # Its EM wants every configuration of parents among the rows.
    monkeypatch.setattr(missing_cells, "_SMOKE_ROWS", 160)
    options = RaceOptions(threads=(1,), peers=("pyagrum",), repeats=1, smoke=True)
    bench = Bench(toy(shape, 160), options, lambda _: None)
    missing_cells.run(bench)
    assert bench.sheet.notes == []
    pairs = [(r.race, r.contender) for r in bench.sheet.records]
    assert pairs == [(missing_cells.NAMES[k], who) for k in RACES for who in ("bnlr", "pyAgrum")]
    assert all(r.difference < missing_cells.AGREED for r in bench.sheet.records[1::2])


def test_targets_and_table_know_rows_a_second(monkeypatch, capsys):
    sheet = run(monkeypatch, Twin, threads=(1,))
    sheet["task"] = "W8 TAN"
    sheet["records"][0]["rows_per_second"] = 2e6
    found = report.figures([sheet], {"smoke": False})
    (row,) = targets.judged(found)
    assert (row["wanted"], row["reached"]) == ("≥ 1,000,000 rows/s", True)
    sheet["records"][0]["rows_per_second"] = 999_999
    assert not targets.judged(found)[0]["reached"]
    report.show_tasks([sheet])
    shown = capsys.readouterr().out
    assert "999,999" in shown
    assert "10 of 40 rows" in " ".join(shown.split())
