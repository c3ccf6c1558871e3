"""The five UCI data sets, prepared as the paper did, with the structures fitted to them.

Numeric attributes are cut by the rule of Fayyad & Irani on all rows, as no prediction is tested;
"?" among the votes is a value of its own. Satimage is special: table 1 tells of 7 classes and of
binary attributes. The first cut of each attribute and the class "mixture", of which there is no
row, give both; its structure is naive Bayes, as in the paper.
"""

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import xlogy

import bnlr
from studies.common.sets import Loaded
from studies.common.sources import CLASS, RawSet, Source, find, readers
from studies.feelders_ivanovs import networks, paper
from studies.feelders_ivanovs.structures import augmented_naive_bayes

SOURCES = {
    "Glass": Source("glass.csv", "glass", is_numeric=True),
    "Pima": Source("pima.csv", "diabetes", is_numeric=True),
    "Satimage": Source("satimage.csv", "satimage", is_numeric=True),
    "Tic-tac-toe": Source("tic-tac-toe.csv", "tic-tac-toe", builtin="tic-tac-toe"),
    "Voting": Source("vote.csv", "vote"),
}
SATIMAGE_CLASSES = (
    "red soil",
    "cotton crop",
    "grey soil",
    "damp grey soil",
    "vegetation stubble",
    "mixture",
    "very damp grey soil",
)
"""In the order of the numbers 1 to 7 in the UCI files."""

_READINGS = {
    "Satimage": (
        "Satimage: the paper's 7 classes of binary attributes are read as one cut for each "
        "attribute, where the whole rule may make more, and as keeping the class 'mixture', which "
        "no row has.",
    ),
}
_STRUCTURES = (
    "{}: the paper does not list the arcs of its structures; ours come from a greedy search on BIC "
    "that takes equal gains in the order of the columns, and theirs may differ."
)
_TIE = 1e-9
_ZERO_IS_MISSING = {"Pima": slice(1, 6)}
"""Columns where a zero is no measurement: glucose, pressure, triceps, insulin and body mass."""


@dataclass(frozen=True)
class StudyData:
    """A row of table 2: its data and structure, and sentences on where they come from.

    ``with_holes`` are the same rows where zeros stand for missing cells: these are "?" there.
    """

    name: str
    data: bnlr.Dataset
    structure: bnlr.Structure
    notes: tuple[str, ...] = ()
    with_holes: bnlr.Dataset | None = None


def load(
    names: Iterable[str] = paper.UCI, data_dir: Path | None = None, *, download: bool = True
) -> Loaded[StudyData]:
    """Find data sets of table 1, and prepare them.

    Parameters
    ----------
    names
        Some of ``paper.UCI``.
    data_dir, download
        Where to look, see `sources.readers`.

    Returns
    -------
    Loaded
        A set that no place has is left out, with a reason a place.

    Raises
    ------
    bnlr.ParameterError
        An unknown name, or ``data_dir`` is no folder.
    bnlr.DataError
        A set that was found cannot be used; the message tells which.
    """
    asked = list(names)
    unknown = [name for name in asked if name not in SOURCES]
    if unknown:
        raise bnlr.ParameterError(
            f"table 1 has no data set {unknown[0]!r}; choose among {', '.join(SOURCES)}"
        )
    places = readers(data_dir, download=download)
    return Loaded.of(asked, lambda name: prepare(name, find(SOURCES[name], places)))


def artificial(name: str, seed: int) -> StudyData:
    """Generate a row of table 2's artificial part; its structure is the true one.

    Parameters and errors as `networks.generate`.
    """
    network, data = networks.generate(name, seed)
    return StudyData(name, data, network.structure, (f"generated, seed {seed}",))


def prepare(name: str, found: RawSet) -> StudyData:
    """Discretize and encode a raw data set, and fit its structure.

    Raises
    ------
    bnlr.DataError
        It cannot be used; the message holds name and origin.
    """
    steps = _satimage if name == "Satimage" else _discretized
    try:
        frame = steps(found.frame) if SOURCES[name].is_numeric else _labels(found.frame)
        data = bnlr.Dataset.from_frame(frame, CLASS)
        structure = _structure(name, data)
        holes = _with_holes(found.frame, name) if name in _ZERO_IS_MISSING else None
    except bnlr.BnlrError as error:
        raise bnlr.DataError(f"{name}, {found.origin}: {error}") from error
    return StudyData(name, data, structure, (found.origin,), holes)


def facts(data: bnlr.Dataset) -> paper.DataFacts:
    """Describe a data set as table 1 does."""
    cards = [card for node, card in data.cards.items() if node != data.class_name]
    n_classes = data.cards[data.class_name]
    return paper.DataFacts(data.n_rows, len(cards), n_classes, max(cards, default=0))


def deviations(sets: Iterable[StudyData]) -> list[str]:
    """Return a sentence for each way in which sets of table 1 may not be the paper's."""
    listed = list(sets)
    sentences = [sentence for study in listed for sentence in _differences(study)]
    sentences += [reading for study in listed for reading in _READINGS.get(study.name, ())]
    sentences += [_threshold(study) for study in listed if study.name == "Pima"]
    searched = [study.name for study in listed if study.name != "Satimage"]
    return [*sentences, *([_STRUCTURES.format(", ".join(searched))] if searched else [])]


def _threshold(study: StudyData) -> str:
    """The one threshold that the paper prints beside ours, which are of our structures and cuts."""
    told = (
        f"our structure and cuts give a threshold of {threshold(study.structure, study.data):.3f} "
        f"and the paper's is {paper.PIMA_THRESHOLD:.3f}"
    )
    if study.with_holes is not None:
        ours = threshold(_structure(study.name, study.with_holes), study.with_holes)
        told += (
            f"; with zeros that stand for missing cells as a state of their own it is {ours:.3f}"
        )
    return f"{study.name}: {told.replace('-', '−')}; the paper prints no cut points."


def threshold(structure: bnlr.Structure, data: bnlr.Dataset) -> float:
    """The CLL of table 2: the largest less a share of the way from the start."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)  # the CLL comes close to its limit
        result = bnlr.fit(structure, data, n_threads=1)
    gain = result.cll - float(result.trace["cll"].iloc[0])
    return result.cll - paper.THRESHOLD_SHARE * gain


def _differences(study: StudyData) -> Iterator[str]:
    printed, ours = paper.TABLE_1[study.name], facts(study.data)
    for words, theirs, own in (
        ("rows", printed.n_rows, ours.n_rows),
        ("attributes", printed.n_attributes, ours.n_attributes),
        ("classes", printed.n_classes, ours.n_classes),
        ("states in the largest attribute", printed.max_states, ours.max_states),
    ):
        if theirs != own:
            yield f"{study.name}: {own} {words} here, {theirs} in the paper's table 1."


def _structure(name: str, data: bnlr.Dataset) -> bnlr.Structure:
    if name == "Satimage":
        return bnlr.learn_structure(data, "naive-bayes")
    return augmented_naive_bayes(data)


def _labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Make a missing cell of an attribute the value "?"."""
    attributes = frame.columns.drop(CLASS)
    cells = frame.astype(object)
    cells[attributes] = cells[attributes].where(frame[attributes].notna(), "?")
    return cells


def _discretized(frame: pd.DataFrame) -> pd.DataFrame:
    attributes = frame.drop(columns=CLASS)
    cut: pd.DataFrame = bnlr.MDLDiscretizer().fit_transform(attributes, frame[CLASS])
    return cut.assign(**{CLASS: frame[CLASS]})


def _with_holes(frame: pd.DataFrame, name: str) -> bnlr.Dataset:
    """Zeros that are no measurements as "?", and the cuts of the other cells alone."""
    measured = frame.iloc[:, _ZERO_IS_MISSING[name]]
    rows = frame.assign(**{str(n): c for n, c in measured.where(measured != 0).items()})
    return bnlr.Dataset.from_frame(_labels(_discretized(rows)), CLASS)


def _satimage(frame: pd.DataFrame) -> pd.DataFrame:
    """Take the training rows, cut each attribute once, and declare the seven classes."""
    rows = frame.iloc[: paper.TABLE_1["Satimage"].n_rows]
    attributes, classes = rows.drop(columns=CLASS), _satimage_classes(rows[CLASS])
    discretizer = bnlr.MDLDiscretizer().fit(attributes, rows[CLASS])
    columns = attributes.to_numpy(dtype=float).T
    codes = np.asarray(classes.codes, dtype=np.intp)
    discretizer.cut_points_ = [
        cuts if cuts is None else first_cut(column, codes, cuts)
        for column, cuts in zip(columns, discretizer.cut_points_, strict=True)
    ]
    cut: pd.DataFrame = discretizer.transform(attributes)
    return cut.assign(**{CLASS: classes})


def _satimage_classes(labels: "pd.Series[str]") -> "pd.Categorical[str]":
    """Read names, or the numbers 1 to 7, which OpenML writes "1." to "7."."""
    numbers = {str(k): name for k, name in enumerate(SATIMAGE_CLASSES, start=1)}
    names = [numbers.get(str(label).removesuffix("."), label) for label in labels]
    for label in names:
        if label not in SATIMAGE_CLASSES:
            raise bnlr.DataError(
                f"{label!r} is no class of Satimage; use the numbers 1 to 7, or "
                f"{', '.join(SATIMAGE_CLASSES)}"
            )
    return pd.Categorical(names, categories=list(SATIMAGE_CLASSES))


def first_cut(
    values: NDArray[np.float64], classes: NDArray[np.intp], cuts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the cut that the rule of Fayyad & Irani made first: that of the least class entropy.

    Parameters
    ----------
    values : float array of shape (n_rows,)
    classes : integer array of shape (n_rows,)
        Class codes from 0.
    cuts : float array
        All cuts that the rule made, increasing; an interval includes its upper end.

    Returns
    -------
    float array of shape (1,), or (0,) if there are no cuts
        The first of equal ones.
    """
    if not len(cuts):
        return cuts
    costs = np.array([_split_entropy(classes, values <= cut) for cut in cuts])
    return cuts[[np.flatnonzero(costs <= costs.min() + _TIE)[0]]]


def _split_entropy(classes: NDArray[np.intp], is_below: NDArray[np.bool_]) -> float:
    """Class entropy left by a split, times the number of rows, in nats."""
    n_classes = int(classes.max()) + 1
    parts = [np.bincount(classes[part], minlength=n_classes) for part in (is_below, ~is_below)]
    return float(sum(xlogy(part.sum(), part.sum()) - xlogy(part, part).sum() for part in parts))
