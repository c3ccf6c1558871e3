"""Structure search by the maximised conditional log-likelihood, over perfect structures.

The reason that Feelders & Ivanovs (2006) give for fast discriminative scoring is structure search,
which has to score many models. Here each is perfect, hence a logistic regression with one maximum.
All moves are screened by score tests from one pass over the rows, and only those that promise most
are fitted, by Newton's method from the present optimum. Grossman & Domingos (2004) searched by the
conditional likelihood of frequency estimates instead, as fitting each model took too long.
"""

from dataclasses import replace
from time import perf_counter

from bnlr.arguments import amount, one_of, verbosity, whole
from bnlr.data.dataset import Dataset
from bnlr.errors import MissingCellsError, ParameterError, StructureError
from bnlr.machine import one_blas_thread
from bnlr.search.cll.chordal import Chordal, chordal_of
from bnlr.search.cll.complete_rows import CompleteRows
from bnlr.search.cll.criterion import Criterion
from bnlr.search.cll.held_out import HeldOut
from bnlr.search.cll.hill_climbing import ClimbOptions, HillClimbing
from bnlr.search.cll.information_criteria import Information
from bnlr.search.cll.moves import Limits
from bnlr.search.cll.progress import SearchProgress
from bnlr.search.cll.record import CLLSearch, record
from bnlr.search.cll.screening import Screen
from bnlr.search.fan import fan
from bnlr.search.naive import attributes_of
from bnlr.search.parents import possible_parents
from bnlr.search.tan import tan
from bnlr.spellings import canonical
from bnlr.structure.bits import mask_of
from bnlr.structure.dag import Structure
from bnlr.words import quoted

SCORES = ("bic", "aic", "cv", "validation")
STARTS = ("auto", "naive-bayes", "fan", "tan", "empty")
_TREES = {"fan": fan, "tan": tan}

_HELD_OUT = {"cv", "validation"}
# How many models a step fits once one is better, and in vain; BIC and AIC try all that may do.
_N_BEST, _IN_VAIN = 6, 12
# A prediction may be too small by this factor.
_DOUBT = 3.0


def cll_search(
    data: Dataset,
    *,
    score: str = "cv",
    start: str | Structure = "auto",
    max_parents: int = 3,
    max_cells: int = 20_000,
    compound: bool = True,
    n_folds: int = 5,
    penalty: float | str = "auto",
    max_steps: int | None = None,
    max_seconds: float | None = None,
    n_threads: int | None = None,
    verbose: int = 0,
) -> CLLSearch:
    """Search the perfect structures greedily, forwards and backwards, by their maximal CLL.

    Each step screens every attribute that may be added (alone or beside one other) or dropped and
    every arc between attributes that may be added or deleted such that the structure stays perfect;
    fits those that promise most; and takes the best. Where none is better, additions of up to three
    arcs at once are tried, which find dependences that no pair shows, such as a parity.

    Parameters
    ----------
    data : Dataset
        Complete; rows without a class are left out. Row weights count.
    score
        "cv": the CLL of rows left out of fits with the penalty and the scaled centre of `bnlr.fit`,
        in ``n_folds`` folds dealt by what the rows hold. Being higher is not enough, as the best of
        many moves would be by chance: an addition must gain more than 1, and be significant, either
        at 0.05 by the rows' own gains, or at 0.001 by the likelihood-ratio test on all rows; a
        deletion by the first, and not at 0.05 by the second. Levels are divided by the number of
        moves screened, but for this last one.
        "validation": the same for one fold alone. "bic", "aic": the maximal CLL less ½ ln N or 1
        for each parameter, N the sum of the weights; cells that never occur are no parameters, and
        a penalty of 0.001 keeps the maximum finite where classes are separated. "cv" predicts best;
        "bic" drops what is not significant.
    start
        "naive-bayes", "fan", "tan", "empty" (the class alone), or a perfect structure over
        attributes of the data. "auto": naive Bayes; then FAN and TAN too, each where it is, as it
        is, significantly better than what has been found, at 0.05 by the rows' own gains.
    max_parents
        The most attributes among a node's parents, beside the class.
    max_cells
        The most cells of a table: joint states of an attribute, its parents and the class. An
        attribute without others is always allowed.
    compound
        Whether to try several arcs at once, where that makes no more than 10,000 moves.
    n_folds, penalty
        For "cv" and "validation" alone: the folds, and the strength of the penalty. "auto": 10, or
        what cross-validation finds for the start if that is more; where no move is better, what it
        finds for the structure so far, and goes on under it if that raises the score. Under
        a strong penalty gains owe less to single rows, so that good arcs are told from chance.
    max_steps, max_seconds
        A budget; the search then ends with the best structure so far, as it does, with a warning,
        on an interrupt (Ctrl-C).
    n_threads
        As in `bnlr.fit`; changes no result.
    verbose
        Above 0: a line a step on standard error. Otherwise a search of more than two seconds keeps
        one line up to date there, on a terminal only.

    Returns
    -------
    CLLSearch
        The structure with the record of the search. Moves of equal promise, and models of equal
        score, are taken in the order of the attributes' names, so that the arcs do not depend on
        the order of the columns.

    Raises
    ------
    ParameterError
        An option outside its domain.
    MissingCellsError
        An attribute cell is missing: scores from different rows cannot be compared.
    StructureError, DataError
        A start that is not perfect, over other nodes, or beyond the limits; no rows of two classes.

    Warns
    -----
    BnlrWarning
        The search was interrupted.

    Examples
    --------
    >>> import bnlr
    >>> data = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), class_name="class")
    >>> search = bnlr.cll_search(data, score="bic")
    >>> ("A0", "A1") in search.structure.edges
    True
    """
    begin = perf_counter()
    limits = whole("max_parents", max_parents, 0), whole("max_cells", max_cells, 1)
    score = one_of("score", score, SCORES)
    options = _options(score, compound, max_steps, max_seconds)
    whole("n_folds", n_folds, 2)
    verbose = verbosity(verbose)
    rows = _rows(data, n_threads)
    joined = set(possible_parents(data))
    alone = mask_of(place for place, name in enumerate(rows.names) if name not in joined)
    bounds = Limits(*limits, rows.cards, rows.n_classes, alone)
    start = canonical(start, STARTS)
    graph = _start(rows, start, bounds)
    criterion = _criterion(rows, score, n_folds, penalty).strong(graph)
    what = "CLL of rows left out" if score in _HELD_OUT else score.upper()
    with one_blas_thread(), SearchProgress(verbose, max_steps, max_seconds, what) as progress:
        climb = HillClimbing(criterion, Screen(rows), bounds, options, progress, graph, begin)
        climb.run()
        for other in _TREES if start == "auto" else ():
            if climb.is_complete:
                climb = climb.or_better(_start(rows, other, bounds))
    return record(climb, score, perf_counter() - begin)


def _options(score: str, compound: object, max_steps: object, max_seconds: object) -> ClimbOptions:
    steps = None if max_steps is None else whole("max_steps", max_steps, 0, ", or None")
    seconds = None if max_seconds is None else amount("max_seconds", max_seconds, ", or None")
    if not isinstance(compound, bool):
        raise ParameterError(f"compound is {quoted(compound)}; it must be True or False")
    in_vain = _IN_VAIN if score in _HELD_OUT else None
    return ClimbOptions(_N_BEST, in_vain, _DOUBT, steps, seconds, compound)


def _rows(data: Dataset, n_threads: int | None) -> CompleteRows:
    try:
        return CompleteRows.of(data, n_threads)
    except MissingCellsError as error:
        raise MissingCellsError(
            f"method 'cll' compares scores of the same rows, but {error}, as "
            "BNClassifier(missing='state') does; or learn a 'tan' or 'fan' structure, which judge "
            "each dependence by the rows that show it"
        ) from error


def _criterion(rows: CompleteRows, score: str, n_folds: int, penalty: float | str) -> Criterion:
    is_auto = isinstance(penalty, str) and penalty == "auto"
    if score not in _HELD_OUT:
        if not is_auto:
            raise ParameterError(
                f"penalty is {quoted(penalty)}, but score {score!r} judges fits without one; leave "
                "it out, or take score 'cv'"
            )
        return Information.named(rows, score)
    strength = None if is_auto else amount("penalty", penalty, ", or 'auto'")
    n_folds = min(n_folds, max(rows.data.n_rows, 2))
    return HeldOut(rows, n_folds, 1 if score == "validation" else n_folds, strength)


def _start(rows: CompleteRows, start: object, limits: Limits) -> Chordal:
    n = len(rows.names)
    if isinstance(start, Structure):
        graph, limits = _given(rows, start), replace(limits, alone=0)
    elif not isinstance(start, str) or start not in STARTS:
        raise ParameterError(
            f"start is {quoted(start)}; choose one of {', '.join(STARTS)}, or give a bnlr.Structure"
        )
    elif start in _TREES:
        found = chordal_of(_TREES[start](rows.data), rows.names)
        pairs = [p for p in found.pairs if limits.allow(1 << p[0] | 1 << p[1])]
        graph = Chordal.of(n, range(n), pairs)
    else:
        graph = Chordal.of(n, [] if start == "empty" else range(n), [])
    _refuse_large(rows, graph, limits)
    return graph


def _given(rows: CompleteRows, start: Structure) -> Chordal:
    known = {rows.data.class_name, *attributes_of(rows.data)}
    strange = [node for node in start.nodes if node not in known]
    if strange or start.class_name != rows.data.class_name:
        raise StructureError(
            f"start has the class {start.class_name!r} and the nodes "
            f"{', '.join(map(repr, start.nodes[:8]))}; it must have the class of the data, "
            f"{rows.data.class_name!r}, and no node that is not a column"
        )
    return chordal_of(start, rows.names)


def _refuse_large(rows: CompleteRows, graph: Chordal, limits: Limits) -> None:
    for vertex, above in graph.families:
        if not limits.allow(above | 1 << vertex):
            raise StructureError(
                f"start gives attribute {rows.names[vertex]!r} more than max_parents="
                f"{limits.max_parents} attributes as parents, or a table of more than "
                f"max_cells={limits.max_cells} cells; raise the limit, or choose another start"
            )
