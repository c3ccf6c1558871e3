"""Single rows: what spoke for the class that the model chose, and what against it."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from bnlr.errors import ParameterError, TooLargeError
from bnlr.report.html import Html, Section, figure, inline, named, side_by_side, words
from bnlr.report.model.evaluation import Evaluation
from bnlr.report.plots.contributions import plot_contributions
from bnlr.report.plots.drawing import svg_of
from bnlr.words import quoted

_MOST_ROWS = 50


def check_rows(rows: Sequence[int], n_rows: int) -> tuple[int, ...]:
    """Return numbers of rows, counted from 1, each once.

    Raises
    ------
    ParameterError
        No sequence, one that is no row, or more than 50.
    """
    if not isinstance(rows, Iterable) or isinstance(rows, (str, bytes)):
        raise ParameterError(f"rows is {quoted(rows)}; give a list of numbers of rows, such as [3]")
    for row in rows:
        is_whole = isinstance(row, (int, np.integer)) and not isinstance(row, bool)
        if not is_whole or not 1 <= row <= n_rows:
            raise ParameterError(
                f"there is no row {quoted(row)}; rows are whole numbers from 1 to {n_rows:,}"
            )
    distinct = tuple(dict.fromkeys(map(int, rows)))
    if len(distinct) > _MOST_ROWS:
        raise ParameterError(f"{len(distinct):,} rows were asked for; ask for {_MOST_ROWS} at most")
    return distinct


def cases_section(evaluation: Evaluation, rows: Sequence[int]) -> Section | None:
    """The rows asked for, or telling ones; None where there is nothing to choose from."""
    if len(evaluation.classes) < 2:
        return None
    chosen = [("", row - 1) for row in rows] or list(_telling(evaluation))
    whose = (
        "what an attribute, given its parents in each network of the pool, adds by their weights"
        if evaluation.pool
        else "what a family of the network, an attribute given its parents, adds"
    )
    about = (
        f"Each bar is {whose} to the log-odds of the two most probable classes, from the prior to "
        "the sum. Blue speaks for the class that was chosen, hatched red for the other."
    )
    try:
        figures = [_case(evaluation, why, row) for why, row in chosen]
    except TooLargeError as error:
        return Section("Single rows", [f"Left out: {error}."])
    return Section("Single rows", [inline(about), side_by_side(figures)])


def _telling(evaluation: Evaluation) -> Iterator[tuple[str, int]]:
    """Yield the row predicted with most certainty, with least, and the most wrong one."""
    top = np.sort(evaluation.probabilities, axis=1)[:, ::-1]
    found = {"most certain": int((top[:, 0] - top[:, 1]).argmax())}
    found["least certain"] = int((top[:, 0] - top[:, 1]).argmin())
    if evaluation.known.size:
        own = evaluation.known_probabilities[np.arange(len(evaluation.codes)), evaluation.codes]
        is_wrong = evaluation.known_probabilities.argmax(axis=1) != evaluation.codes
        if is_wrong.any():
            found["most wrong"] = int(evaluation.known[np.where(is_wrong, own, 2.0).argmin()])
    seen: set[int] = set()
    for why, row in found.items():
        if row not in seen:
            seen.add(row)
            yield why, row


def _case(evaluation: Evaluation, why: str, row: int) -> Html:
    explanation = evaluation.explain(row)
    axes = plot_contributions(explanation)
    best = int(explanation.probabilities.argmax())
    code = int(evaluation.data.class_codes[row])
    highest = float(explanation.probabilities[best])
    chance = "over 0.9999" if 0.99995 <= highest < 1.0 else f"{highest:.4f}"
    outcome: str | Html = ""
    if code >= 0:
        was = (
            "which it was" if code == best else words("but was {}", named(evaluation.classes[code]))
        )
        outcome = words(", {}", was)
    caption = words(
        "Row {}{}: predicted as {} with the probability {}{}.",
        f"{row + 1:,}",
        f", the {why}" if why else "",
        named(evaluation.classes[best]),
        chance,
        outcome,
    )
    alt = f"Contributions to the log-odds of row {row + 1}, predicted as {evaluation.classes[best]}"
    return figure(svg_of(axes), caption, f"{alt}: {_spoken(explanation)}")


def _spoken(explanation: object) -> str:
    """Return an explanation's lines after its heading, for those who cannot see the picture."""
    lines = str(explanation).splitlines()[3:]
    return "; ".join(" ".join(line.split()) for line in lines[:14])
