"""The verdict on a structure: whether it is a logistic regression, or what would make it one."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache

from bnlr._typing import Arc, Cards
from bnlr.arguments import whole
from bnlr.errors import ParameterError, StructureError, TooLargeError
from bnlr.structure import perfect
from bnlr.structure.canonical import canonical_form
from bnlr.structure.condition1 import witnesses
from bnlr.structure.counts import count_beta, count_loglinear, count_roos
from bnlr.structure.dag import Structure
from bnlr.structure.embedding import embedding
from bnlr.structure.reasons import describe
from bnlr.words import counted, in_words, listed, quoted

_MOST_MARKED = 1000
_WRITABLE_BITS = 13_000  # Python refuses to write integers beyond 4,300 digits


def analyze(structure: Structure, cards: Cards | None = None) -> "StructureReport":
    """Decide whether discriminative learning of `structure` is convex, and why.

    Parameters
    ----------
    structure : Structure
        The network's graph with its class.
    cards : mapping of str to int, optional
        The number of states of every node; further names are ignored. Without it
        ``parameter_counts`` is None.

    Returns
    -------
    StructureReport

    Raises
    ------
    StructureError
        If `structure` is no `Structure`.
    ParameterError
        If `cards` lacks a node or holds a number of states that is not a whole number ≥ 1.
    """
    if not isinstance(structure, Structure):
        raise StructureError(
            f"analyze needs a bnlr.Structure, got {type(structure).__name__}; "
            f"build one with bnlr.Structure(edges, class_name=...)"
        )
    return _report(structure, None if cards is None else _checked_cards(structure, cards))


@lru_cache(maxsize=8)  # a fit, its spaces and its predictions ask for the same verdict
def _report(structure: Structure, sizes: tuple[int, ...] | None) -> "StructureReport":
    return StructureReport(structure, sizes)


@dataclass(frozen=True, repr=False)
class StructureReport:
    """What `analyze` found; every answer is computed when first asked for, then kept.

    Attributes
    ----------
    structure : Structure
        The structure judged.
    sizes : tuple of int or None
        The number of states per node, in node order, if given.
    """

    structure: Structure
    sizes: tuple[int, ...] | None = None

    @cached_property
    def is_perfect(self) -> bool:
        """Whether any two parents of a common child are adjacent in the canonical form."""
        return perfect.is_perfect(self.structure)

    @cached_property
    def whole_graph_is_perfect(self) -> bool:
        """The same of the graph as given. It decides nothing, see ``is_perfect``."""
        return perfect.whole_graph_is_perfect(self.structure)

    @cached_property
    def satisfies_condition_1(self) -> bool:
        """Whether Condition 1 of Wettig et al. (2003) holds; equal to ``is_perfect``."""
        return None not in self._witnesses.values()

    @property
    def witnesses(self) -> dict[str, str | None]:
        """For each child j of the class the i with Pa_j ⊆ Pa_i ∪ {X_i}, None without one."""
        return dict(self._witnesses)

    @cached_property
    def _witnesses(self) -> dict[str, str | None]:
        return witnesses(self.structure)

    @cached_property
    def canonical(self) -> Structure:
        """The class and its Markov blanket, the class's parents joined.

        Raises
        ------
        TooLargeError
            If it has more than ten million arcs.
        """
        return canonical_form(self.structure)

    @cached_property
    def n_violations(self) -> int:
        """The number of triples in ``violations``."""
        return 0 if self.is_perfect else perfect.count_violations(self.structure)

    @cached_property
    def violations(self) -> tuple[tuple[str, str, str], ...]:
        """Triples (child, parent, parent) of unmarried parents in the canonical form.

        Sorted by child, then parents, in node order.

        Raises
        ------
        TooLargeError
            If there are more than ten million; ``n_violations`` tells how many.
        """
        return () if self.is_perfect else perfect.violations(self.structure)

    @cached_property
    def embedding(self) -> tuple[Arc, ...]:
        """Arcs (parent, child) that, added to the structure, make Condition 1 hold.

        They close no cycle, and no proper subset of them does. Empty if Condition 1 holds.

        Raises
        ------
        TooLargeError
            If there are more than ten million.
        """
        return embedding(self.structure)

    @property
    def parameter_counts(self) -> dict[str, int | None] | None:
        """The number of parameters per space, or None if `cards` was not given.

        "beta" counts the CPT cells of the class and its children; "roos" and "loglinear" count
        predictors per class but the reference, intercept included, and are None where the
        canonical form is not perfect.
        """
        return None if self._counts is None else dict(self._counts)

    @cached_property
    def _counts(self) -> dict[str, int | None] | None:
        if self.sizes is None:
            return None
        s = self.structure
        cards = dict(zip(s.nodes, self.sizes, strict=True))
        roos = count_roos(s, cards) if self.is_perfect else None
        loglinear = count_loglinear(s, cards) if self.is_perfect else None
        return {"beta": count_beta(s, cards), "roos": roos, "loglinear": loglinear}

    def to_dict(self) -> dict[str, object]:
        """Return the report in types that ``json.dumps`` takes.

        Lists beyond ten million entries are None; counts beyond 4,000 digits are text.
        """
        s = self.structure
        counts = self._counts
        return {
            "class": s.class_name,
            "is_perfect": self.is_perfect,
            "satisfies_condition_1": self.satisfies_condition_1,
            "whole_graph_is_perfect": self.whole_graph_is_perfect,
            "markov_blanket": list(s.markov_blanket()),
            "canonical": _lists_or_none(lambda: self.canonical.edges),
            "violations": _lists_or_none(lambda: self.violations),
            "witnesses": self.witnesses,
            "embedding": _lists_or_none(lambda: self.embedding),
            "parameter_counts": counts and {key: _plain(count) for key, count in counts.items()},
        }

    def __reduce__(self) -> tuple[object, ...]:
        # not what has been computed since: equal reports give equal bytes
        return StructureReport, (self.structure, self.sizes)

    def __str__(self) -> str:
        return describe(self.structure, self._witnesses, lambda: self.embedding, self._counts)

    def _repr_html_(self) -> str:
        """Return picture and verdict for notebooks; parents that are not joined are marked."""
        from bnlr.notebook import card, words  # noqa: PLC0415  for notebooks alone
        from bnlr.structure.svg import svg  # noqa: PLC0415  as above

        triples = self.violations if self.n_violations <= _MOST_MARKED else ()
        marked = {node for _, *parents in triples for node in parents}
        try:
            added = self.embedding if triples else ()
        except TooLargeError:
            added = ()
        return card("StructureReport", svg(self.structure, marked, added), words(str(self)))

    def __repr__(self) -> str:
        n_violations = counted(self.n_violations, "violation")
        verdict = "perfect" if self.is_perfect else f"not perfect, {n_violations}"
        return f"<StructureReport: {verdict}; {self.structure!r}>"


def _lists_or_none(tuples: Callable[[], Iterable[tuple[str, ...]]]) -> list[list[str]] | None:
    try:
        return [list(item) for item in tuples()]
    except TooLargeError:
        return None


def _plain(count: int | None) -> int | str | None:
    return count if count is None or count.bit_length() < _WRITABLE_BITS else in_words(count)


def _checked_cards(structure: Structure, cards: object) -> tuple[int, ...]:
    if not isinstance(cards, Mapping):
        raise ParameterError(
            f"cards must map every node to its number of states, got {quoted(cards)}"
        )
    lacking = [node for node in structure.nodes if node not in cards]
    if lacking:
        raise ParameterError(
            f"cards lacks the number of states of {listed(lacking)}; add it for every node"
        )
    sizes = tuple([cards[node] for node in structure.nodes])
    if all(type(size) is int and size > 0 for size in sizes):  # as nearly always
        return sizes
    named = zip(structure.nodes, sizes, strict=True)
    return tuple(whole(f"cards[{quoted(node)}]", size, 1) for node, size in named)
