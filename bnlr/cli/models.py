"""Models as commands read them from files, and the columns that a classifier wants."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnlr.errors import ModelFileError, ParameterError

if TYPE_CHECKING:
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
