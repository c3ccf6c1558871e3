"""Models as commands read them from files, and the columns that a classifier wants."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnlr.cli.console import note
from bnlr.cli.options import given_reading, read_options, typed_reading
from bnlr.errors import ModelFileError, ParameterError

if TYPE_CHECKING:
    import argparse

    import pandas as pd

    from bnlr.classifier.estimator import BNClassifier
    from bnlr.io.tables.table import Table
    from bnlr.network import BayesianNetwork


def network_in(path: str, class_name: str | None) -> "BayesianNetwork | None":
    """Return the network of a file, None if a classifier is saved in it."""
    from bnlr.io.files import is_foreign  # noqa: PLC0415
    from bnlr.io.models.envelope import read_document  # noqa: PLC0415  load NumPy
    from bnlr.io.models.network import content_to_network  # noqa: PLC0415  load NumPy
    from bnlr.io.saving import load  # noqa: PLC0415  load NumPy
    from bnlr.io.tables.read import surely_holds_rows  # noqa: PLC0415

    if surely_holds_rows(path):
        raise ModelFileError(f"{path} holds data; the model comes first: bnlr predict MODEL DATA")
    if is_foreign(Path(path)):
        return load(path, class_name)
    kind, content = read_document(path)
    if kind == "network":
        return load(path, class_name) if class_name else content_to_network(content, path)
    from bnlr.io.tables.typed import option  # noqa: PLC0415

    network: Any = content.get("network")
    own = network.get("class") if isinstance(network, dict) else None
    if class_name not in (None, own):
        raise ParameterError(
            f"{path}: the classifier predicts {own!r}; {option('--class', class_name)} is for "
            "networks whose file names no class"
        )
    return None


def model_in(path: str, class_name: str | None) -> "BNClassifier | BayesianNetwork":
    """Return the classifier of a file, or the network if it holds one."""
    network = network_in(path, class_name)
    if network is not None:
        return network
    from bnlr.classifier.estimator import BNClassifier  # noqa: PLC0415  loads scikit-learn

    return BNClassifier.load(path)


def table_for(model: "BNClassifier | BayesianNetwork", args: "argparse.Namespace") -> "Table":
    """Read the data of a command as those of the model's fit, unless it is told otherwise.

    What is taken from the fit is said, before anything can go wrong with it.
    """
    from bnlr.io.tables.read import read_table  # noqa: PLC0415  loads NumPy

    kept = {} if args.forget else getattr(model, "_reading", None) or {}
    new = {name: value for name, value in kept.items() if name not in given_reading(args)}
    if new and not args.quiet:
        note(f"read as in the fit: {typed_reading(new)}  (--forget: without)")
    return read_table(args.data, read_options(args, kept))


def features_for(classifier: "BNClassifier", table: "Table") -> "pd.DataFrame":
    """Return the columns of the fit, in its order: numbers where it cut, else its labels."""
    import pandas as pd  # noqa: PLC0415  heavy

    from bnlr.io.tables.cells import frame_like, numeric_column  # noqa: PLC0415

    fitted = classifier._fitted
    numbers = fitted.cut_points
    labels = frame_like(table, fitted.network.states)
    columns: dict[str, object] = {}
    for name in fitted.columns:
        cells = table.column(name)
        if name in numbers:
            columns[name] = pd.Series(numeric_column(table, name), dtype=float)
        else:
            columns[name] = labels[name] if name in labels else pd.Series(cells, dtype=object)
    frame = pd.DataFrame(columns)
    return frame if fitted.are_named else frame.set_axis(range(len(fitted.columns)), axis=1)
