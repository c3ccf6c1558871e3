"""Parts of the pages of studies: bnlr's own, and drawings, failures, statements, whole names.

The tables and paragraphs of `bnlr report` are no public call; studies take them from here alone.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import bnlr
from bnlr.report.html import Column, Html, Section, bullets, figure, note, page, strong, table
from studies.common.study import Outcome

__all__ = [
    "Column",
    "Html",
    "Section",
    "bullets",
    "course",
    "drawn",
    "failures",
    "foot",
    "mark",
    "note",
    "page",
    "statements",
    "strong",
    "table",
    "whole",
]

_MOST_SHOWN = 20
_SCROLLED_FROM = {"graph wide": 552.0, "graph": 360.0}
"""The narrowest drawing, in points, that the stylesheet does not widen by making it scroll."""


def drawn(draw: Callable[[], bytes], caption: str, alt: str) -> Html:
    """Return a figure, or a note where matplotlib is not installed."""
    try:
        image = draw()
        return figure(image, caption, alt, _scrolled(image))
    except bnlr.PlotExtraError as error:
        return note(f"{caption} Not drawn: {error}.")


def _scrolled(image: bytes) -> str:
    """How small screens show a drawing: shrunk to them its letters could not be read."""
    svg = re.search(rb'<svg[^>]*? width="([\d.]+)pt"', image)
    width = float(svg[1]) if svg else 0.75 * int.from_bytes(image[16:20])  # a PNG's, in pixels
    return next((kind for kind, least in _SCROLLED_FROM.items() if width >= least), "")


def course(lines: Mapping[str, Sequence[float]]) -> str:
    """Say of curves where each begins and ends, for an alternative text: it asserts no shape."""
    return "; ".join(
        f"{name} from {_word(float(values[0]))} to {_word(float(values[-1]))}"
        for name, values in lines.items()
        if len(values)
    )


def failures(outcome: Outcome) -> list[str]:
    """Return a note and the tasks that failed; nothing if none did."""
    if not outcome.failed:
        return []
    shown = [f"{record.task}: {record.failure}" for record in outcome.failed[:_MOST_SHOWN]]
    n = len(outcome.failed)
    what = "task failed; what it belongs to" if n == 1 else "tasks failed; what they belong to"
    return [note(f"{n} {what} is missing below."), bullets(shown)]


def foot(outcome: Outcome) -> str:
    """Return the last line of a study's page: by what it was made, and how it is made again."""
    return f"bnlr {bnlr.__version__}, python -m studies {outcome.study.name}"


def mark(holds: bool | None) -> str:
    """Return a verdict in a word, None being that there is none; all but "yes" stand out."""
    return _verdict({"holds": holds})


def statements(said: Sequence[Mapping[str, Any]], caption: str) -> Html:
    """Return a table of statements, whether each holds, and the figures it rests on.

    Parameters
    ----------
    said
        Each with ``statement``, ``holds`` (None: no verdict), ``figures``, {name: number, text,
        numbers, or counts by name}, and at will ``verdict``, a word in place of yes or no.
    caption
    """
    rows = [[line["statement"], _verdict(line), _words(line["figures"])] for line in said]
    return table(["statement", "holds", "figures"], rows, caption)


def whole(text: str) -> str:
    """Return a name that is broken nowhere."""
    return text.replace("-", "\N{NON-BREAKING HYPHEN}").replace(" ", "\N{NO-BREAK SPACE}")


def _verdict(line: Mapping[str, Any]) -> str:
    holds = line["holds"]
    plain = "no verdict" if holds is None else "yes" if holds else "no"
    word: str = line.get("verdict", plain)
    return word if holds else strong(word)


def _words(found: Mapping[str, Any]) -> str:
    return "; ".join(f"{name}: {_word(value)}" for name, value in found.items())


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Mapping):
        return "/".join(str(count) for count in value.values())
    if isinstance(value, list | tuple):
        return ", ".join(map(_word, value))
    return f"{value:.4g}".replace("-", "\N{MINUS SIGN}") if isinstance(value, float) else str(value)
