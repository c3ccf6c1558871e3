"""What the paper prints: tables 1 and 2, and the statements of section 6 that can be checked.

Spaces and solvers have bnlr's names: LR is "loglinear", LR_Roos "roos", BN "softmax"; CG is "cg",
CGB "cg-brent", BFGS "bfgs".
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from statistics import fmean

Column = tuple[str, str]
Table = Mapping[str, Mapping[Column, float]]
"""Row, then (space, solver) → figure, each row divided by its smallest."""

SPACES = ("loglinear", "roos", "softmax")
SOLVERS = ("cg", "cg-brent", "bfgs")
COLUMNS: tuple[Column, ...] = tuple((space, solver) for space in SPACES for solver in SOLVERS)
SPACE_LABELS = {"loglinear": "LR", "roos": "LR_Roos", "softmax": "BN"}
SOLVER_LABELS = {"cg": "CG", "cg-brent": "CGB", "bfgs": "BFGS"}


@dataclass(frozen=True)
class DataFacts:
    """A row of table 1."""

    n_rows: int
    n_attributes: int
    n_classes: int
    max_states: int
    """Largest number of states of an attribute."""


TABLE_1 = {
    "Glass": DataFacts(214, 9, 6, 4),
    "Pima": DataFacts(768, 8, 2, 4),
    "Satimage": DataFacts(4435, 36, 7, 2),
    "Tic-tac-toe": DataFacts(958, 9, 2, 3),
    "Voting": DataFacts(435, 16, 2, 3),
}
UCI = tuple(TABLE_1)


def _columns(*figures: float) -> dict[Column, float]:
    return dict(zip(COLUMNS, figures, strict=True))


ITERATIONS: dict[str, dict[Column, float]] = {
    "Glass": _columns(2.1, 1.9, 1.0, 3.0, 2.0, 1.1, 2.4, 1.9, 1.0),
    "Pima": _columns(1.3, 1.5, 1.8, 1.5, 1.2, 1.8, 1.0, 1.0, 1.8),
    "Satimage": _columns(8.2, 2.3, 1.0, 3.3, 2.0, 1.1, 3.0, 1.0, 1.3),
    "Tic-tac-toe": _columns(3.9, 2.2, 1.5, 2.1, 1.1, 1.2, 2.2, 1.0, 1.3),
    "Voting": _columns(3.2, 1.8, 1.2, 1.9, 1.3, 1.0, 1.5, 1.0, 1.1),
    "1.5.2-3.100": _columns(2.8, 1.4, 1.2, 2.3, 1.3, 1.1, 2.0, 1.0, 1.2),
    "2.5.2-3.100": _columns(2.6, 2.1, 1.4, 1.8, 1.6, 1.3, 1.4, 1.0, 1.0),
    "3.5.2-3.100": _columns(2.7, 1.8, 1.3, 2.2, 1.0, 1.2, 1.3, 1.2, 1.2),
    "1.5.2-3.1000": _columns(2.2, 2.2, 2.2, 1.5, 1.5, 2.5, 1.0, 1.0, 1.5),
    "2.5.2-3.1000": _columns(2.2, 2.0, 1.8, 1.2, 1.2, 1.8, 1.0, 1.0, 2.5),
    "3.5.2-3.1000": _columns(3.6, 2.2, 1.0, 1.8, 1.6, 1.0, 1.3, 1.3, 1.0),
    "1.30.2-3.1000": _columns(2.0, 1.2, 1.0, 1.5, 1.2, 1.5, 1.2, 1.0, 1.2),
    "2.30.2-3.1000": _columns(2.0, 1.8, 2.2, 1.6, 1.2, 1.4, 1.4, 1.0, 1.2),
    "3.30.2-3.1000": _columns(2.2, 1.2, 2.0, 1.6, 1.0, 1.6, 1.4, 1.0, 1.2),
    "1.5.5.1000": _columns(3.1, 3.2, 1.8, 2.3, 2.3, 1.5, 1.1, 1.1, 1.0),
    "2.5.5.1000": _columns(6.7, 6.9, 2.3, 3.1, 3.0, 1.4, 1.5, 1.5, 1.0),
    "3.5.5.1000": _columns(4.8, 4.2, 1.8, 2.3, 2.2, 1.1, 1.7, 1.7, 1.0),
}
"""Table 2, top: iterations to the threshold, divided by the smallest of the row."""
MEAN_ITERATIONS = _columns(3.3, 2.4, 1.6, 2.1, 1.6, 1.4, 1.6, 1.2, 1.3)

FLOPS: dict[str, dict[Column, float]] = {
    "Glass": _columns(1.0, 2.4, 3.3, 2.6, 4.1, 8.3, 5.9, 8.1, 12.6),
    "Pima": _columns(1.0, 2.4, 1.6, 1.8, 2.5, 3.1, 4.0, 6.1, 11.0),
    "Satimage": _columns(4.6, 3.0, 1.0, 4.6, 7.1, 3.3, 11.5, 6.1, 7.6),
    "Tic-tac-toe": _columns(2.0, 3.2, 1.0, 1.3, 1.7, 1.3, 6.1, 4.0, 6.0),
    "Voting": _columns(1.2, 1.9, 1.9, 1.0, 1.8, 3.5, 3.6, 4.2, 15.8),
    "1.5.2-3.100": _columns(1.0, 1.7, 1.0, 1.2, 2.1, 1.8, 2.9, 2.9, 5.1),
    "2.5.2-3.100": _columns(1.2, 2.8, 3.5, 1.0, 2.6, 7.4, 2.1, 3.2, 13.2),
    "3.5.2-3.100": _columns(1.0, 2.4, 2.3, 1.1, 1.4, 5.3, 2.1, 4.4, 21.2),
    "1.5.2-3.1000": _columns(1.0, 2.0, 1.7, 1.0, 1.9, 3.9, 1.5, 2.4, 5.5),
    "2.5.2-3.1000": _columns(1.5, 3.2, 2.2, 1.0, 2.0, 4.6, 2.3, 3.6, 25.0),
    "3.5.2-3.1000": _columns(1.7, 2.6, 1.4, 1.0, 2.2, 3.5, 2.2, 4.3, 13.5),
    "1.30.2-3.1000": _columns(1.9, 3.7, 1.0, 3.4, 8.4, 4.3, 12.1, 17.4, 16.6),
    "2.30.2-3.1000": _columns(1.0, 3.1, 2.2, 1.2, 3.2, 3.3, 4.9, 7.4, 11.8),
    "3.30.2-3.1000": _columns(1.2, 2.3, 5.8, 1.0, 2.4, 12.5, 4.1, 7.6, 36.6),
    "1.5.5.1000": _columns(1.1, 2.8, 1.5, 1.0, 2.4, 1.9, 1.6, 2.4, 2.8),
    "2.5.5.1000": _columns(2.3, 5.6, 11.1, 1.0, 2.2, 10.1, 1.7, 2.4, 11.6),
    "3.5.5.1000": _columns(2.6, 5.4, 101.5, 1.0, 2.3, 98.1, 2.4, 3.8, 137.5),
}
"""Table 2, bottom: flops to the threshold, divided by the smallest of the row."""
MEAN_FLOPS = _columns(1.6, 3.0, 8.5, 1.5, 3.0, 10.4, 4.2, 5.3, 20.8)

ROWS = tuple(ITERATIONS)
ARTIFICIAL = tuple(name for name in ROWS if name not in TABLE_1)

THRESHOLD_SHARE = 0.05
"""The threshold is the largest CLL less this share of the way from the start."""
PIMA_THRESHOLD = -337.037
MOST_ITERATIONS = 200
"""All nine reached the threshold before so many iterations, and before they stopped."""
BRENT_PRECISION = 2e-4
FIGURE_3 = (
    "Figure 3 shows the CLL of the nine on Pima Indians; its curves are not printed as numbers. "
    "The paper says that all converge fast to a very high CLL."
)


def means(table: Table) -> dict[Column, float]:
    """Mean of each column over the rows of a table that has at least one."""
    return {column: fmean(row[column] for row in table.values()) for column in COLUMNS}


@dataclass(frozen=True)
class Statement:
    """A sentence of section 6, and whether tables of iterations and of flops bear it out.

    There is no verdict on tables that lack rows of the paper's.
    """

    text: str
    borne_out: Callable[[Table, Table], bool]

    def holds(self, iterations: Table, flops: Table) -> bool | None:
        """Whether the tables bear it out; None without all rows of the paper's."""
        is_whole = set(ROWS) <= set(iterations) and set(ROWS) <= set(flops)
        return self.borne_out(iterations, flops) if is_whole else None


def _fewer_iterations_when_overparameterized(iterations: Table, _: Table) -> bool:
    by_space = _over(means(iterations), SPACES, 0)
    return max(by_space["roos"], by_space["softmax"]) < by_space["loglinear"]


def _bfgs_wins_iterations(iterations: Table, _: Table) -> bool:
    by_solver = _over(means(iterations), SOLVERS, 1)
    return by_solver["bfgs"] < by_solver["cg-brent"] < by_solver["cg"]


def _brent_loses_flops(_: Table, flops: Table) -> bool:
    mean = means(flops)
    return all(mean[space, "cg"] < mean[space, "cg-brent"] for space in SPACES)


def _softmax_never_preferred(_: Table, flops: Table) -> bool:
    return all(_cheapest_spaces(row).isdisjoint({"softmax"}) for row in flops.values())


def _loglinear_best_on_most_uci(_: Table, flops: Table) -> bool:
    uci = [_cheapest_spaces(row) for name, row in flops.items() if name in TABLE_1]
    return sum("loglinear" in best for best in uci) >= len(uci) - 1


def _roos_cg_works_on_any(_: Table, flops: Table) -> bool:
    mean = means(flops)
    return mean["roos", "cg"] <= 1.2 * min(mean.values())


def _bfgs_dearest(_: Table, flops: Table) -> bool:
    mean = means(flops)
    return all(max(SOLVERS, key=lambda solver: mean[space, solver]) == "bfgs" for space in SPACES)


def _over(mean: Mapping[Column, float], names: tuple[str, ...], place: int) -> dict[str, float]:
    """Mean over the columns of each space (place 0) or solver (place 1)."""
    return {
        n: fmean(figure for column, figure in mean.items() if column[place] == n) for n in names
    }


def _cheapest_spaces(row: Mapping[Column, float]) -> set[str]:
    least = min(row.values())
    return {space for (space, _), figure in row.items() if figure == least}


STATEMENTS = (
    Statement(
        "Convergence with regard to iterations is faster in BN and LR_Roos parameter spaces.",
        _fewer_iterations_when_overparameterized,
    ),
    Statement(
        "BFGS is generally winning, with CGB being close, in terms of iterations.",
        _bfgs_wins_iterations,
    ),
    Statement(
        "Considering flops, CGB is definitely losing to CG in all parameterizations.",
        _brent_loses_flops,
    ),
    Statement(
        "Overparameterization is a burden in flops, especially for BFGS: its mean is the largest "
        "of each space.",
        _bfgs_dearest,
    ),
    Statement(
        "On the basis of flop counts, the BN parameterization is never preferred.",
        _softmax_never_preferred,
    ),
    Statement(
        "The LR parameterization was the best on 4 out of 5 UCI data sets.",
        _loglinear_best_on_most_uci,
    ),
    Statement(
        "If only one method is to be selected: LR_Roos + CG works pretty well on any data set "
        "(read as: its mean flops are within 20 % of the least).",
        _roos_cg_works_on_any,
    ),
)
"""Checked on mean or scaled figures of any rows; the fourth and last are readings in numbers."""

ADVICE = (("loglinear", "bfgs"), ("loglinear", "cg"), ("roos", "cg"))
"""What to use in order of growing structure complexity (parents and domain sizes)."""
