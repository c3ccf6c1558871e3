"""``write_report``: a model and rows become one page of HTML."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from bnlr._version import __version__
from bnlr.classifier import summary
from bnlr.classifier.estimator import BNClassifier
from bnlr.classifier.fitted import Fitted
from bnlr.classifier.input.features import index_of
from bnlr.classifier.input.rows import refuse_other_order
from bnlr.classifier.rows_to_predict import shown_cells
from bnlr.data.dataset import Dataset
from bnlr.errors import BnlrWarning, DataError, ParameterError
from bnlr.io.files import PathLike, checked_path, write_text
from bnlr.learn.result import FitResult
from bnlr.network import BayesianNetwork
from bnlr.report.model import Evaluation, report_page
from bnlr.structure.dag import Structure
from bnlr.warn import warn
from bnlr.words import quoted

if TYPE_CHECKING:
    from bnlr._typing import CodeArray

Model = BNClassifier | BayesianNetwork | FitResult


def write_report(
    model: Model,
    data: Any,
    path: PathLike,
    y: ArrayLike | None = None,
    *,
    title: str | None = None,
    rows: Sequence[int] = (),
) -> None:
    """Write a page of HTML about a model: what matters in it, how well it does on rows, what it is.

    The page opens offline and holds no script. First stand scores beside those of the base rates,
    which attributes matter (permuted, unknown, and by what they add to the log-odds), calibration,
    confusions, where it errs, and what speaks for the class in single rows; then structure,
    verdict, fit and tables. The same input gives the same bytes. An old file is replaced in one
    step. Of a pool all that is told of predictions is the pool's; structure, fit and tables are
    those of its first network.

    Parameters
    ----------
    model : BNClassifier, BayesianNetwork or FitResult
        A fitted classifier takes rows as `predict` does; a network, or the result of a fit, takes
        labels.
    data : DataFrame, array-like or Dataset
        The rows, best those that the model has not seen. A frame may hold the class, in the column
        of the class's name. Labels that the model does not know count as missing, and the page says
        so.
    path : path
        Ends in .html or .htm.
    y : array-like of shape (n_rows,), optional
        The class of each row, if ``data`` does not hold it; rows without a class are only
        predicted.
    title : str, optional
    rows : sequence of int
        Numbers of the rows to explain, counted from 1; if none, three telling ones.

    Raises
    ------
    NotFittedError, DataError, StateError
        As `predict`; ``y`` of another length than ``data``, or with its index in another order.
    ParameterError
        Another model, rows with weights, ``rows`` names one that does not exist, or ``path`` has
        another extension.
    TooLargeError
        Cells are missing, and exact inference would not fit in memory.
    PlotExtraError
        matplotlib is not installed; an ImportError.
    ModelFileError
        The file cannot be written.
    """
    target = checked_path(path)
    check_page(target.name)
    write_text(target, report_page(evaluation_of(model, data, y), title, rows))


def check_page(name: str) -> None:
    """Refuse a file that is no page by its name, such as a model's, before it is overwritten.

    Raises
    ------
    ParameterError
        Its extension is not .html or .htm.
    """
    if not name.lower().endswith((".html", ".htm")):
        raise ParameterError(f"{quoted(name)} is no page by its name; let it end in .html")


def evaluation_of(
    model: Model, data: Any, y: ArrayLike | None = None, origin: Mapping[str, str] | None = None
) -> Evaluation:
    """Return what a page is about; arguments and errors as of `write_report`.

    Parameters
    ----------
    model, data, y
    origin
        What the page is made from, such as files and their hashes.
    """
    refuse_other_order(index_of(data), y, "y")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        network = network_of(model)
        if isinstance(model, BNClassifier):
            evaluation = _of_classifier(model, data, y)
        else:
            evaluation = Evaluation(network, _by_network(network, data, y), _result_of(model))
    made_with = {"bnlr": __version__, **(origin or {})}
    return replace(evaluation, notes=_warned_again(caught), origin=made_with)


def network_of(model: Model) -> BayesianNetwork:
    """Return a model's network.

    Raises
    ------
    NotFittedError
        A classifier before `fit`.
    ParameterError
        Something else than a model.
    """
    if isinstance(model, BNClassifier):
        check_is_fitted(model)
        return model.network_
    if isinstance(model, FitResult):
        return model.network
    if isinstance(model, BayesianNetwork):
        return model
    raise ParameterError(
        "a report takes a BNClassifier, a BayesianNetwork or the result of bnlr.fit, got "
        f"{type(model).__name__}"
    )


def _result_of(model: Model) -> FitResult | None:
    return model if isinstance(model, FitResult) else None


def _warned_again(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Give warnings to the caller all the same, and return bnlr's own as notes."""
    for one in caught:
        warn(one.message, one.category)
    notes = [str(one.message) for one in caught if issubclass(one.category, BnlrWarning)]
    return list(dict.fromkeys(notes))


def _facts(fitted: Fitted) -> dict[str, str]:
    structure = fitted.parameters.structure
    return {
        "structure": "given" if isinstance(structure, Structure) else str(structure),
        "intervals": summary.intervals(fitted.cut_points),
        "trained on": summary.trained_on(fitted),
    }


def _of_classifier(classifier: BNClassifier, data: Any, y: ArrayLike | None) -> Evaluation:
    name = classifier.network_.structure.class_name
    columns = list(getattr(data, "columns", []))
    if y is None and name in columns:
        y = data[name]
    known = list(getattr(classifier, "feature_names_in_", []))
    if known and set(known) <= set(columns):
        data = data[known]
    fitted, frame = classifier._fitted, classifier._frame(data)
    # What `predict` says once, each page says.
    opinions = classifier._encode(frame, again=True)
    opinions = tuple(replace(one, data=_with_class(one.data, y)) for one in opinions)
    first = opinions[0]
    evaluation = Evaluation(first.network, first.data, fitted.result, _facts(fitted))
    if fitted.pool is None:
        return evaluation
    labelled = [
        replace(one, label=member.label)
        for one, member in zip(opinions, fitted.pool.members, strict=True)
    ]
    return replace(
        evaluation,
        pool=labelled,
        shown=lambda row: shown_cells(fitted, frame.iloc[[row]]),
    )


def _by_network(network: BayesianNetwork, data: Any, y: ArrayLike | None) -> Dataset:
    if isinstance(data, Dataset):
        return _with_class(network.encode(data), y)
    if not isinstance(data, pd.DataFrame):
        raise DataError(f"the rows must be a data frame or a Dataset, got {type(data).__name__}")
    structure = network.structure
    absent = [node for node in structure.markov_blanket(network.latent) if node not in data.columns]
    if absent:
        raise DataError(
            f"the rows have no column {quoted(absent[0])}, which P({structure.class_name} | "
            "attributes) depends on; add it, empty if nothing is known"
        )
    # Nodes that the class does not depend on may be absent, and latent ones.
    whole = data.reindex(columns=list(structure.nodes)).astype(object)
    encoded = Dataset.from_frame(whole, structure.class_name, network.states, unseen="missing")
    return _with_class(encoded, y)


def _with_class(data: Dataset, y: ArrayLike | None) -> Dataset:
    """Return the rows with the classes in ``y``, those in the rows if there is none."""
    if y is None:
        return data
    name = data.class_name
    labels = pd.Series(np.asarray(y, dtype=object).ravel(), dtype=object)
    if len(labels) != data.n_rows:
        raise DataError(f"y has {len(labels):,} classes, but there are {data.n_rows:,} rows")
    known = Dataset.from_frame(
        labels.to_frame(name), name, {name: data.states[name]}, unseen="missing"
    )
    codes: CodeArray = np.array(data.codes, order="F")
    codes[:, data.nodes.index(name)] = known.class_codes
    return replace(data, codes=codes)
