"""``learn_structure``: one door to all structure learners."""

from collections.abc import Callable
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any

from bnlr.arguments import one_of
from bnlr.data.dataset import Dataset, check_dataset
from bnlr.errors import ParameterError
from bnlr.search.methods import METHODS, learner_of
from bnlr.structure.dag import Structure

if TYPE_CHECKING:
    from bnlr.search.cll import CLLSearch


def learn_structure(data: Dataset, method: str = "tan", **options: Any) -> Structure:
    """Learn a structure over the columns of ``data``.

    Parameters
    ----------
    data : Dataset
    method
        In any usual spelling, such as "TAN" or "nb".
        "naive-bayes": the class is the only parent of every attribute; looks at no row.
        "tan": tree-augmented naive Bayes (Friedman, Geiger & Goldszmidt 1997), a maximum weighted
        spanning tree over the attributes on I(X_i; X_j | class) beside the class.
        "fan": the TAN tree without the arcs whose information is not worth its BIC penalty.
        "kdb": each attribute has the class and up to k attributes as parents (Sahami 1996).
        "hgc": greedy hill climbing by adding, deleting and reversing arcs under a score of the
        whole network (Heckerman, Geiger & Chickering 1995); needs complete rows.
        "tpda": three-phase dependency analysis, a network of the arcs that tests of conditional
        independence ask for (Cheng, Greiner, Kelly, Bell & Liu 2002).
        "score-tan", "score-fan", "score-kdb": arcs chosen for the class, by what each pair's table
        gains on the residuals of a penalised naive Bayes, in rows left out (the score statistic of
        Rao 1948, by folds). "score-fan" is the forest of the arcs that gain more than the best of
        all pairs may by chance; "score-tan" joins its trees to one by the arcs that "tan" likes
        best; in "score-kdb" an attribute's second and further parents gain on the residuals of a
        fit with the arcs before them, so that three attributes may tell the class together.
        "cll": greedy search over perfect networks by the maximal conditional log-likelihood itself,
        by default that of rows left out; needs complete rows. `bnlr.cll_search` returns the record
        of the search beside the structure.

        Rows without a class are left out. With missing cells "tan", "fan" and "kdb" judge each pair
        by the rows that show it, and "tpda" each test by the rows that show what it is about; so do
        "score-tan", "score-fan" and "score-kdb", for which a missing cell is a state of its own in
        naive Bayes. These three ask a part of more than 30,000 rows, by weight, that is no larger.

        A column of nearly as many labels as rows, such as names or row numbers, is joined to no
        other attribute: one of k labels in N rows with (k − 1) ln N > 2 N ln 2, N at least 20.
        Neither an arc to another attribute nor one from it could be worth its parameters by BIC.
    options
        For "tan", "fan", "score-tan" and "score-fan": ``root``, the attribute from which the tree's
        arcs point away; the first by name if not given. It does not change P(class | attributes)
        that can be reached. For "kdb": ``k=2``, and ``threshold``, the information above which an
        attribute becomes a parent. For "score-kdb": ``k=2``. For "hgc": ``score="k2"`` ("bdeu",
        "bic", "aic"), ``ess``, ``max_parents=2``, ``start="naive-bayes"`` ("empty", or a
        structure). For "tpda": ``threshold``, ``penalty``,
        ``rows_per_df``, ``colliders``. See `bnlr.search.kdb.kdb`, `bnlr.search.hgc.hgc`,
        `bnlr.search.tpda.tpda` and `bnlr.search.score_arcs`. For "cll":
        ``score="cv"`` ("validation", "bic", "aic"), ``start="auto"`` ("naive-bayes", "fan", "tan",
        "empty", or a structure), ``max_parents=3``, ``max_cells``, ``max_steps``, ``max_seconds``,
        ``penalty``, ``n_folds``, ``compound``, ``n_threads``, ``verbose``; see `bnlr.cll_search`.

    Returns
    -------
    Structure
        The class first, then the attributes in column order, and arcs that do not depend on that
        order. "kdb" (from k = 2 on), "hgc" and "tpda" may be not perfect, so that `fit` finds a
        local optimum (`bnlr.analyze` tells); the others are, and `fit` finds the global one. "hgc",
        "tpda" and "cll" may leave the class without a neighbour, so that its prior predicts.

    Raises
    ------
    ParameterError
        An unknown method or option, or an option outside its domain.
    DataError
        No rows of two classes ("hgc": no row with a class).
    MissingCellsError
        "hgc" or "cll" with missing cells.

    Examples
    --------
    >>> import bnlr
    >>> data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), class_name="class")
    >>> bnlr.learn_structure(data, "naive-bayes").children("class") == data.nodes[:-1]
    True
    """
    return learn_with_record(data, method, **options)[0]


def learn_with_record(
    data: Dataset, method: str, **options: Any
) -> "tuple[Structure, CLLSearch | None]":
    """Learn as `learn_structure` does; with it the record of the search, if it was by "cll"."""
    check_dataset(data)
    method = one_of("method", method, METHODS)
    learn = learner_of(method)
    _check_options(learn, method, options)
    found = learn(data, **options)
    return (found, None) if isinstance(found, Structure) else (found.structure, found)


def _check_options(learn: Callable[..., Any], method: str, options: dict[str, Any]) -> None:
    parameters = signature(learn).parameters.values()
    known = [p.name for p in parameters if p.kind is Parameter.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise ParameterError(
                f"method {method!r} has no option {name!r}; it has {', '.join(known) or 'none'}"
            )
