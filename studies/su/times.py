"""Table 3: seconds of a training, and the ratios that the paper names.

What is here differs from run to run, so it is kept apart from the other result files.
"""

from collections.abc import Iterable, Mapping
from statistics import fmean
from typing import Any

from studies.common import Record
from studies.su.paper import COLUMNS, OPTIMUM, TABLE_3, is_whole
from studies.su.run import ACCURACY

Seconds = Mapping[str, Mapping[str, tuple[float, float]]]
"""Data set, then learner → mean seconds for structure and for parameters."""

RATIO_OF = ("NB+FE", "NB+DFE", "NB+ELR")
AIM = (1.0, 4.0, 60.0)
"""With the penalised optimum in place of ELR's ascent."""


def seconds(records: Iterable[Record]) -> dict[str, dict[str, tuple[float, float]]]:
    """Mean over the repetitions of each data set."""
    grouped: dict[str, list[Record]] = {}
    for record in records:
        if record.task["kind"] == ACCURACY:
            grouped.setdefault(str(record.task["data"]), []).append(record)
    return {
        data: {learner: (_mean(own, learner, "structure"), _mean(own, learner, "parameters"))
               for learner in COLUMNS}
        for data, own in sorted(grouped.items(), key=lambda item: list(TABLE_3).index(item[0]))
    }  # fmt: skip


def _mean(records: Iterable[Record], learner: str, what: str) -> float:
    return fmean(record.seconds[f"{learner} {what}"] for record in records)


def ratios(found: Seconds, third: str = RATIO_OF[-1]) -> tuple[float, ...]:
    """Seconds for parameters of FE, DFE and ELR or another, summed over the sets, FE's as 1."""
    names = (*RATIO_OF[:-1], third)
    totals = [sum(own[learner][1] for own in found.values()) for learner in names]
    return tuple(total / totals[0] for total in totals)


def paper_ratios() -> tuple[float, ...]:
    """The same from the paper's own table 3."""
    totals = [sum(row[learner] for row in TABLE_3.values()) for learner in RATIO_OF]
    return tuple(total / totals[0] for total in totals)


def verdict(found: Seconds) -> dict[str, Any]:
    """The ratio beside its aim; it holds if neither DFE nor the optimum takes longer than aimed.

    There is no verdict on fewer sets than are judged.
    """
    own = ratios(found, OPTIMUM)
    is_quick = all(ours <= aim for ours, aim in zip(own, AIM, strict=True))
    return {
        "statement": f"training time FE : DFE : {OPTIMUM.removeprefix('NB+')} summed over the sets "
        "at most 1 : 4 : 60",
        "found": list(own),
        "holds": is_quick if is_whole(found) else None,
    }
