"""A structure report in plain words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bnlr.errors import TooLargeError
from bnlr.structure.condition1 import last_parents, strangers
from bnlr.words import in_words, joined, listed, quoted

if TYPE_CHECKING:
    from bnlr.structure.report import StructureReport

_SHOWN = 5


def describe(report: "StructureReport") -> str:
    """Return the verdict, the reasons for it, the remedy and the numbers of parameters."""
    return "\n".join((*_verdict(report), *_blanket(report), *_counts(report)))


def _verdict(report: "StructureReport") -> Iterator[str]:
    target = quoted(report.structure.class_name)
    if report.is_perfect:
        yield f"Learning P({target} | attributes) is convex: the network is a logistic regression."
        yield "The canonical form is perfect and Condition 1 holds: every local optimum is global."
        return
    yield f"Learning P({target} | attributes) may have local optima: no free logistic regression."
    yield from _reasons(report)
    yield _remedy(report)


def _reasons(report: "StructureReport") -> Iterator[str]:
    s = report.structure
    failing = [child for child, witness in report.witnesses.items() if witness is None]
    number = "1 child" if len(failing) == 1 else f"{len(failing):,} children"
    yield f"Condition 1 fails at {number} of the class:"
    last = last_parents(s)
    for child in failing[:_SHOWN]:
        apart = strangers(s, child, last[child])
        yield (
            f"  {quoted(child)}: its parent {quoted(last[child])} is not joined to its "
            f"other parents {listed(apart, _SHOWN)}"
        )
    if len(failing) > _SHOWN:
        yield f"  … and {len(failing) - _SHOWN:,} more"


def _remedy(report: "StructureReport") -> str:
    try:
        arcs = report.embedding
    except TooLargeError:
        return "Arcs would mend it, but more than can be listed: simplify the structure."
    shown = [f"{quoted(parent)} → {quoted(child)}" for parent, child in arcs]
    number = "this arc" if len(arcs) == 1 else f"these {len(arcs):,} arcs"
    return f"With {number} added it is convex: {joined(shown, _SHOWN)}."


def _blanket(report: "StructureReport") -> Iterator[str]:
    s = report.structure
    inside = set(s.markov_blanket())
    outside = [node for node in s.attributes if node not in inside]
    if outside:
        yield f"P({quoted(s.class_name)} | attributes) does not depend on {listed(outside)}."


def _counts(report: "StructureReport") -> Iterator[str]:
    counts = report.parameter_counts
    if counts is None:
        return
    if counts["roos"] is not None and counts["loglinear"] is not None:
        yield (
            f"Predictors per class but the reference: {in_words(counts['loglinear'])} log-linear, "
            f"{in_words(counts['roos'])} Roos."
        )
    if counts["beta"] is not None:
        yield f"CPT cells of the class and its children: {in_words(counts['beta'])}."
