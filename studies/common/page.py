"""The parts of a study's page, which are those of the package's own reports."""

from bnlr.report.html_page import (
    Column,
    Html,
    Section,
    bullets,
    code,
    figure,
    inline,
    note,
    page,
    strong,
    table,
)

__all__ = [
    "Column",
    "Html",
    "Section",
    "bullets",
    "code",
    "figure",
    "inline",
    "note",
    "page",
    "strong",
    "table",
]
