"""``BNClassifier``: structure, states, discretization and fit behind scikit-learn's methods."""

import os
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from bnlr._typing import FloatArray, IntArray
from bnlr.arguments import amount
from bnlr.classifier.containers import refuse_other_order, typed_errors
from bnlr.classifier.cutting import check_cutting
from bnlr.classifier.doubts import Doubts
from bnlr.classifier.features import (
    number_classes,
    read_classes,
    read_table,
    without_empty,
)
from bnlr.classifier.holes import check_missing
from bnlr.classifier.masking import Expected, check_expected
from bnlr.classifier.rows import as_row, encode, shown_cells
from bnlr.classifier.selection import selection_table
from bnlr.classifier.shrinkage import check_penalty, check_temperature
from bnlr.classifier.structures import (
    AUTO,
    check_options,
    class_name_for,
    columns_of,
    given_structure,
    name_of,
)
from bnlr.classifier.summary import describe
from bnlr.classifier.training import Rows, train
from bnlr.data.checks import Unseen, check_unseen
from bnlr.data.foreign import as_pandas
from bnlr.data.labels import as_label
from bnlr.data.telling import IN_PYTHON, Voice
from bnlr.data.weights import check_weights
from bnlr.errors import DataError
from bnlr.learn.auto import check_method
from bnlr.learn.request import limits
from bnlr.structure.dag import Structure
from bnlr.warn import warn
from bnlr.words import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.axes import Axes

    from bnlr.network.explanation import Explanation


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

    Parameters
    ----------
    structure : {"auto", "tan", "naive-bayes", "fan", "kdb", "hgc", "tpda", "cll"}, Structure, path
        A method of `learn_structure`, a structure over X's columns and the class, or a file that
        holds one; where the file does not name the class, it is what y is called. Columns that a
        given structure lacks are ignored. The columns of an array are called x0, x1, … "hgc" and
        "cll" need rows without holes. "auto": of naive Bayes, FAN, TAN, k-DB and "hgc", and "cll"
        where no column is cut, columns times classes are at most 80 and states times classes at
        most 600, of ways to cut numbers and of penalties, those that predict three folds best, see
        ``selection_``; intervals and structure are learnt anew from the rest of each. Where the
        structure chosen is not perfect, the network has a few arcs more, and the P(class |
        attributes) of the structure's free family tables. Folds are dealt by what the rows hold,
        not by their order; of more than 15,000 rows so many are asked. A hole counts as a state
        there. Only naive Bayes, FAN and TAN are tried where holes are to be summed out. With too
        few rows to leave any out: "fan" with penalty 3; without penalty: "fan"; for generative
        learners: "tan".
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
        structure "auto" all of these three are tried, and with "cll" the one is taken with which
        naive Bayes, FAN or TAN predict three folds best. None takes every number for a label, and
        refuses floats with more than 20 values.
    penalty : float, "cv" or "auto"
        Shrinks the class's log-odds tables: ½ · penalty · ‖T − centre‖², which keeps them finite
        on separable data and predicts better than no penalty on most data sets; 0 maximises the
        conditional likelihood itself. "cv", the same as "auto", tries 3000 to 0.03 on three folds,
        see `bnlr.fit`; intervals, and a structure that is learnt by another method than "cll", are
        learnt anew from the rest of each, and a hole counts as a state there. With structure "auto"
        it is the strength that is chosen with it. Generative classifiers and "dfe" have no penalty
        and refuse any but 0. On structures that are not perfect, and where rows have holes, some
        rows of likelihood are added, see `bnlr.fit`.
        Column names and the spelling of labels decide the folds of "cv" and of the centre "scaled":
        on few rows 1 and "1" may come to somewhat other probabilities.
    penalty_center : {"auto", "scaled", "frequencies", "zero"}
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
        scaled frequency estimates and stops early, after √(rows / 10) iterations or ``max_iter`` if
        that is less. What is missing in the rows already counts. "as seen", and None with learner
        "auto": the holes that the rows have are those to come, so no more are made. ``result_``
        tells of the masked copies. Structure and intervals are learnt from the rows as they are.
    unseen : {"missing", "error"}
        Whether a label that `fit` has not seen is taken as missing, with one `UnseenStateWarning`
        a call, or refused.
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
        With structure "auto": ``structure``, ``discretize``, ``penalty_center``, ``penalty``,
        ``log_loss`` on the folds left out and its ``standard_error`` for each candidate that was
        tried, the chosen one first. With "cll" that of which the way to cut numbers was taken.
    search_ : CLLSearch or None
        Of a structure found by "cll", the record of the search; None in a model that was loaded.
    missing_states_ : dict
        The state that stands for a missing cell in each column that has one.
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
        y : array-like of shape (n_rows,)
            Two or more different labels.
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
        voice: Voice,
    ) -> Self:
        """Fit, and speak of doubtful columns in the words of the place that it is asked from."""
        self._check_parameters()
        frame, places, classes, codes, weights = self._read_training(X, y, sample_weight)
        class_name = class_name_for(y, frame)
        given = given_structure(self.structure, class_name)
        is_auto = given is None and self.structure == AUTO
        check_options(self.structure_options, given, is_auto=is_auto)
        if given is None:
            used = without_empty(frame)
        else:
            class_name, used = given.class_name, frame[columns_of(given, frame)]
        own_name = name_of(y)
        doubts = Doubts(voice, places, own_name if own_name in used else None)
        rows = Rows(used, _categorical(classes, codes), class_name, weights, doubts)
        trained = train(self, given, rows)
        with typed_errors():
            validate_data(self, as_pandas(X), skip_check_array=True)
        result = trained.result
        self.classes_ = classes
        self.discretizer_, self.missing_states_ = trained.discretizer, trained.missing_states
        self.network_, self.report_, self.result_ = result.network, result.report, result
        self.selection_ = None if trained.trials is None else selection_table(trained.trials)
        self.search_ = trained.search
        self.n_iter_ = max(result.n_iter, 1)
        self._rows, self._asked = trained.kind, self.get_params(deep=False)
        self._has_told = False
        if not result.converged:
            warn(result.message, ConvergenceWarning)
        return self

    def predict(self, X: Any) -> NDArray[Any]:  # noqa: N803  scikit-learn's name
        """Return the most probable class of each row; the first of several.

        Parameters
        ----------
        X : DataFrame or array-like of shape (n_rows, n_columns)
            The columns of `fit`.

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
            Labels that `fit` has not seen, by column, with the number of cells.
        UnexpectedMissingWarning
            Once: cells are missing, but the parameters were trained on complete rows.
        """
        check_is_fitted(self)
        probabilities = self.network_.predict_proba(encode(self, X))
        labels: NDArray[Any] = self.classes_[probabilities.argmax(axis=1)]
        return labels

    def predict_proba(self, X: Any) -> FloatArray:  # noqa: N803  scikit-learn's name
        """Return P(class | row), shape (n_rows, n_classes), in the order of ``classes_``.

        Raises
        ------
        NotFittedError, DataError, StateError, TooLargeError
            As `predict`, and it warns as `predict` does.
        """
        check_is_fitted(self)
        return self.network_.predict_proba(encode(self, X))

    def predict_log_proba(self, X: Any) -> FloatArray:  # noqa: N803  scikit-learn's name
        """Return the natural logarithm of `predict_proba`, −inf for an exact zero.

        Raises
        ------
        NotFittedError, DataError, StateError, TooLargeError
            As `predict`, and it warns as `predict` does.
        """
        check_is_fitted(self)
        return self.network_.predict_log_proba(encode(self, X))

    def explain(self, row: Any) -> "Explanation":
        """Return what speaks for and against each class of one row, family by family; exact.

        Parameters
        ----------
        row : DataFrame, array-like, Series or dict
            One row of what `predict` takes; the cells of a Series or a dictionary go by their
            names, those of a list by their places.

        Returns
        -------
        Explanation
            Log-odds contributions that sum to the log posterior odds. Numbers that `fit` cut are
            shown with their interval.

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
        from bnlr.network.contributions import explain  # noqa: PLC0415  the method's own name

        check_is_fitted(self)
        table = as_row(self, row)
        return explain(self.network_, encode(self, table), shown_cells(self, table))

    def summary(self) -> str:
        """Return what was learnt, how, and how far it can be trusted, as text."""
        check_is_fitted(self)
        return describe(self)

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Draw the structure; see `bnlr.report.plots.plot_structure`."""
        from bnlr.report.plots import plot_structure  # noqa: PLC0415  matplotlib is an extra

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
        from bnlr.classifier.document import read_classifier  # noqa: PLC0415  imports this module

        return read_classifier(cls, path)

    def _to_content(self) -> dict[str, object]:
        from bnlr.classifier.document import classifier_to_content  # noqa: PLC0415  as above

        check_is_fitted(self)
        return classifier_to_content(self)

    def _check_parameters(self) -> None:
        check_method(self.learner, self.space, self.solver)
        limits(self.learner, self.max_iter, self.pseudocount)
        amount("m_step_pseudocount", self.m_step_pseudocount)
        check_cutting(self.discretize)
        check_unseen(self.unseen)
        check_expected(self.expect_missing, self.learner)
        check_penalty(self.penalty, self.penalty_center, self.learner)
        check_missing(self.missing, self.expect_missing)
        check_temperature(self.temperature, self.learner)

    def _read_training(
        self,
        X: Any,  # noqa: N803  scikit-learn's name
        y: Any,
        sample_weight: Any,
    ) -> tuple[pd.DataFrame, IntArray | None, NDArray[Any], NDArray[np.intp], FloatArray | None]:
        """Return the rows that count: features, places in X, classes, class codes and weights.

        The places are None where all rows count; the classes are the distinct ones.
        """
        table = as_pandas(X)
        frame = read_table(table)
        refuse_other_order(table, y, "y")
        refuse_other_order(table, sample_weight, "sample_weight")
        labels = read_classes(y, len(frame))
        if sample_weight is None:
            return frame, None, *number_classes(labels), None
        weights = check_weights(sample_weight, len(frame))
        rows = np.flatnonzero(weights > 0)
        return frame.iloc[rows], rows, *number_classes(labels[rows]), weights[rows]

    def _feature_names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{k}" for k in range(self.n_features_in_)] if names is None else list(names)

    def _cut_points(self) -> dict[str, FloatArray]:
        """Return the cut points of each column that was cut."""
        discretizer = self.discretizer_
        if discretizer is None:
            return {}
        return dict(zip(discretizer.feature_names_in_, discretizer.cut_points_, strict=True))

    def _needs_complete_rows(self) -> bool:
        """Whether `fit` refuses rows with holes; prediction never does."""
        needs = self.learner == "dfe" or self.structure == "hgc" or self.temperature is not None
        return needs and self.missing != "state"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.string = True
        tags.input_tags.allow_nan = not self._needs_complete_rows()
        return tags


def _categorical(classes: NDArray[Any], codes: NDArray[np.intp]) -> pd.Categorical:
    labels = [as_label(label) for label in classes]
    for label, plain in zip(classes, labels, strict=True):
        if plain is None:
            raise DataError(
                f"y holds {quoted(label)}, which is neither text, a boolean nor a finite number; "
                "turn the classes into text"
            )
    return pd.Categorical.from_codes(codes, pd.Index(labels, dtype=object))
