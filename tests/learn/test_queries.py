"""Learning from queries: the paper's examples, starts, event rows, refusals."""

import numpy as np
import pytest

import bnlr
from bnlr import Query
from tests.width import in_full

CHAIN = bnlr.Structure([("A", "X"), ("X", "C")], class_name="C")
BINARY = dict.fromkeys(CHAIN.nodes, (0, 1))
EXAMPLE_4_1 = [Query({"C": 1}, {"A": 1}, p=1.0), Query({"C": 1}, {"A": 0}, p=0.0)]


def uniform():
    half = [[0.5, 0.5], [0.5, 0.5]]
    return bnlr.BayesianNetwork(CHAIN, BINARY, {"A": [0.5, 0.5], "X": half, "C": half})


@pytest.mark.parametrize(
    "solver", [*in_full("cg"), "cg-brent", *in_full("bfgs", "l-bfgs", "scipy-cg", "scipy-bfgs")]
)
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_example_4_1_is_learnt_from_seeded_starts(solver, seed):
    result = bnlr.fit_queries(
        CHAIN, EXAMPLE_4_1, BINARY, solver=solver, n_starts=3, random_state=seed
    )
    assert result.error < 1e-6
    assert result.error == bnlr.query_error(result.network, EXAMPLE_4_1)
    assert result.cll is None


def test_example_4_1_starts_where_there_is_no_slope():
    # The frequency estimates of infinitely many rows: the paper's B_p, of error 1/4.
    gradient = bnlr.query_error_gradient(uniform(), EXAMPLE_4_1)
    assert all((table == 0).all() for table in gradient.values())
    result = bnlr.fit_queries(CHAIN, EXAMPLE_4_1, BINARY, start=uniform(), random_state=0)
    assert result.error < 1e-6


def test_example_4_3_the_queries_beat_the_frequencies():
    rng = np.random.default_rng(0)
    attributes = [f"A{k}" for k in range(1, 9)]
    structure = bnlr.Structure([(a, "C") for a in attributes], class_name="C")
    codes = rng.integers(0, 2, (60, len(attributes)))
    own = codes[:, 0] & (codes[:, 1:].sum(axis=1) % 2)
    import pandas as pd

    frame = pd.DataFrame(np.column_stack([codes, own]), columns=[*attributes, "C"])
    states = dict.fromkeys(structure.nodes, (0, 1))
    data = bnlr.Dataset.from_frame(frame, "C", states=states)
    frequencies = bnlr.fit(structure, data, learner="frequencies").network
    truth = [Query({"C": 1}, p=0.25)]
    asked = bnlr.QuerySet([Query({"C": 1})]).labelled_by(data)
    learnt = bnlr.fit_queries(structure, asked, states, random_state=0).network
    assert bnlr.query_error(frequencies, truth) > 0.03
    assert bnlr.query_error(learnt, truth) < 0.01
    assert learnt.query(["C"])[1] == pytest.approx(own.mean(), abs=1e-3)


def test_event_rows_label_queries_and_decide_where_none_asks():
    network = bnlr.BayesianNetwork(
        CHAIN,
        BINARY,
        {"A": [0.2, 0.8], "X": [[0.9, 0.1], [0.3, 0.7]], "C": [[0.6, 0.4], [0.1, 0.9]]},
    )
    data = bnlr.Dataset.from_frame(network.sample(4_000, random_state=1), "C", states=BINARY)
    queries = [Query({"C": 1}, {"A": 1}), Query({"C": 1}, {"A": 0})]
    mixed = bnlr.fit_queries(
        CHAIN, queries, BINARY, events=data, event_weight=0.1, solver="l-bfgs", random_state=0
    )
    counted = bnlr.fit(CHAIN, data, learner="frequencies", pseudocount=0.0).network
    for node in CHAIN.nodes:
        np.testing.assert_allclose(mixed.network.cpts[node], counted.cpts[node], atol=0.02)
    assert mixed.log_likelihood == pytest.approx(mixed.network.log_likelihood(data))


def test_the_message_tells_what_labels_rest_on():
    import pandas as pd

    frame = pd.DataFrame({"A": [1, 1, 1], "X": [0, 1, 0], "C": [1, 1, 0]})
    data = bnlr.Dataset.from_frame(frame, "C", states=BINARY)
    queries = [
        Query({"C": 1}, {"A": 1}),
        Query({"C": 1}, {"A": 1, "X": 0}),
        Query({"C": 1}, {"A": 0}),
    ]
    result = bnlr.fit_queries(CHAIN, queries, BINARY, events=data, event_weight=0.0, random_state=0)
    assert "2 labels rest on 2 to 3 event rows each." in result.message
    assert "1 queries match no event row and were left out." in result.message
    assert bnlr.query_error(result.network, Query({"C": 1}, {"A": 1}, p=2 / 3)) < 1e-6


def test_weights_are_repeated_queries():
    one, other = Query({"C": 1}, {"A": 1}, p=0.9), Query({"C": 1}, {"A": 1}, p=0.1)
    weighted = bnlr.fit_queries(CHAIN, bnlr.QuerySet([one, other], [3, 1]), BINARY, random_state=0)
    repeated = bnlr.fit_queries(CHAIN, [one, one, one, other], BINARY, random_state=0)
    assert weighted.error == pytest.approx(repeated.error, abs=1e-12)
    assert weighted.network.query(["C"], {"A": 1})[1] == pytest.approx(0.7, abs=1e-3)


def test_the_trace_holds_the_error():
    result = bnlr.fit_queries(CHAIN, EXAMPLE_4_1, BINARY, random_state=0)
    trace = result.trace
    assert trace["objective"].iloc[0] == pytest.approx(result.start_error)
    assert trace["objective"].iloc[-1] == pytest.approx(result.error)
    assert "error" in result.summary()
    assert result.gap is None


def test_threads_change_no_bit():
    fits = [
        bnlr.fit_queries(CHAIN, EXAMPLE_4_1, BINARY, random_state=0, n_threads=n) for n in (1, 2)
    ]
    assert fits[0].x.tobytes() == fits[1].x.tobytes()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_starts": 0}, bnlr.ParameterError, "n_starts"),
        ({"random_state": "x"}, bnlr.ParameterError, "random_state is 'x'"),
        ({"random_state": -1}, bnlr.ParameterError, "random_state is -1"),
        ({"n_threads": "x"}, bnlr.ParameterError, "n_threads is 'x'"),
        ({"callback": 3}, bnlr.ParameterError, "callback is 3"),
        ({"events": 3}, bnlr.ParameterError, "events is a int; encode a frame"),
        ({"structure": "x"}, bnlr.ParameterError, "takes a bnlr.Structure"),
        ({"states": {"A": 2, "X": 2, "C": 2}}, bnlr.StateError, "none for node 'A'"),
        ({"solver": "auto"}, bnlr.ParameterError, "'auto'; choose one of l-bfgs, cg"),
        ({"solver": "newton"}, bnlr.ParameterError, "'newton'; choose one of l-bfgs, cg"),
        ({"solver": "best"}, bnlr.ParameterError, "best"),
        ({"event_weight": -1.0}, bnlr.ParameterError, "event_weight is -1.0"),
        ({"start": "frequencies"}, bnlr.ParameterError, "start is no network"),
        ({"states": {"A": (0, 1)}}, bnlr.StateError, "states has none for node 'X'"),
        ({"queries": [Query({"C": 1})]}, bnlr.ParameterError, "none of the 1 queries has a label"),
        ({"queries": [Query({"D": 1}, p=0.5)]}, bnlr.DataError, "names 'D'"),
    ],
)
def test_bad_input(options, error, message):
    good = {"structure": CHAIN, "queries": EXAMPLE_4_1, "states": BINARY}
    with pytest.raises(error, match=message):
        bnlr.fit_queries(**{**good, **options})
