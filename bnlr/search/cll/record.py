"""What a search by the conditional likelihood did, step by step."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import chdtrc

from bnlr._typing import FloatArray, States
from bnlr.design.families import TableLayout
from bnlr.printable import printable
from bnlr.search.cll.candidates import Candidates
from bnlr.search.cll.chordal import structure_of
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.hill_climbing import HillClimbing, SearchStep
from bnlr.search.cll.moves import Move
from bnlr.spaces.l_model import cell_names
from bnlr.structure.bits import members
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    import pandas as pd

_SHOWN = 12


@dataclass(frozen=True, eq=False)
class CLLSearch:
    """Outcome of `cll_search`.

    Attributes
    ----------
    structure : Structure
        Perfect; the class is the root, attributes without an arc were dropped.
    score : float
        Of the structure, by ``criterion``; natural log, larger is better: CLL − ½·df·ln N ("bic"),
        CLL − df ("aic"), or the CLL of the rows left out ("cv", "validation").
    start_score : float
        That of the structure the search started from, under the first penalty.
    cll : float
        Maximum of the CLL on all rows, to about 0.001, under a penalty of 0.001 that keeps it
        finite.
    df : int
        Parameters, cells that never occur left out.
    penalty : float or None
        Strength of the penalty in the last fits of "cv" and "validation".
    n_fits, n_screened : int
        Models fitted (one a structure, whatever the number of folds), moves screened.
    seconds : float
    is_complete : bool
        Whether the search ended because no move was better.
    message : str
        Why it ended.
    """

    structure: Structure
    criterion: str
    score: float
    start_score: float
    cll: float
    df: int
    penalty: float | None
    n_fits: int
    n_screened: int
    seconds: float
    is_complete: bool
    message: str
    _steps: tuple[dict[str, Any], ...] = field(repr=False)
    _candidates: tuple[dict[str, Any], ...] = field(repr=False)
    _layout: TableLayout = field(repr=False)
    _states: States = field(repr=False)
    _tables: FloatArray = field(repr=False)

    @property
    def steps(self) -> "pd.DataFrame":
        """The moves taken, a row each.

        Columns: ``step``; ``move``; ``arc``, the attributes it joins, parts, adds or drops;
        ``separator``, the attributes given which; ``gain_predicted`` and ``gain``, of the CLL on
        all rows, or of the rows left out where those are the score; ``df``, parameters that came
        in; ``statistic``, twice the difference of the maximal CLLs; ``p_value``, its likelihood-
        ratio test against χ² with abs(df) degrees of freedom; ``p_corrected``, that times the
        number of moves screened in the step, at most 1 (Bonferroni: it allows for having looked at
        them, not for the steps before); ``score``; the ``penalty`` it was reached under, NaN
        without: those of other penalties are not to be compared; ``seconds``; ``fits`` and
        ``screened``.
        """
        return _frame(self._steps, _STEP_COLUMNS)

    @property
    def candidates(self) -> "pd.DataFrame":
        """The moves screened last, the most promising first.

        Columns: ``move``, ``arc``, ``separator``, ``df`` as in ``steps``; ``statistic``, Rao's
        score statistic of an addition, the Wald statistic of a deletion; ``gain_predicted`` of
        the CLL; ``change_predicted`` and ``change`` of the score, NaN where no model was fitted.
        """
        return _frame(self._candidates, _CANDIDATE_COLUMNS)

    @property
    def weights(self) -> "pd.DataFrame":
        """Log-odds of each class to the first at the maximum of the CLL, a row a table cell."""
        import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

        labels = self._states[self.structure.class_name][1:]
        names = cell_names(self._layout, self._states)
        return pd.DataFrame(self._tables, index=list(names), columns=list(labels))

    def _repr_html_(self) -> str:
        """Return the structure and the steps for notebooks."""
        from bnlr.notebook import card, words  # noqa: PLC0415  for notebooks alone
        from bnlr.structure.svg import svg  # noqa: PLC0415  as above

        return card("CLLSearch", svg(self.structure), words(str(self)))

    def __str__(self) -> str:
        n_attributes = len(self.structure.children(self.structure.class_name))
        n_arcs = len(self.structure.edges) - n_attributes
        lines = [
            f"Search by the conditional likelihood ({self.criterion})",
            f"  {n_attributes} of {len(self.structure.attributes)} attributes, {n_arcs} arcs "
            f"between them, {self.df} parameters",
            f"  score {self.score:.6g}, at the start {self.start_score:.6g}; CLL {self.cll:.6g}",
            f"  {self.n_screened:,} moves screened, {self.n_fits:,} models fitted, "
            f"{self.seconds:.1f} s",
            f"  {self.message}",
            *(_line(row) for row in self._steps[:_SHOWN]),
        ]
        more = len(self._steps) - _SHOWN
        text = "\n".join([*lines, f"  … {more} more in steps"] if more > 0 else lines)
        return printable(text)


_NAMES = ["move", "arc", "separator"]
_STEP_COLUMNS = [
    *("step", *_NAMES, "gain_predicted", "gain", "df", "statistic", "p_value", "p_corrected"),
    *("score", "penalty", "seconds", "fits", "screened"),
]
_CANDIDATE_COLUMNS = [
    *(*_NAMES, "df", "statistic", "gain_predicted", "change_predicted", "change"),
]


def record(climb: HillClimbing, criterion: str, seconds: float) -> CLLSearch:
    """Write down where a search stands."""
    rows, model = climb.criterion.rows, climb.model
    peak = model.tables if model.peak is None else model.peak
    return CLLSearch(
        structure=structure_of(model.graph, rows.names, rows.data.class_name, rows.attributes),
        criterion=criterion,
        score=model.score,
        start_score=climb.first.score,
        cll=model.cll,
        df=model.df,
        penalty=climb.criterion.penalty,
        n_fits=climb.criterion.n_fits,
        n_screened=climb.n_screened,
        seconds=seconds,
        is_complete=climb.is_complete,
        message=climb.message,
        _steps=tuple(_step(rows, k, step) for k, step in enumerate(climb.steps, 1)),
        _candidates=() if climb.last is None else tuple(_looked_at(rows, climb.last)),
        _layout=model.layout,
        _states=dict(rows.data.states),
        _tables=peak,
    )


def _step(rows: CompleteRows, number: int, step: SearchStep) -> dict[str, Any]:
    change = step.after.cll - step.before.cll
    statistic = max(2.0 * change * np.sign(step.df), 0.0)
    p_value = float(chdtrc(abs(step.df), statistic))
    return {
        "step": number,
        **_named(rows, step.move),
        "gain_predicted": step.predicted,
        "gain": step.gain,
        "df": step.df,
        "statistic": statistic,
        "p_value": p_value,
        "p_corrected": min(1.0, p_value * step.n_screened),
        "score": step.after.score,
        "penalty": np.nan if step.penalty is None else step.penalty,
        "seconds": step.seconds,
        "fits": step.n_fits,
        "screened": step.n_screened,
    }


def _looked_at(rows: CompleteRows, candidates: Candidates) -> list[dict[str, Any]]:
    return [
        {
            **_named(rows, candidates.moves[k]),
            "df": int(candidates.df[k]),
            "statistic": float(candidates.statistic[k]),
            "gain_predicted": float(candidates.gain[k]),
            "change_predicted": float(candidates.change[k]),
            "change": float(candidates.true[k]),
        }
        for k in candidates.in_order()
    ]


def _named(rows: CompleteRows, move: Move) -> dict[str, str]:
    """Names of the move, of what it joins or parts, and of what that is given."""
    gone_or_new = {i for term in move.terms for i in (term.u, term.v) if i is not None}
    given = [i for i in members(move.clique) if i not in gone_or_new]
    return {
        "move": move.kind,
        "arc": " – ".join(rows.names[i] for i in sorted(gone_or_new)),
        "separator": ", ".join(rows.names[i] for i in given),
    }


def _line(row: dict[str, Any]) -> str:
    given = f" given {row['separator']}" if row["separator"] else ""
    return (
        f"  {row['step']:3d}. {row['move']} {row['arc']}{given}: gain {row['gain']:.4g}, "
        f"df {row['df']}, p {row['p_value']:.2g} (corrected {row['p_corrected']:.2g})"
    )


def _frame(rows: tuple[dict[str, Any], ...], columns: list[str]) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415  heavy, and needed only for display

    return pd.DataFrame(list(rows), columns=columns)
