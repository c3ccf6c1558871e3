"""Statistical queries: what will be asked of a network, and the answers it should give.

A query asks for P(targets = x | evidence = y), one number; its label p is the right answer
(Greiner, Grove and Schuurmans 1997, section 2). Several targets are asked for jointly.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from types import MappingProxyType
from typing import TYPE_CHECKING, Self, overload

import numpy as np

from bnlr._typing import CodeArray, FloatArray, State, States
from bnlr.data.dataset import Dataset, check_dataset
from bnlr.data.labels import as_label, key_of, positions
from bnlr.data.weights import as_weights
from bnlr.errors import DataError, ParameterError, StateError
from bnlr.printable import printable
from bnlr.words import guess, listed, quoted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Query:
    """P(targets | evidence): what is asked of a network, and the right answer if it is known.

    Parameters
    ----------
    targets : dict
        {node: state}, at least one node; several are asked for jointly.
    evidence : dict
        {node: state}, none of the targets; empty for a marginal probability.
    p : float or None
        The right answer, in [0, 1]; None leaves the query unlabelled.

    Raises
    ------
    ParameterError
        No target, a node both asked for and known, a label outside [0, 1], or a state that is
        neither text, a boolean nor a finite number.

    Examples
    --------
    >>> Query({"x": "yes"}, evidence={"y": "no"}, p=0.3)
    Query(x='yes' | y='no'; p=0.3)
    """

    targets: Mapping[str, State]
    evidence: Mapping[str, State] = field(default_factory=dict)
    p: float | None = None

    def __post_init__(self) -> None:
        targets = _checked_cells("targets", self.targets)
        evidence = _checked_cells("evidence", self.evidence)
        if not targets:
            raise ParameterError("a query has no targets; name at least one node and its state")
        both = [node for node in targets if node in evidence]
        if both:
            raise ParameterError(
                f"{listed(both)} is among both the targets and the evidence of a query; leave it "
                "out of one of them"
            )
        object.__setattr__(self, "targets", MappingProxyType(targets))
        object.__setattr__(self, "evidence", MappingProxyType(evidence))
        object.__setattr__(self, "p", _checked_label(self.p))

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Query) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        """What makes two queries the same one; 1 and True are two states."""
        sides = (self.targets, self.evidence)
        cells = [frozenset((node, key_of(label)) for node, label in s.items()) for s in sides]
        return (*cells, self.p)

    def __reduce__(self) -> tuple[object, ...]:
        return Query, (dict(self.targets), dict(self.evidence), self.p)

    def __repr__(self) -> str:
        asked = ", ".join(f"{node}={quoted(label)}" for node, label in self.targets.items())
        given = ", ".join(f"{node}={quoted(label)}" for node, label in self.evidence.items())
        label = "" if self.p is None else f"; p={self.p:g}"
        return printable(f"Query({asked}{' | ' if given else ''}{given}{label})", keep="")


class QuerySet(Sequence[Query]):
    """Queries in order, repeated ones included, each with a weight.

    Parameters
    ----------
    queries : iterable of Query
    weights : (n_queries,), optional
        How often each is asked, not negative; 1 if not given.
    n_matching : (n_queries,), optional
        How many event rows each label rests on, where `labelled_by` made it.

    Raises
    ------
    ParameterError
        Something that is no `Query`, or weights that do not fit.
    """

    def __init__(
        self,
        queries: Iterable[Query],
        weights: "Sequence[float] | FloatArray | None" = None,
        n_matching: FloatArray | None = None,
    ) -> None:
        if not isinstance(queries, Iterable):
            raise ParameterError(f"queries is {quoted(queries)}; give a list of bnlr.Query")
        self._queries = tuple(queries)
        for query in self._queries:
            if not isinstance(query, Query):
                raise ParameterError(
                    f"{quoted(query)} is not a bnlr.Query; write bnlr.Query(targets, evidence, p)"
                )
        n = len(self._queries)
        self.weights = np.ones(n) if weights is None else as_weights(weights, n)
        self.n_matching = n_matching

    @classmethod
    def of(cls, queries: "QuerySet | Iterable[Query] | Query") -> "QuerySet":
        """Return a set as it is, and anything else that holds queries as a set."""
        if isinstance(queries, QuerySet):
            return queries
        if isinstance(queries, Query):
            return cls([queries])
        if not isinstance(queries, Iterable) or isinstance(queries, str | Mapping):
            raise ParameterError(
                f"queries is {quoted(queries)}; give a list of bnlr.Query, or a bnlr.QuerySet"
            )
        return cls(queries)

    @classmethod
    def from_frame(
        cls,
        frame: "pd.DataFrame",
        targets: Sequence[str],
        p: str | None = None,
        weights: str | None = None,
    ) -> Self:
        """Make a query of every row of a frame with a column for each node.

        Parameters
        ----------
        frame : DataFrame
            A cell is the node's state; an empty one leaves the node out of the query.
        targets
            The columns asked for; all others but ``p`` and ``weights`` are evidence.
        p
            The column of labels; empty cells leave a query unlabelled.
        weights
            The column of weights.

        Raises
        ------
        ParameterError
            A column that the frame lacks, or a row that makes no query; it names the row.
        """
        import pandas as pd  # noqa: PLC0415  heavy, and needed only for frames

        names = _checked_columns(frame, targets, p, weights)
        evidence = [column for column in frame.columns if column not in {*names, p, weights}]
        made = []
        for number, row in enumerate(frame.to_dict(orient="records")):
            cells = {node: value for node, value in row.items() if not pd.isna(value)}
            try:
                made.append(
                    Query(
                        {node: cells[node] for node in names if node in cells},
                        {node: cells[node] for node in evidence if node in cells},
                        cells.get(p) if p is not None else None,
                    )
                )
            except ParameterError as error:
                raise ParameterError(f"row {number} makes no query: {error}") from None
        return cls(made, None if weights is None else frame[weights].to_numpy())

    @property
    def labels(self) -> FloatArray:
        """The right answers, (n_queries,), NaN for unlabelled queries."""
        return np.array([np.nan if query.p is None else query.p for query in self], dtype=float)

    def labelled_by(self, data: Dataset) -> "QuerySet":
        """Label the queries without a label by the frequencies among event rows (Theorem 4).

        The label is the weight of the rows that show targets and evidence as asked, over that of
        the rows that show the evidence and observe the targets. ``n_matching`` of the result holds
        the latter, 0 for queries that no row speaks for (they stay without a label) and NaN for
        those that had one.

        Raises
        ------
        ParameterError
            Not a Dataset.
        DataError
            A query names a node that the data lack.
        StateError
            A state that is none of its node's.
        """
        check_dataset(data)
        joint, evidence = self.codes(data.nodes, data.states)
        queries, n_matching = [], np.full(len(self), np.nan)
        columns = [data.column(node) for node in data.nodes]
        for k, query in enumerate(self):
            if query.p is not None:
                queries.append(query)
                continue
            p, n_matching[k] = _frequency(joint[k], evidence[k], columns, data.weights)
            queries.append(query if p is None else Query(query.targets, query.evidence, p))
        return QuerySet(queries, self.weights, n_matching)

    def codes(self, nodes: Sequence[str], states: States) -> tuple[CodeArray, CodeArray]:
        """Codes of targets with evidence, and of the evidence alone, (n_queries, n_nodes) each.

        −1 where a query says nothing of a node.

        Raises
        ------
        DataError
            A query names no node of these.
        StateError
            A state that is none of its node's.
        """
        place = {node: k for k, node in enumerate(nodes)}
        code_of = {node: positions(states[node]) for node in nodes}
        evidence = np.full((len(self), len(place)), -1, dtype=np.int32)
        joint = evidence.copy()
        for k, query in enumerate(self):
            for cells, rows in ((query.evidence, (evidence, joint)), (query.targets, (joint,))):
                for node, label in cells.items():
                    code = _code(query, node, label, place, code_of, states)
                    for codes in rows:
                        codes[k, place[node]] = code
        return joint, evidence

    @overload
    def __getitem__(self, index: int) -> Query: ...
    @overload
    def __getitem__(self, index: slice) -> "QuerySet": ...
    def __getitem__(self, index: "int | slice") -> "Query | QuerySet":
        """Return a query, or some of them with their weights."""
        if isinstance(index, slice):
            matching = None if self.n_matching is None else self.n_matching[index]
            return QuerySet(self._queries[index], self.weights[index], matching)
        return self._queries[index]

    def __len__(self) -> int:
        return len(self._queries)

    def __iter__(self) -> Iterator[Query]:
        return iter(self._queries)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, QuerySet):
            return NotImplemented
        same = self._queries == other._queries
        return same and np.array_equal(self.weights, other.weights)

    def __hash__(self) -> int:
        return hash((self._queries, self.weights.tobytes()))

    def __repr__(self) -> str:
        n = sum(query.p is not None for query in self)
        return f"<QuerySet: {len(self)} queries, {n} labelled>"


def _checked_cells(what: str, cells: object) -> dict[str, State]:
    if not isinstance(cells, Mapping):
        raise ParameterError(f"{what} is {quoted(cells)}; give a dictionary of nodes and states")
    checked = {}
    for node, value in cells.items():
        label = as_label(value)
        if not isinstance(node, str) or label is None:
            raise ParameterError(
                f"{what} has {quoted(node)}: {quoted(value)}; a node is a text, its state text, a "
                "boolean or a finite number"
            )
        checked[node] = label
    return checked


def _checked_label(p: object) -> float | None:
    if p is None:
        return None
    if isinstance(p, bool) or not isinstance(p, Real) or not 0.0 <= float(p) <= 1.0:
        raise ParameterError(
            f"p is {quoted(p)}; a label is a probability, 0 to 1, or None without one"
        )
    return float(p)


def _checked_columns(
    frame: "pd.DataFrame", targets: Sequence[str], p: str | None, weights: str | None
) -> list[str]:
    if not hasattr(frame, "columns"):
        raise ParameterError(f"frame is {quoted(frame)}; give a pandas DataFrame")
    if not isinstance(targets, Iterable):
        raise ParameterError(f"targets is {quoted(targets)}; give a list of columns")
    names = [targets] if isinstance(targets, str) else list(targets)
    for column in (*names, p, weights):
        is_name = isinstance(column, str) and column in frame.columns
        if column is not None and not is_name:
            raise ParameterError(
                f"the frame has no column {quoted(column)}, only {listed(frame.columns)}"
                f"{guess(column, frame.columns)}"
            )
    return names


def _code(
    query: Query,
    node: str,
    label: State,
    place: Mapping[str, int],
    code_of: Mapping[str, Mapping[tuple[str, State], int]],
    states: States,
) -> int:
    if node not in place:
        raise DataError(
            f"{quoted(query)} names {quoted(node)}, which is no node; there are {listed(place)}"
            f"{guess(node, place)}"
        )
    code = code_of[node].get(key_of(label))
    if code is None:
        raise StateError(
            f"{quoted(query)}: {quoted(label)} is no state of {quoted(node)}, which has "
            f"{listed(states[node])}"
        )
    return code


def _frequency(
    joint: CodeArray, evidence: CodeArray, columns: Sequence[CodeArray], weights: FloatArray
) -> tuple[float | None, float]:
    """Share of the rows that agree with ``joint`` among those that can tell, and their weight."""
    asked: list[int] = np.flatnonzero((joint >= 0) & (evidence < 0)).tolist()
    telling = np.ones(len(weights), dtype=np.bool_)
    for node in np.flatnonzero(evidence >= 0).tolist():
        telling &= columns[node] == evidence[node]
    for node in asked:
        telling &= columns[node] >= 0
    n = float(weights[telling].sum())
    if not n > 0:
        return None, 0.0
    agreeing = telling.copy()
    for node in asked:
        agreeing &= columns[node] == joint[node]
    return min(float(weights[agreeing].sum()) / n, 1.0), n
