"""Every import contract breaks on a violation that is planted in a copy of the package."""

import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PLANTED = {
    "One way through the house": ("network/model.py", "import bnlr.learn.fit"),
    "One way through the rooms of data": ("data/dataset.py", "import bnlr.data.builtin"),
    "One way through the rooms of io": ("io/files.py", "import bnlr.io.saving"),
    "One way through structure": ("structure/dag.py", "import bnlr.structure.report"),
    "One way through the rooms of learn": (
        "learn/proof/upper_bound.py",
        "import bnlr.learn.runs.run",
    ),
    "One way through the rooms of classifier": (
        "classifier/fitted.py",
        "import bnlr.classifier.training",
    ),
    "One way through network": ("network/exact.py", "import bnlr.network.factorization"),
    "No circle of files or rooms, at any depth": (
        "optimize/line_search.py",
        "import bnlr.optimize.newton",
    ),
    "Compiled kernels are handed out by machine, and two that have no twin come to their callers": (
        "design/pack.py",
        "import bnlr.native",
    ),
    "Plots are drawn in report alone": ("search/tan.py", "import matplotlib.pyplot"),
    "networkx at the edge of structures alone": ("search/tan.py", "import networkx"),
    "Arrow where tables enter alone": ("report/scores.py", "import pyarrow"),
    "Dask in the room of clusters alone": ("data/parted.py", "import dask"),
    "The terminal's dress in the shell alone": ("report/scores.py", "import rich.table"),
    "Frames and estimators stay out of design, inference and objectives": (
        "design/pack.py",
        "import pandas",
    ),
    "One way through the rooms of search": ("search/tan.py", "import bnlr.search.fan"),
    "One way through the rooms of report": (
        "report/html/pages.py",
        "import bnlr.report.plots.canvas",
    ),
    "Studies and benchmarks enter by the front door": (
        "../studies/sat/run.py",
        "import bnlr.learn.fit",
    ),
}


def contracts():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return [contract["name"] for contract in settings["tool"]["importlinter"]["contracts"]]


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    folder = tmp_path_factory.mktemp("house")
    for package in ("bnlr", "studies", "benchmarks"):
        kept = shutil.ignore_patterns("*.so", "*.pyc", "*.csv")
        shutil.copytree(ROOT / package, folder / package, ignore=kept)
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def broken(folder):
    """The contracts that are broken in ``folder``, as the linter says."""
    # An editable installation's finder would lead back to the checkout.
    call = (
        "import sys; sys.path.insert(0, '.'); "
        "sys.meta_path[:] = [f for f in sys.meta_path if f.__module__.startswith('_frozen')]; "
        "from importlinter.cli import lint_imports; sys.exit(lint_imports(no_cache=True))"
    )
    done = subprocess.run(
        [sys.executable, "-c", call],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": "", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )
    said = " ".join(done.stdout.split())
    return {name for name in contracts() if f"{name} BROKEN" in said}, said


@pytest.mark.slow  # the linter reads the whole package for each
@pytest.mark.parametrize("name", contracts())
def test_a_planted_violation_breaks(copy, name):
    file, line = PLANTED[name]
    path = copy / "bnlr" / file
    before = path.read_text("utf-8")
    try:
        path.write_text(f"{before}\n{line}\n", "utf-8")
        found, said = broken(copy)
    finally:
        path.write_text(before, "utf-8")
    assert name in found, said


@pytest.mark.slow
def test_nothing_is_broken(copy):
    found, said = broken(copy)
    assert not found
    assert f"Contracts: {len(contracts())} kept, 0 broken." in said
