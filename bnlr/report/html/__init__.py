"""Pages of one file that open offline: text, tables and figures in, HTML with all escaped out.

Knows nothing of models, so that studies build their pages of the same parts; the standard library
alone enters.
"""

from bnlr.report.html.markup import Html as Html
from bnlr.report.html.markup import block as block
from bnlr.report.html.markup import bullets as bullets
from bnlr.report.html.markup import code as code
from bnlr.report.html.markup import figure as figure
from bnlr.report.html.markup import folded as folded
from bnlr.report.html.markup import inline as inline
from bnlr.report.html.markup import key_figures as key_figures
from bnlr.report.html.markup import listing as listing
from bnlr.report.html.markup import named as named
from bnlr.report.html.markup import note as note
from bnlr.report.html.markup import paragraph as paragraph
from bnlr.report.html.markup import plain as plain
from bnlr.report.html.markup import side_by_side as side_by_side
from bnlr.report.html.markup import strong as strong
from bnlr.report.html.markup import words as words
from bnlr.report.html.pages import Section as Section
from bnlr.report.html.pages import page as page
from bnlr.report.html.tables import Column as Column
from bnlr.report.html.tables import table as table
