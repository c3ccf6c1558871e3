"""Whether each promise is kept, and with how small a share of its number."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np

import bnlr
from studies.common import Record
from studies.sample_sizes.run import PROMISES, SHARES, events, world

LEAST_TRIES = 20
"""Fewer tell nothing of a promise that may fail once in ten."""
_ZERO = 1e-20
"""A mean of squared roundings."""


@dataclass(frozen=True)
class Point:
    """A promise with a share of its number: what was used, and by how much each try was off."""

    promise: str
    share: float
    promised: Mapping[str, float]
    used: Mapping[str, int]
    off: Sequence[float]
    n_failed: int

    @property
    def failed(self) -> float:
        """Share of the tries that were off by ε or more."""
        return self.n_failed / len(self.off)

    @property
    def is_kept(self) -> bool:
        """Whether no more of them failed than δ."""
        return self.failed <= PROMISES[self.promise].delta

    @property
    def quantile(self) -> float:
        """By how much the tries were off at most but for a share of δ of them."""
        return float(np.quantile(self.off, 1.0 - PROMISES[self.promise].delta))


def points(records: Iterable[Record]) -> list[Point]:
    """In order of the promises and the shares."""
    found = {
        (str(r.task["promise"]), float(str(r.task["share"]))): Point(
            str(r.task["promise"]),
            float(str(r.task["share"])),
            r.result["promised"],
            r.result["used"],
            r.result["off"],
            r.result["failed"],
        )
        for r in records
    }
    return [found[p, s] for p in PROMISES for s in SHARES if (p, s) in found]


def statements(every: Sequence[Point]) -> list[dict[str, Any]]:
    """Whether each promise is kept with the number that it names; None of too few tries."""
    said = []
    for name, promise in PROMISES.items():
        own = [point for point in every if point.promise == name]
        for point in (p for p in own if p.share == 1.0):
            kept = [p.share for p in own if p.is_kept]
            said.append(
                {
                    "statement": f"{name}: {promise.title}, within ε = {promise.eps:g} with "
                    f"probability 1 − δ = {1 - promise.delta:g}",
                    "holds": point.is_kept if len(point.off) >= LEAST_TRIES else None,
                    "figures": {
                        **{what: ceil(n) for what, n in point.promised.items()},
                        "tries": len(point.off),
                        "failed": point.n_failed,
                        "off, at the quantile 1 − δ": point.quantile,
                        "smallest share that keeps it": min(kept) if kept else "none",
                    },
                }
            )
    return said


def observation(network: bnlr.BayesianNetwork | None = None) -> dict[str, Any]:
    """Observation 1, of the network that the events come from or another.

    The labels are shares of the 2^N events, enumerated.
    """
    own = world()
    joint, conditions, both = events(own)
    shares = (joint @ both) / (joint @ conditions)
    labelled = [
        bnlr.Query(q.targets, q.evidence, p=float(p))
        for q, p in zip(own.queries, shares, strict=True)
    ]
    asked = bnlr.QuerySet(labelled, own.weights)
    error = bnlr.query_error(own.true if network is None else network, asked)
    return {
        "statement": "observation 1: the network that the events come from has the least error on "
        "the queries, 0",
        "holds": error < _ZERO,
        "figures": {"error": error, "error of B": bnlr.query_error(own.other, asked)},
    }


def flat(every: Iterable[Point]) -> list[dict[str, Any]]:
    """A row a promise and share."""
    return [
        {
            "promise": p.promise,
            "share": p.share,
            **{f"used {what}": n for what, n in p.used.items()},
            "tries": len(p.off),
            "failed": p.failed,
            "off_at_quantile": p.quantile,
        }
        for p in every
    ]
