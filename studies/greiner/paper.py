"""What the paper prints: tables I to V.

Accuracies are percentages with the error bars that the paper prints: the standard error over five
folds, or √(p(1 − p)/n) where there is one test set of n rows (its footnote 11). A system is named
as in the paper, "NB+OFE".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

STRUCTURES = {"naive-bayes": "NB", "tan": "TAN", "tpda": "GBN"}
"""bnlr's names of the structures → the paper's; GBN is what PowerConstructor found."""

COMPLETE = tuple(f"{s}+{x}" for s in ("NB", "TAN", "GBN") for x in ("OFE", "ELR"))
INCOMPLETE = tuple(f"{s}+{x}" for s in ("NB", "TAN", "GBN") for x in ("ELR", "APN", "EM"))


@dataclass(frozen=True)
class SetFacts:
    """A row of table I; ``n_test`` is None for five-fold cross-validation."""

    n_attributes: int
    n_classes: int
    n_train: int
    n_test: int | None = None


TABLE_1 = {
    "australian": SetFacts(14, 2, 690),
    "breast": SetFacts(10, 2, 683),
    "chess": SetFacts(36, 2, 2130, 1066),
    "cleve": SetFacts(13, 2, 296),
    "corral": SetFacts(6, 2, 128),
    "crx": SetFacts(15, 2, 653),
    "diabetes": SetFacts(8, 2, 768),
    "flare": SetFacts(10, 2, 1066),
    "german": SetFacts(20, 2, 1000),
    "glass": SetFacts(9, 7, 214),
    "glass2": SetFacts(9, 2, 163),
    "heart": SetFacts(13, 2, 270),
    "hepatitis": SetFacts(19, 2, 80),
    "iris": SetFacts(4, 3, 150),
    "letter": SetFacts(16, 26, 15000, 5000),
    "lymphography": SetFacts(18, 4, 148),
    "mofn-3-7-10": SetFacts(10, 2, 300, 1024),
    "pima": SetFacts(8, 2, 768),
    "satimage": SetFacts(36, 6, 4435, 2000),
    "segment": SetFacts(19, 7, 1540, 770),
    "shuttle-small": SetFacts(9, 7, 3866, 1934),
    "soybean-large": SetFacts(35, 19, 562),
    "vehicle": SetFacts(18, 4, 846),
    "vote": SetFacts(16, 2, 435),
    "waveform-21": SetFacts(21, 3, 300, 4700),
}


class Accuracy(NamedTuple):
    """A percentage and its error bar; as a text both, with the two digits that the paper has."""

    mean: float
    error: float

    def __str__(self) -> str:
        return f"{self.mean:.2f}±{self.error:.2f}"


Table = Mapping[str, Mapping[str, Accuracy]]
"""Data set → system → accuracy."""


def _row(systems: tuple[str, ...], printed: str) -> dict[str, Accuracy]:
    """Read a printed row, in which a dash is what the paper leaves out."""
    cells = zip(systems, printed.split(), strict=True)
    return {system: Accuracy(*map(float, cell.split("±"))) for system, cell in cells if cell != "-"}


TABLE_2: Table = {
    "australian": _row(
        COMPLETE, "86.81±0.84 84.93±1.06 84.93±1.03 84.93±1.03 86.38±0.98 86.81±1.11"
    ),
    "breast": _row(COMPLETE, "97.21±0.75 96.32±0.66 96.32±0.81 96.32±0.70 96.03±0.50 95.74±0.43"),
    "chess": _row(COMPLETE, "87.34±1.02 95.40±0.64 92.40±0.81 97.19±0.51 90.06±0.92 90.06±0.92"),
    "cleve": _row(COMPLETE, "82.03±2.66 81.36±2.46 80.68±1.75 81.36±1.78 84.07±1.48 82.03±1.83"),
    "corral": _row(
        COMPLETE, "86.40±5.31 86.40±3.25 93.60±3.25 100.00±0.00 100.00±0.00 100.00±0.00"
    ),
    "crx": _row(COMPLETE, "86.15±1.29 86.46±1.85 86.15±1.70 86.15±1.70 86.00±1.94 85.69±1.30"),
    "diabetes": _row(COMPLETE, "74.77±1.05 75.16±1.39 74.38±1.35 73.33±1.97 75.42±0.61 76.34±1.30"),
    "flare": _row(COMPLETE, "80.47±1.03 82.82±1.35 83.00±1.06 83.10±1.29 82.63±1.28 82.63±1.28"),
    "german": _row(COMPLETE, "74.70±0.80 74.60±0.58 73.50±0.84 73.50±0.84 73.70±0.68 73.70±0.68"),
    "glass": _row(COMPLETE, "47.62±3.61 44.76±4.22 47.62±3.61 44.76±4.22 47.62±3.61 44.76±4.22"),
    "glass2": _row(COMPLETE, "81.25±2.21 81.88±3.62 80.63±3.34 80.00±3.90 80.63±3.75 78.75±3.34"),
    "heart": _row(COMPLETE, "78.89±4.08 78.52±3.44 78.52±4.29 78.15±3.86 79.63±3.75 78.89±4.17"),
    "hepatitis": _row(
        COMPLETE, "83.75±4.24 86.25±5.38 88.75±4.15 85.00±5.08 90.00±4.24 90.00±4.24"
    ),
    "iris": _row(COMPLETE, "92.67±2.45 94.00±2.87 92.67±2.45 92.00±3.09 92.00±3.09 92.00±3.09"),
    "letter": _row(COMPLETE, "72.40±0.63 83.02±0.53 83.22±0.53 88.90±0.44 79.78±0.57 81.21±0.55"),
    "lymphography": _row(
        COMPLETE, "82.76±1.89 86.21±2.67 86.90±3.34 84.83±5.18 79.31±2.18 78.62±2.29"
    ),
    "mofn-3-7-10": _row(
        COMPLETE, "86.72±1.06 100.00±0.00 91.60±0.87 100.00±0.00 86.72±1.06 100.00±0.00"
    ),
    "pima": _row(COMPLETE, "75.03±2.45 75.16±2.48 74.38±2.81 74.38±2.58 75.03±2.25 74.25±2.53"),
    "satimage": _row(COMPLETE, "81.55±0.87 85.40±0.79 88.30±0.72 88.30±0.72 79.25±0.91 79.25±0.91"),
    "segment": _row(COMPLETE, "85.32±1.28 89.48±1.11 89.35±1.11 89.22±1.12 77.53±1.50 77.40±1.51"),
    "shuttle-small": _row(
        COMPLETE, "98.24±0.30 99.12±0.21 99.12±0.21 99.22±0.20 97.31±0.37 97.88±0.33"
    ),
    "soybean-large": _row(
        COMPLETE, "90.89±1.31 90.54±0.54 93.39±0.67 92.86±1.26 82.50±1.40 85.54±0.99"
    ),
    "vehicle": _row(COMPLETE, "55.98±0.93 64.14±1.28 65.21±1.32 66.39±1.22 48.52±2.13 51.95±1.32"),
    "vote": _row(COMPLETE, "90.34±1.44 95.86±0.78 93.79±1.18 95.40±0.63 96.32±0.84 95.86±0.78"),
    "waveform-21": _row(
        COMPLETE, "75.91±0.62 78.55±0.60 76.30±0.62 76.30±0.62 65.79±0.69 65.79±0.69"
    ),
}

TABLE_3: Table = {
    "australian": _row(
        INCOMPLETE,
        "78.41±1.01 78.41±0.96 78.55±1.01 77.25±0.59 78.12±0.74 77.25±0.59 "
        "74.06±1.06 74.06±1.06 74.78±0.74",
    ),
    "breast": _row(
        INCOMPLETE,
        "95.59±1.32 96.03±1.20 96.03±1.20 96.03±1.13 95.88±0.95 96.18±1.02 "
        "94.12±1.63 94.85±1.36 94.85±1.36",
    ),
    "chess": _row(
        INCOMPLETE,
        "94.56±0.69 89.59±0.94 89.68±0.93 96.15±0.59 93.90±0.73 94.09±0.72 "
        "90.34±0.90 90.06±0.92 90.06±0.92",
    ),
    "cleve": _row(
        INCOMPLETE,
        "84.07±1.90 82.03±2.05 82.03±2.05 83.73±1.57 83.73±1.57 83.73±1.57 "
        "83.05±1.93 81.36±2.34 83.39±1.89",
    ),
    "corral": _row(
        INCOMPLETE,
        "81.60±3.25 83.20±3.67 83.20±3.67 88.80±3.67 90.40±1.60 88.80±2.65 "
        "92.00±1.79 88.80±2.65 92.00±1.79",
    ),
    "crx": _row(
        INCOMPLETE,
        "87.54±1.43 86.00±1.67 86.00±1.67 85.85±1.43 84.62±1.29 85.85±1.43 "
        "86.15±1.67 87.23±1.10 86.92±0.97",
    ),
    "diabetes": _row(
        INCOMPLETE,
        "75.42±1.84 74.64±1.83 74.64±1.83 74.64±2.06 74.90±2.19 74.90±2.19 "
        "73.46±1.99 73.20±1.99 72.81±1.79",
    ),
    "flare": _row(
        INCOMPLETE,
        "83.00±1.42 82.35±1.21 82.44±1.24 82.54±0.86 82.35±1.90 82.54±1.52 "
        "82.63±1.28 82.63±1.28 82.63±1.28",
    ),
    "german": _row(
        INCOMPLETE,
        "74.50±0.89 74.10±1.09 74.00±1.05 72.70±0.54 74.00±0.97 72.90±0.40 "
        "73.70±0.68 73.40±0.86 73.70±0.68",
    ),
    "glass": _row(
        INCOMPLETE,
        "35.71±4.33 35.71±4.33 35.71±4.33 35.71±4.33 35.71±4.33 35.71±4.33 "
        "35.71±4.33 35.71±4.33 35.71±4.33",
    ),
    "glass2": _row(
        INCOMPLETE,
        "79.38±3.22 77.50±3.03 77.50±3.03 76.25±2.72 76.25±3.37 76.25±2.72 "
        "78.13±3.28 77.50±3.75 78.13±3.28",
    ),
    "heart": _row(
        INCOMPLETE,
        "75.19±5.13 74.81±4.63 74.81±4.63 72.22±3.26 73.33±4.00 73.33±4.00 "
        "73.70±3.95 73.33±4.37 73.33±4.37",
    ),
    "hepatitis": _row(
        INCOMPLETE,
        "81.25±7.65 86.25±5.00 86.25±5.00 82.50±5.00 87.50±3.95 86.25±5.00 "
        "86.25±3.64 86.25±3.64 86.25±3.64",
    ),
    "iris": _row(INCOMPLETE, "94.67±0.82 94.67±0.82 94.67±0.82 - - - - - -"),
    "letter": _row(
        INCOMPLETE,
        "75.28±0.61 67.24±0.66 67.14±0.66 81.86±0.54 85.25±0.50 84.07±0.52 "
        "72.80±0.63 69.81±0.65 68.60±0.66",
    ),
    "lymphography": _row(
        INCOMPLETE,
        "84.83±2.80 84.14±1.38 83.45±1.29 82.07±3.84 78.62±2.01 81.38±3.87 "
        "78.62±2.29 78.62±2.29 79.31±2.18",
    ),
    "mofn-3-7-10": _row(
        INCOMPLETE,
        "82.03±1.20 82.03±1.20 82.03±1.20 82.03±1.20 82.03±1.20 82.03±1.20 "
        "82.03±1.20 82.03±1.20 82.03±1.20",
    ),
    "pima": _row(
        INCOMPLETE,
        "74.90±2.85 74.90±2.85 74.90±2.85 74.25±2.45 73.99±2.28 73.99±2.28 "
        "73.99±2.06 74.64±2.25 74.77±2.31",
    ),
    "satimage": _row(
        INCOMPLETE,
        "84.90±0.80 81.85±0.86 81.90±0.86 87.70±0.73 87.80±0.73 87.70±0.73 "
        "73.95±0.98 76.35±0.95 76.30±0.95",
    ),
    "segment": _row(
        INCOMPLETE,
        "89.74±1.09 85.19±1.28 85.19±1.28 89.35±1.11 89.22±1.12 89.09±1.12 "
        "77.40±1.51 77.40±1.51 77.40±1.51",
    ),
    "shuttle-small": _row(
        INCOMPLETE,
        "99.17±0.21 99.07±0.22 99.07±0.22 99.28±0.19 99.17±0.21 99.17±0.21 "
        "99.22±0.20 98.04±0.32 98.04±0.32",
    ),
    "soybean-large": _row(
        INCOMPLETE,
        "85.54±1.79 87.68±1.77 86.07±2.37 84.29±1.25 84.64±1.34 86.61±0.80 "
        "50.54±1.61 50.18±1.75 48.21±2.43",
    ),
    "vehicle": _row(
        INCOMPLETE,
        "62.72±1.69 57.28±1.25 57.51±1.38 64.85±1.29 62.49±1.28 62.60±1.44 "
        "49.94±0.91 44.73±1.94 44.73±1.94",
    ),
    "vote": _row(
        INCOMPLETE,
        "94.71±0.86 90.80±1.54 91.03±1.52 94.94±0.86 95.40±0.51 95.17±0.67 "
        "95.17±0.76 95.63±0.92 95.17±0.76",
    ),
    "waveform-21": _row(
        INCOMPLETE,
        "73.34±0.64 73.64±0.64 73.64±0.64 72.26±0.65 72.28±0.65 72.26±0.65 "
        "64.38±0.70 55.85±0.72 55.85±0.72",
    ),
}


class Verdict(NamedTuple):
    """An entry of tables IV and V: which of two systems is better, and the p-value."""

    better: str
    worse: str
    p: float


def _verdicts(columns: str, rows: Mapping[str, str]) -> dict[tuple[str, str], Verdict]:
    """Read a table: "<0.01" says that the row's system is better, "0.2" that the column's is."""
    found = {}
    for row, entries in rows.items():
        for column, entry in zip(columns.split(), entries.split(), strict=False):
            p = float(entry.removeprefix("<"))
            pair = (row, column) if entry.startswith("<") else (column, row)
            found[row, column] = Verdict(*pair, p)
    return found


TABLE_4 = _verdicts(
    "GBN+ELR GBN+OFE TAN+ELR TAN+OFE NB+ELR",
    {
        "GBN+OFE": "0.2",
        "TAN+ELR": "<0.008 <0.008",
        "TAN+OFE": "<0.04 <0.02 0.12",
        "NB+ELR": "<0.01 <0.03 0.2 0.45",
        "NB+OFE": "0.36 0.46 0.006 0.002 0.005",
    },
)
TABLE_5 = _verdicts(
    "GBN+ELR GBN+APN GBN+EM TAN+ELR TAN+APN TAN+EM NB+ELR NB+APN",
    {
        "GBN+APN": "0.05",
        "GBN+EM": "0.09 0.25",
        "TAN+ELR": "<0.015 <0.007 <0.012",
        "TAN+APN": "<0.01 <0.005 <0.009 0.32",
        "TAN+EM": "<0.015 <0.006 <0.01 0.25 0.5",
        "NB+ELR": "<0.02 <0.01 <0.015 0.4 0.32 0.3",
        "NB+APN": "0.08 0.06 0.04 0.07 0.06 0.04 0.025",
        "NB+EM": "0.06 0.05 0.04 0.055 0.05 0.035 0.015 0.2",
    },
)
