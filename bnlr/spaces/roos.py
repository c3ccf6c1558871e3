"""The logistic regression of Roos et al.: one parameter per table cell and class.

Source: Feelders & Ivanovs 2006, section 3.1.
"""

from bnlr._typing import States
from bnlr.spaces.l_model import Free, require_perfect
from bnlr.structure.dag import Structure


class Roos(Free):
    """Logistic regression on the indicators of pa(0) and of each φ(i), i a child of the class.

    Parameters are w^(c) for the cells in stacked order, non-reference classes contiguous:
    ``size`` = n_cells · (n_classes − 1). Overparametrised: every row has one indicator a family.

    Raises
    ------
    NotPerfectError
        The canonical form is not perfect; the message names the violations and the embedding.
    """

    name = "roos"

    def __init__(self, structure: Structure, states: States) -> None:
        super().__init__(structure, states)
        require_perfect(self.report, type(self).__name__)
