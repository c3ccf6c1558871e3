"""The study's result files: both halves of table 2, what was checked, and the page."""

from collections.abc import Mapping, Sequence
from typing import Any

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import Section, bullets, foot, note, page
from studies.common.sets import Loaded
from studies.common.study import Files
from studies.feelders_ivanovs import figures, paper, sections
from studies.feelders_ivanovs.datasets import StudyData, deviations
from studies.feelders_ivanovs.paper import Column, Table
from studies.feelders_ivanovs.run import MOST_ITERATIONS
from studies.feelders_ivanovs.tables import Race, flops_table, iterations_table, races

TITLE = "Nine optimizers of the conditional likelihood"
_READINGS = (
    "CG and BFGS are Nash's programs as the paper describes them, not those of today's R, whose CG "
    "tries half a step in place of the parabola and needs two to three times the iterations.",
    "The bracket of CGB starts at the step before; the paper does not say how it brackets.",
    f"A run ends by its own rule or after {MOST_ITERATIONS:,} iterations, and the largest CLL of "
    "the nine stands for the maximum; where that lies at infinity, all are still on the way.",
    "r, the number of parameters in the flop formulas, counts all classes but the reference in the "
    "LR spaces, and every CPT cell of the class and its children in BN; the paper leaves it open.",
    "Flops are counted from after the start, whose CLL and gradient all nine need, to the end of "
    "the iteration that crosses the threshold.",
    "The artificial networks have Dirichlet(1) CPTs from our own seeds; the paper had one sample "
    "of each, ours are means over seeds.",
)


def of_paper(outcome: Outcome, loaded: Loaded[StudyData], seeds: int, quick: bool) -> Files:
    """Tables, checks and page of the paper's study.

    Parameters
    ----------
    outcome
    loaded
        The UCI sets, and which were left out and why.
    seeds
        How many samples each artificial network has.
    quick
        Whether this was the small version.
    """
    found = races(outcome.done)
    iterations, flops = iterations_table(found), flops_table(found)
    checks = {
        "races": [checked(race) for race in found],
        "statements": sections.statements(iterations, flops, found),
    }
    return {
        "iterations.csv": csv_text(flat(iterations)),
        "flops.csv": csv_text(flat(flops)),
        "checks.json": json_text(checks),
        "index.html": _page(outcome, loaded, found, (iterations, flops), seeds, quick),
    }


def checked(race: Race) -> dict[str, Any]:
    """How far the start CLLs of the spaces differ, and what each run lacks at its end."""
    return {
        "data": race.data,
        "seed": race.seed,
        "start_cll": race.start,
        "largest_cll": race.best,
        "threshold": race.threshold,
        "start_spread": race.start_spread,
        "shortfall": {figures.label(column): race.shortfall(column) for column in race.runs},
    }


def flat(figures_of: Mapping[str, Mapping[Column, float]]) -> list[dict[str, Any]]:
    """Rows for a CSV file: the data set, then one column a space and solver."""
    return [
        {"data": data, **{f"{space} {solver}": figure for (space, solver), figure in row.items()}}
        for data, row in figures_of.items()
    ]


def _page(
    outcome: Outcome,
    loaded: Loaded[StudyData],
    found: Sequence[Race],
    tables: tuple[Table, Table],
    seeds: int,
    quick: bool,
) -> str:
    iterations, flops = tables
    intro = [
        "A. Feelders and J. Ivanovs (2006) compared three optimizers (conjugate gradient with a "
        "parabola, CG; with Brent's line search, CGB; BFGS) in three parameter spaces of the same "
        "Bayesian network classifier (log-linear, LR; that of Roos et al.; its own CPTs, BN). This "
        "page holds their numbers and ours, side by side. "
        f"Artificial networks: {seeds} {'sample' if seeds == 1 else 'samples'} each."
    ]
    if quick:
        intro.append(
            note("This is the quick version, on four data sets. Leave `--quick` out for all.")
        )
    parts = [
        Section("Data", sections.data_parts(outcome, loaded)),
        Section(
            "Iterations",
            sections.table_parts(
                "Iterations", iterations, paper.ITERATIONS, "top", paper.MEAN_ITERATIONS
            ),
        ),
        Section(
            "Flops",
            sections.table_parts("Flops", flops, paper.FLOPS, "bottom", paper.MEAN_FLOPS),
        ),
        Section("What the paper concludes", [sections.conclusions(iterations, flops, found)]),
        Section("Convergence", sections.convergence_parts(found)),
        Section("Checks", sections.check_parts(found)),
        Section("Structures", sections.structure_parts(loaded)),
        Section("Deviations", [bullets([*deviations(loaded.sets.values()), *_READINGS])]),
    ]
    return page(
        TITLE,
        intro,
        parts,
        foot=foot(outcome),
    )
