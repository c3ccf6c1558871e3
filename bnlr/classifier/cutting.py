"""Ways to cut numbers into intervals, by name.

"mdl"         the MDL rule (Fayyad & Irani 1993)
"mdl-5"       the same, and intervals with more than a fifth of the rows cut at quantiles
"quantile-5"  five intervals of equal weight

with any whole number from 2 on in the place of 5.
"""

import re

from bnlr.data.discretizer import Discretizer
from bnlr.data.mdl_discretizer import MDLDiscretizer
from bnlr.data.quantile_discretizer import QuantileDiscretizer
from bnlr.errors import ParameterError
from bnlr.words import quoted

_NAME = re.compile(r"(mdl|quantile)-([1-9]\d{0,5})")

AUTO = "auto"


def check_cutting(name: object) -> None:
    """Refuse what is no way to cut numbers.

    Raises
    ------
    ParameterError
        With the value and what may be given instead.
    """
    if name is None or (isinstance(name, str) and name == AUTO):
        return
    discretizer_of(name)


def discretizer_of(name: object) -> Discretizer:
    """Return the unfitted discretizer of a name; "auto" is "mdl".

    Raises
    ------
    ParameterError
        As `check_cutting`.
    """
    if isinstance(name, str):
        if name in (AUTO, "mdl"):
            return MDLDiscretizer()
        match = _NAME.fullmatch(name)
        if match is not None and int(match[2]) > 1:
            n_bins = int(match[2])
            return MDLDiscretizer(n_bins) if match[1] == "mdl" else QuantileDiscretizer(n_bins)
    raise ParameterError(
        f"discretize is {quoted(name)}; choose 'auto', 'mdl', 'mdl-K' or 'quantile-K' with a whole "
        "number K from 2 to 999999, or None"
    )
