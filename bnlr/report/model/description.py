"""What the model is, and how it was fitted, as sections of a page."""

from collections.abc import Iterator
from math import isfinite
from typing import TYPE_CHECKING

from bnlr.errors import TooLargeError
from bnlr.report.html import (
    Html,
    Section,
    block,
    bullets,
    figure,
    folded,
    inline,
    listing,
    named,
    note,
    paragraph,
    side_by_side,
    table,
    words,
)
from bnlr.report.model.evaluation import Evaluation
from bnlr.report.plots.drawing import svg_of
from bnlr.report.plots.graph import figure_size
from bnlr.report.plots.structure import plot_structure
from bnlr.words import counted

if TYPE_CHECKING:
    from bnlr.learn.result import FitResult

_MOST_ROWS = 30


def model_section(evaluation: Evaluation) -> Section:
    """Class, attributes, picture and verdict."""
    report = evaluation.verdict
    first, *rest = str(report).splitlines()
    text = [
        paragraph(_composition(evaluation)),
        note(first),
        *([bullets([line.strip() for line in rest])] if rest else []),
    ]
    is_wide = figure_size(evaluation.network.structure)[0] > 6
    picture = _picture(evaluation)
    shown = [*text, picture] if is_wide else [side_by_side([block(text), picture])]
    return Section("The model", [*shown, *_violations(evaluation)])


def _composition(evaluation: Evaluation) -> Html:
    structure = evaluation.network.structure
    return words(
        "The class {} has {}: {}. The network has {} and {}: {}.",
        named(structure.class_name),
        counted(len(evaluation.classes), "state"),
        listing([named(label) for label in evaluation.classes]),
        counted(len(structure.attributes), "attribute"),
        counted(len(structure.edges), "arc"),
        listing([named(node) for node in structure.attributes], 24) or "none",
    )


def _picture(evaluation: Evaluation) -> Html:
    structure, report = evaluation.network.structure, evaluation.verdict
    drawing = svg_of(plot_structure(structure, report, layout="circle"))
    alt = (
        f"Graph of the class {structure.class_name}, "
        f"{counted(len(structure.attributes), 'attribute')} and "
        f"{counted(len(structure.edges), 'arc')}"
        f"{'' if report.is_perfect else '; parents that are not joined are marked'}"
    )
    caption = "The structure: the class in the middle, arcs from it in grey."
    if not report.is_perfect:
        caption += (
            " Red diamonds are parents of a common child that are not joined, with their arcs to "
            "it; dashed arcs, if added, would make learning convex."
        )
    is_wide = figure_size(structure)[0] > 6
    return figure(drawing, caption, alt, kind="graph wide" if is_wide else "graph")


def _violations(evaluation: Evaluation) -> Iterator[Html]:
    report = evaluation.verdict
    if report.is_perfect:
        return
    try:
        triples, arcs = report.violations, report.embedding
    except TooLargeError:
        return
    shown = [[named(node) for node in triple] for triple in triples[:_MOST_ROWS]]
    lacking = len(triples) - len(shown)
    caption = "Parents that are not joined, in the canonical form" + (
        f": the first {_MOST_ROWS} of {len(triples):,}" if lacking else ""
    )
    yield folded(
        f"What breaks convexity: {counted(len(triples), 'pair')} of parents",
        table(["child", "one parent", "another parent"], shown, caption),
    )
    if arcs:
        pairs = [words("{} → {}", named(parent), named(child)) for parent, child in arcs]
        yield words("With these arcs it would be convex: {}.", listing(pairs, _MOST_ROWS))


def fit_section(evaluation: Evaluation) -> Section:
    """Learner, space, solver, optimum, gap, penalty and separation."""
    result = evaluation.result
    if result is None:
        parts = [inline("The file holds the network alone, not how its tables were found.")]
        rows = [*evaluation.facts.items()]
    else:
        parts = list(_outcome(result))
        rows = [*_how(result), *evaluation.facts.items()]
    if rows:
        parts.append(table(["what", "value"], rows, "The fit."))
    return Section("How it was fitted", parts)


def _outcome(result: "FitResult") -> Iterator[Html]:
    """Why the learner stopped, and set off from it that there is no finite optimum."""
    separation = result.separation
    if separation is None or not separation.is_separated:
        yield inline(result.message)
        return
    yield note(separation.message)
    yield inline(" ".join(result.message.replace(separation.message, "").split()))


def _how(result: "FitResult") -> Iterator[tuple[str, str]]:
    yield "learner", f"{result.learner}: {result.why}"
    yield "space, solver", f"{result.space}, {result.solver}"
    yield "iterations", f"{result.n_iter:,}" + ("" if result.converged else ", not converged")
    yield "conditional log-likelihood", f"{_number(result.start_cll)} → {_number(result.cll)}"
    if result.upper_bound is not None:
        gap = "" if result.gap is None else f", {result.gap:.2g} above what was reached"
        yield "proven upper bound", _number(result.upper_bound) + gap
    if result.penalty:
        towards = ""
        if result.center_scale is not None:
            towards = f" towards {result.center_scale:.3g} times the frequency estimates' log-odds"
        yield "penalty", f"{result.penalty:g}{towards}"


def _number(value: float | None) -> str:
    if value is None:
        return "–"
    if not isfinite(value):
        return "−∞" if value < 0 else "∞"
    return f"{round(value, 4) + 0.0:,.4f}".replace("-", "−")
