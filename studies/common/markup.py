"""The parts of a page but its tables: text in, HTML out, with everything escaped."""

import base64
import re
from collections.abc import Iterable
from html import escape, unescape

from studies.common.errors import StudyError

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


def bullets(items: Iterable[str]) -> Html:
    """A list."""
    return Html("<ul>\n" + "\n".join(f"<li>{inline(item)}</li>" for item in items) + "\n</ul>")


def note(text: str) -> Html:
    """A paragraph that must not be overlooked."""
    return Html(f'<p class="note">{inline(text)}</p>')


def code(text: str) -> Html:
    """Lines to be typed, or output, as they are."""
    return Html(f"<pre><code>{escape(text)}</code></pre>")


def figure(image: bytes, caption: str, alt: str) -> Html:
    """A picture inside the page.

    Parameters
    ----------
    image
        A whole SVG or PNG file, see `studies.common.figures`.
    caption
    alt
        What the picture shows, for those who cannot see it.

    Raises
    ------
    StudyError
        Neither an SVG nor a PNG.
    """
    if image.startswith(_PNG):
        kind = "png"
    elif b"<svg" in image[:1000]:
        kind = "svg+xml"
    else:
        raise StudyError(f"a figure must be the bytes of an SVG or a PNG, got {image[:20]!r}")
    # As an image and not inline: names inside two drawings cannot clash, and no style leaks in.
    data = base64.b64encode(image).decode("ascii")
    return Html(
        f'<figure>\n<img src="data:image/{kind};base64,{data}" alt="{escape(alt)}">\n'
        f"<figcaption>{inline(caption)}</figcaption>\n</figure>"
    )


def plain(text: str) -> str:
    """Return text without marks, for places that take no HTML."""
    return (
        unescape(re.sub(r"<[^>]*>", "", text)) if isinstance(text, Html) else text.replace("`", "")
    )


def _code(escaped: str) -> str:
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", escaped)
