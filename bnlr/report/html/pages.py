"""A page that is one file: it opens offline, runs nothing and asks nobody for anything.

    page("Nine optimizers", "What was done.", [
        Section("Iterations", [
            "Means over `3` seeds.",
            table([Column("data"), Column("CG", ".1f", group="LR")], [("pima", 3.1)], "Table 1."),
            figure(svg_bytes(drawing), "Figure 3.", alt="CLL rises with iterations"),
        ]),
    ])

Plain text is escaped and becomes a paragraph; `code` stands between backticks. Whatever is `Html`
already, as the functions here return it, is put in as it is. The same input gives the same bytes.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape

from bnlr.report.html.markup import Html, inline, plain
from bnlr.report.html.style import STYLE

# Even a mistake in this module could then load nothing and run nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_BLOCKS = ("<p>", "<p ", "<ul", "<dl", "<div", "<figure", "<pre", "<details", "<h3")


@dataclass(frozen=True)
class Section:
    """A heading and what stands under it: plain text, one paragraph each, or `Html`."""

    title: str
    parts: Sequence[str]


def page(
    title: str, intro: str | Sequence[str], sections: Sequence[Section], foot: str = ""
) -> str:
    """Return a whole page.

    Parameters
    ----------
    title
    intro
        One paragraph or several, above the table of contents.
    sections
    foot
        A line at the end; no date, or the page would differ from run to run.
    """
    paragraphs = [intro] if isinstance(intro, str) else intro
    marks = _marks(section.title for section in sections)
    body = [
        "<header>",
        f"<h1>{inline(title)}</h1>",
        *map(_part, paragraphs),
        "</header>",
        _contents(sections, marks),
        "<main>",
        *(_section(section, mark) for section, mark in zip(sections, marks, strict=True)),
        "</main>",
        f"<footer>{inline(foot)}</footer>" if foot else "",
    ]
    return "\n".join([_head(title), "<body>", *filter(None, body), "</body>", "</html>", ""])


def _head(title: str) -> str:
    return f"""\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{escape(_POLICY)}">
<title>{escape(plain(title))}</title>
<style>
{STYLE}</style>
</head>"""


def _contents(sections: Sequence[Section], marks: Sequence[str]) -> str:
    if len(sections) < 3:
        return ""
    links = [
        f'<li><a href="#{mark}">{inline(section.title)}</a></li>'
        for section, mark in zip(sections, marks, strict=True)
    ]
    return '<nav aria-label="Contents">\n<ul>\n' + "\n".join(links) + "\n</ul>\n</nav>"


def _section(section: Section, mark: str) -> str:
    head = f'<section>\n<h2 id="{mark}">{inline(section.title)}</h2>'
    return "\n".join([head, *map(_part, section.parts), "</section>"])


def _part(part: str) -> str:
    block = isinstance(part, Html) and part.startswith(_BLOCKS)
    return part if block else f"<p>{inline(part)}</p>"


def _marks(titles: Iterable[str]) -> list[str]:
    """Return names for links, distinct also where titles are not."""
    marks: list[str] = []
    for k, title in enumerate(titles, start=1):
        slug = re.sub(r"[^a-z0-9]+", "-", plain(title).lower()).strip("-")
        marks.append(f"s{k}-{slug}" if slug else f"s{k}")
    return marks
