"""Missing cells summed out, or a state of their own: the same learner both ways."""

from typing import NamedTuple

from studies.common.sets import Loaded
from studies.defaults.compare import Comparison, compare
from studies.defaults.datasets import Rows
from studies.defaults.learners import AUTO, FIXED
from studies.defaults.tables import Results, counted

PAIRS = ((AUTO, "auto-state"), (FIXED, "fan-state"))
"""Summed out, and the same with a state."""


class BothWays(NamedTuple):
    """Log-losses on one set."""

    data: str
    share: float
    losses: tuple[float | None, ...]


def both_ways(found: Results, loaded: Loaded[Rows]) -> list[BothWays]:
    """The sets with holes, the most holes first."""
    lines = [
        BothWays(
            data,
            loaded.sets[data].missing_share,
            tuple(own[name].mean() if name in own else None for pair in PAIRS for name in pair),
        )
        for data, own in found.items()
        if loaded.sets[data].missing_share
    ]
    return sorted(lines, key=lambda line: -line.share)


def comparisons(found: Results) -> list[Comparison]:
    """Summing out against a state, over the counted sets with holes."""
    listed = [compare(found, counted(found, pair), *pair) for pair in PAIRS]
    return [comparison for comparison in listed if comparison is not None]
