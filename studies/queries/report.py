"""The study's result files: learning curves, and who wins where."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from studies.common import Outcome, csv_text, json_text, pages
from studies.common.pages import (
    Column,
    Html,
    Section,
    bullets,
    course,
    drawn,
    failures,
    foot,
    page,
    table,
)
from studies.common.study import Files
from studies.queries import figures
from studies.queries.examples import EXAMPLES, N_ATTRIBUTES
from studies.queries.run import LEARNERS
from studies.queries.tables import ExampleErrors, flat, points, statements

TITLE = "Learning for the queries that will be asked"
_PAPER = {
    "4.1": ("incorrect", "no: stays at 0.25", "yes"),
    "4.2": ("correct", "wins: few rows", "needs rows with all A = 0"),
    "4.3": ("correct", "poor until rows near 2ⁿ", "wins: few rows"),
}
_READINGS = (
    "OFE: add-one frequency estimates of the event rows. QD: `bnlr.fit_queries` on the example's "
    "queries, labelled by the same rows (Theorem 4), best of three seeded starts.",
    "A query whose evidence no row matches cannot be labelled; QD then answers one half.",
    "Errors are on the true answers. 4.1: A is a fair coin, C = A, X another coin. 4.2: ten "
    "attributes, P(A = 0 | C = 0) = 1/2, P(A = 0 | C = 1) = 1/4; evidence of probability "
    f"{(0.5**N_ATTRIBUTES + 0.25**N_ATTRIBUTES) / 2:.2g}. "
    "4.3: ten attributes, C = A1 ∧ parity(A2 … A10).",
    "The paper's table 1 states who wins; it prints no numbers.",
)


def report(outcome: Outcome) -> Files:
    """Tables, checks and page; what is not finished is missing in them."""
    found = points(outcome.done)
    said = statements(found)
    return {
        "errors.csv": csv_text(flat(found)),
        "checks.json": json_text({"statements": said}),
        "index.html": _page(outcome, found, said),
    }


def _page(
    outcome: Outcome, found: Sequence[ExampleErrors], said: Sequence[Mapping[str, Any]]
) -> str:
    n_seeds = max((len(point.errors["qd"]) for point in found), default=0)
    intro = [
        "R. Greiner, A. Grove and D. Schuurmans (1997): should a network be learnt from the events "
        "(observed frequency estimates, OFE), or for the queries that will be asked "
        f"(query-driven, QD)? Their three examples, means over {n_seeds} samples.",
    ]
    sections = [
        Section("Learning curves", _curve_parts(outcome, found)),
        Section("Who wins where", _winner_parts(found, said)),
        Section("Readings", [bullets(_READINGS)]),
    ]
    return page(TITLE, intro, sections, foot=foot(outcome))


def _curve_parts(outcome: Outcome, found: Sequence[ExampleErrors]) -> list[str]:
    parts = failures(outcome)
    if not found:
        return [*parts, "No task has ended."]
    caption = "Mean squared error of the answers, with standard errors, against the event rows."
    lines = {
        f"{name.upper()} in {example}": [p.mean(name) for p in found if p.example == example]
        for example in EXAMPLES
        for name in LEARNERS
    }
    alt = f"Mean squared error by event rows: {course(lines)}"
    parts.append(drawn(partial(figures.learning_curves, found), caption, alt))
    return [*parts, _table(found), bullets(f"{words}." for words in LEARNERS.values())]


def _table(found: Sequence[ExampleErrors]) -> Html:
    heads: list[Column | str] = ["example", "rows", "OFE", "QD", "QD lower / equal / higher"]
    heads.append(Column("queries labelled", ".0%"))
    rows = [
        [
            point.example,
            point.rows,
            *(_with_error(point, learner) for learner in LEARNERS),
            " / ".join(map(str, point.wins)),
            point.labelled,
        ]
        for point in found
    ]
    return table(
        heads, rows, "Mean squared errors ± standard errors; seeds in which QD's is lower."
    )


def _with_error(point: ExampleErrors, learner: str) -> str:
    mean, error = point.mean(learner), point.standard_error(learner)
    return f"{mean:.2g} ± {error:.1g}".replace(" ", "\N{NARROW NO-BREAK SPACE}")


def _winner_parts(found: Sequence[ExampleErrors], said: Sequence[Mapping[str, Any]]) -> list[str]:
    if not said:
        return ["Not all has ended."]
    rows = []
    for name, (structure, ofe, driven) in _PAPER.items():
        own = [point for point in found if point.example == name]
        ours = [sum(p.mean(a) < p.mean(b) for p in own) for a, b in (("ofe", "qd"), ("qd", "ofe"))]
        rows.append([name, EXAMPLES[name].title, structure, ofe, driven, *ours])
    heads = ["example", "what", "structure", "paper: OFE", "paper: QD", "OFE better", "QD better"]
    caption = (
        "Table 1 of the paper as its examples put it, and for how many of the numbers of rows each "
        "learner's mean error is the lower one."
    )
    return [
        table(heads, rows, caption),
        pages.statements(said, "What the means bear out."),
    ]
