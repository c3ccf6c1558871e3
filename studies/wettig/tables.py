"""Which of the four suprema each start reaches."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from studies.common import Record
from studies.common.statistics import judged, of_all
from studies.wettig.run import EMBEDDED, KINDS
from studies.wettig.truth import SAMPLES, Sample, g, sample_of

CLOSE = 1e-4
"""Suprema are approached, not attained: CLLs are compared to so many nats."""

_MIXES, _EDGE = (0.1, 0.3, 0.5, 0.7, 0.9), 1e-9
"""Where x is looked at, and how near y comes to its ends, where the supremum is."""


@dataclass(frozen=True)
class Ends:
    """Where the starts of one kind end on one sample: {supremum's CLL: starts}, and elsewhere."""

    sample: Sample
    kind: str
    n_at: Mapping[float, int]
    n_elsewhere: int

    @property
    def n(self) -> int:
        """All starts."""
        return sum(self.n_at.values()) + self.n_elsewhere

    @property
    def n_best(self) -> int:
        """Starts that reach the largest CLL that there is."""
        return self.n_at[levels(self.sample)[0]]


@dataclass(frozen=True)
class Embedding:
    """What the arcs that make Condition 1 hold add: the CLL of the larger network."""

    sample: Sample
    cll: float
    arcs: tuple[str, ...]


def levels(sample: Sample) -> list[float]:
    """The different CLLs of the four suprema, best first."""
    found: list[float] = []
    for cll in sample.suprema.values():
        if not any(abs(cll - other) < CLOSE for other in found):
            found.append(cll)
    return found


def ends(records: Iterable[Record]) -> list[Ends]:
    """All kinds of starts on all samples, in order, those without a finished one left out."""
    own: dict[tuple[str, str], list[float]] = {}
    for record in records:
        key = str(record.task["sample"]), str(record.task["kind"])
        own.setdefault(key, []).append(record.result["cll"])
    return [
        _ends(sample, kind, own[sample.name, kind])
        for sample in SAMPLES.values()
        for kind in KINDS
        if (sample.name, kind) in own
    ]


def _ends(sample: Sample, kind: str, clls: Sequence[float]) -> Ends:
    counts: Counter[float] = Counter()
    for cll in clls:
        near = [level for level in levels(sample) if abs(cll - level) < CLOSE]
        counts.update(near)
    n_at = {level: counts[level] for level in levels(sample)}
    return Ends(sample, kind, n_at, len(clls) - sum(n_at.values()))


def plug_in(records: Iterable[Record]) -> list[Ends]:
    """Where the frequency estimates lead on each of the drawn samples."""
    return [
        _ends(sample_of(str(record.task["sample"])), "frequencies", [record.result["cll"]])
        for record in records
        if record.task["sample"] not in SAMPLES
    ]


def bounds(records: Iterable[Record]) -> dict[str, float]:
    """{sample: the L-model's bound as the fits proved it}, the largest of each sample."""
    found: dict[str, float] = {}
    for record in records:
        name = str(record.task["sample"])
        if (
            name in SAMPLES
            and record.task["kind"] != EMBEDDED
            and record.result["bound"] is not None
        ):
            found[name] = max(record.result["bound"], found.get(name, float("-inf")))
    return found


def embeddings(records: Iterable[Record]) -> dict[str, Embedding]:
    """{sample: what its embedding reaches}."""
    return {
        str(record.task["sample"]): Embedding(
            SAMPLES[str(record.task["sample"])],
            record.result["cll"],
            tuple(record.result["arcs"]),
        )
        for record in records
        if record.task["kind"] == EMBEDDED
    }


def checks(records: Sequence[Record]) -> list[dict[str, Any]]:
    """Return the statements, whether each holds, and the figures it rests on.

    Those on the paper's samples have no verdict while one lacks its starts or its embedding.
    """
    every, proven, added = ends(records), bounds(records), embeddings(records)
    if not (every and proven and added):
        return []
    found = {
        name: sum(
            any(one.n_at[level] for one in every if one.sample.name == name)
            for level in levels(sample)
        )
        for name, sample in SAMPLES.items()
    }
    elsewhere = sum(one.n_elsewhere for one in every)
    off_bound = max(abs(proven[name] - SAMPLES[name].l_model) for name in proven)
    off_embedding = max(abs(one.cll - one.sample.l_model) for one in added.values())
    started = {one.sample.name: one.n_best == one.n for one in every if one.kind == "frequencies"}
    random = {one.sample.name for one in every if one.kind != "frequencies"}
    is_whole = random & set(proven) & set(added) & set(started) == set(SAMPLES)
    said = [
        {
            "statement": "random starts find all suprema that the closed form names",
            "holds": all(found[name] == len(levels(SAMPLES[name])) for name in found),
            "figures": found,
        },
        {
            "statement": "no start ends anywhere else",
            "holds": elsewhere == 0,
            "figures": {"elsewhere": elsewhere},
        },
        {
            "statement": "the proven bound is the L-model's maximum",
            "holds": off_bound < CLOSE,
            "figures": {"largest difference": off_bound},
        },
        {
            "statement": "the perfect embedding attains it",
            "holds": off_embedding < CLOSE,
            "figures": {"largest difference": off_embedding},
        },
        {
            "statement": "on these samples ELR from the frequency estimates ends at the best",
            "holds": all(started.values()),
            "figures": started,
        },
    ]
    return [*judged(said, is_whole), *_plug_in_checks(plug_in(records))]


def surface_checks(surface: Callable[..., Any] = g) -> Iterator[dict[str, Any]]:
    """Lemma 1 and equation 19, of the paper's function or another, on a grid."""
    inner = np.linspace(0.005, 0.995, 199)
    y, z = np.concatenate([[_EDGE], inner, [1 - _EDGE]]), np.concatenate([[0.0], inner, [1.0]])
    every = {x: surface(x, y[:, None], z) for x in _MIXES}
    middle = {x: surface(x, 0.5, z) for x in _MIXES}
    for statement, found, expected in (
        ("lemma 1: over y and z the supremum of g(x, y, z) is ln x", every, np.log),
        (
            "equation 19: at y = 1/2 it is ln(x/(2 − x)), which is less",
            middle,
            lambda x: np.log(x / (2.0 - x)),
        ),
    ):
        off = max(abs(float(np.max(values) - expected(x))) for x, values in found.items())
        yield {
            "statement": statement,
            "holds": off < CLOSE,
            "figures": {"largest difference": off},
        }


def _plug_in_checks(every: Sequence[Ends]) -> Iterator[dict[str, Any]]:
    """The frequency estimates as a start, on all drawn samples and on those without ties.

    With n1 = n2 or n3 = n4 they are as symmetric as the sample, and ascent keeps the symmetry: it
    may end at a saddle between two equal suprema. One sample contradicts; few bear nothing out.
    """
    untied = [one for one in every if not one.sample.has_ties]
    for own, which in ((every, ""), (untied, " without ties (n1 ≠ n2, n3 ≠ n4)")):
        if own:
            is_every = all(one.n_best for one in own)
            yield {
                "statement": "ELR from the frequency estimates ends at the best supremum on every "
                f"drawn sample{which}",
                "holds": of_all(is_every, len(own)),
                "figures": {
                    "best": sum(one.n_best for one in own),
                    "another supremum": sum(one.n - one.n_best - one.n_elsewhere for one in own),
                    "no supremum": sum(one.n_elsewhere for one in own),
                    "of": len(own),
                },
            }


def flat(records: Sequence[Record]) -> list[dict[str, Any]]:
    """A row a sample, kind of start and level."""
    return [
        {"sample": one.sample.name, "kind": one.kind, "cll": level, "starts": n}
        for one in ends(records)
        for level, n in [*one.n_at.items(), (float("nan"), one.n_elsewhere)]
    ]
