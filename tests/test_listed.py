"""What can be chosen by name is told where users look for it; files are where CONTRIBUTING says."""

import re
from pathlib import Path

import pytest

import bnlr
from bnlr import cli
from bnlr.io.files import NETWORK_FORMATS
from bnlr.learn.choices import LEARNERS, SPACES
from bnlr.optimize.base import SOLVERS
from bnlr.search.methods import METHODS
from studies.__main__ import COMMANDS

QUERY_SOLVERS = [name for name in SOLVERS if name != "newton"]
ROOT = Path(__file__).parents[1]


def commands():
    return cli._parser()._commands()


def text_of(name):
    if not (ROOT / name).is_file():
        pytest.skip(f"no {name} beside these tests")
    return (ROOT / name).read_text("utf-8")


TOLD = {
    "methods, learn_structure": (METHODS, '"{}"', lambda: bnlr.learn_structure.__doc__),
    "methods, BNClassifier": (METHODS, '"{}"', lambda: bnlr.BNClassifier.__doc__),
    "learners, fit": (LEARNERS, '"{}"', lambda: bnlr.fit.__doc__),
    "spaces, fit": (SPACES, '"{}"', lambda: bnlr.fit.__doc__),
    "solvers, fit": (SOLVERS, '"{}"', lambda: bnlr.fit.__doc__),
    "solvers, fit_queries": (QUERY_SOLVERS, '"{}"', lambda: bnlr.fit_queries.__doc__),
    "data sets, load_dataset": (bnlr.list_datasets(), '"{}"', lambda: bnlr.load_dataset.__doc__),
    "formats, bnlr convert": (NETWORK_FORMATS, "{}", lambda: commands()["convert"].description),
    "formats, guide": (NETWORK_FORMATS, "`{}`", lambda: text_of("docs/guide/files.md")),
    "commands, guide": (commands(), "`bnlr {}", lambda: text_of("docs/guide/shell.md")),
    "commands, bnlr": (commands(), "  bnlr {} ", lambda: cli._parser().epilog),
    "studies, guide": (COMMANDS, "`{}`", lambda: text_of("docs/guide/studies.md")),
}


@pytest.mark.parametrize("place", TOLD)
def test_each_name_is_told(place):
    names, written, text = TOLD[place]
    assert [name for name in names if written.format(name) not in text()] == []


def test_the_files_that_contributors_are_sent_to_are_there():
    paths = re.findall(r"`(\.?\w+/[\w./]+)`", text_of(".github/CONTRIBUTING.md"))
    assert len(paths) > 40
    assert [path for path in paths if not (ROOT / path).exists()] == []
