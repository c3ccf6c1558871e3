"""Pages of one file that open offline: text, tables and figures in, HTML with all escaped out.

Knows nothing of models, so that studies build their pages of the same parts; the standard library
alone enters.
"""

from bnlr.report.html.markup import (
    Html,
    bullets,
    code,
    figure,
    folded,
    inline,
    key_figures,
    listing,
    named,
    note,
    plain,
    side_by_side,
    strong,
    words,
)
from bnlr.report.html.pages import Section, page
from bnlr.report.html.tables import Column, table

__all__ = [
    "Column",
    "Html",
    "Section",
    "bullets",
    "code",
    "figure",
    "folded",
    "inline",
    "key_figures",
    "listing",
    "named",
    "note",
    "page",
    "plain",
    "side_by_side",
    "strong",
    "table",
    "words",
]
