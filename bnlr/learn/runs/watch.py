"""What a person sees of a running fit, and where the user's callback is asked."""

from collections.abc import Callable

from bnlr.optimize.base import State
from bnlr.progress import ProgressLine

_ITERATIONS = 20
"""That a fit mostly takes, or more."""


class Watch(ProgressLine):
    """Called after each iteration: shows it, and lets the user's callback stop the run.

    ``what`` names what the learner maximises, minus the objective; ``unit`` is what the solver's
    function counts in, see ``Settings``.
    """

    def __init__(
        self,
        verbose: int,
        callback: Callable[[State], bool | None] | None,
        what: str = "CLL less penalty",
        unit: float = 1.0,
    ) -> None:
        super().__init__(verbose)
        self._callback, self._what, self._unit = callback, what, unit

    def __call__(self, state: State) -> bool:
        """Show ``state``; True when the callback wants to stop."""
        if self._unit != 1:
            value, gradient = self._unit * state.value, self._unit * state.gradient
            state = State(state.iteration, value, state.x, gradient)
        if state.iteration:
            self.foresee(_ITERATIONS * self.spent / state.iteration, f"{_ITERATIONS} iterations")
        if self.is_due:
            self.write(f"iteration {state.iteration:4d}   {self._what} {-state.value:.9g}")
        return bool(self._callback and self._callback(state))
