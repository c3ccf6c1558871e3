"""What ``structure="auto"`` chooses among; what it may spend on them is in `work`."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bnlr.data.dataset import Dataset
from bnlr.learn.choices import SMOOTH
from bnlr.search.learn import learn_structure
from bnlr.structure.dag import Structure

CENTRE = "scaled"
"""Where most shrink to: towards zero won too seldom to pay for its trials."""

CENTRES_OF_ONE = (CENTRE, "zero")
"""Of a structure that is named; see `strength.wants_centre`."""


@dataclass(frozen=True)
class Method:
    """A structure learner with its options, under the name that a user reads.

    A ``structure`` that is given is the same whatever the rows.
    """

    name: str
    options: Mapping[str, Any] = field(default_factory=dict)
    structure: Structure | None = None

    @property
    def label(self) -> str:
        """Name and options as text."""
        options = ", ".join(f"{key}={value}" for key, value in self.options.items())
        return f"{self.name} ({options})" if options else self.name

    def learn(self, data: Dataset) -> Structure:
        """Learn a structure from these rows, unless it is given."""
        if self.structure is not None:
            return self.structure
        return learn_structure(data, self.name, **self.options)


@dataclass(frozen=True)
class Candidate:
    """A structure learner, a way to cut numbers, and what the penalty shrinks to."""

    method: Method
    discretize: str
    penalty_center: str

    @property
    def key(self) -> tuple[str, str, str]:
        """What tells it from others, in words."""
        return self.method.label, self.discretize, self.penalty_center


NAIVE_BAYES, FAN, TAN = Method("naive-bayes"), Method("fan"), Method("tan")
KDB, HGC = Method("kdb", {"k": 2}), Method("hgc", {"score": "bdeu"})
SCORE_FAN, SCORE_TAN = Method("score-fan"), Method("score-tan")
SCORE_KDB = Method("score-kdb", {"k": 3})

CANDIDATES = (
    Candidate(NAIVE_BAYES, "mdl", CENTRE),
    Candidate(NAIVE_BAYES, "quantile-20", SMOOTH),
    Candidate(SCORE_KDB, "mdl", CENTRE),
    Candidate(TAN, "mdl", CENTRE),
    Candidate(TAN, "quantile-10", SMOOTH),
    Candidate(KDB, "mdl", CENTRE),
    Candidate(SCORE_FAN, "mdl", CENTRE),
    Candidate(HGC, "mdl", CENTRE),
    Candidate(TAN, "mdl-5", CENTRE),
    Candidate(SCORE_TAN, "quantile-10", SMOOTH),
    Candidate(KDB, "quantile-5", CENTRE),
    Candidate(FAN, "mdl", CENTRE),
)
"""In order of promise: what comes first is tried first, and ties go to it.

Chosen on the tuned half of the study `defaults`, seed 0: one fold, the least log-loss of the pick
and of the pool when each is added to those before it. More of them make the pick worse: of many
candidates the best on rows left out is the luckiest.
"""

SEARCHED = (Method("cll"),)
"""Tried beside them where no column is cut and it is cheap, by the two bounds below.

On concepts, such as that of nursery, it finds what no other does; elsewhere it costs more than it
gains.
"""

MOST_SEARCHED = 80
"""Columns times classes up to which a search costs little beside the other candidates."""

MOST_CELLS_SEARCHED = 600
"""States times classes up to which it does: a column of names has as many states as rows."""

FORESTS = (NAIVE_BAYES, FAN, TAN)
"""What a search starts from."""

_SUMMED_OUT = ("naive-bayes", "fan", "tan", "score-fan", "score-tan")
"""Those that can be learnt from rows with holes, and in which summing out is cheap."""


def for_summing_out(candidates: Iterable[Candidate]) -> tuple[Candidate, ...]:
    """Those of the candidates that are for rows whose holes are summed out."""
    return tuple(one for one in candidates if one.method.name in _SUMMED_OUT)


def narrowed(
    candidates: Iterable[Candidate],
    discretize: str | None = None,
    penalty_center: str | None = None,
) -> tuple[Candidate, ...]:
    """The candidates where a way to cut, or a centre, is given; each once, in their order."""
    found: dict[tuple[str, str, str], Candidate] = {}
    for one in candidates:
        given = replace(
            one,
            discretize=discretize or one.discretize,
            penalty_center=penalty_center or one.penalty_center,
        )
        found.setdefault(given.key, given)
    return tuple(found.values())
