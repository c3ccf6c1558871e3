"""The outer loop of the solvers of our own: iterate, show each point, know when to stop."""

from typing import Protocol

from bnlr.optimize.base import OnIteration, Result, State, Status, go_on

MAX_RESTARTS = 5  # in a row, of a walk that learns nothing from them


class Walk(Protocol):
    """Where a solver stands."""

    @property
    def n_iter(self) -> int:
        """Completed iterations."""

    def state(self) -> State:
        """Return what is shown of the point."""

    def trouble(self) -> Status | None:
        """Return the reason not to go on from here, if there is one."""

    def advance(self) -> Status | None:
        """Make an iteration, or only a restart; return the reason to stop, if there is one."""

    def result(self, status: Status) -> Result:
        """Return the point, and why the solver stopped there."""


def walk_on(walk: Walk, max_iter: int, on_iteration: OnIteration) -> Result:
    """Advance until the walk, ``max_iter`` or ``on_iteration`` (as in ``minimise``) ends it."""
    status = walk.trouble()
    if status is None and _ends(walk, on_iteration):
        status = Status.CALLBACK
    n_iter, n_restarts = walk.n_iter, 0
    while status is None:
        if n_iter >= max_iter:
            status = Status.ITERATION_LIMIT
            break
        before, status = n_iter, walk.advance()
        n_iter = walk.n_iter
        n_restarts = n_restarts + 1 if n_iter == before else 0
        if status is None and n_restarts >= MAX_RESTARTS:
            status = Status.PRECISION
        if n_iter > before and _ends(walk, on_iteration):
            status = status or Status.CALLBACK
    return walk.result(status)


def _ends(walk: Walk, on_iteration: OnIteration) -> bool:
    # A state may be a copy of the point: not to be made for nothing.
    return on_iteration is not go_on and bool(on_iteration(walk.state()))
