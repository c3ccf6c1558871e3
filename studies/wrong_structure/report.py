"""The study's result files: errors as a table and a figure, and the statements checked."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from studies.common import Outcome, csv_text, json_text, pages
from studies.common.pages import Column, Section, bullets, drawn, failures, foot, page, table, whole
from studies.common.study import Files
from studies.wrong_structure import figures
from studies.wrong_structure.run import CURVES, HOLE_RATE, LABELS, MOST_ITERATIONS, N_ROWS
from studies.wrong_structure.tables import (
    Curves,
    LearnerErrors,
    curves,
    flat,
    in_the_limit,
    statements,
)
from studies.wrong_structure.truth import Truth

TITLE = "ELR and generative learners on wrong structures"
_BORNE_OUT = (
    "Whether the means bear out what the paper says, of its ELR, which cross tuning stops, and of "
    "ELR at its optimum; three numbers count the samples in which ELR's error is lower, equal and "
    "higher."
)
_READINGS = (
    "Errors are exact: all 32 instances are enumerated under P_m, so the spread between seeds is "
    "that of the training rows alone. The paper classified further sampled rows.",
    "All P_m of a seed share the class, E1 and the holes of their rows; only the copies differ. "
    "P_0 and P_1 are the same distribution, and so are their columns.",
    "Cells of attributes are removed, never the class; test instances are complete, as in the "
    "paper.",
    "ELR stops, as in the paper, after as many iterations of conjugate gradients as five folds "
    f"find best by error, {MOST_ITERATIONS} at most. Beside it, “ELR, not tuned” goes to its "
    "optimum; it alone has "
    "a limit, as the folds of all possible rows would be the same rows over and over.",
    "Where training cells are missing, ELR is trained for rows with holes, in which one of two "
    "equal attributes is often all there is, and tested on whole rows.",
    "The paper's figure 8 prints no numbers to compare with.",
)


def report(outcome: Outcome) -> Files:
    """Tables, checks and page; learners or m without a finished task are missing in them."""
    points = curves(outcome.done)
    checks = {"statements": statements(points)}
    return {
        "errors.csv": csv_text(flat(points)),
        "checks.json": json_text(checks),
        "index.html": _page(outcome, points, checks["statements"]),
    }


def _page(outcome: Outcome, points: Curves, said: Sequence[Mapping[str, Any]]) -> str:
    n_seeds = max((len(point.by_seed) for point in points.values()), default=0)
    intro = [
        "Section 5.1.4 of R. Greiner, X. Su, B. Shen and W. Zhou (2005): five binary attributes, "
        "of which the first m are one and the same, are learnt as if they were independent given "
        f"the class, from {N_ROWS} rows, whole or with {HOLE_RATE:.0%} of their cells missing. "
        f"Means over {n_seeds} {'sample' if n_seeds == 1 else 'samples'}.",
    ]
    sections = [
        Section("Errors", _error_parts(outcome, points)),
        Section(
            "What the paper says",
            [pages.statements(said, _BORNE_OUT)] if said else ["Nothing is done."],
        ),
        Section("Readings", [bullets(_READINGS)]),
    ]
    return page(TITLE, intro, sections, foot=foot(outcome))


def _error_parts(outcome: Outcome, points: Curves) -> list[str]:
    parts = failures(outcome)
    if not points:
        return [*parts, "No task has ended."]
    caption = (
        "Figure 8. Mean error with its standard error against m; the dotted line is the least "
        "error that any classifier has."
    )
    parts.append(drawn(partial(figures.figure_8, points), caption, figures.figure_8_alt(points)))
    parts += [_error_table(points, _mean), _error_table(points, _limit)]
    return [*parts, *in_the_limit(points)]


def _mean(point: LearnerErrors) -> str:
    return f"{point.mean:.4f}±{point.standard_error:.4f}"


def _limit(point: LearnerErrors) -> float | None:
    return point.limit


def _error_table(points: Curves, cell: Any) -> str:
    every_m = sorted({m for _, _, m in points})
    rows: list[list[Any]] = [
        ["any", whole("Bayes error"), *(Truth(m).bayes_error for m in every_m)]
    ]
    for which, learners in CURVES.items():
        for learner in learners:
            own = [points.get((which, learner, m)) for m in every_m]
            cells = [None if point is None else cell(point) for point in own]
            if any(value is not None for value in cells):
                rows.append([which, whole(LABELS[learner]), *cells])
    if cell is _mean:
        caption = f"Mean error ± its standard error, {N_ROWS} rows."
        rows[0][2:] = [f"{value:.5f}" for value in rows[0][2:]]
    else:
        caption = "Error with infinitely many rows: each possible row weighted by its probability."
    heads: list[Column | str] = ["rows", "learner", *(Column(f"m = {m}", ".5f") for m in every_m)]
    return table(heads, rows, caption)
