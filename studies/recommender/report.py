"""The study's result files: correlations, regrets, and the rates fitted anew."""

from collections.abc import Sequence
from typing import Any

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import (
    Column,
    Section,
    bullets,
    failures,
    foot,
    page,
    statements,
    table,
    whole,
)
from studies.common.study import Files
from studies.feelders_ivanovs.figures import label
from studies.recommender import tables
from studies.recommender.tables import Foretold

TITLE = "What will it cost? Flops foretold, and the race"
_READINGS = (
    "Foretold before any solver runs: the paper's flops of an iteration, times the iterations that "
    "a regression expects of a problem on whose quadratic model at the start conjugate gradients "
    "take so many steps. The rates are fitted to one half of the random networks; the other half "
    "judges them.",
    "Spent: to the paper's threshold, 5 % below the best of the nine. Columns that never reach it "
    "have no rank, and problems where all cost the same no correlation: a dash. Recommended, a "
    "column that never reaches it counts as infinitely dear.",
)


def report(outcome: Outcome) -> Files:
    """Tables, checks and page."""
    found = tables.judged(outcome.done)
    said = tables.statements(found)
    rates = tables.fitted_rates(outcome.done)
    return {
        "problems.csv": csv_text(_rows(found)),
        "rates.json": json_text({" ".join(column): list(rate) for column, rate in rates.items()}),
        "checks.json": json_text({"statements": said}),
        "index.html": _page(outcome, found, said),
    }


def _rows(found: Sequence[Foretold]) -> list[dict[str, Any]]:
    return [
        {
            "problem": one.name,
            "correlation": one.correlation,
            "recommended": " ".join(one.recommended),
            "cheapest": " ".join(one.cheapest),
            "regret": one.regret(one.recommended),
        }
        for one in found
    ]


def _page(outcome: Outcome, found: Sequence[Foretold], said: Sequence[dict[str, Any]]) -> str:
    intro = [
        "`bnlr.recommend(structure, data)` says what each solver of Feelders and Ivanovs (2006) "
        "will cost in each parameter space before any is run. Here it is held against races on "
        f"{len(found)} random networks.",
    ]
    heads: list[Column | str] = ["problem", Column("rank correlation", ".3f"), "recommended"]
    heads += ["cheapest", Column("flops of the recommended over the cheapest's", ".2f")]
    rows = [
        [
            whole(one.name),
            one.correlation,
            whole(label(one.recommended)),
            whole(label(one.cheapest)),
            one.regret(one.recommended),
        ]
        for one in found
    ]
    parts = [
        Section(
            "Does it come so?",
            [
                *failures(outcome),
                statements(said, "Over the problems that the rates were not fitted to.")
                if said
                else "No problem has ended.",
            ],
        ),
        Section("Problems", [table(heads, rows, "Foretold and come.")]),
        Section("Rates", _rate_parts(outcome)),
        Section("Readings", [bullets(_READINGS)]),
    ]
    return page(TITLE, intro, parts, foot=foot(outcome))


def _rate_parts(outcome: Outcome) -> list[str]:
    ours, theirs = tables.fitted_rates(outcome.done), tables.package_rates()
    off = tables.off_by(outcome.done)
    names = ("intercept", "slope", "evaluations")
    heads: list[Column | str] = ["space and solver"]
    heads += [Column(n, ".2f", group=who) for who in ("fitted here", "in bnlr") for n in names]
    heads += [Column("flops off by, median factor", ".2f")]
    rows = [
        [
            whole(label(column)),
            *ours.get(column, (None,) * 3),
            *rate,
            off.get(" ".join(column)),
        ]
        for column, rate in theirs.items()
    ]
    caption = "ln iterations = intercept + slope · ln steps; CLL evaluations an iteration."
    return [table(heads, rows, caption)]
