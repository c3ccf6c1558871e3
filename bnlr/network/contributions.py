"""The log posterior odds of one row, taken apart into terms that belong to single families.

Without missing cells log P(c | row) is, up to a constant, log P(c | its parents) plus the sum of
log P(x | its parents, c) over the children x of the class: a term a family. A missing cell joins
the families that look at it: for the missing cells m that common families connect,

    log Σ_m Π P(· | ·)  over the families that look at one of m

is one term. Missing cells without an observed descendant (the class is one) sum to 1 and drop out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bnlr._typing import FloatArray
from bnlr.data.dataset import Dataset
from bnlr.errors import DataError
from bnlr.network.explanation import Explanation, differences, readable
from bnlr.network.factorization import Factorization
from bnlr.network.marginals import Family, Group, log_prior, log_sums, log_table
from bnlr.network.posteriors import class_posteriors
from bnlr.words import joined

_LISTED = 3


@dataclass(frozen=True)
class Term:
    """A summand of the log posterior odds, logs (n_classes,).

    ``below`` are the observed nodes whose families it is of, none for the class's own family;
    ``above`` the other observed nodes that these look at, ``missing`` those summed out.
    """

    below: tuple[str, ...]
    above: tuple[str, ...]
    missing: tuple[str, ...]
    logs: FloatArray

    def label(self, class_name: str) -> str:
        """The families: ``b | class, a``."""
        if self.below:
            name = f"{', '.join(self.below)} | {', '.join((class_name, *self.above))}"
        else:
            name = f"{class_name} | {', '.join(self.above)}" if self.above else "prior"
        return f"{name} ({_without(self.missing)})" if self.missing else name

    def cells(self, texts: Mapping[str, str]) -> str:
        """The cells it looks at, by their ``texts``."""
        seen = ", ".join(f"{node} = {texts[node]}" for node in (*self.below, *self.above))
        return f"{seen}, {_without(self.missing)}" if self.missing else seen


def explain(
    network: Factorization, data: Dataset, shown: Mapping[str, str] | None = None
) -> Explanation:
    """Explain the one row of `data`, coded in the network's states.

    Parameters
    ----------
    network, data
        As in `BayesianNetwork.explain`.
    shown
        {node: how its cell is to be called}, where not by the label of its state.

    Raises
    ------
    DataError
        Not exactly one row.
    TooLargeError
        With missing cells: exact inference would not fit in memory.
    """
    check_one_row(data)
    return explanation_of(
        network,
        terms_of(network, data),
        texts_of(network, data, shown or {}),
        class_posteriors(network, data, in_logs=False)[0],
    )


def check_one_row(data: Dataset) -> None:
    """Refuse more rows than one, or none.

    Raises
    ------
    DataError
        Not exactly one row.
    """
    if data.n_rows != 1:
        raise DataError(
            f"explain takes one row, but was given {data.n_rows}; pick one, as X.iloc[[0]] does"
        )


def terms_of(network: Factorization, data: Dataset) -> list[Term]:
    """The terms of a row, that of the class's own family first."""
    row = _OpenRow(network, data)
    return [row.prior, *row.terms()]


def texts_of(network: Factorization, data: Dataset, shown: Mapping[str, str]) -> dict[str, str]:
    """{observed node: what its cell is called}, for one row."""
    texts = {}
    for node in network.structure.attributes:
        code = int(data.column(node)[0])
        if code >= 0:
            texts[node] = shown.get(node) or readable(network.states[node][code])
    return texts


def explanation_of(
    network: Factorization,
    terms: Sequence[Term],
    texts: Mapping[str, str],
    probabilities: FloatArray,
) -> Explanation:
    """The terms, that of the class's own family first, as an `Explanation`."""
    class_name = network.structure.class_name
    labels = [term.label(class_name) for term in terms]
    rest = sorted(range(1, len(terms)), key=lambda k: (_smallness(terms[k]), labels[k]))
    order = [0, *rest]
    return Explanation.of(
        class_name,
        network.class_states,
        [(labels[k], terms[k].cells(texts)) for k in order],
        np.vstack([terms[k].logs for k in order]),
        probabilities,
    )


def one_row(row: Any) -> Any:
    """Return a Series or a dictionary as a frame of one row, anything else as it is.

    Raises
    ------
    DataError
        It is empty.
    """
    import pandas as pd  # noqa: PLC0415  heavy, and needed only here

    if isinstance(row, (pd.Series, Mapping)) and not len(row):
        raise DataError(
            "the row is empty; give every attribute a label, or None where its cell is missing"
        )
    if isinstance(row, pd.Series):
        return pd.DataFrame([row.to_list()], columns=row.index)
    if isinstance(row, Mapping):
        return pd.DataFrame([list(row.values())], columns=pd.Index(list(row), dtype=object))
    return row


def _smallness(term: Term) -> float:
    return -float(np.abs(differences(term.logs[None], 0)).max())


class _OpenRow:
    """One row of a network, its class left open: families, and groups of missing cells."""

    def __init__(self, network: Factorization, data: Dataset) -> None:
        self.network, self.structure = network, network.structure
        self.target = self.structure.class_name
        self.codes = {n: int(data.column(n)[0]) for n in self.structure.nodes if n != self.target}

    def _is_missing(self, node: str) -> bool:
        return node != self.target and self.codes[node] < 0

    @cached_property
    def prior(self) -> Term:
        """The term of the class's own family, missing parents summed out."""
        logs = log_prior(self.network, self.codes)
        seen = [p for p in self.structure.parents(self.target) if not self._is_missing(p)]
        return Term((), tuple(seen), (), logs)

    @cached_property
    def _families(self) -> dict[str, Family]:
        """{node: its parents and the node}, barren nodes left out."""
        kept: set[str] = set()
        for node in reversed(self.structure.topological_order):
            if not self._is_missing(node) or not kept.isdisjoint(self.structure.children(node)):
                kept.add(node)
        nodes = [node for node in self.structure.nodes if node in kept]
        return {node: (*self.structure.parents(node), node) for node in nodes}

    @cached_property
    def _groups(self) -> list[Group]:
        """The missing cells, those together that families connect."""
        groups: list[Group] = []
        for family in self._families.values():
            here = frozenset(filter(self._is_missing, family))
            if here:
                met = [group for group in groups if not group.isdisjoint(here)]
                groups = [*(group for group in groups if group not in met), here.union(*met)]
        return groups

    def terms(self) -> Iterator[Term]:
        """Yield the terms of observed families, then those of groups; the prior is not among them.

        What is the same for every class is left out.
        """
        for node, family in self._families.items():
            if (
                node != self.target
                and self.target in family
                and not any(map(self._is_missing, family))
            ):
                yield self._observed(node)
        for group in self._groups:
            touched = {n: f for n, f in self._families.items() if not group.isdisjoint(f)}
            scope = {node for family in touched.values() for node in family}
            if self.target in scope and scope - group > {self.target}:
                yield self._rest(group, touched)

    def _observed(self, node: str) -> Term:
        above = [parent for parent in self.structure.parents(node) if parent != self.target]
        _, logs = log_table(self.network, self.codes, node)
        return Term((node,), tuple(above), (), logs)

    def _rest(self, group: Group, touched: Mapping[str, Family]) -> Term:
        logs = log_sums(self.network, self.codes, group, list(touched))
        if self.target in touched:
            # Where the prior is −inf it alone says so.
            is_possible = np.isfinite(self.prior.logs)
            logs = np.where(is_possible, logs - np.where(is_possible, self.prior.logs, 0), 0)
        scope = {n for family in touched.values() for n in family} - {self.target, *group}
        seen = [node for node in self.structure.nodes if node in scope]
        below = tuple(node for node in seen if node in touched)
        above = tuple(node for node in seen if node not in touched)
        return Term(below, above, self._in_order(group), logs)

    def _in_order(self, nodes: Iterable[str]) -> tuple[str, ...]:
        return tuple(sorted(nodes, key=self.structure.index))


def _without(missing: Sequence[str]) -> str:
    return f"{joined(missing, _LISTED)} missing"
