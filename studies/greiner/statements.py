"""What the study must show, and what else the paper says, checked against our figures."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from studies.common import Record
from studies.common.statistics import LEVEL, TTest
from studies.greiner import curves, tables
from studies.greiner.learners import UNTUNED
from studies.greiner.paper import TABLE_2, TABLE_3, Table
from studies.wrong_structure.tables import curves as wrong_curves
from studies.wrong_structure.tables import statements as wrong_statements

MOST_APART = 3
"""Sets on which OFE may be away from table II."""

Statement = dict[str, Any]
"""``statement``, ``holds``, and ``figures`` that bear it out or do not."""

_ORDERINGS = (
    ("complete", "NB+ELR", "NB+OFE"),
    ("complete", "TAN+ELR", "TAN+OFE"),
    ("incomplete", "NB+ELR", "NB+EM"),
    ("incomplete", "NB+ELR", "NB+APN"),
    (tables.WHOLE, "NB+ELR", "NB+EM"),
    (tables.WHOLE, "NB+ELR", "NB+APN"),
)
_TOO_COMPLEX = ((11, "complete", ("OFE",)), (12, "incomplete", ("APN", "EM")))
"""Figure, rows, and the generative learners that the paper found better there."""


def statements(found: Mapping[str, Table], records: Sequence[Record]) -> list[Statement]:
    """All of them; what has no data is left out."""
    return [
        *_closeness(found.get("complete", {})),
        *_orderings(found),
        *figure_8(records),
        *_irrelevant(records),
        *_superfluous(records),
        *_spaces(found.get("incomplete", {})),
    ]


def _closeness(ours: Table) -> Iterator[Statement]:
    for system in ("NB+OFE", "TAN+OFE"):
        sets = [data for data, row in ours.items() if system in row]
        if sets:
            apart = tables.apart(ours, TABLE_2, system)
            close = len(sets) - len(apart)
            yield {
                "statement": f"{system} is within 2 points, or twice the paper's error bar, of "
                f"table II on all sets but {MOST_APART} (on at least 22 of 25)",
                "holds": len(apart) <= MOST_APART,
                "figures": {"close": close, "of": len(sets), "apart": ", ".join(apart) or "none"},
            }


def _orderings(found: Mapping[str, Table]) -> Iterator[Statement]:
    for rows, better, worse in _ORDERINGS:
        ours = tables.test(found.get(rows, {}), better, worse)
        printed = tables.test(TABLE_2 if rows == "complete" else TABLE_3, better, worse)
        name = f"{rows}: {better} is better than {worse} at p < {LEVEL}"
        for line in _tested(name, ours):
            theirs = {} if printed is None else {"p of the paper's accuracies": printed.p}
            yield {**line, "figures": {**line["figures"], **theirs}}


def figure_8(records: Iterable[Record]) -> list[Statement]:
    """What section 5.1.4 says."""
    own = [record for record in records if record.task["part"] == "wrong structure"]
    return [
        {**line, "statement": f"figure 8, {line['statement']}"}
        for line in wrong_statements(wrong_curves(own))
    ]


def _irrelevant(records: Iterable[Record]) -> Iterator[Statement]:
    points = curves.curves(records, "irrelevant attributes", ("rows", "agreement", "k", "size"))
    for number, rows, rivals in _TOO_COMPLEX:
        for agreement in dict.fromkeys(key[1] for key in points if key[0] == rows):
            chosen = [point for key, point in points.items() if key[:2] == (rows, agreement)]
            for rival in rivals:
                name = f"figure {number} (a), P(E1 = C) = {agreement:g}: NB+{rival} is better than"
                line = _tested(
                    f"{name} NB+ELR that goes to its optimum, at p < {LEVEL}",
                    curves.test(chosen, rival, UNTUNED),
                )
                yield from _beside_tuned(line, curves.test(chosen, rival, "ELR"))


def _superfluous(records: Iterable[Record]) -> Iterator[Statement]:
    points = curves.curves(records, "superfluous links", ("rows", "m"))
    for number, rows, rivals in _TOO_COMPLEX:
        chosen = [point for key, point in points.items() if key[0] == rows]
        for rival in rivals:
            ours = curves.test(chosen, rival, UNTUNED)
            name = f"figure {number} (b): TAN+{rival} is better than TAN+ELR at its optimum"
            if rows == "complete":
                line = _ahead(f"{name} (not significantly so in the paper)", ours)
            else:
                line = _tested(f"{name}, at p < {LEVEL}", ours)
            yield from _beside_tuned(line, curves.test(chosen, rival, "ELR"))


def _beside_tuned(lines: Iterable[Statement], tuned: TTest | None) -> Iterator[Statement]:
    """Tell beside the figures what becomes of them if ELR is cross-tuned."""
    for line in lines:
        theirs = {} if tuned is None else {"gain, ELR tuned": tuned.mean, "p, tuned": tuned.p}
        yield {**line, "figures": {**line["figures"], **theirs}}


def _spaces(ours: Table) -> Iterator[Statement]:
    for learner in ("ELR", "APN"):
        test = tables.test(ours, f"NB+{learner}", f"NB+{learner}_θ")
        yield from _ahead(f"incomplete: NB+{learner} in β is better than in θ", test)


def _tested(statement: str, test: TTest | None) -> Iterator[Statement]:
    for line in _ahead(statement, test):
        yield {**line, "holds": test is not None and test.is_significant(LEVEL)}


def _ahead(statement: str, test: TTest | None) -> Iterator[Statement]:
    if test is not None:
        figures = {"mean gain": test.mean, "p": test.p, "pairs": test.n}
        yield {"statement": statement, "holds": test.mean > 0, "figures": figures}
