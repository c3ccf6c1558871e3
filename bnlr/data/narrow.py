"""Whole numbers in as few bytes as they need: the only place where codes are made narrow.

Narrow arrays are compared, copied, looked up and used as indices; whoever adds or multiplies them
does so in integers of 64 bits, here, or where a comment says why fewer suffice. NumPy's own rule
would compute 100 - (-100) in the eight bits of its operands, and wrap.
"""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import CodeArray

AnyIntegers = NDArray[np.integer]


def smallest_dtype(cards: Iterable[int]) -> np.dtype[np.signedinteger]:
    """Return the smallest signed integer type that holds every code and -1."""
    return np.dtype(np.min_scalar_type(-max(cards, default=1)))


def smallest_unsigned(n: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest unsigned integer type that holds the codes 0 to n - 1."""
    return np.dtype(np.min_scalar_type(max(n - 1, 0)))


def offsets(whole: AnyIntegers, low: int, n: int) -> CodeArray:
    """Return ``whole - low`` in the smallest type for 0 to n - 1 and -1.

    Exact where a number lies in that range; what others become, such as fillers of holes, is
    undefined.
    """
    found = np.empty(len(whole), smallest_dtype([n]))
    # The wider of the two types holds the operands, as `whole` does, and the difference, as
    # `found` does. Unsigned numbers from `low` up never leave their own type.
    is_wide = whole.dtype.kind == "u" or whole.dtype.itemsize >= found.itemsize
    kind = (whole if is_wide else found).dtype.type  # not the order of its bytes
    np.subtract(whole, low, out=found, dtype=kind, casting="unsafe")
    return found
