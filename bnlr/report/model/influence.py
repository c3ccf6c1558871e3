"""Which attributes matter: three measures, and what the values of the first few speak for."""

from collections.abc import Iterator, Mapping

import numpy as np

from bnlr._typing import IntArray
from bnlr.errors import TooLargeError
from bnlr.network.column_contributions import mean_sizes
from bnlr.network.opinion_pool import joint_blanket
from bnlr.report.html import Column, Html, Section, bullets, folded, inline, named, table
from bnlr.report.model.effects import effect_figures
from bnlr.report.model.evaluation import Evaluation
from bnlr.report.model.importance import losses_permuted, losses_without

_MOST_ROWS = 2000
_MOST_CELLS = 200_000
_MOST_SHOWN = 15


def influence_section(evaluation: Evaluation) -> Section | None:
    """A line with bars an attribute; None where no row has a class."""
    attributes, opinions = evaluation.network.structure.attributes, evaluation.opinions
    if not evaluation.known.size or not joint_blanket(opinions):
        return None
    chosen = _spread(evaluation.known, max(100, _MOST_CELLS // len(attributes)), _MOST_ROWS)
    title = "Which attributes matter"
    try:
        used = [one.take(chosen) for one in opinions]
        permuted, unknown = losses_permuted(used), losses_without(used)
        adds = dict(zip(attributes, mean_sizes(used, attributes).tolist(), strict=True))
        effects = effect_figures(evaluation.network, list(permuted), of_pool=bool(evaluation.pool))
    except TooLargeError as error:
        return Section(title, [f"Left out: {error}."])
    parts = [*_measures(permuted, unknown, adds), *_about(len(chosen), len(evaluation.known))]
    return Section(title, [*parts, *effects])


def _spread(rows: IntArray, *most: int) -> IntArray:
    """Evenly spaced ones of the rows, as many as allowed."""
    n = min(len(rows), *most)
    spread: IntArray = rows[np.linspace(0, len(rows) - 1, n).round().astype(int)]
    return spread


def _measures(
    permuted: Mapping[str, float], unknown: Mapping[str, float], adds: Mapping[str, float]
) -> Iterator[Html]:
    columns: list[Column | str] = [
        "attribute",
        Column("permuted", "+.4f", bar=True),
        Column("unknown", "+.4f", bar=True),
        Column("mean contribution", ".3f", bar=True),
    ]
    rows = [
        [named(node), _number(rise), _number(unknown[node]), adds[node]]
        for node, rise in permuted.items()
    ]
    caption = "How much each attribute matters, the one first that is missed most where permuted."
    yield table(columns, rows[:_MOST_SHOWN], caption)
    if len(rows) > _MOST_SHOWN:
        rest = table(columns, rows[_MOST_SHOWN:], "The other attributes.")
        yield folded(f"{len(rows) - _MOST_SHOWN} more", rest)


def _about(n_used: int, n_rows: int) -> Iterator[Html]:
    rows = "these rows" if n_used == n_rows else f"{n_used:,} of these rows, evenly spaced,"
    yield bullets(
        [
            f"permuted: by how much the log-loss of {rows} rises if the attribute's cells are "
            "dealt anew to the rows; the mean over all ways to deal them. A model that relies on "
            "it is misled.",
            "unknown: by how much it rises if nobody knew the attribute, which is summed out "
            "exactly. Attributes that tell the same stand in for each other.",
            "mean contribution: how far what it adds to the log-odds against the classes' average "
            "is from what it adds on average.",
        ]
    )
    yield inline("Nothing is fitted again. Below zero: the rows are predicted better so.")


def _number(rise: float) -> float | str:
    return round(rise, 4) + 0.0 if np.isfinite(rise) else "∞" if rise > 0 else "−∞"
