"""One task of the study: a promise of the paper, tried many times with a share of its number.

The world is a random network over binary nodes; queries ask for one node given some others, drawn
by sq(·); B is another random network with the same graph, whose answers are off. All true values
are exact. A repetition draws queries, and events where the promise has them, and asks whether the
empirical error is within ε of the true one, which the promise lets fail with probability δ.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

import bnlr
from studies.common import Task

Array = NDArray[np.float64]

SHARES = (1.0, 0.3, 0.1, 0.03, 0.01, 0.003)
"""Of the promised number: how far it can be cut before the promise breaks tells how loose it is."""

N_NODES, N_QUERIES = 5, 24
C = 2.0
"""Theorem 7: conditioning events have probabilities of at least 1/2^(c^N) there."""
FAR = 1e-9


@dataclass(frozen=True)
class Promise:
    """A theorem with its ε and δ; the learner's one takes longer."""

    title: str
    eps: float
    delta: float
    is_cheap: bool = True


PROMISES = {
    "theorem 3": Promise("labelled queries tell a network's error", 0.05, 0.1),
    "theorem 3, worst": Promise("the same where squared errors are 0 or 1 evenly", 0.05, 0.1),
    "theorem 4": Promise("queries and matching events tell it", 0.2, 0.1),
    "corollary 5": Promise("queries and events in all tell it", 0.2, 0.1),
    "theorem 7": Promise("the best network on the queries is nearly the best", 0.1, 0.1, False),
}


def run_task(task: Task) -> dict[str, Any]:
    """Try one promise.

    Parameters
    ----------
    task
        With the fields promise, share and repetitions.

    Returns
    -------
    dict
        ``promised`` numbers by name, ``used`` after the share, ``off`` (one a repetition: by how
        much the empirical error is off, or the learnt network is worse than the best), ``failed``:
        how many of them are beyond ε.
    """
    name = str(task["promise"])
    promise = PROMISES[name]
    share, repetitions = float(str(task["share"])), int(str(task["repetitions"]))
    promised, off = _TRIED[name](promise, share, repetitions, np.random.default_rng(task.seed))
    return {
        "promised": promised,
        "used": {what: _cut(n, share) for what, n in promised.items()},
        "off": np.round(off, 9).tolist(),
        "failed": int((off >= promise.eps).sum()),
    }


@dataclass(frozen=True)
class World:
    """p and B over the same graph, and the queries with sq(·)."""

    true: bnlr.BayesianNetwork
    other: bnlr.BayesianNetwork
    queries: tuple[bnlr.Query, ...]
    weights: Array
    answers: Array
    """p(x | y) of each query."""
    given: Array
    """B(x | y)."""
    conditions: Array
    """p(y)."""

    @property
    def labelled(self) -> tuple[bnlr.Query, ...]:
        """The queries with p(x | y) as their labels."""
        return tuple(
            bnlr.Query(q.targets, q.evidence, p=float(p))
            for q, p in zip(self.queries, self.answers, strict=True)
        )

    @property
    def asked(self) -> bnlr.QuerySet:
        """All of sq(·): an error on them is exact."""
        return bnlr.QuerySet(self.labelled, self.weights)

    @property
    def error(self) -> float:
        """err(B)."""
        return bnlr.query_error(self.other, self.asked)


def world() -> World:
    """The one world of the study, seeded."""
    rng = np.random.default_rng(20)
    nodes = [f"V{k}" for k in range(N_NODES)]
    arcs = [(nodes[i], nodes[j]) for j in range(N_NODES) for i in range(max(0, j - 2), j)]
    graph = bnlr.Structure(arcs, nodes[-1], nodes)
    states = dict.fromkeys(nodes, (0, 1))
    true, other = (_random(graph, states, rng) for _ in range(2))
    queries: list[bnlr.Query] = []
    while len(queries) < N_QUERIES:
        target, *evidence = rng.permutation(nodes)[: 2 + int(rng.integers(0, 2))].tolist()
        given = {node: int(rng.integers(2)) for node in evidence}
        queries.append(bnlr.Query({target: int(rng.integers(2))}, given))
    return World(
        true=true,
        other=other,
        queries=tuple(queries),
        weights=rng.dirichlet(np.ones(N_QUERIES)),
        answers=np.array([_answer(true, q) for q in queries]),
        given=np.array([_answer(other, q) for q in queries]),
        conditions=np.array([_probability(true, q.evidence) for q in queries]),
    )


def _random(graph: bnlr.Structure, states: Any, rng: np.random.Generator) -> bnlr.BayesianNetwork:
    """Entries between 0.1 and 0.9: no condition is so rare that events for it never end."""
    cpts = {}
    for node in graph.nodes:
        first = rng.uniform(0.1, 0.9, (2,) * len(graph.parents(node)))
        cpts[node] = np.stack([first, 1.0 - first], axis=-1)
    return bnlr.BayesianNetwork(graph, states, cpts)


def _answer(network: bnlr.BayesianNetwork, query: bnlr.Query) -> float:
    ((node, state),) = query.targets.items()
    found: Any = network.query([node], evidence=dict(query.evidence))
    return float(np.asarray(found)[network.states[node].index(state)])


def _probability(network: bnlr.BayesianNetwork, evidence: Any) -> float:
    if not evidence:
        return 1.0
    joint: Any = np.asarray(network.query(list(evidence), evidence={}))
    return float(joint[tuple(network.states[n].index(v) for n, v in evidence.items())])


def _cut(promised: float, share: float) -> int:
    return max(1, ceil(promised * share))


Tried = Callable[[Promise, float, int, np.random.Generator], tuple[dict[str, float], Array]]


def _labelled(
    promise: Promise, share: float, repetitions: int, rng: np.random.Generator
) -> tuple[dict[str, float], Array]:
    """Theorem 3: labelled queries."""
    own = world()
    n = bnlr.theory.sample_size_labelled_queries(promise.eps, promise.delta)
    drawn = rng.multinomial(_cut(n, share), own.weights, repetitions)
    empirical = drawn @ (own.given - own.answers) ** 2 / drawn.sum(axis=1)
    return {"labelled queries": n}, np.abs(empirical - own.error)


def _labelled_worst(
    promise: Promise, share: float, repetitions: int, rng: np.random.Generator
) -> tuple[dict[str, float], Array]:
    """Theorem 3 where squared errors vary most: B is right or wholly wrong, half and half."""
    n = bnlr.theory.sample_size_labelled_queries(promise.eps, promise.delta)
    used = _cut(n, share)
    return {"labelled queries": n}, np.abs(rng.binomial(used, 0.5, repetitions) / used - 0.5)


def _matched(
    promise: Promise, share: float, repetitions: int, rng: np.random.Generator
) -> tuple[dict[str, float], Array]:
    """Theorem 4: queries, and for each condition so many events that match it.

    Events that match a condition have x with probability p(x | y), whatever the others match:
    their number is what the theorem counts.
    """
    own = world()
    n = bnlr.theory.sample_size_queries(promise.eps, promise.delta)
    m = bnlr.theory.sample_size_events_per_condition(promise.eps, promise.delta)
    drawn = rng.multinomial(_cut(n, share), own.weights, repetitions)
    n_events = _cut(m, share)
    estimates = rng.binomial(n_events, own.answers, (repetitions, N_QUERIES)) / n_events
    return {"queries": n, "events a condition": m}, _off(own, drawn, estimates)


def _in_all(
    promise: Promise, share: float, repetitions: int, rng: np.random.Generator
) -> tuple[dict[str, float], Array]:
    """Corollary 5: queries, and events in all; a condition that none matches is answered by 1/2."""
    own = world()
    n = bnlr.theory.sample_size_queries(promise.eps, promise.delta)
    least = float(own.conditions.min())
    m = bnlr.theory.sample_size_events(promise.eps, promise.delta, least)
    drawn = rng.multinomial(_cut(n, share), own.weights, repetitions)
    joint, conditions, both = events(own)
    counts = rng.multinomial(_cut(m, share), joint, repetitions)
    matching, hits = counts @ conditions, counts @ both
    estimates = np.where(matching > 0, hits / np.maximum(matching, 1), 0.5)
    return {"queries": n, "events": m}, _off(own, drawn, estimates)


def events(own: World) -> tuple[Array, Array, Array]:
    """Probability of each of the 2^N events; which match each query's y, and which its x too."""
    rows = np.array(list(np.ndindex(*(2,) * N_NODES)))
    nodes = list(own.true.structure.nodes)
    data = bnlr.Dataset.from_codes(rows, own.true.states, nodes[-1])
    joint = np.array([np.exp(own.true.log_likelihood(data.take([k]))) for k in range(len(rows))])

    def matches(pairs: Any) -> Array:
        wanted = [rows[:, nodes.index(n)] == v for n, v in pairs.items()]
        return np.logical_and.reduce(wanted).astype(float) if wanted else np.ones(len(rows))

    conditions = np.column_stack([matches(q.evidence) for q in own.queries])
    hits = np.column_stack([matches(q.targets) for q in own.queries])
    return joint / joint.sum(), conditions, conditions * hits


def _off(own: World, drawn: Any, estimates: Array) -> Array:
    squares = (own.given - estimates) ** 2
    empirical = (drawn * squares).sum(axis=1) / drawn.sum(axis=1)
    return np.asarray(np.abs(empirical - own.error))


def _learnt(
    promise: Promise, share: float, repetitions: int, rng: np.random.Generator
) -> tuple[dict[str, float], Array]:
    """Theorem 7: the best CPTs on labelled queries, against the best on all of sq(·).

    Both by `bnlr.fit_queries` from the same seeded starts: what it finds stands for the optimum.
    The structure is too poor for the queries, so that the best is not 0.
    """
    own = world()
    nodes = own.true.structure.nodes
    poor = bnlr.Structure([(nodes[0], nodes[1])], nodes[-1], nodes)
    n_nodes, n_cells = bnlr.theory.size_of(poor, own.true.states)
    n = bnlr.theory.sample_size_query_learning(n_nodes, n_cells, promise.eps, promise.delta, C)
    labelled, asked = own.labelled, own.asked
    least = bnlr.query_error(_fitted(poor, own, asked), asked)
    worse = []
    for _ in range(repetitions):
        drawn = rng.multinomial(_cut(n, share), own.weights)
        kept = np.flatnonzero(drawn)
        some = bnlr.QuerySet([labelled[k] for k in kept], drawn[kept].astype(float))
        found = _fitted(poor, own, some)
        worse.append(bnlr.query_error(found, asked) - least)
    return {"labelled queries": n}, np.maximum(np.array(worse), 0.0)


def _fitted(graph: bnlr.Structure, own: World, queries: bnlr.QuerySet) -> bnlr.BayesianNetwork:
    return bnlr.fit_queries(
        graph,
        queries,
        own.true.states,
        solver="l-bfgs",
        n_starts=2,
        random_state=1,
        n_threads=1,
        tol=FAR,
    ).network


_TRIED: dict[str, Tried] = {
    "theorem 3": _labelled,
    "theorem 3, worst": _labelled_worst,
    "theorem 4": _matched,
    "corollary 5": _in_all,
    "theorem 7": _learnt,
}
