"""The verdict on a structure in plain words, with its reasons and the remedy."""

from collections.abc import Callable, Iterator, Mapping

from bnlr._typing import Arc
from bnlr.errors import TooLargeError
from bnlr.structure.condition1 import last_parents, strangers
from bnlr.structure.dag import Structure
from bnlr.words import in_words, joined, listed, quoted

_SHOWN = 5


def describe(
    structure: Structure,
    witnesses: Mapping[str, str | None],
    embedding: Callable[[], tuple[Arc, ...]],
    counts: Mapping[str, int | None] | None,
) -> str:
    """Return the verdict, the reasons for it, the remedy and the numbers of parameters.

    Parameters
    ----------
    structure, witnesses, counts
        As in `StructureReport`.
    embedding
        Finds the arcs that mend the structure; asked only where there is something to mend.
    """
    lines = [*_verdict(structure, witnesses, embedding), *_outside(structure), *_sizes(counts)]
    return "\n".join(lines)


def _verdict(
    structure: Structure,
    witnesses: Mapping[str, str | None],
    embedding: Callable[[], tuple[Arc, ...]],
) -> Iterator[str]:
    target = quoted(structure.class_name)
    failing = [child for child, witness in witnesses.items() if witness is None]
    if not failing:
        yield f"Learning P({target} | attributes) is convex: the network is a logistic regression."
        yield "The canonical form is perfect and Condition 1 holds: every local optimum is global."
        return
    yield f"Learning P({target} | attributes) may have local optima: no free logistic regression."
    yield from _reasons(structure, failing)
    yield _remedy(embedding)


def _reasons(structure: Structure, failing: list[str]) -> Iterator[str]:
    number = "1 child" if len(failing) == 1 else f"{len(failing):,} children"
    yield f"Condition 1 fails at {number} of the class:"
    last = last_parents(structure)
    for child in failing[:_SHOWN]:
        yield (
            f"  {quoted(child)}: its parent {quoted(last[child])} is not joined to its "
            f"other parents {listed(strangers(structure, child, last[child]), _SHOWN)}"
        )
    if len(failing) > _SHOWN:
        yield f"  … and {len(failing) - _SHOWN:,} more"


def _remedy(embedding: Callable[[], tuple[Arc, ...]]) -> str:
    try:
        arcs = embedding()
    except TooLargeError:
        return "Arcs would mend it, but more than can be listed: simplify the structure."
    shown = [f"{quoted(parent)} → {quoted(child)}" for parent, child in arcs[:_SHOWN]]
    number = "this arc" if len(arcs) == 1 else f"these {len(arcs):,} arcs"
    return f"With {number} added it is convex: {joined(shown, n_more=len(arcs) - len(shown))}."


def _outside(structure: Structure) -> Iterator[str]:
    inside = set(structure.markov_blanket())
    outside = [node for node in structure.attributes if node not in inside]
    if outside:
        target = quoted(structure.class_name)
        yield f"P({target} | attributes) does not depend on {listed(outside)}."


def _sizes(counts: Mapping[str, int | None] | None) -> Iterator[str]:
    if counts is None:
        return
    if counts["roos"] is not None and counts["loglinear"] is not None:
        yield (
            f"Predictors per class but the reference: {in_words(counts['loglinear'])} log-linear, "
            f"{in_words(counts['roos'])} Roos."
        )
    if counts["beta"] is not None:
        yield f"CPT cells of the class and its children: {in_words(counts['beta'])}."
