"""What all starts of a formula come to, and whether the CLL decides satisfiability."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import log
from typing import Any

from studies.common import Record
from studies.sat.formula import Formula

NEAR = 0.01
"""A CLL above −NEAR counts as 0, its supremum."""

UNSATISFIABLE = -2.0 * log(2.0)
"""The supremum where the best assignment leaves one clause false (MATH.md: ELR, Theorem 2)."""


@dataclass(frozen=True)
class FormulaResult:
    """A formula, whether it is satisfiable by trying all, and what the starts reached.

    ``clls`` are in order of the starts; ``n_false`` the clauses that the assignment read off the
    best network leaves false.
    """

    formula: Formula
    n_satisfying: int
    clls: tuple[float, ...]
    n_false: int

    @property
    def best(self) -> float:
        """The largest CLL of all starts."""
        return max(self.clls)

    @property
    def n_zero(self) -> int:
        """Starts that reach a CLL of 0."""
        return sum(cll > -NEAR for cll in self.clls)

    @property
    def is_satisfiable(self) -> bool:
        """Whether an assignment satisfies the formula: the truth, from trying all."""
        return self.n_satisfying > 0

    @property
    def says_satisfiable(self) -> bool:
        """What the CLL says."""
        return self.n_zero > 0

    @property
    def is_right(self) -> bool:
        """Whether the CLL says the truth."""
        return self.says_satisfiable == self.is_satisfiable


def verdicts(records: Iterable[Record], formulas: Mapping[str, Formula]) -> list[FormulaResult]:
    """A verdict for each formula with a finished start, in the formulas' order."""
    own: dict[str, list[Record]] = {}
    for record in records:
        own.setdefault(str(record.task["formula"]), []).append(record)
    return [_verdict(formulas[name], own[name]) for name in formulas if name in own]


def _verdict(formula: Formula, records: list[Record]) -> FormulaResult:
    ordered = sorted(records, key=lambda record: int(str(record.task["start"])))
    best = max(ordered, key=lambda record: record.result["cll"])
    return FormulaResult(
        formula=formula,
        n_satisfying=sum(1 for _ in formula.satisfying()),
        clls=tuple(record.result["cll"] for record in ordered),
        n_false=best.result["n_false"],
    )


def checks(found: Iterable[FormulaResult]) -> dict[str, Any]:
    """The figures of the page's verdict: right in how many of all, and which are not."""
    every = list(found)
    proofs = [v for v in every if v.says_satisfiable]
    return {
        "formulas": len(every),
        "satisfiable": sum(v.is_satisfiable for v in every),
        "reach_zero": len(proofs),
        "right": sum(v.is_right for v in every),
        "wrong": [v.formula.name for v in every if not v.is_right],
        "zero_though_unsatisfiable": [v.formula.name for v in proofs if not v.is_satisfiable],
        "assignments_read_off_that_satisfy": sum(v.n_false == 0 for v in proofs),
        "assignments_read_off": len(proofs),
    }


def flat(found: Iterable[FormulaResult]) -> list[dict[str, Any]]:
    """A row a formula and start."""
    return [
        {
            "formula": verdict.formula.name,
            "variables": verdict.formula.n_variables,
            "clauses": len(verdict.formula.clauses),
            "satisfying": verdict.n_satisfying,
            "start": start,
            "cll": cll,
        }
        for verdict in found
        for start, cll in enumerate(verdict.clls)
    ]
