"""A structure that is not perfect made a logistic regression by further arcs."""

from typing import NamedTuple

from bnlr.structure.dag import Structure
from bnlr.structure.report import StructureReport, analyze

_SHOWN = 5


class Embedded(NamedTuple):
    """The structure to fit, its verdict, and a sentence on what was added; empty if nothing."""

    structure: Structure
    report: StructureReport
    note: str


def embedded(report: StructureReport) -> Embedded:
    """Add the arcs of ``report.embedding``; a perfect structure stays as it is."""
    structure = report.structure
    if report.satisfies_condition_1:
        return Embedded(structure, report, "")
    arcs = report.embedding
    larger = structure.with_arcs(arcs)
    sizes = report.sizes
    cards = None if sizes is None else dict(zip(structure.nodes, sizes, strict=True))
    new = analyze(larger, cards)
    shown = ", ".join(f"{a}→{b}" for a, b in arcs[:_SHOWN]) + (" …" if len(arcs) > _SHOWN else "")
    return Embedded(
        larger,
        new,
        f"The structure as given is not perfect ({report.n_violations} unmarried pairs of "
        f"parents), so learner 'elr' would find a local optimum of its {_beta(report)} CPT cells; "
        f"{_many(len(arcs))} added ({shown}) make it a logistic regression with "
        f"{_beta(new)} CPT cells ({_roos(new)} predictors for each class but the first).",
    )


def _many(n: int) -> str:
    return "1 arc" if n == 1 else f"{n} arcs"


def _beta(report: StructureReport) -> str:
    counts = report.parameter_counts
    return "?" if counts is None else f"{counts['beta']:,}"


def _roos(report: StructureReport) -> str:
    counts = report.parameter_counts
    return "?" if counts is None else f"{counts['roos']:,}"
