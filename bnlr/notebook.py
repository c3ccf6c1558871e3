"""What notebooks show of an object: its words, figures and a picture, in the page's own colours."""

import re
from collections.abc import Iterable, Sequence
from html import escape

from bnlr.printable import printable

# "CLL          -12.5" and the like, and lines below one.
_LABEL = re.compile(r"(?:\S.{0,12}?)? {2,}")
# Notebooks have styles of their own, by which letters differ in width and words are broken.
_MONOSPACE = "font-family:monospace;word-break:normal;overflow-wrap:anywhere"
_BLANK = "\u00a0"
_CELL = "padding:1px 10px 1px 0;text-align:left"


def card(title: str, *parts: str) -> str:
    """Return a piece of HTML with a title; ``parts`` are HTML, empty ones left out."""
    shown = "".join(f"<div>{part}</div>" for part in parts if part)
    return f'<div class="bnlr"><b>{_text(title)}</b>{shown}</div>'


def words(text: str) -> str:
    """Return lines of text as they are printed; what does not fit goes on below its beginning."""
    lines = "".join(map(_hanging, text.splitlines()))
    return f'<pre style="white-space:pre-wrap;margin:4px 0">{lines}</pre>'


def _hanging(line: str) -> str:
    """Return a line that goes on below what stands behind its label, or its blanks."""
    begin = _LABEL.match(line)
    n = len(begin[0]) if begin else 0
    style = f"{_MONOSPACE};padding-left:{n}ch;text-indent:-{n}ch"
    return f'<div style="{style}">{_text(line) or _BLANK}</div>'


def rows(head: Sequence[str], body: Iterable[Sequence[object]]) -> str:
    """Return a table."""
    top = "".join(f'<th style="{_CELL}">{_text(cell)}</th>' for cell in head)
    lines = (
        "".join(f'<td style="{_CELL}">{_text(str(cell))}</td>' for cell in line) for line in body
    )
    return f"<table><tr>{top}</tr>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"


def _text(text: str) -> str:
    return escape(printable(text))
