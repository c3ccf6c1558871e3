"""What a person sees of a running search."""

from bnlr.progress import ProgressLine, shown_time


class SearchProgress(ProgressLine):
    """Shows each step, and on a terminal each model that is fitted for one.

    The time left is guessed from the steps so far: as many again, or the moves that promise a
    better score or the steps and seconds allowed, if they are fewer. (Of the moves that promise
    something at the beginning, most promise nothing after one of them is made.)
    """

    def __init__(
        self, verbose: int, max_steps: int | None, max_seconds: float | None, what: str
    ) -> None:
        super().__init__(verbose)
        self._what, self._max_steps, self._max_seconds = what, max_steps, max_seconds

    def fitting(self, step: int, model: int, n_most: int, score: float) -> None:
        """Show which model, of ``n_most`` at most, is fitted for a step; no line of its own."""
        if self.is_line:
            where = f"step {step:3d}, model {model:,} of at most {n_most:,}"
            self.write(f"{where}   {self._what} {score:.9g}")

    def show(self, step: int, score: float, n_promising: int) -> None:
        """Show where the search is; ``n_promising`` moves may be still to come."""
        left = self._left(step, n_promising)
        self.foresee(left, "search by CLL")
        self.write(f"step {step:3d}   {self._what} {score:.9g}   about {shown_time(left)} left")

    def _left(self, step: int, n_promising: int) -> float:
        more = min(step, n_promising)
        if self._max_steps is not None:
            more = min(more, self._max_steps - step)
        seconds = self.spent / step * (more + 1)
        if self._max_seconds is not None:
            seconds = min(seconds, max(self._max_seconds - self.spent, 0.0))
        return seconds
