"""The data and models that are raced: seeded, so that every run has the same ones.

Generated codes are C-ordered (n_nodes, n_rows) bytes, the class first: each node's column is
contiguous.
"""

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import bnlr

BESIDE_CHECKOUT = Path(__file__).resolve().parents[2] / "shared" / "data"
CLASS = "class"
_LEVELS = 8
_BLOCK = 2**17

Codes = NDArray[np.uint8]


class MissingDataError(Exception):
    """A workload's file is not there; the text says which."""


@dataclass(frozen=True)
class Task:
    """One optimum to be reached: data, structure, penalty, and which races are run on it."""

    name: str
    data: bnlr.Dataset
    structure: bnlr.Structure
    penalty: float = 0.0
    races: tuple[str, ...] = ("fit", "encoded")
    peers: tuple[str, ...] = ("lbfgs", "newton-cg", "newton-cholesky", "glum", "statsmodels")

    @property
    def n_classes(self) -> int:
        """States of the class."""
        return self.data.cards[self.data.class_name]


@dataclass(frozen=True)
class Sizes:
    """Rows and attributes of the generated sets."""

    middle: tuple[int, int] = (200_000, 30)
    large: tuple[int, int] = (2_000_000, 50)
    letter: tuple[int, int] | None = None
    """A generated set in place of letter's, if given."""


FULL = Sizes()
SMOKE = Sizes(middle=(2000, 6), large=(4000, 8), letter=(600, 6))


def sample(
    n_rows: int,
    n_attributes: int,
    n_parents: int,
    seed: int,
    n_classes: int = 2,
    states: tuple[int, int] = (2, 4),
) -> tuple[Codes, list[int], list[list[int]]]:
    """Draw rows of a random network in which the class has a weak effect.

    Each attribute has the class and up to ``n_parents`` earlier attributes as parents; a tenth of
    its CPT (a fifth where it has no attribute parent) depends on the class. ``states`` are the
    least and the largest number of an attribute's states.

    Returns
    -------
    codes : (1 + n_attributes, n_rows), the class first
    cards : states of each node
    parents : the attribute parents of each node, by place
    """
    rng = np.random.default_rng(seed)
    cards = [n_classes, *rng.integers(states[0], states[1] + 1, n_attributes).tolist()]
    codes = np.empty((1 + n_attributes, n_rows), np.uint8)
    codes[0] = rng.integers(0, n_classes, n_rows)
    parents: list[list[int]] = [[]]
    for node in range(1, 1 + n_attributes):
        k = min(n_parents, node - 1)
        above = sorted((1 + rng.choice(node - 1, k, replace=False)).tolist()) if k else []
        parents.append(above)
        family = [0, *above]
        _draw(rng, codes, node, family, _cpt(rng, [cards[p] for p in family], cards[node]))
    return codes, cards, parents


def _cpt(rng: np.random.Generator, shape: Sequence[int], card: int) -> NDArray[np.float64]:
    """Conditional probabilities, (class, configurations of the other parents, states)."""
    n_configurations = int(np.prod(shape[1:]))
    effect = 0.1 if len(shape) > 1 else 0.2
    base = rng.dirichlet(np.ones(card), n_configurations)
    own = rng.dirichlet(np.ones(card), (shape[0], n_configurations))
    mixed: NDArray[np.float64] = ((1 - effect) * base + effect * own).reshape(*shape, card)
    return mixed


def _draw(
    rng: np.random.Generator,
    codes: Codes,
    node: int,
    parents: list[int],
    cpt: NDArray[np.float64],
) -> None:
    """Fill a node's column by inversion, in blocks so that little memory is used."""
    limits = cpt.cumsum(axis=-1)[..., :-1]
    for start in range(0, codes.shape[1], _BLOCK):
        block = codes[:, start : start + _BLOCK]
        thresholds = limits[tuple(block[p] for p in parents)]
        uniform = rng.random((block.shape[1], 1))
        block[node] = (uniform > thresholds).sum(axis=1)


def dataset(codes: Codes, cards: Sequence[int]) -> bnlr.Dataset:
    """Wrap generated codes; nodes are named class, x01, x02, …, and states v0, v1 and so on."""
    nodes = [CLASS, *(f"x{i:02d}" for i in range(1, len(cards)))]
    states = {n: tuple(f"v{s}" for s in range(card)) for n, card in zip(nodes, cards, strict=True)}
    # The transposed view is column-major already; from_codes would copy it.
    return bnlr.Dataset(codes.view(np.int8).T, states, CLASS)


def tree(data: bnlr.Dataset, parents: Sequence[Sequence[int]]) -> bnlr.Structure:
    """Return the TAN structure whose arcs between attributes are ``parents``."""
    nodes = data.nodes
    arcs = [(nodes[p], nodes[i]) for i, above in enumerate(parents) for p in above]
    return bnlr.Structure([*((CLASS, n) for n in nodes[1:]), *arcs], class_name=CLASS)


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


def _w1(sizes: Sizes, folder: Path) -> Iterator[Task]:  # noqa: ARG001  all have one signature
    codes, cards, parents = sample(*sizes.middle, 1, seed=1)
    data = dataset(codes, cards)
    yield Task("W1 TAN", data, tree(data, parents), races=("fit", "encoded", "strings"))


def _w1nb(sizes: Sizes, folder: Path) -> Iterator[Task]:  # noqa: ARG001
    codes, cards, _ = sample(*sizes.middle, 3, seed=2)
    data = dataset(codes, cards)
    yield Task("W1nb NB", data, naive(data))


def _w2(sizes: Sizes, folder: Path) -> Iterator[Task]:
    if sizes.letter is None:
        data = letter(folder)
    else:
        codes, cards, _ = sample(*sizes.letter, 1, seed=5, n_classes=5)
        data = dataset(codes, cards)
    yield Task("W2 NB, penalty 1", data, naive(data), 1.0)
    yield Task("W2 TAN, penalty 1", data, bnlr.learn_structure(data, "tan"), 1.0)
    yield Task("W2 NB", data, naive(data), peers=("lbfgs", "newton-cg"))


def _w3(sizes: Sizes, folder: Path) -> Iterator[Task]:  # noqa: ARG001
    data = vote(folder)
    structure = bnlr.learn_structure(data, "tan")
    for penalty, name in ((1.0, "W3 TAN, penalty 1"), (0.0, "W3 TAN")):
        yield Task(name, data, structure, penalty, races=("fit", "encoded", "reused"))


def _w4(sizes: Sizes, folder: Path) -> Iterator[Task]:  # noqa: ARG001
    codes, cards, parents = sample(*sizes.large, 1, seed=4)
    data = dataset(codes, cards)
    yield Task("W4 TAN", data, tree(data, parents), races=("fit",), peers=("lbfgs", "newton-cg"))


def _w6(sizes: Sizes, folder: Path) -> Iterator[Task]:  # noqa: ARG001
    for name, size, seed in (("W1", sizes.middle, 1), ("W4", sizes.large, 4)):
        codes, cards, parents = sample(*size, 1, seed=seed)
        data = dataset(codes, cards)
        races = ("frequencies", "structure")
        yield Task(f"W6 on {name}", data, tree(data, parents), races=races)


WORKLOADS: dict[str, Callable[[Sizes, Path], Iterator[Task]]] = {
    "W1": _w1,
    "W1nb": _w1nb,
    "W2": _w2,
    "W3": _w3,
    "W4": _w4,
    "W6": _w6,
}
