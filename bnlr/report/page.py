"""A model on one page: what it is, how it was fitted, how well it does, and why."""

from collections.abc import Sequence

from bnlr.report.about_model import fit_section, model_section
from bnlr.report.appendix import data_section, origin_section, tables_section
from bnlr.report.cases import cases_section, check_rows
from bnlr.report.html_page import page
from bnlr.report.influence import influence_section
from bnlr.report.markup import Html, named, words
from bnlr.report.quality import quality_section
from bnlr.report.subject import Subject
from bnlr.words import counted


def report_page(subject: Subject, title: str | None = None, rows: Sequence[int] = ()) -> str:
    """Return a page of HTML that needs nothing but itself.

    The same subject gives the same bytes; no date is in it.

    Parameters
    ----------
    subject : Subject
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
    chosen = check_rows(rows, subject.data.n_rows)
    sections = [
        quality_section(subject),
        model_section(subject),
        fit_section(subject),
        influence_section(subject),
        cases_section(subject, chosen),
        data_section(subject),
        tables_section(subject),
        origin_section(subject),
    ]
    heading = _heading(subject) if title is None else Html(named(title))
    return page(heading, _intro(subject), [section for section in sections if section is not None])


def _heading(subject: Subject) -> Html:
    return words("A classifier of {}", named(subject.class_name))


def _intro(subject: Subject) -> Html:
    verdict = subject.verdict
    convexity = (
        "Learning it is convex: it is a logistic regression"
        if verdict.is_perfect
        else "Learning it is not convex"
    )
    return words(
        "A Bayesian network that predicts {} from {}, tried on {}. {}.",
        named(subject.class_name),
        counted(len(subject.network.structure.markov_blanket()), "attribute"),
        counted(subject.data.n_rows, "row"),
        convexity,
    )
