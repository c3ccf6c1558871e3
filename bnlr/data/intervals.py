"""Names of the intervals that numbers are cut into, and the cut points in such names."""

import re
from collections.abc import Iterable, Sequence
from itertools import pairwise

from bnlr._typing import FloatArray, State

_NAME = re.compile(r"\((\S+), (\S+)[\])]")


def interval_labels(cuts: FloatArray) -> list[str]:
    """Return readable names of the intervals between cut points, ``'(-inf, inf)'`` for none.

    Digits are dropped only where that leaves the cut point the same number.
    """
    ends = ["-inf", *(_shortest(float(cut)) for cut in cuts), "inf"]
    closings = ["]"] * len(cuts) + [")"]
    return [
        f"({low}, {high}{closing}"
        for low, high, closing in zip(ends[:-1], ends[1:], closings, strict=True)
    ]


def cut_texts(labels: Sequence[State]) -> list[str]:
    """Return the cut points in the names of the first of ``labels``, one interval after the other.

    As they are written; none where there are no such intervals. Further labels may follow.
    """
    ends = list(_leading_ends(labels))
    if len(ends) < 2 or ends[0][0] != "-inf" or ends[-1][1] != "inf":
        return []
    is_chain = all(one[1] == two[0] for one, two in pairwise(ends))
    return [high for _, high in ends[:-1]] if is_chain else []


def _leading_ends(labels: Iterable[State]) -> Iterable[tuple[str, str]]:
    for label in labels:
        match = _NAME.fullmatch(label) if isinstance(label, str) else None
        if match is None:
            return
        yield match[1], match[2]


def _shortest(cut: float) -> str:
    text = f"{cut:.12g}"
    return text if float(text) == cut else repr(cut)
