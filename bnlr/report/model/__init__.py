"""A page about one model, a file a section: what it is, how it was fitted, how well it predicts.

An `Evaluation`, a network and rows in its states, enters; nothing here fits. Pictures are `plots`',
markup is `html`'s.
"""

from bnlr.report.model.evaluation import Evaluation
from bnlr.report.model.report_page import report_page

__all__ = ["Evaluation", "report_page"]
