"""The page of the five papers misses no item, and what it names exists."""

import re
from functools import reduce
from pathlib import Path

import pytest

import bnlr

PAGE = Path(__file__).parents[1] / "docs" / "guide" / "papers.md"
ROMAN = {"I": 1, "II": 2, "III": 3, "IV": 4, "V": 5, "VI": 6, "VII": 7}

# How many of each kind a paper has, or which.
ITEMS = {
    "Greiner, Su, Shen": {
        "equation": 18,
        "figure": 13,
        "table": 7,
        "theorem": 2,
        "proposition": [3],
    },
    "Feelders": {"equation": 2, "figure": 3, "table": 2},
    "Su, Zhang": {"equation": 5, "figure": 4, "table": 3, "algorithm": 1},
    "Greiner, Grove": {
        "equation": 4,
        "figure": 2,
        "table": 1,
        "observation": 1,
        "theorem": [2, 3, 4, 6, 7],
        "corollary": [5],
        "lemma": [8],
        "example": [4.1, 4.2, 4.3],
    },
    "Wettig": {
        "equation": 22,
        "figure": 3,
        "theorem": 4,
        "corollary": 1,
        "condition": 1,
        "proposition": 1,
        "example": 1,
        "lemma": 1,
    },
}


def sections():
    """{heading: rows of its table, each (item, where, comes out)}."""
    found = {}
    for part in PAGE.read_text("utf-8").split("\n## ")[1:]:
        heading, _, body = part.partition("\n")
        rows = [line.strip("| ").split(" | ") for line in body.splitlines() if line[:2] == "| "]
        found[heading] = [row for row in rows if row[0] != "item"]
    return found


def numbered(items):
    """{(kind, number)} of cells such as "Theorem 3, equations 10–14"."""
    found = set()
    for cell in items:
        for kind, first, last in re.findall(
            r"([A-Za-z]+?)s? ([IVX]+|\d+(?:\.\d)?)(?:–([IVX]+|\d+))?(?=,|$)", cell
        ):
            low, high = (float(ROMAN.get(x, x)) for x in (first, last or first))
            found |= {(kind.lower(), low + k) for k in range(int(high - low) + 1)}
    return found


@pytest.mark.parametrize("paper", ITEMS)
def test_no_item_is_missing(paper):
    (rows,) = (rows for heading, rows in sections().items() if heading.startswith(paper))
    wanted = {
        (kind, float(n))
        for kind, own in ITEMS[paper].items()
        for n in (range(1, own + 1) if isinstance(own, int) else own)
    }
    assert wanted - numbered(row[0] for row in rows) == set()


@pytest.mark.parametrize("heading", sections())
def test_each_item_comes_out_somehow_and_somewhere(heading):
    for item, where, verdict in sections()[heading]:
        assert verdict.startswith(("reproduced", "differs", "cannot")), item
        if not verdict.startswith("reproduced"):
            assert len(verdict) > len("cannot be run"), item
        assert where.strip(), item


_OPTIONS = {"penalty", 'wrt="theta"', "--data", "--data-dir", "times.html"}
"""What stands beside a function or a command and is neither."""


def named(where):
    """Functions, commands and pages of the guide that a cell sends to, the last with ``.md``."""
    found = [name.split()[0] for name in re.findall("(?<!})`(.*?)`", where)]
    pages = [f"{name}.md" for name in re.findall("{doc}`(.*?)`", where)]
    return {name for name in found if name not in _OPTIONS} | set(pages)


@pytest.mark.parametrize("heading", sections())
def test_what_is_named_exists_and_each_item_names_something(heading):
    commands = pytest.importorskip("studies.__main__").COMMANDS
    for item, where, _ in sections()[heading]:
        assert named(where), item
        for name in named(where):
            if name.startswith("bnlr."):
                assert reduce(getattr, name.split(".")[1:], bnlr) is not None
            else:
                assert name in commands or (PAGE.parent / name).is_file(), item


def test_each_study_of_a_paper_is_named():
    commands = pytest.importorskip("studies.__main__").COMMANDS
    every = {name for rows in sections().values() for row in rows for name in named(row[1])}
    assert set(commands) - {"defaults", "missing-cells"} <= every
