"""``BNClassifier``: structure, states, discretization and fit behind scikit-learn's methods."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import estimator_html_repr
from sklearn.utils.validation import check_is_fitted, validate_data

from bnlr._typing import FloatArray
from bnlr.classifier.auto.selection import content_to_selection, selection_to_content
from bnlr.classifier.checks import check
from bnlr.classifier.document import classifier_to_content, read_classifier
from bnlr.classifier.fitted import Fitted
from bnlr.classifier.input.class_weight import refuse_class_weight_of_dask
from bnlr.classifier.input.containers import typed_errors
from bnlr.classifier.input.dask_rows import check_dask_frame, read_dask_rows
from bnlr.classifier.input.features import Features, read_features
from bnlr.classifier.input.rows import TrainingRows, read_rows
from bnlr.classifier.lazy_prediction import lazy_columns, lazy_labels
from bnlr.classifier.member import Member
from bnlr.classifier.parameters import Expected, Parameters
from bnlr.classifier.rows_to_predict import as_row, encode, is_one_row, shown_cells
from bnlr.classifier.sampling import sample_rows
from bnlr.classifier.summary import describe
from bnlr.classifier.training import train
from bnlr.data.dataset import is_dask
from bnlr.data.suspects.messages import IN_PYTHON, Phrasing
from bnlr.data.unseen import Unseen
from bnlr.errors import UnexpectedMissingWarning
from bnlr.network.column_contributions import column_contributions
from bnlr.network.contributions import explain as explain_network
from bnlr.network.opinion_pool import Opinion, explain_pool, pooled_posteriors
from bnlr.notebook import card, words
from bnlr.structure.dag import Structure
from bnlr.structure.svg import svg
from bnlr.warn import warn

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bnlr._typing import State
    from bnlr.network.explanation import Explanation


_UNEXPECTED = (
    "cells are missing, but the parameters were trained on complete rows: the probabilities are "
    "exact for this network, yet it may be over-confident where cells are missing; fit with "
    "expect_missing= the share that will be missing (said once)"
)


class BNClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # sklearn is untyped
    """Bayesian network classifier with discriminative parameters.

    X holds text, booleans, categoricals and numbers in any mixture; a categorical's categories are
    its states, whether they occur or not. Unless ``discretize`` is None, float columns, and integer
    columns with more than ten values, are cut into intervals (`MDLDiscretizer`) inside ``fit``;
    integers with fewer values are labels.

    Cells may be missing (NaN, None, NA; an empty text is a label as any other), in `fit` and in
    prediction: they are summed out, exactly, or states of their own (``missing``). Intervals and,
    pair by pair, TAN's structure are learnt from the cells that are there, the parameters from all
    rows. A label that `fit` has not seen counts as missing.

    Names of methods, learners, solvers and the like may be spelt as usual: "TAN", "naive_bayes",
    "lbfgs"; `get_params` returns them as they were given.

    Parameters
    ----------
    structure : {"auto", "pool", "tan", "naive-bayes", "fan", "kdb", "hgc", "tpda", "score-tan", \
            "score-fan", "score-kdb", "cll"}, Structure, path
        A method of `learn_structure`, a structure over X's columns and the class, or a file that
        holds one; where the file does not name the class, it is what y is called. Columns that a
        given structure lacks are ignored. The columns of an array are called x0, x1, … "hgc" and
        "cll" need rows without holes. "auto": of a dozen structures, each with a way to cut numbers
        and a centre, and of penalties, those that predict three folds best, see ``selection_``;
        intervals and structure are learnt anew from the rest of each. They are tried in order of
        promise within a budget of work that follows rows and columns, and `summary` names what was
        left out; "cll" takes part where no column is cut, columns times classes are at most 80 and
        states times classes at most 600. Where the
        structure chosen is not perfect, the network has a few arcs more, and the P(class |
        attributes) of the structure's free family tables. Folds are dealt by what the rows hold,
        not by their order; of more than 15,000 rows so many are asked. A hole counts as a state
        there. Only forests and naive Bayes are tried where holes are to be summed out. With too
        few rows to leave any out: "fan" with penalty 3; without penalty: "fan"; for generative
        learners: "tan".
        "pool": the same candidates, within three times the budget, and predictions are those of
        several of them together, see ``pool_``: a logarithmic opinion pool (Genest & Zidek 1986),
        with weights from 0 on that predict the folds left out best (stacking, Wolpert 1992). It
        mostly predicts better than the best one, for as many fits more as it has members;
        `explain` stays exact. Where "auto" tries nothing the pool has one member, that of "auto".
    structure_options : dict or None
        Options of the method, by name, as in `learn_structure`: ``{"k": 1}`` for "kdb",
        ``{"score": "bdeu", "max_parents": 3}`` for "hgc".
    learner, space, solver : str
        As in `bnlr.fit`. "auto" finds the global optimum where the structure is a logistic
        regression and the rows are complete, else a local one (ELR); "frequencies", "em" and
        "apn" make a generative classifier; "dfe" counts rows by their losses.
    discretize : str or None
        "mdl": where that tells the class (`MDLDiscretizer`). "mdl-5": intervals with more than a
        fifth of the rows are cut further, at quantiles. "quantile-5": into five of equal weight
        (`QuantileDiscretizer`). Any whole number from 2 on may stand for 5. "auto": "mdl"; with
        structure "auto" or "pool" several are tried, of up to 20 intervals, and with "cll" the one
        is taken with which naive Bayes, FAN or TAN predict three folds best. None takes every
        number for a label, and refuses floats with more than 20 values.
    penalty : float, "cv" or "auto"
        Shrinks the class's log-odds tables: ½ · penalty · ‖T − centre‖², which keeps them finite
        on separable data and predicts better than no penalty on most data sets; 0 maximises the
        conditional likelihood itself. "cv", the same as "auto", tries 3000 to 0.001 on three folds,
        see `bnlr.fit`; intervals, and a structure that is learnt by another method than "cll", are
        learnt anew from the rest of each, and a hole counts as a state there. With structure "auto"
        or "pool" it is the strength that is chosen with it. Generative classifiers and "dfe" have
        no penalty and refuse any but 0. On structures that are not perfect, and where rows have
        holes, some rows of likelihood are added, see `bnlr.fit`.
        Column names and the spelling of labels decide the folds of "cv" and of the centre "scaled":
        on few rows 1 and "1" may come to somewhat other probabilities.
    penalty_center : {"auto", "scaled", "frequencies", "zero", "smooth"}
        Where the penalty shrinks to. "scaled": to the log-odds of the frequency estimates times the
        one number that predicts best, ``result_.center_scale``; see `bnlr.fit`. "auto": "scaled",
        or, for a strength that the folds choose for one structure, "zero" where that predicts them
        better, as it does where the columns tell little.
    pseudocount : float or None
        Added to every count of the frequency estimates; None: 1, for "dfe" 0.
    max_iter : int or None
        The most iterations; None: 1000, for "dfe" 4 passes over the rows.
    tol, n_starts, random_state
        As in `bnlr.fit`; the masks of `expect_missing` are drawn from `random_state` too, and are
        always the same for None.
    expect_missing : float, {column: float}, "as seen" or None
        The share of cells that will be missing in prediction. Parameters trained on complete rows
        may predict badly from few cells; with a share, ELR maximises the conditional likelihood of
        4 to 16 copies of the rows (the fewer rows the more), each with as many cells masked at
        random as make up the share, and weights divided by the number of copies. It starts at the
        scaled frequency estimates and stops early, after √(rows / 10) iterations of L-BFGS, or
        ``max_iter`` if that is less. What is missing in the rows already counts. "as seen", and
        None with learner "auto": the holes that the rows have are those to come, so no more are
        made. ``result_`` tells of the masked copies. Structure and intervals are learnt from the
        rows as they are.
    unseen : {"missing", "error"}
        Whether a label that `fit` has not seen is taken as missing, with one `UnseenStateWarning`
        a column and fit, or refused. In folds, as of `cross_val_score`, it is one a column and
        estimator that these are of.
    missing : {"sum", "state"}
        Whether a missing cell is summed out, or a state of its own in the columns that lack cells
        in `fit`; elsewhere, and for labels that `fit` has not seen, it is summed out all the same.
        A state of its own keeps the fit a logistic regression, and can tell the class by the hole;
        it expects holes as they are in the rows.
    temperature : {"auto", None}
        "auto", for learner "frequencies" and rows complete in the class's families: the evidence's
        log-odds are multiplied by the one number, ``result_.center_scale``, that predicts best the
        rows of folds that were not counted. With naive Bayes the rows keep their order by the odds
        of two classes; elsewhere P(state | parents, class) is first shrunk towards P(state |
        class), by five rows' worth, so that the estimates are other than with None.
    nonperfect, m_step_pseudocount
        As in `bnlr.fit`, for a structure that is not perfect and for learner "em".
    class_weight : {class: weight}, "balanced" or None
        Multiplies the weights of the rows of a class, 1 of those that are not named. "balanced":
        all classes weigh the same together, the rows' weights times all rows' weight / (number of
        classes · the class's). `sample_weight` of these products gives the same model, to the bit:
        probabilities are those of a world in which the classes are so frequent. Penalty and
        pseudocounts count rows, whatever these weigh; where the weights leave less than a row's
        worth to learn, they shrink to the shares of the classes, and nothing is chosen by folds.
    states : dict or None
        ``{node: labels}`` of the latent nodes of a given structure, of which X has no column, in
        `fit` and in prediction: they are summed out. "auto" is then ELR, "em" and "apn" learn them
        too, and counting learners refuse them. The penalty is 3 towards zero unless it is given:
        folds tell nothing of latent nodes. See ``n_starts``, and `bnlr.fit`.
    n_jobs : int or None
        Where "auto", "pool" or "cll" tries candidates on folds, in how many of joblib's processes
        side by side: None for 1, or what `joblib.parallel_config` says, its backend "dask" among
        it; -1 for one a processor. The result does not depend on it, and files do not keep it.
        Candidates with the same intervals as one under a smooth penalty are tried one after
        another, so that more than four processes seldom help. Starting processes takes seconds;
        where `GridSearchCV` or the like has processes of its own, these are enough.
    verbose : int
        Above 0: a line on standard error for each candidate that is tried, and for each iteration
        of the fit; 0: what goes on is one line on a terminal, from the second second on. Files do
        not keep it.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels in y, sorted, of y's type.
    network_ : BayesianNetwork
        The fitted network, the class among its nodes: it has y's name if that is text, not empty
        and no column's, else "class".
    report_ : StructureReport
        Whether the structure is a logistic regression.
    result_ : FitResult
        How the parameters were reached.
    discretizer_ : MDLDiscretizer, QuantileDiscretizer or None
        Fitted on the columns that were cut; None without any.
    selection_ : DataFrame or None
        With structure "auto" or "pool": ``structure``, ``discretize``, ``penalty_center``,
        ``penalty``, ``log_loss`` on the folds left out and its ``standard_error`` for each
        candidate that was tried, the best first, which "auto" takes. With "cll" the first is that
        of which the way to cut numbers was taken.
    pool_ : Pool or None
        With structure "pool": the networks that predict together, with their weights and how each
        was learnt. ``network_``, ``report_``, ``result_``, ``discretizer_`` and ``n_iter_`` are
        those of its first member, which predicts the folds left out best; they do not predict
        alone what the classifier predicts.
    search_ : CLLSearch or None
        Of a structure found by "cll", the record of the search; None in a model that was loaded.
    missing_states_ : dict
        The state that stands for a missing cell in each column that has one.
    feature_importances_ : array of shape (n_features,)
        How much each column moves the log-odds, all together 1: the mean size of its contributions,
        see `explain_many`, to the log-odds against the classes' average, less their mean over the
        training rows; over those that show what the column's families look at, by weight, of more
        than 10,000 over as many, evenly spaced. A probability of 0 counts as 1e-12. 0 of columns
        that tell nothing. It says what the model does, not what would be lost without the column:
        that is permutation importance's question. Not there in models of version 0.1.0.
    n_features_in_ : int
    feature_names_in_ : array of str
        Only where X's columns have names.
    n_iter_ : int
        Iterations of the solver, at least 1.

    Examples
    --------
    >>> import bnlr
    >>> frame = bnlr.load_dataset("tic-tac-toe")
    >>> X, y = frame.drop(columns="class"), frame["class"]
    >>> bool(bnlr.BNClassifier("tan").fit(X, y).score(X, y) > 0.75)
    True
    """

    _document_kind = "classifier"

    def __init__(
        self,
        structure: "str | os.PathLike[str] | Structure" = "auto",
        *,
        structure_options: "Mapping[str, Any] | None" = None,
        learner: str = "auto",
        space: str = "auto",
        solver: str = "auto",
        discretize: str | None = "auto",
        penalty: float | str = "auto",
        penalty_center: str = "auto",
        pseudocount: float | None = None,
        max_iter: int | None = None,
        tol: float = 1e-9,
        n_starts: int = 1,
        random_state: int | None = None,
        expect_missing: Expected = None,
        unseen: Unseen = "missing",
        missing: str = "sum",
        temperature: str | None = None,
        nonperfect: str = "elr",
        m_step_pseudocount: float = 0.0,
        class_weight: "str | Mapping[Any, float] | None" = None,
        states: "Mapping[str, Sequence[State]] | None" = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.structure = structure
        self.structure_options = structure_options
        self.learner = learner
        self.space = space
        self.solver = solver
        self.discretize = discretize
        self.penalty = penalty
        self.penalty_center = penalty_center
        self.pseudocount = pseudocount
        self.max_iter = max_iter
        self.tol = tol
        self.n_starts = n_starts
        self.random_state = random_state
        self.expect_missing = expect_missing
        self.unseen = unseen
        self.missing = missing
        self.temperature = temperature
        self.nonperfect = nonperfect
        self.m_step_pseudocount = m_step_pseudocount
        self.class_weight = class_weight
        self.states = states
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(
        self,
        X: Any,  # noqa: N803  scikit-learn's name
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn structure (unless it is given), intervals and parameters.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            A Dask frame's rows stay on the workers (``pip install 'bnlr[dask]'``): 100,000 of them,
            drawn by ``random_state`` (0 for None), and the first of each class, say which columns
            are numbers, where these are cut, and what "auto" and "cv" stand for; all rows teach
            parameters and, by "naive-bayes", "tan", "fan", "kdb" and "hgc", the structure.
            Predictions of Dask frames are Dask's, worked out when asked.
        y : array-like of shape (n_rows,)
            Two or more different labels; of the same Dask frame as X.
        sample_weight : array-like of shape (n_rows,), optional
            A weight of 2 counts as two rows, 0 as none; but "dfe" makes one step of twice the
            size, and `expect_missing` masks both rows alike. `sklearn.ensemble.AdaBoostClassifier`
            gives weights that sum to 1: ``pseudocount=1 / len(X)`` is then one row's, and numbers
            are to be cut into intervals before it; "fan" and "hgc" take all rows for one.

        Returns
        -------
        BNClassifier
            Itself; unchanged if the fit fails.

        Raises
        ------
        DataError, MissingCellsError, StateError
            X or y cannot be used (y must not have missing cells); the message names column and
            remedy.
        ParameterError, StructureError, ModelFileError, NotPerfectError, TooLargeError
            A parameter outside its domain, or a structure that cannot be used.

        Warns
        -----
        ConvergenceWarning
            The solver stopped before the optimum.
        SeparationWarning
            Without penalty: the conditional likelihood has no finite maximiser.
        BnlrWarning
            Columns without any value are left out, unless the structure is given. Columns of
            numbers that one text, or all of them, makes labels of; of so many labels that the rows
            tell nothing of each; or one to one with the class, or of its name.
        """
        return self._fit(X, y, sample_weight, IN_PYTHON)

    def _fit(
        self,
        X: Any,  # noqa: N803  scikit-learn's name
        y: ArrayLike,
        sample_weight: ArrayLike | None,
        voice: Phrasing,
    ) -> Self:
        """Fit, and speak of doubtful columns in the words of the place that it is asked from."""
        asked = Parameters.of(self)
        check(asked)
        rows: TrainingRows
        if is_dask(X):
            refuse_class_weight_of_dask(asked.class_weight)
            rows = read_dask_rows(X, y, sample_weight, asked.random_state)
        else:
            rows = read_rows(X, y, sample_weight, asked.class_weight)
        fitted = train(asked, rows, voice)
        self._check_columns(rows.features, reset=True)
        self._keep(fitted)
        for member, _ in fitted.weighed:
            if not member.result.converged:
                warn(member.result.message, ConvergenceWarning)
        return self

    def _keep(self, fitted: Fitted) -> None:
        best = fitted.best
        self.classes_ = fitted.classes
        self.network_, self.report_, self.result_ = best.network, best.report, best.result
        self.discretizer_, self.missing_states_ = best.discretizer, dict(best.missing_states)
        self.selection_, self.search_, self.pool_ = fitted.selection, fitted.search, fitted.pool
        self.n_iter_ = max(best.result.n_iter, 1)
        if fitted.importances is not None:
            self.feature_importances_ = fitted.importances
        self._asked, self._rows, self._reading = fitted.parameters, best.rows, fitted.reading
        self._has_warned = False
        self._told: set[str] = set()  # columns whose unseen labels have been told of

    def __getstate__(self) -> dict[str, Any]:
        """Give what is pickled: tables as lists, which skops can hold too."""
        state: dict[str, Any] = super().__getstate__()
        if isinstance(state.get("selection_"), pd.DataFrame):
            state = {**state, "selection_": selection_to_content(state["selection_"])}
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take what was pickled; version 0.1.0 kept the parameters of `fit` as a dictionary."""
        if isinstance(state.get("selection_"), list):
            table = content_to_selection(state["selection_"], "selection_")
            state = {**state, "selection_": table}
        later: dict[str, Any] = {
            "n_jobs": None,
            "class_weight": None,
            "states": None,
            "verbose": 0,
            "_told": set(),
            "_reading": None,
        }
        state = {**later, **state}
        if isinstance(state.get("_asked"), dict):
            has_warned = state.get("_has_told", False)
            known = {"_asked": Parameters(**state["_asked"]), "_has_warned": has_warned}
            state = {**state, **known, "pool_": None}
        super().__setstate__(state)

    @property
    def _fitted(self) -> Fitted:
        """What the attributes hold, which a user may have changed since."""
        check_is_fitted(self)
        names = getattr(self, "feature_names_in_", None)
        columns = [f"x{k}" for k in range(self.n_features_in_)] if names is None else names
        return Fitted(
            parameters=self._asked,
            classes=self.classes_,
            columns=tuple(columns),
            are_named=names is not None,
            best=Member(
                network=self.network_,
                report=self.report_,
                result=self.result_,
                discretizer=self.discretizer_,
                missing_states=self.missing_states_,
                rows=self._rows,
            ),
            selection=self.selection_,
            search=self.search_,
            pool=self.pool_,
            importances=getattr(self, "feature_importances_", None),
            reading=self._reading,
        )

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803  scikit-learn's name
        """Return the most probable class of each row; the first of several.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns), Series or dict
            The columns of `fit`; or one row, a cell for each column's name, which is its number
            from 0 where the columns had no names that are text.

        Raises
        ------
        NotFittedError
            Before `fit`.
        DataError
            Other columns than in `fit`.
        StateError
            With ``unseen="error"``: a label that `fit` has not seen, with its column and the number
            of cells.
        TooLargeError
            With missing cells: exact inference in this structure would not fit in memory.

        Warns
        -----
        UnseenStateWarning
            Labels that `fit` has not seen, by column, with the number of cells; each column once.
        UnexpectedMissingWarning
            Once: cells are missing, but the parameters were trained on complete rows.
        """
        if is_dask(X):
            self._check_dask_columns(X)
            name = self.network_.structure.class_name
            return lazy_labels(self.predict, X, self.classes_, name)  # type: ignore[no-any-return]
        best = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, X: Any) -> FloatArray:  # noqa: N803  scikit-learn's name
        """Return P(class | row), shape (n_rows, n_classes), in the order of ``classes_``.

        Raises
        ------
        NotFittedError, DataError, StateError, TooLargeError
            As `predict`, and it warns as `predict` does.
        """
        if is_dask(X):
            self._check_dask_columns(X)
            return lazy_columns(self.predict_proba, X, self.classes_)  # type: ignore[no-any-return]
        return self._posteriors(X, in_logs=False)

    def predict_log_proba(self, X: Any) -> FloatArray:  # noqa: N803  scikit-learn's name
        """Return the natural logarithm of `predict_proba`, −inf for an exact zero.

        Raises
        ------
        NotFittedError, DataError, StateError, TooLargeError
            As `predict`, and it warns as `predict` does.
        """
        if is_dask(X):
            self._check_dask_columns(X)
            return lazy_columns(self.predict_log_proba, X, self.classes_)  # type: ignore[no-any-return]
        return self._posteriors(X, in_logs=True)

    def explain(self, row: Any) -> "Explanation":
        """Return what speaks for and against each class of one row, family by family; exact.

        Of a pool, column by column: the weighted sum of what the column's families in the networks
        say, with the parents that it has in any of them.

        Parameters
        ----------
        row : DataFrame, array-like, Series or dict
            One row of what `predict` takes; the cells of a Series or a dictionary go by their
            names, those of a list by their places.

        Returns
        -------
        Explanation
            Log-odds contributions that sum to the log posterior odds. Numbers that `fit` cut are
            shown with their interval, where all networks of a pool have the same.

        Raises
        ------
        NotFittedError, DataError, StateError, TooLargeError
            As `predict`, and it warns as `predict` does; more than one row.

        Examples
        --------
        >>> import bnlr
        >>> frame = bnlr.load_dataset("tic-tac-toe")
        >>> X, y = frame.drop(columns="class"), frame["class"]
        >>> explanation = bnlr.BNClassifier("naive-bayes").fit(X, y).explain(X.iloc[0])
        >>> explanation.contributions.index[0]
        'middle-middle-square | class'
        """
        fitted = self._fitted
        frame = self._frame(as_row(row, fitted.names))
        opinions = self._encode(frame)
        shown = shown_cells(fitted, frame)
        if fitted.pool is not None:
            return explain_pool(opinions, shown)
        return explain_network(fitted.network, opinions[0].data, shown)

    def explain_many(self, X: Any) -> FloatArray:  # noqa: N803  scikit-learn's name
        """Return what each column adds to the log-odds of each class, row by row; exact.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            What `predict` takes.

        Returns
        -------
        array of shape (n_rows, n_columns + 1, n_classes)
            Natural log-odds against the first class, whose own are 0; the last column is the base
            value, as of boosting libraries' ``pred_contrib``. Columns sum to the log posterior
            odds, ``log P(c | row) − log P(first class | row)``, where the network holds the row for
            possible. A column's part is that of its own families, given their parents: an arc
            between two attributes counts for the one that it points to.
            ``shap.Explanation(values[:, :-1, 1], values[:, -1, 1], X, feature_names=X.columns)``
            gives those of the second class to SHAP's plots.

        Raises
        ------
        NotFittedError, DataError, StateError, TooLargeError
            As `predict`, and it warns as `predict` does.

        Examples
        --------
        >>> import bnlr
        >>> frame = bnlr.load_dataset("tic-tac-toe")
        >>> X, y = frame.drop(columns="class"), frame["class"]
        >>> classifier = bnlr.BNClassifier("naive-bayes").fit(X, y)
        >>> values = classifier.explain_many(X)
        >>> values.shape
        (958, 10, 2)
        >>> logs = classifier.predict_log_proba(X)
        >>> bool((abs(values[..., 1].sum(axis=1) - (logs[:, 1] - logs[:, 0])) < 1e-12).all())
        True
        """
        opinions = self._encode(self._frame(X))
        return column_contributions(opinions, self._fitted.columns)

    def sample(self, n: int, random_state: int | None = None) -> pd.DataFrame:
        """Draw rows, class and attributes together, from ``network_``.

        How frequent rows are is learnt by learners "frequencies" and "em"; others learn P(class |
        row), which holds for the rows drawn too, but these need not be as frequent as in `fit`.

        Parameters
        ----------
        n : int
            How many rows.
        random_state : int or None
            The same whole number gives the same rows; None: others each time.

        Returns
        -------
        DataFrame of ``n`` rows
            The columns of `fit` that the network has, with labels of the types of `fit`, and the
            class under its name, last. Of a number that was cut the network knows the interval,
            and that is what is drawn, an ordered category as in ``discretizer_.transform(X)``; ask
            ``network_`` what it says of such rows. No cell is missing, but where a hole is a state
            (``missing="state"``).

        Raises
        ------
        NotFittedError
            Before `fit`.
        ParameterError
            A pool of several networks, which has no rows of its own; ``n`` or ``random_state`` is
            no whole number from 0 on.
        TooLargeError
            The rows do not fit in memory.

        Examples
        --------
        >>> import bnlr
        >>> frame = bnlr.load_dataset("tic-tac-toe")
        >>> X, y = frame.drop(columns="class"), frame["class"]
        >>> rows = bnlr.BNClassifier("tan", learner="frequencies", penalty=0).fit(X, y).sample(5, 0)
        >>> rows.shape, rows.columns[-1]
        ((5, 10), 'class')
        """
        return sample_rows(self._fitted, n, random_state)

    def _html_repr(self) -> str:
        """Return scikit-learn's picture for notebooks and, once fitted, the network and the fit."""
        drawn: str = estimator_html_repr(self)
        if not hasattr(self, "network_"):
            return drawn
        picture = svg(self.network_.structure)
        return drawn + card("Fitted", picture, words(self.summary()))

    def summary(self) -> str:
        """Return what was learnt, how, and how far it can be trusted, as text."""
        return describe(self._fitted)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the structure of ``network_``; see `bnlr.report.plots.structure.plot_structure`."""
        from bnlr.report.plots.structure import plot_structure  # noqa: PLC0415  matplotlib is an extra

        check_is_fitted(self)
        return plot_structure(self.network_.structure, self.report_, ax)

    def save(self, path: "str | os.PathLike[str]") -> None:
        """Write the fitted classifier to a JSON file, replacing an old one in one step.

        Raises
        ------
        ModelFileError
            Another extension than ``.json``, class labels that JSON cannot carry, or a file that
            cannot be written.
        """
        from bnlr.io import save  # noqa: PLC0415  the method's own name

        check_is_fitted(self)
        save(self, path)

    @classmethod
    def load(cls, path: "str | os.PathLike[str]") -> Self:
        """Read a classifier that `save` wrote; it predicts as the saved one, to the last bit.

        Nothing in the file is executed. ``result_`` comes back without trace and parameters.

        Raises
        ------
        ModelFileError
            Not a classifier's file, or one that was changed after it was saved.
        """
        parameters, fitted = read_classifier(path, cls._get_param_names())
        classifier = cls(**parameters)
        classifier.n_features_in_ = len(fitted.columns)
        if fitted.are_named:
            classifier.feature_names_in_ = np.array(fitted.columns, dtype=object)
        classifier._keep(fitted)
        return classifier

    def _check_dask_columns(self, table: Any) -> None:
        check_is_fitted(self)
        check_dask_frame(table)
        self._check_columns(Features(table._meta, are_named=True, index=None), reset=False)

    def _to_content(self) -> dict[str, object]:
        return classifier_to_content(self.get_params(deep=False), self._fitted)

    def _posteriors(self, X: Any, *, in_logs: bool) -> FloatArray:  # noqa: N803  as above
        frame = self._frame(X)
        opinions = self._encode(frame)
        return pooled_posteriors(opinions, in_logs)

    def _frame(self, X: Any) -> pd.DataFrame:  # noqa: N803  scikit-learn's name
        """Return rows to predict under the names that their columns had in `fit`."""
        check_is_fitted(self)
        names = self._fitted.names
        is_row = is_one_row(X, names, len(self._fitted.columns))
        features = read_features(as_row(X, names) if is_row else X)
        self._check_columns(features, reset=False)
        return features.frame.set_axis(list(self._fitted.columns), axis=1)

    def _encode(self, frame: pd.DataFrame, *, again: bool = False) -> tuple[Opinion, ...]:
        """Return rows to predict in each network's states; errors and warnings as of `predict`.

        ``again``: what is said once is said whether it has been or not.
        """
        told = set() if again else self._told
        opinions, is_odd = encode(self._fitted, frame, self.unseen, told)
        if is_odd and (again or not self._has_warned):
            self._has_warned = True
            warn(_UNEXPECTED, UnexpectedMissingWarning)
        return opinions

    def _check_columns(self, features: Features, *, reset: bool) -> None:
        """Refuse other columns than those of the fit, or another order; or, anew, keep them."""
        with typed_errors():
            try:
                validate_data(self, features.as_given, reset=reset, skip_check_array=True)
            except ValueError as error:
                raise ValueError(
                    f"{error}{'' if str(error).endswith(chr(10)) else ' '}Give the columns of fit "
                    "in their order, for instance as X[list(classifier.feature_names_in_)]"
                ) from error

    def _needs_complete_rows(self) -> bool:
        """Whether `fit` refuses rows with holes; prediction never does."""
        asked = Parameters.of(self)
        is_regression = asked.learner == "lr" or asked.space in {"loglinear", "roos"}
        needs_counts = asked.structure == "hgc" or asked.temperature is not None
        return (
            is_regression or needs_counts or asked.learner == "dfe"
        ) and asked.missing != "state"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = not self._needs_complete_rows()
        return tags
