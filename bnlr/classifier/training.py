"""What `BNClassifier.fit` does between reading rows and keeping the result."""

from collections.abc import Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from bnlr._typing import FloatArray, States
from bnlr.classifier.auto.candidates import Method
from bnlr.classifier.auto.resolve import (
    Resolved,
    in_words,
    resolve,
    resolve_penalty,
    without_folds,
)
from bnlr.classifier.auto.selection import selection_table
from bnlr.classifier.fitted import Fitted
from bnlr.classifier.given_structure import (
    check_options,
    columns_of,
    given_structure,
    latent_of,
)
from bnlr.classifier.input.dask_rows import BY_SUMS, DaskRows
from bnlr.classifier.input.discretizers import discretizer_of
from bnlr.classifier.input.doubts import tell_doubts
from bnlr.classifier.input.rows import TrainingRows
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.classifier.member import Member
from bnlr.classifier.missing.as_state import missing_as_states
from bnlr.classifier.parameter_learning import fit_parameters
from bnlr.classifier.parameters import POOL, Parameters
from bnlr.classifier.pool.pool import Pool, PoolMember
from bnlr.data.parted import PartedDataset
from bnlr.data.suspects.messages import Phrasing
from bnlr.learn.choices import AUTO, GENERATIVE
from bnlr.network.column_contributions import mean_sizes
from bnlr.network.opinion_pool import Opinion
from bnlr.search.learn import learn_with_record
from bnlr.structure.dag import Structure

_MOST_ROWS = 10_000  # by which the importance of columns is judged

if TYPE_CHECKING:
    from bnlr.data.dataset import Dataset
    from bnlr.data.discretize.discretizer import Discretizer
    from bnlr.search.cll import CLLSearch


def train(asked: Parameters, rows: TrainingRows, voice: Phrasing) -> Fitted:
    """Choose, discretize, learn the structure unless it is given, and fit.

    ``voice`` speaks of doubtful columns. Errors and warnings are those of `BNClassifier.fit`.
    """
    given = given_structure(asked.structure, rows.class_name)
    latent = latent_of(asked.states, given, asked.structure, rows.frame.columns)
    attributes = None if given is None else columns_of(given, rows.frame, latent)
    check_options(asked.structure_options, given, asked.structure)
    table = UncutRows.chosen(
        rows.frame,
        attributes,
        rows.class_column,
        rows.class_name if given is None else given.class_name,
        rows.weights,
        cuts=asked.discretize is not None,
    )
    tell_doubts(table, rows.target, voice, rows.places)
    resolved = resolve(asked, table)
    source = _Source(asked, given, latent, table, rows)
    learnt = [_learn(asked, one, source) for one in resolved.members]
    pool = _pool(resolved, learnt) if asked.structure == POOL else None
    columns = tuple(rows.features.frame.columns)
    return Fitted(
        parameters=asked,
        classes=rows.classes,
        columns=columns,
        are_named=rows.features.are_named,
        best=learnt[0].member if pool is None else pool.members[0],
        selection=None if resolved.trials is None else selection_table(resolved.trials),
        search=learnt[0].search,
        pool=pool,
        importances=_importances(
            [one.member for one in learnt],
            [1.0] if pool is None else list(pool.weights),
            [source.rows(one.resolved.discretize).data for one in learnt],
            columns,
        ),
    )


def _importances(
    members: "Sequence[Member]",
    weights: "Sequence[float]",
    data: "Sequence[Dataset]",
    columns: tuple[str, ...],
) -> FloatArray:
    """How much each column moves predictions of some of the rows, all together 1."""
    opinions = [
        Opinion(member.network, member.network.encode(_some(rows)), weight)
        for member, weight, rows in zip(members, weights, data, strict=True)
    ]
    sizes = mean_sizes(opinions, columns)
    total = sizes.sum()
    return sizes / total if total > 0 else sizes


def _some(data: "Dataset") -> "Dataset":
    """At most so many of the rows, evenly spaced."""
    if isinstance(data, PartedDataset):
        return data.sample(_MOST_ROWS, 0)
    if data.n_rows <= _MOST_ROWS:
        return data
    return data.take(np.linspace(0, data.n_rows - 1, _MOST_ROWS).round().astype(np.intp))


class _Learnt(NamedTuple):
    """A network, what the penalty and the rest of its fit came to, and the record of a search."""

    member: Member
    resolved: Resolved
    search: "CLLSearch | None"


class _Rows(NamedTuple):
    """Rows whose numbers are cut, what cut them, and the state for a missing cell, by column."""

    data: "Dataset"
    discretizer: "Discretizer | None"
    missing_states: dict[str, str]


class _Source:
    """What parameters are learnt for and from: what members of a pool share is made once."""

    def __init__(
        self,
        asked: Parameters,
        given: Structure | None,
        latent: States,
        table: UncutRows,
        read: TrainingRows,
    ) -> None:
        self.given, self.latent, self.table, self._read = given, latent, table, read
        self._asked = asked
        self._rows: dict[str | None, _Rows] = {}
        self._learnt: dict[tuple[str, str | None], tuple[Structure, CLLSearch | None]] = {}

    def rows(self, discretize: str | None) -> _Rows:
        """The rows with numbers cut in one way, and holes as states if that is asked for."""
        if discretize not in self._rows:
            discretizer, data = _cut(discretize, self.table)
            if isinstance(self._read, DaskRows):
                data = self._read.encoded(self.table.columns, discretizer)
            data, states = self._with_holes(data)
            self._rows[discretize] = _Rows(data, discretizer, states)
        return self._rows[discretize]

    def _with_holes(self, data: "Dataset") -> "tuple[Dataset, dict[str, str]]":
        if self._asked.missing != "state":
            return data, {}
        ordered = self.table.categorical | self.table.numbers.keys()
        return missing_as_states(data, ordered)

    def structure(self, resolved: Resolved) -> "tuple[Structure, CLLSearch | None]":
        """The structure, learnt from these rows unless it is given, and the record of a search."""
        if self.given is not None:
            return self.given, None
        key = _method(resolved).label, resolved.discretize
        if key not in self._learnt:
            data = self.rows(resolved.discretize).data
            if isinstance(self._read, DaskRows) and resolved.method not in BY_SUMS:
                data, _ = self._with_holes(_cut(resolved.discretize, self.table)[1])
            self._learnt[key] = learn_with_record(data, str(resolved.method), **resolved.options)
        return self._learnt[key]


def _method(resolved: Resolved) -> Method:
    return Method(str(resolved.method), resolved.options)


def _learn(asked: Parameters, resolved: Resolved, source: _Source) -> _Learnt:
    """Discretize, learn the structure unless it is given, and fit."""
    data, discretizer, states = source.rows(resolved.discretize)
    structure, search = source.structure(resolved)
    kept = structure if source.given is not None or search is not None else None
    if source.latent:
        resolved = without_folds(asked, resolved)
    resolved = resolve_penalty(asked, resolved, kept, source.table)
    result, kind = fit_parameters(asked, resolved, structure, data, source.latent)
    notes = [result.message, in_words(asked, resolved), resolved.note, _search_in_words(search)]
    result = replace(result, message=" ".join(filter(None, notes)))
    member = Member(
        network=result.network,
        report=result.report,
        result=result,
        discretizer=discretizer,
        missing_states=states,
        rows=kind,
    )
    return _Learnt(member, resolved, search)


def _pool(resolved: Resolved, learnt: Sequence[_Learnt]) -> Pool:
    """The members with their weights; the only one has the weight 1 if nothing could be tried."""
    pooled = resolved.pooled
    if pooled is None:
        (only,) = learnt
        return Pool(members=(_pool_member(only, 1.0, float("nan")),), log_loss=float("nan"))
    members = (
        _pool_member(one, weight, trial.log_loss)
        for one, weight, trial in zip(learnt, pooled.weights, pooled.trials, strict=True)
    )
    return Pool(tuple(members), pooled.log_loss)


def _pool_member(one: _Learnt, weight: float, log_loss: float) -> PoolMember:
    """A member of a pool; generative learners have no penalty."""
    resolved, has_penalty = one.resolved, one.member.result.learner not in GENERATIVE
    return PoolMember(
        **{part.name: getattr(one.member, part.name) for part in fields(Member)},
        weight=weight,
        structure=_method(resolved).label,
        discretize="mdl" if resolved.discretize in (AUTO, None) else str(resolved.discretize),
        penalty_center=resolved.penalty_center if has_penalty else "zero",
        penalty=float(resolved.penalty) if has_penalty else 0.0,
        log_loss=log_loss,
    )


def _cut(discretize: str | None, table: UncutRows) -> "tuple[Discretizer | None, Dataset]":
    """The rows with numbers cut, and what cut them, None without any."""
    if not table.numbers:
        return None, table.labels
    discretizer = discretizer_of(discretize)
    return discretizer, table.cut(table.cut_points(discretizer, weights=table.labels.row_weights))


def _search_in_words(search: "CLLSearch | None") -> str:
    if search is None:
        return ""
    n = len(search.steps)
    return f"Search: {n} {'step' if n == 1 else 'steps'}. {search.message}"
