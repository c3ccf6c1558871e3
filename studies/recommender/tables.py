"""How well flops were foretold, and the rates that would foretell them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf, log
from statistics import fmean, median
from typing import Any

import numpy as np
from scipy import stats

from bnlr.learn.recommendation import RATES
from studies.common import Record
from studies.feelders_ivanovs.paper import ADVICE, COLUMNS, Column
from studies.recommender.run import FIT, JUDGE

LEAST_PROBLEMS = 30
LEAST_CORRELATION = 0.8
MOST_REGRET = 1.5
"""What the mean rank correlation must be at least, and the mean flops of what is recommended at
most, the cheapest of the problem as 1; judged on so many problems at least."""


@dataclass(frozen=True)
class Foretold:
    """One problem: expected and spent flops of the columns that reached the threshold."""

    name: str
    expected: Mapping[Column, float]
    spent: Mapping[Column, float]

    @property
    def correlation(self) -> float | None:
        """Spearman's, over the columns; None where all cost the same, which has no order."""
        columns = list(self.spent)
        expected, spent = ([of[c] for c in columns] for of in (self.expected, self.spent))
        if min(len(set(expected)), len(set(spent))) < 2:
            return None
        return float(stats.spearmanr(expected, spent).statistic)

    @property
    def recommended(self) -> Column:
        """The column expected to be the cheapest."""
        return min(self.expected, key=self.expected.__getitem__)

    @property
    def cheapest(self) -> Column:
        """The column that was."""
        return min(self.spent, key=self.spent.__getitem__)

    def regret(self, column: Column) -> float | None:
        """Flops of a column, the cheapest as 1; None if it never reached the threshold."""
        flops = self.spent.get(column)
        return None if flops is None else flops / self.spent[self.cheapest]


def judged(records: Iterable[Record]) -> list[Foretold]:
    """The problems to judge by whose nine are not all at their start already."""
    found = []
    for record in records:
        if record.task["use"] == JUDGE:
            own = {(c["space"], c["solver"]): c for c in record.result["columns"]}
            spent = {column: c["flops"] for column, c in own.items() if c["flops"]}
            if len(spent) > 1:
                expected = {column: c["expected"] for column, c in own.items()}
                found.append(Foretold(record.result["name"], expected, spent))
    return found


def fitted_rates(records: Iterable[Record]) -> dict[Column, tuple[float, float, float]]:
    """Least squares of ln iterations on ln steps, and median evaluations an iteration."""
    points: dict[Column, list[tuple[float, float, float]]] = {column: [] for column in COLUMNS}
    for record in records:
        for c in record.result["columns"] if record.task["use"] == FIT else ():
            if c["iterations"]:
                n = c["iterations"]
                points[c["space"], c["solver"]].append((c["steps"], n, c["evaluations"] / n))
    return {column: _rate(own) for column, own in points.items() if len(own) > 2}


def _rate(points: Sequence[tuple[float, float, float]]) -> tuple[float, float, float]:
    steps, iterations, evaluations = np.array(points).T
    design = np.column_stack([np.ones(len(steps)), np.log(steps)])
    intercept, slope = np.linalg.lstsq(design, np.log(iterations), rcond=None)[0]
    return (
        round(float(intercept), 2),
        round(float(slope), 2),
        round(float(np.median(evaluations)), 2),
    )


def statements(found: Sequence[Foretold]) -> list[dict[str, Any]]:
    """Whether what is foretold comes; None on fewer problems than it takes."""
    if not found:
        return []
    regrets = [_or_infinite(one.regret(one.recommended)) for one in found]
    advised = {
        column: fmean(_or_infinite(one.regret(column)) for one in found) for column in ADVICE
    }
    is_enough = len(found) >= LEAST_PROBLEMS
    return [
        *_ranks([one.correlation for one in found if one.correlation is not None]),
        {
            "statement": f"what is recommended costs at most {MOST_REGRET:g} times the cheapest in "
            "the mean",
            "holds": fmean(regrets) <= MOST_REGRET if is_enough else None,
            "figures": {
                "mean": _shown(fmean(regrets)),
                "largest": _shown(max(regrets)),
                "is the cheapest": sum(one.recommended == one.cheapest for one in found),
                "of": len(found),
            },
        },
        {
            "statement": "it costs less in the mean than each one method that the paper advises",
            "holds": fmean(regrets) < min(advised.values()) if is_enough else None,
            "figures": {
                "recommended": _shown(fmean(regrets)),
                **{" ".join(column): _shown(mean) for column, mean in advised.items()},
            },
        },
    ]


def _ranks(correlations: Sequence[float]) -> Iterator[dict[str, Any]]:
    if correlations:
        mean = fmean(correlations)
        yield {
            "statement": "the rank correlation of expected with spent flops over the nine is at "
            f"least {LEAST_CORRELATION:g} in the mean",
            "holds": mean >= LEAST_CORRELATION if len(correlations) >= LEAST_PROBLEMS else None,
            "figures": {
                "mean": mean,
                "median": median(correlations),
                "least": min(correlations),
                "problems": len(correlations),
            },
        }


def _or_infinite(regret: float | None) -> float:
    """Who never reached the threshold is infinitely dear."""
    return inf if regret is None else regret


def _shown(mean: float) -> float | str:
    """A mean as result files carry it: infinities they do not."""
    return mean if mean < inf else "infinite"


def off_by(records: Iterable[Record]) -> dict[str, float]:
    """Median factor by which expected flops are off, by column, on the problems to judge by."""
    factors: dict[str, list[float]] = {}
    for record in records:
        for c in record.result["columns"] if record.task["use"] == JUDGE else ():
            if c["flops"]:
                off = abs(log(c["expected"] / c["flops"]))
                factors.setdefault(f"{c['space']} {c['solver']}", []).append(off)
    return {name: float(np.exp(median(own))) for name, own in factors.items()}


def package_rates() -> dict[Column, tuple[float, float, float]]:
    """The rates that `bnlr.recommend` has."""
    return dict(RATES)
