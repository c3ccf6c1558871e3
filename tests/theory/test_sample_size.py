"""The papers' formulas against the reference numbers."""

import json

import pytest

import bnlr
from bnlr import theory
from tests.cases import CASES

NAMED = {
    "greiner2005_theorem_1_eq_8": lambda a: theory.sample_size_conditional_likelihood(
        a["N"], a["K"], a["epsilon"], a["delta"], a["gamma"]
    ),
    "dasgupta_eq_10": lambda a: theory.sample_size_likelihood(
        a["N"], a["K"], a["epsilon"], a["delta"]
    ),
    "greiner1997_theorem_3": lambda a: theory.sample_size_labelled_queries(
        a["epsilon"], a["delta"]
    ),
    "greiner1997_theorem_4_queries": lambda a: theory.sample_size_queries(a["epsilon"], a["delta"]),
    "greiner1997_theorem_4_events_per_condition": lambda a: theory.sample_size_events_per_condition(
        a["epsilon"], a["delta"]
    ),
    "greiner1997_corollary_5": lambda a: theory.sample_size_events(
        a["epsilon"], a["delta"], a["lambda"]
    ),
    "greiner1997_theorem_7": lambda a: theory.sample_size_query_learning(
        a["N"], a["K"], a["epsilon"], a["delta"], a["c"]
    ),
}
CODED = {
    "theorem1_eq8": "greiner2005_theorem_1_eq_8",
    "dasgupta_eq10": "dasgupta_eq_10",
    "theorem3_M_LSQ": "greiner1997_theorem_3",
    "theorem4_M_SQ": "greiner1997_theorem_4_queries",
    "theorem4_M_D_prime": "greiner1997_theorem_4_events_per_condition",
    "corollary5_M_D": "greiner1997_corollary_5",
    "theorem7_natural_log": "greiner1997_theorem_7",
}


def files(pattern):
    return [pytest.param(path, id=path.stem) for path in sorted(CASES.glob(pattern))]


@pytest.mark.parametrize("path", files("bounds_*.json"))
def test_named_numbers(path):
    expected = json.loads(path.read_text("utf-8"))
    rel = expected["tolerance"]["default"]
    for entry in expected["expected"]["values"]:
        found = NAMED[entry["formula"]](entry["arguments"])
        assert found == pytest.approx(entry["value"], rel=rel)


@pytest.mark.parametrize("path", files("coded/*sample_sizes.json"))
def test_coded_numbers(path):
    raw = json.loads(path.read_text("utf-8"))
    for block in raw["expected"]["blocks"]:
        for key, formula in CODED.items():
            assert NAMED[formula](block) == pytest.approx(block[key], rel=1e-9)


def test_the_frozen_numbers_are_there():
    assert files("bounds_*.json")
    assert files("coded/*sample_sizes.json")


def test_the_size_of_a_structure():
    structure = bnlr.Structure([("c", "a"), ("b", "a")], class_name="c")
    states = {"c": (0, 1), "b": "xyz", "a": "pq"}
    assert theory.size_of(structure, states) == (3, 2 + 3 + 12)
    with pytest.raises(bnlr.StateError, match="'b'"):
        theory.size_of(structure, {"c": (0, 1), "a": "pq"})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("eps", 0.0),
        ("eps", 1.5),
        ("eps", 1e-200),
        ("eps", "1"),
        ("delta", 1.0),
        ("delta", float("nan")),
        ("lam", 0.0),
        ("lam", 2),
    ],
)
def test_numbers_outside_their_domain(name, value):
    good = {"eps": 0.1, "delta": 0.1, "lam": 1.0}
    assert theory.sample_size_events(**good) > 0
    with pytest.raises(bnlr.ParameterError, match=f"^{name} is"):
        theory.sample_size_events(**{**good, name: value})


def test_a_promise_that_is_no_promise_needs_no_rows():
    assert theory.sample_size_conditional_likelihood(5, 20, 1000.0, 0.5, 0.5) == 0.0
    assert theory.sample_size_likelihood(5, 20, 1e9, 0.05) == 0.0


def test_no_structure():
    with pytest.raises(bnlr.ParameterError, match=r"size_of takes a bnlr\.Structure"):
        theory.size_of("x", {})


@pytest.mark.parametrize(
    ("name", "value"), [("n_nodes", 0), ("n_cells", 2.5), ("n_cells", True), ("c", 1.0)]
)
def test_counts_outside_their_domain(name, value):
    good = {"n_nodes": 3, "n_cells": 12, "eps": 0.1, "delta": 0.1, "c": 2.0}
    with pytest.raises(bnlr.ParameterError, match=f"^{name} is"):
        theory.sample_size_query_learning(**{**good, name: value})
