"""Where the model errs: values of attributes whose rows it predicts worse than the others."""

from collections.abc import Iterator
from math import inf, isfinite
from typing import NamedTuple

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray
from bnlr.report.html import Column, Html, Section, named, table, words
from bnlr.report.model.evaluation import Evaluation
from bnlr.words import counted

_LEAST_ROWS = 10
_LEAST_Z = 2.0
_MOST_SHOWN = 8
_SURE = 0.9
_ROUNDING = 1e-12
_LARGEST_LOSS = -float(np.log(1e-12))  # one infinite loss would be all that there is to see


class Group(NamedTuple):
    """The rows with one value of an attribute, beside all others.

    ``code`` is −1 where the cell is missing; ``loss`` and ``elsewhere`` are mean log-losses,
    ``z`` is their difference by its standard error (Welch), infinite where neither varies.
    """

    attribute: str
    code: int
    n: int
    loss: float
    elsewhere: float
    wrong: float
    z: float


def groups(evaluation: Evaluation) -> list[Group]:
    """Return each value of each attribute that ten rows have and ten have not, the worst first."""
    truth, found = evaluation.codes, evaluation.known_probabilities
    with np.errstate(divide="ignore"):
        losses = np.minimum(-np.log(found[np.arange(len(truth)), truth]), _LARGEST_LOSS)
    is_wrong = found.argmax(axis=1) != truth
    seen = [
        group
        for attribute in evaluation.network.structure.attributes
        for group in _of(
            attribute, evaluation.data.column(attribute)[evaluation.known], losses, is_wrong
        )
    ]
    return sorted(seen, key=lambda group: (-group.z, group.attribute, group.code))


def _of(
    attribute: str, codes: CodeArray, losses: FloatArray, is_wrong: BoolArray
) -> Iterator[Group]:
    for code in np.unique(codes):
        here = codes == code
        n = int(here.sum())
        if min(n, len(codes) - n) < _LEAST_ROWS:
            continue
        own, rest = losses[here], losses[~here]
        means = float(own.mean()), float(rest.mean())
        error = float(np.sqrt(own.var(ddof=1) / n + rest.var(ddof=1) / len(rest)))
        z = _ratio(means[0] - means[1], error, _ROUNDING * max(1.0, *means))
        yield Group(attribute, int(code), n, *means, float(is_wrong[here].mean()), z)


def _ratio(difference: float, error: float, rounding: float) -> float:
    """A difference by its error, ±inf where the losses do not vary, 0 of what is rounding alone."""
    if abs(difference) <= rounding:
        return 0.0
    return difference / error if error > rounding else inf if difference > 0 else -inf


def mistakes_section(evaluation: Evaluation) -> Section | None:
    """How often the model was sure and wrong, and where; None where no row has a class."""
    if not evaluation.known.size or len(evaluation.classes) < 2:
        return None
    seen = groups(evaluation)
    worse = [group for group in seen if group.z >= _LEAST_Z]
    return Section("Where it errs", [_when_sure(evaluation), *_table(evaluation, worse, len(seen))])


def _when_sure(evaluation: Evaluation) -> Html:
    top = evaluation.known_probabilities.max(axis=1)
    is_wrong = evaluation.known_probabilities.argmax(axis=1) != evaluation.codes
    sure = top >= _SURE
    return words(
        "In {} of {} the most probable class had the probability 0.9 or more; it was wrong in {} "
        "of them, where its own probabilities let one expect {}.",
        f"{int(sure.sum()):,}",
        counted(len(top), "row"),
        f"{int((sure & is_wrong).sum()):,}",
        f"{float((1.0 - top[sure]).sum()):.1f}",
    )


def _table(evaluation: Evaluation, worse: list[Group], n_seen: int) -> Iterator[Html]:
    looked = f"Of {counted(n_seen, 'group')} of ten rows or more that share a value"
    if not worse:
        yield words(
            "{}, none is predicted worse than the other rows by two standard errors.", looked
        )
        return
    columns: list[Column | str] = [
        "rows with",
        "rows",
        Column("log-loss", ".3f", bar=True),
        Column("of the others", ".3f"),
        Column("wrong", ".1%"),
        Column("standard errors", "+.1f"),
    ]
    rows = [
        [_shown(evaluation, g), g.n, g.loss, g.elsewhere, g.wrong, g.z if isfinite(g.z) else "∞"]
        for g in worse[:_MOST_SHOWN]
    ]
    first = f", the first {_MOST_SHOWN}" if len(worse) > _MOST_SHOWN else ""
    caption = (
        f"{looked}, those predicted worse than the other rows by two standard errors or "
        f"more{first}. By chance alone about one in forty would be."
    )
    yield table(columns, rows, caption)


def _shown(evaluation: Evaluation, group: Group) -> Html:
    if group.code < 0:
        return words("{} missing", named(group.attribute))
    states = evaluation.network.states[group.attribute]
    if len(states) == 1:  # numbers that were not cut; the other rows have none
        return words("{} not missing", named(group.attribute))
    state = states[group.code]
    return words("{} = {}", named(group.attribute), named(state))
