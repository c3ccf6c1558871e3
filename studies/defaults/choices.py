"""On which sets each choice inside the defaults was made, as known before others are run.

A choice that is made anew on other sets, or added, changes its line here in the same commit.
"""

from typing import NamedTuple

from studies.common.pages import note, table
from studies.defaults.sets import SETS, is_counted, is_held_out

TUNED_HALF = "the tuned half"
BOTH_HALVES = "sets of both halves"
ELSEWHERE = "sets of other origin"
NO_SET = "none"


class Choice(NamedTuple):
    """What was chosen in which file, and on which sets."""

    what: str
    place: str
    sets: str
    remark: str = ""


CHOICES = (
    Choice(
        "FAN's arcs are those of TAN that BIC pays for; a centre whose scale is fitted",
        "search/fan.py, learn/shrinkage",
        BOTH_HALVES,
        "28 sets, before the halves were parted: of these two the held-out half is not free",
    ),
    Choice(
        "penalty 3 where there are too few rows to choose by",
        "classifier/auto/resolve.py",
        BOTH_HALVES,
        "34 sets; no set here has so few rows",
    ),
    Choice(
        "the best candidate, not the simplest within a standard error of it",
        "classifier/auto/selection.py",
        TUNED_HALF,
    ),
    Choice(
        "structures, ways to cut and centre that are tried, and in which order",
        "classifier/auto/candidates.py, selection.py",
        TUNED_HALF,
    ),
    Choice(
        "where the search by conditional likelihood is tried",
        "classifier/auto/candidates.py",
        TUNED_HALF,
    ),
    Choice("which strengths are tried, and where their path ends", "learn/shrinkage", TUNED_HALF),
    Choice(
        "smooth numbers, arcs by score statistic, wider strengths and pools are worth a try",
        "classifier/auto",
        ELSEWHERE,
        "37 sets of which none is here; on none of them is anything reported here",
    ),
    Choice(
        "all that is numbers in these four: intervals, bounds, members, weights, budget",
        "classifier/auto",
        TUNED_HALF,
    ),
    Choice(
        "smooth candidates on rows with holes too",
        "classifier/auto/candidates.py",
        BOTH_HALVES,
        "five sets with holes, four of them held out",
    ),
    Choice("three inner folds; rows of every candidate are the same", "classifier/auto", NO_SET),
)


def choice_parts() -> list[str]:
    """The rule, and a line a choice."""
    counted = [name for name in SETS if is_counted(name)]
    held_out = [name for name in counted if is_held_out(name)]
    rule = (
        f"Every second set in alphabetical order, {len(counted) - len(held_out)} of the "
        f"{len(counted)} that count, is there to make choices on. The other {len(held_out)}, the "
        "held-out half, are run when the choices are made: their figures are reported, and nothing "
        "is chosen by them. Within a set nothing is chosen by its test rows, for inner folds are "
        "of training rows alone. No peer is tuned on any set; they are run as their libraries "
        "set them up."
    )
    caption = "Choices inside the defaults, and the sets that they were made on."
    return [
        note(rule),
        table(["choice", "file of bnlr", "made on", "remarks"], list(map(list, CHOICES)), caption),
    ]
