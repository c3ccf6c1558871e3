"""The parts of a page but its tables: text in, HTML out, with everything escaped."""

import base64
import re
from collections.abc import Iterable, Sequence
from html import escape, unescape

from bnlr.errors import ParameterError
from bnlr.printable import printable

_PNG = b"\x89PNG\r\n\x1a\n"


class Html(str):
    """Text that is HTML already."""

    __slots__ = ()


def inline(text: str) -> Html:
    """Escape a piece of text; what stands between backticks becomes code."""
    return text if isinstance(text, Html) else Html(_code(escape(text)))


def strong(text: str) -> Html:
    """Text that stands out, for a cell of a table or a paragraph."""
    return Html(f"<strong>{inline(text)}</strong>")


def named(name: object) -> Html:
    """A name out of the user's data, whatever is in it.

    What does not print is shown by its code, and letters that run from right to left leave the
    words around them alone.
    """
    return Html(f"<bdi>{escape(printable(str(name), keep=''))}</bdi>")


def words(template: str, *values: object) -> Html:
    """A sentence with values in the places of ``{}``: `Html` as it is, all else escaped."""
    cells = (value if isinstance(value, Html) else Html(escape(str(value))) for value in values)
    return Html(_code(escape(template)).format(*cells))


def listing(items: Sequence[Html], most: int = 12) -> Html:
    """The first of several items in a sentence, and how many more there are."""
    more = f" and {len(items) - most:,} more" if len(items) > most else ""
    return Html(", ".join(items[:most]) + more)


def folded(summary: str, *parts: str) -> Html:
    """Parts that the reader may unfold, or print."""
    return Html(
        f"<details>\n<summary>{inline(summary)}</summary>\n" + "\n".join(parts) + "\n</details>"
    )


def key_figures(figures: Iterable[tuple[str, str, str]]) -> Html:
    """Large numbers: what each is, its value, and what to compare it with."""
    items = (
        f"<div><dt>{inline(name)}</dt><dd><b>{inline(value)}</b> {inline(beside)}</dd></div>"
        for name, value, beside in figures
    )
    return Html('<dl class="key">\n' + "\n".join(items) + "\n</dl>")


def block(parts: Iterable[Html]) -> Html:
    """Parts that stay together, such as beside a figure."""
    return Html('<div class="block">\n' + "\n".join(parts) + "\n</div>")


def side_by_side(figures: Iterable[Html]) -> Html:
    """Figures beside each other where the screen is wide enough."""
    return Html('<div class="beside">\n' + "\n".join(figures) + "\n</div>")


def bullets(items: Iterable[str]) -> Html:
    """A list."""
    return Html("<ul>\n" + "\n".join(f"<li>{inline(item)}</li>" for item in items) + "\n</ul>")


def paragraph(text: str) -> Html:
    """A paragraph inside a `block`; elsewhere pages make them of plain text."""
    return Html(f"<p>{inline(text)}</p>")


def note(text: str) -> Html:
    """A paragraph that must not be overlooked."""
    return Html(f'<p class="note">{inline(text)}</p>')


def code(text: str) -> Html:
    """Lines to be typed, or output, as they are."""
    return Html(f"<pre><code>{escape(text)}</code></pre>")


def figure(image: bytes, caption: str, alt: str, kind: str = "") -> Html:
    """A picture inside the page.

    Parameters
    ----------
    image
        A whole SVG or PNG file, see `bnlr.report.plots.drawing`.
    caption
    alt
        What the picture shows, for those who cannot see it.
    kind
        "graph" or "graph wide" for pictures that small screens show in part, to be scrolled.

    Raises
    ------
    ParameterError
        Neither an SVG nor a PNG.
    """
    if image.startswith(_PNG):
        form = "png"
    elif b"<svg" in image[:1000]:
        form = "svg+xml"
    else:
        raise ParameterError(f"a figure must be the bytes of an SVG or a PNG, got {image[:20]!r}")
    # As an image and not inline: names inside two drawings cannot clash, and no style leaks in.
    data = base64.b64encode(image).decode("ascii")
    scrolled = f' class="{kind}" tabindex="0"' if kind else ""
    return Html(
        f'<figure{scrolled}>\n<img src="data:image/{form};base64,{data}" alt="{escape(alt)}">\n'
        f"<figcaption>{inline(caption)}</figcaption>\n</figure>"
    )


def plain(text: str) -> str:
    """Return text without marks, for places that take no HTML."""
    return (
        unescape(re.sub(r"<[^>]*>", "", text)) if isinstance(text, Html) else text.replace("`", "")
    )


def _code(escaped: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)
