"""The data and models that are raced: seeded, so that every run has the same ones.

`benchmarks.generated` draws those that no file gives.
"""

import csv
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bnlr
from benchmarks.generated import dataset, hidden, sample, sample_dag, structure_of, tree

BESIDE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "data"
_LEVELS = 8
_MISSING = 0.25
# Of the seeds up to 200, the junction tree next to 7,000 cells.
_DAG_SEED = 137
_QUERIED_SEED, _UNASKED = 13, 0.65


class MissingDataError(Exception):
    """A workload's file is not there; the text says which."""


@dataclass(frozen=True)
class FitTask:
    """One optimum to be reached: data, structure, penalty, and which races are run on it.

    ``whole`` are the rows before cells were hidden, None where none were.
    """

    name: str
    data: bnlr.Dataset
    structure: bnlr.Structure
    penalty: float = 0.0
    races: tuple[str, ...] = ("fit", "encoded")
    peers: tuple[str, ...] = ("lbfgs", "newton-cg", "newton-cholesky", "glum", "statsmodels")
    whole: bnlr.Dataset | None = None

    @property
    def counted(self) -> bnlr.Dataset:
        """The complete rows, which the unit C is counted on."""
        return self.data if self.whole is None else self.whole

    @property
    def n_classes(self) -> int:
        """States of the class."""
        return self.data.cards[self.data.class_name]


@dataclass(frozen=True)
class Sizes:
    """Rows and attributes of the generated sets."""

    middle: tuple[int, int] = (200_000, 30)
    large: tuple[int, int] = (2_000_000, 50)
    holed: tuple[int, int] = (3196, 36)
    asked: tuple[int, int] = (100_000, 29)
    """Attributes of the tree, which with the class has 30 nodes."""
    asked_dag: tuple[int, int] = (100_000, 36)
    queries: tuple[int, int] = (10_000, 20)
    """Queries and nodes."""
    letter: tuple[int, int] | None = None
    """A generated set in place of letter's, if given."""


FULL = Sizes()
SMOKE = Sizes(
    middle=(2000, 6),
    large=(4000, 8),
    holed=(300, 6),
    asked=(600, 6),
    asked_dag=(600, 8),
    queries=(200, 6),
    letter=(600, 6),
)


def naive(data: bnlr.Dataset) -> bnlr.Structure:
    """Return naive Bayes over all columns."""
    return bnlr.learn_structure(data, "naive-bayes")


def read_codes(path: Path) -> tuple[list[str], list[list[str]]]:
    """Header and rows of a CSV file.

    Raises
    ------
    MissingDataError
        There is no such file.
    """
    if not path.is_file():
        raise MissingDataError(f"{path.name} is not in {path.parent}; see --data-dir")
    with path.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def coarse(values: NDArray[np.float64], levels: int = _LEVELS) -> NDArray[np.intp]:
    """Codes of at most ``levels`` intervals between quantiles, all of them occupied."""
    cuts = np.unique(np.quantile(values, np.linspace(0, 1, levels + 1)[1:-1]))
    return np.unique(np.searchsorted(cuts, values, side="left"), return_inverse=True)[1]


def letter(folder: Path) -> bnlr.Dataset:
    """Letter recognition, 16 attributes in at most 8 levels, 26 classes."""
    header, rows = read_codes(folder / "letter.csv")
    table = np.array(rows)
    labels, classes = np.unique(table[:, -1], return_inverse=True)
    columns = [coarse(column.astype(float)) for column in table[:, :-1].T]
    states = {n: tuple(range(int(c.max()) + 1)) for n, c in zip(header, columns, strict=False)}
    states |= {header[-1]: tuple(labels.tolist())}
    codes = np.stack([*columns, classes], axis=1)
    return bnlr.Dataset.from_codes(codes, states, header[-1])


def vote(folder: Path) -> bnlr.Dataset:
    """Congressional votes, an abstention being a value; generated ones where the file lacks."""
    try:
        header, rows = read_codes(folder / "vote.csv")
    except MissingDataError:
        codes, cards, _ = sample(435, 16, 1, seed=3, states=(3, 3))
        return dataset(codes, cards)
    table = np.array([[cell or "?" for cell in row] for row in rows])
    coded = [np.unique(column, return_inverse=True) for column in table.T]
    states = {n: tuple(labels.tolist()) for n, (labels, _) in zip(header, coded, strict=True)}
    return bnlr.Dataset.from_codes(np.stack([c for _, c in coded], axis=1), states, header[-1])


def _w1(sizes: Sizes, folder: Path) -> Iterator[FitTask]:  # noqa: ARG001  all have one signature
    codes, cards, parents = sample(*sizes.middle, 1, seed=1)
    data = dataset(codes, cards)
    yield FitTask("W1 TAN", data, tree(data, parents), races=("fit", "encoded", "strings"))


def _w1nb(sizes: Sizes, folder: Path) -> Iterator[FitTask]:  # noqa: ARG001
    codes, cards, _ = sample(*sizes.middle, 3, seed=2)
    data = dataset(codes, cards)
    yield FitTask("W1nb NB", data, naive(data))


def _w2(sizes: Sizes, folder: Path) -> Iterator[FitTask]:
    if sizes.letter is None:
        data = letter(folder)
    else:
        codes, cards, _ = sample(*sizes.letter, 1, seed=5, n_classes=5)
        data = dataset(codes, cards)
    yield FitTask("W2 NB, penalty 1", data, naive(data), 1.0)
    yield FitTask("W2 TAN, penalty 1", data, bnlr.learn_structure(data, "tan"), 1.0)
    yield FitTask("W2 NB", data, naive(data), peers=("lbfgs", "newton-cg"))


def _w3(sizes: Sizes, folder: Path) -> Iterator[FitTask]:  # noqa: ARG001
    data = vote(folder)
    structure = bnlr.learn_structure(data, "tan")
    for penalty, name in ((1.0, "W3 TAN, penalty 1"), (0.0, "W3 TAN")):
        yield FitTask(name, data, structure, penalty, races=("fit", "encoded", "reused"))


def _w4(sizes: Sizes, folder: Path) -> Iterator[FitTask]:  # noqa: ARG001
    codes, cards, parents = sample(*sizes.large, 1, seed=4)
    data = dataset(codes, cards)
    yield FitTask("W4 TAN", data, tree(data, parents), races=("fit",), peers=("lbfgs", "newton-cg"))


def _w6(sizes: Sizes, folder: Path) -> Iterator[FitTask]:  # noqa: ARG001
    for name, size, seed in (("W1", sizes.middle, 1), ("W4", sizes.large, 4)):
        codes, cards, parents = sample(*size, 1, seed=seed)
        data = dataset(codes, cards)
        races = ("frequencies", "structure")
        yield FitTask(f"W6 on {name}", data, tree(data, parents), races=races)


def _w5(sizes: Sizes, folder: Path) -> Iterator[FitTask]:  # noqa: ARG001
    codes, cards, parents = sample(*sizes.holed, 1, seed=6, states=(2, 2))
    whole = dataset(codes, cards)
    data = hidden(whole, _MISSING, seed=7)
    races = ("gradient", "em")
    yield FitTask("W5 TAN", data, tree(data, parents), races=races, whole=whole)


def _w8(sizes: Sizes, folder: Path) -> Iterator[FitTask]:  # noqa: ARG001
    codes, cards, parents = sample(*sizes.asked, 1, seed=8)
    whole = dataset(codes, cards)
    data = hidden(whole, _MISSING, seed=9)
    yield FitTask("W8 TAN", data, tree(data, parents), races=("posterior",), whole=whole)
    n_rows, n_attributes = sizes.asked_dag
    codes, cards, parents = sample_dag(n_rows, 1 + n_attributes, 3, seed=_DAG_SEED)
    whole = dataset(codes, cards)
    data = hidden(whole, _MISSING, seed=11)
    yield FitTask("W8 DAG", data, structure_of(data, parents), races=("posterior",), whole=whole)


def _w9(sizes: Sizes, folder: Path) -> Iterator[FitTask]:  # noqa: ARG001
    n_queries, n_nodes = sizes.queries
    codes, cards, parents = sample_dag(n_queries, n_nodes, 3, seed=_QUERIED_SEED)
    whole = dataset(codes, cards)
    structure = structure_of(whole, parents)
    holed = hidden(whole, _UNASKED, seed=14).codes.copy()
    # A quarter of the queries know all nodes but the one they ask for.
    holed[::4] = whole.codes[::4]
    data = bnlr.Dataset(holed, whole.states, whole.class_name)
    yield FitTask("W9 queries", data, structure, races=("queries",), whole=whole)


WORKLOADS: dict[str, Callable[[Sizes, Path], Iterator[FitTask]]] = {
    "W1": _w1,
    "W1nb": _w1nb,
    "W2": _w2,
    "W3": _w3,
    "W4": _w4,
    "W5": _w5,
    "W6": _w6,
    "W8": _w8,
    "W9": _w9,
}
