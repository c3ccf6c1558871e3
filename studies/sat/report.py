"""The study's result files: the CLL of each formula's network, and what it says of the formula."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import (
    Column,
    Section,
    bullets,
    drawn,
    failures,
    foot,
    page,
    strong,
    table,
)
from studies.common.study import Files
from studies.sat import figures
from studies.sat.formula import Formula
from studies.sat.tables import NEAR, UNSATISFIABLE, FormulaResult, checks, flat, verdicts

TITLE = "A conditional likelihood that decides satisfiability"
_READINGS = (
    "Theorem 2 is read as: the supremum of the CLL over all CPTs is 0 just when the formula is "
    f"satisfiable. No positive CPTs attain it; a CLL above −{NEAR:g} counts as 0.",
    "Where the best assignment leaves one clause false the supremum is −2 ln 2 = "
    f"−{-UNSATISFIABLE:.3f}: half a "
    "chance for that clause's Cⱼ, and all other clauses as the proof has them.",
    "All assignments are tried to know the truth; ELR is told nothing of the proof's CPTs. Every "
    "start draws all CPTs from standard normal β.",
    "Finding the supremum is NP-hard, so a start may well end at a local maximum: a formula is "
    "called unsatisfiable when none of the starts reaches 0, which is no proof. A CLL of 0 is one: "
    "the values that the Xᵢ then have most probably satisfy the formula.",
)


def report(outcome: Outcome, formulas: Mapping[str, Formula]) -> Files:
    """Tables, checks and page; formulas without a finished start are missing in them."""
    found = verdicts(outcome.done, formulas)
    said = checks(found)
    return {
        "clls.csv": csv_text(flat(found)),
        "checks.json": json_text(said),
        "index.html": _page(outcome, found, said),
    }


def _page(outcome: Outcome, found: Sequence[FormulaResult], said: Mapping[str, Any]) -> str:
    intro = [
        "Theorem 2 of R. Greiner, X. Su, B. Shen and W. Zhou (2005): finding the CPTs of the "
        "largest conditional likelihood is NP-hard when cells are missing, for a 3-CNF formula can "
        "be written as a network and an incomplete sample whose CLL can come to 0 just when the "
        "formula is satisfiable. Here ELR is run on such samples.",
    ]
    sections = [
        Section("Verdict", _verdict_parts(outcome, found, said)),
        Section("Formulas", _formula_parts(found)),
        Section("Readings", [bullets(_READINGS)]),
    ]
    return page(TITLE, intro, sections, foot=foot(outcome))


def _verdict_parts(
    outcome: Outcome, found: Sequence[FormulaResult], said: Mapping[str, Any]
) -> list[str]:
    parts = failures(outcome)
    if not found:
        return [*parts, "No task has ended."]
    parts.append(
        f"ELR's CLL tells satisfiable formulas from the others in {said['right']} of "
        f"{said['formulas']}, of which {said['satisfiable']} are satisfiable. In "
        f"{said['assignments_read_off_that_satisfy']} of the {said['assignments_read_off']} cases "
        "with a CLL of 0 the assignment read off the network satisfies the formula."
    )
    caption = (
        "CLL that each start reaches, a column of dots a formula, satisfiable formulas first; the "
        "dotted line is the supremum where all clauses but one can be met."
    )
    alt = (
        f"Dots, a start each: {said['reach_zero']} of {said['formulas']} formulas have one above "
        f"minus {NEAR}"
    )
    return [*parts, drawn(partial(figures.reached, found), caption, alt)]


def _formula_parts(found: Sequence[FormulaResult]) -> list[str]:
    heads: list[Column | str] = ["formula", "variables", "clauses", "satisfying", "fewest false"]
    heads += [Column("best CLL", ".4f"), f"starts above −{NEAR}", "says", "right"]
    rows = [
        [
            verdict.formula.name,
            verdict.formula.n_variables,
            len(verdict.formula.clauses),
            verdict.n_satisfying,
            verdict.formula.least_falsified(),
            round(verdict.best, 4) + 0.0,  # without the sign of what rounds to 0
            f"{verdict.n_zero} of {len(verdict.clls)}",
            "satisfiable" if verdict.says_satisfiable else "not",
            "yes" if verdict.is_right else strong("no"),
        ]
        for verdict in found
    ]
    caption = (
        "Satisfying: how many of all assignments satisfy the formula; fewest false: clauses that "
        "the best assignment leaves false."
    )
    return [table(heads, rows, caption)]
