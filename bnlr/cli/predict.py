"""``bnlr predict``: classes and probabilities for the rows of a data file."""

import argparse
import csv
import sys
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TextIO

from bnlr.cli.console import note
from bnlr.cli.models import features_for, model_in, table_for
from bnlr.cli.options import (
    Commands,
    add_class,
    add_command,
    add_forget,
    add_quiet,
    add_reading,
)
from bnlr.cli.output import check_folder, refuse_same_file, replacing
from bnlr.words import counted, joined, quoted

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from bnlr._typing import FloatArray, State
    from bnlr.classifier.estimator import BNClassifier
    from bnlr.data.unseen import Unseen
    from bnlr.io.tables.table import Cells, Table
    from bnlr.network import BayesianNetwork

_ABOUT = """\
Predict the class of every row of DATA, a table with the columns that the model was learnt from, in
any order; others are ignored, and the class may be absent. DATA is what 'bnlr fit' reads, and is
read as it was for the fit unless options say otherwise; - is standard input. Empty cells, '?', 'NA'
and 'NaN' are missing and are summed out, and so are labels that the model does not know, with a
warning. MODEL is a classifier or a network that bnlr saved, or a .bif, .xmlbif or .net network.
Writes CSV, one line a row in their order, after a header: the columns of --keep, the class, with
--proba P(class=label) for each label. How many cells are missing and, if DATA holds the class,
accuracy and log-loss are told on standard error."""

_EXAMPLES = """\
examples:
  bnlr predict model.json new.csv
  bnlr predict model.json new.csv --proba --out predictions.csv
  bnlr predict model.json new.csv --keep patient-number --quiet | head
  zcat new.csv.gz | bnlr predict model.json -

exit codes: 0 done, 2 bad input"""


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        *(commands, "predict", "predict with a saved model", _ABOUT, _EXAMPLES),
        "MODEL DATA [--proba] [--out FILE]",
    )
    parser.add_argument("model", metavar="MODEL", help="file that 'bnlr fit' or bnlr.save wrote")
    parser.add_argument("data", metavar="DATA", help="file with the rows, - standard input")
    add_class(parser)
    parser.add_argument("--proba", action="store_true", help="add the probability of each class")
    parser.add_argument(
        "--keep",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column to write before the prediction, such as a row's number; may be given "
        "several times",
    )
    parser.add_argument(
        *("-o", "--out"), metavar="FILE", help="write there (default, and -: standard output)"
    )
    parser.add_argument(
        "--unseen",
        choices=["missing", "error"],
        help="labels that the model does not know (default: as it was fitted, else missing)",
    )
    add_reading(parser)
    add_forget(parser)
    add_quiet(parser, "print nothing but predictions and errors")
    parser.set_defaults(run=run)


class _Predictions(NamedTuple):
    """P(class | row), (n_rows, n_classes), the class's name and states, and the rows read."""

    class_name: str
    labels: "tuple[State, ...]"
    probabilities: "FloatArray"
    rows: "pd.DataFrame"


def run(args: argparse.Namespace) -> int:
    """Write the predictions."""
    from bnlr.network import BayesianNetwork  # noqa: PLC0415  loads NumPy

    if args.out == "-":
        args.out = None
    if args.out is not None:
        check_folder(args.out)
        refuse_same_file(args.out, args.model, args.data)
    model = model_in(args.model, args.class_name)
    table = table_for(model, args)
    kept = {name: table.column(name) for name in args.keep}
    if isinstance(model, BayesianNetwork):
        predicted = _by_network(model, table, args.unseen or "missing")
    else:
        predicted = _by_classifier(model, table, args.unseen)
    _write(predicted, kept, args.proba, args.out)
    if not args.quiet and (holes := _holes(predicted.rows)):
        note(holes)
    if not args.quiet and predicted.class_name in table.columns:
        note(_score(predicted, table))
    return 0


def _by_network(network: "BayesianNetwork", table: "Table", unseen: "Unseen") -> _Predictions:
    from bnlr.data.dataset import Dataset  # noqa: PLC0415  loads NumPy
    from bnlr.io.tables.cells import frame_like  # noqa: PLC0415  loads pandas

    structure = network.structure
    for node in structure.markov_blanket(network.latent):
        table.column(node)
    frame = frame_like(table, network.states)
    rows = frame.drop(columns=structure.class_name, errors="ignore")
    # Nodes that the class does not depend on may be absent, and latent ones.
    whole = rows.reindex(columns=list(structure.attributes)).astype(object)
    data = Dataset.from_frame(whole, structure.class_name, network.states, unseen=unseen)
    return _predictions(network, network.predict_proba(data), rows)


def _by_classifier(classifier: "BNClassifier", table: "Table", unseen: str | None) -> _Predictions:
    if unseen is not None:
        classifier.set_params(unseen=unseen)
    network = classifier.network_
    frame = features_for(classifier, table)
    probabilities = classifier.predict_proba(frame)
    named = frame.set_axis(list(classifier._fitted.columns), axis=1)
    return _predictions(network, probabilities, named[list(network._observed)])


def _predictions(
    network: "BayesianNetwork", probabilities: "FloatArray", rows: "pd.DataFrame"
) -> _Predictions:
    own = network.structure.class_name
    return _Predictions(own, network.class_states, probabilities, rows)


def _holes(rows: "pd.DataFrame") -> str:
    """Return how many cells are missing and what was done, empty without any."""
    is_missing = rows.isna().to_numpy()
    n_rows = is_missing.any(axis=1).sum()
    if not n_rows:
        return ""
    cells, rows_in_words = counted(is_missing.sum(), "cell"), counted(n_rows, "row")
    return f"{cells} missing in {rows_in_words}, summed out"


def _write(
    predicted: _Predictions, kept: "dict[str, Cells]", with_probabilities: bool, out: str | None
) -> None:
    if out is None:
        _write_rows(predicted, kept, with_probabilities, sys.stdout)
        return
    with replacing(out) as file:
        _write_rows(predicted, kept, with_probabilities, file)


def _write_rows(
    predicted: _Predictions, kept: "dict[str, Cells]", with_probabilities: bool, file: TextIO
) -> None:
    name, labels, probabilities, _ = predicted
    writer = csv.writer(file, lineterminator="\n")
    head = [f"P({name}={label})" for label in labels] if with_probabilities else []
    heads = [f"{column} (given)" if column == name else column for column in kept]
    writer.writerow([*heads, name, *head])
    best = probabilities.argmax(axis=1)
    rows = probabilities.tolist() if with_probabilities else [()] * len(best)
    beside = zip(*kept.values(), strict=True) if kept else [()] * len(best)
    writer.writerows(
        [*cells, labels[code], *row] for cells, code, row in zip(beside, best, rows, strict=True)
    )


def _score(predicted: _Predictions, table: "Table") -> str:
    """Return accuracy and log-loss on the rows whose class is known to the model."""
    import numpy as np  # noqa: PLC0415

    from bnlr.report.scores import scores  # noqa: PLC0415  loads NumPy

    codes, strange = _class_codes(predicted, table)
    rows = np.flatnonzero(codes >= 0)
    if not rows.size:
        return f"no row has a class that the model knows in {predicted.class_name!r}"
    found = scores(codes[rows], predicted.probabilities[rows])
    on = counted(rows.size, "row")
    told = f"accuracy {found.accuracy:.4f}, log-loss {found.log_loss:.4f} on {on} with a class"
    if not strange:
        return told
    labels = joined([f"{quoted(label)} in {counted(n, 'row')}" for label, n in strange.items()])
    return f"{told} that the model knows; it does not know {labels}"


def _class_codes(predicted: _Predictions, table: "Table") -> "tuple[np.ndarray, Counter[str]]":
    """Return each row's class, -1 where there is none, and how often others were named."""
    import numpy as np  # noqa: PLC0415

    from bnlr.io.tables.cells import frame_like  # noqa: PLC0415

    name, labels, *_ = predicted
    cells = frame_like(table, {name: labels})[name]
    known = {label: code for code, label in enumerate(labels)}
    strange = Counter(str(cell) for cell in cells.dropna() if cell not in known)
    return np.array([known.get(cell, -1) for cell in cells]), strange
