"""The races with missing cells: posteriors of the class, CLL with its gradient, EM, queries.

The network asked, and the start of EM, are the frequency estimates. Peers take seconds where bnlr
takes milliseconds: they run on some of the rows, and their seconds are scaled to all of them. On
those rows every answer is compared with bnlr's; one that differs by more than ``AGREED`` fails.
"""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import bnlr
from benchmarks import ours, race
from benchmarks.bench import Bench
from benchmarks.designs import Floats
from benchmarks.inference_peers import INFERENCE_PEERS, InferencePeer, evidence, excuse
from benchmarks.queried import Queries
from benchmarks.rooms import Engine, EvidenceObjective, EvidenceRows, JointSoftmax
from benchmarks.threads import limited
from benchmarks.workloads import FitTask

AGREED = 1e-6
NAMES = {
    "posterior": "class, given the rest",
    "gradient": "CLL + gradient",
    "em": "EM",
    "queries": "queries, error + gradient",
}
_BY_ROWS = ("posterior", "queries")
_SMOKE_ROWS = 10
_EXACTLY = 1e-300


def run(bench: Bench) -> None:
    """Run those of a task's races that are here."""
    for key, make in CONTESTS.items():
        if key in bench.task.races:
            _race(bench, key, make(bench.task))


class Posterior:
    """P(class | the other cells) of every row, by the public call on a network not yet used."""

    def __init__(self, task: FitTask) -> None:
        self.task, self._network = task, start(task)

    def own(self, data: bnlr.Dataset, n_threads: int) -> Floats:  # noqa: ARG002  by the CPUs
        """All of the call, with what the network works out once."""
        network = self._network
        fresh = bnlr.BayesianNetwork(network.structure, network.states, network.cpts)
        return fresh.predict_proba(ours.fresh(data))

    def forms(self, peer: InferencePeer, data: bnlr.Dataset) -> dict[str, Callable[[], Any]]:
        """Each of the peer's ways."""
        rows = evidence(data, labelled=False)
        return {form: partial(peer.posteriors, rows, form) for form in peer.forms}

    def difference(self, peer: InferencePeer, answer: Any, data: bnlr.Dataset) -> float:  # noqa: ARG002
        """Greatest of all probabilities."""
        return float(np.abs(answer - self.own(data, 1)).max())


class Gradient:
    """CLL and its gradient in β of all CPTs, once: what a step of ELR evaluates."""

    def __init__(self, task: FitTask) -> None:
        self.task, self._network = task, start(task)
        self._space = JointSoftmax(task.structure, task.data.states)
        self._x = self._space.from_network(self._network)
        self._ready: dict[int, tuple[bnlr.Dataset, EvidenceObjective]] = {}

    def own(self, data: bnlr.Dataset, n_threads: int) -> Floats:
        """CLL first, then the gradient; rows and plan are ready, as they are after one step."""
        known, objective = self._ready.get(n_threads, (None, None))
        if known is not data or objective is None:
            rows = EvidenceRows.of(self.task.structure, data)
            engine = Engine(self._space.flat, rows.target, n_threads)
            objective = EvidenceObjective(engine, self._space, rows, "cll")
            self._ready[n_threads] = data, objective
        value, gradient = objective.value_and_gradient(self._x)
        return -np.concatenate([[value], gradient])

    def forms(self, peer: InferencePeer, data: bnlr.Dataset) -> dict[str, Callable[[], Any]]:
        """Two inferences a row for the posteriors of all families."""
        return {"by families": partial(peer.contrast, evidence(data, labelled=True))}

    def difference(self, peer: InferencePeer, answer: Any, data: bnlr.Dataset) -> float:  # noqa: ARG002
        """Greatest of CLL and slopes, relative where they exceed 1."""
        cll, counts = answer
        flat, theta = self._space.flat, self._space.flat.flatten(self._network.cpts)
        stacked = flat.flatten(counts)
        theirs = np.concatenate([[cll], stacked - theta * flat.column_sums(stacked)])
        own = self.own(data, 1)
        return float((np.abs(theirs - own) / np.maximum(1.0, np.abs(own))).max())


class EM:
    """All of ``fit(learner="em")`` to its own tolerance; peers make as many steps."""

    def __init__(self, task: FitTask) -> None:
        self.task, self._network = task, start(task)
        # Peers make EM's own steps, as many as lead to the same tolerance.
        self.steps = self.own(task.data, 1, acceleration=None).n_iter

    def own(self, data: bnlr.Dataset, n_threads: int, **options: Any) -> bnlr.FitResult:
        """Run it."""
        chosen = {"learner": "em", "n_threads": n_threads, **options}
        return bnlr.fit(self.task.structure, ours.fresh(data), **chosen)

    def forms(self, peer: InferencePeer, data: bnlr.Dataset) -> dict[str, Callable[[], Any]]:
        """As many steps on some of the rows."""
        return {f"{self.steps} steps": partial(peer.em, data, self.steps)}

    def difference(self, peer: InferencePeer, answer: Any, data: bnlr.Dataset) -> float:
        """Of the log-likelihoods after as many steps from one start, relative."""
        limits = {"max_iter": self.steps, "tol": _EXACTLY, "acceleration": None}
        mine = self.own(data, 1, start=self._network, **limits).network.log_likelihood(data)
        theirs = peer.learnt(answer).log_likelihood(data)
        return abs(mine - theirs) / max(1.0, abs(mine))


def _queries(task: FitTask) -> Queries:
    return Queries(task, start(task))


Contest = Posterior | Gradient | EM | Queries
CONTESTS: dict[str, Callable[[FitTask], Contest]] = {
    "posterior": Posterior,
    "gradient": Gradient,
    "em": EM,
    "queries": _queries,
}


def start(task: FitTask) -> bnlr.BayesianNetwork:
    """Frequency estimates, each family from the rows that observe all of it."""
    return bnlr.fit(task.structure, task.data, learner="frequencies").network


def _race(bench: Bench, key: str, contest: Contest) -> None:
    answers = {_bytes(_own(bench, key, contest, n)) for n in bench.options.threads}
    if len(bench.options.threads) > 1:
        same = bench.sheet.same_bytes_on_all_threads is not False and len(answers) == 1
        bench.sheet.same_bytes_on_all_threads = same
    with limited(1):
        for name in bench.options.peers:
            if name in INFERENCE_PEERS:
                _peer(bench, key, contest, INFERENCE_PEERS[name])


def _own(bench: Bench, key: str, contest: Contest, n_threads: int) -> Any:
    data = bench.task.data
    bench.tell(f"{NAMES[key]}, {ours.NAME}, {n_threads} threads")
    with limited(n_threads):
        answer = contest.own(data, n_threads)
        seconds = bench.best(lambda: contest.own(data, n_threads))
    form = f"{answer.n_iter} E-steps" if isinstance(contest, EM) else ""
    more = {"rows_per_second": data.n_rows / seconds} if key in _BY_ROWS else {}
    bench.keep(bench.record(NAMES[key], ours.NAME, n_threads, seconds, form=form, **more))
    return answer


def _bytes(answer: Any) -> bytes:
    arrays = answer.network.cpts.values() if isinstance(answer, bnlr.FitResult) else [answer]
    return b"".join(np.ascontiguousarray(array).tobytes() for array in arrays)


def _peer(bench: Bench, key: str, contest: Contest, made: type[InferencePeer]) -> None:
    """Race one peer, on some of the rows, with its fastest form."""
    if reason := excuse(made, key):
        bench.note(f"{made.name} is left out of {NAMES[key]}: {reason}")
        return
    bench.tell(f"{NAMES[key]}, {made.name}")
    n_all = bench.task.data.n_rows
    n_rows = min(n_all, _SMOKE_ROWS if bench.options.smoke else made.rows[key])
    data = bench.task.data.take(slice(0, n_rows))
    try:
        found = _measured(bench, contest, made, data)
    except Exception as error:  # packages have exceptions of their own
        bench.note(f"{made.name} fails in {NAMES[key]}: {str(error).splitlines()[0]}")
        return
    seconds, form, _ = min(found)
    seconds *= n_all / n_rows
    worst = float(np.max([difference for *_, difference in found]))  # NaN included
    more: dict[str, Any] = {"rows_measured": n_rows, "difference": worst}
    if key in _BY_ROWS:
        more["rows_per_second"] = n_all / seconds
    form += f"; {n_rows:,} of {n_all:,} rows, scaled"
    bench.keep(bench.record(NAMES[key], made.name, 1, seconds, form=form, **more))
    if not worst <= AGREED:
        bench.note(f"WRONG: {NAMES[key]} of {made.name} and of {ours.NAME} differ by {worst:.1e}")


def _measured(
    bench: Bench, contest: Contest, made: type[InferencePeer], data: bnlr.Dataset
) -> list[tuple[float, str, float]]:
    """Seconds, form and difference of each of the peer's ways."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        peer = made(start(bench.task))
        return [
            (seconds, form, contest.difference(peer, answer, data))
            for form, answer, seconds in _tried(bench, contest.forms(peer, data))
        ]


def _tried(bench: Bench, forms: dict[str, Callable[[], Any]]) -> Iterator[tuple[str, Any, float]]:
    """Each form with its answer and its seconds: the best of three, of one where that is long."""
    for form, call in forms.items():
        answer, seconds = race.timed(call)
        if not bench.options.smoke:
            seconds = min(seconds, race.best_time(call, 2, least=0.0, enough=5.0))
        yield form, answer, seconds
