"""A model on one page: what matters in it, how well it does, where it errs, how it was fitted."""

from collections.abc import Sequence

from bnlr.network.opinion_pool import joint_blanket
from bnlr.report.html import Html, named, page, words
from bnlr.report.model.appendix import data_section, origin_section, tables_section
from bnlr.report.model.cases import cases_section, check_rows
from bnlr.report.model.description import fit_section, model_section
from bnlr.report.model.evaluation import Evaluation
from bnlr.report.model.influence import influence_section
from bnlr.report.model.mistakes import mistakes_section
from bnlr.report.model.performance import quality_section, summary_section
from bnlr.report.model.pool import pool_section
from bnlr.words import counted


def report_page(evaluation: Evaluation, title: str | None = None, rows: Sequence[int] = ()) -> str:
    """Return a page of HTML that needs nothing but itself.

    The same evaluation gives the same bytes; no date is in it.

    Parameters
    ----------
    evaluation : Evaluation
    title : str, optional
    rows : sequence of int
        Numbers of the rows to explain, counted from 1; if none, the row predicted with most
        certainty, that with least, and the most wrong one.

    Raises
    ------
    ParameterError
        ``rows`` names a row that does not exist.
    PlotExtraError
        matplotlib is not installed; an ImportError.
    TooLargeError
        Cells are missing, and exact inference would not fit in memory.
    """
    chosen = check_rows(rows, evaluation.data.n_rows)
    sections = [
        summary_section(evaluation),
        influence_section(evaluation),
        quality_section(evaluation),
        mistakes_section(evaluation),
        cases_section(evaluation, chosen),
        model_section(evaluation),
        pool_section(evaluation),
        fit_section(evaluation),
        data_section(evaluation),
        tables_section(evaluation),
        origin_section(evaluation),
    ]
    heading = _heading(evaluation) if title is None else Html(named(title))
    return page(
        heading, _intro(evaluation), [section for section in sections if section is not None]
    )


def _heading(evaluation: Evaluation) -> Html:
    return words("A classifier of {}", named(evaluation.class_name))


def _intro(evaluation: Evaluation) -> Html:
    return words(
        "{} {} from {}, tried on {}. {}.",
        _what(len(evaluation.pool)),
        named(evaluation.class_name),
        counted(len(joint_blanket(evaluation.opinions)), "attribute"),
        counted(evaluation.data.n_rows, "row"),
        _convexity(evaluation),
    )


def _what(n_pooled: int) -> str:
    if not n_pooled:
        return "A Bayesian network that predicts"
    return f"A pool of {counted(n_pooled, 'Bayesian network')} to predict"


def _convexity(evaluation: Evaluation) -> str:
    what = "its first network" if evaluation.pool else "it"
    if evaluation.verdict.is_perfect:
        return f"Learning {what} is convex: it is a logistic regression"
    return f"Learning {what} is not convex"
