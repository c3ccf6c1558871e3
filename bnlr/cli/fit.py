"""``bnlr fit``: learn a classifier from a data file."""

import argparse
from typing import TYPE_CHECKING

from bnlr.classifier.parameters import help_of
from bnlr.cli.console import say, say_table
from bnlr.cli.fit_on_workers import add_worker_options, fitted_on_workers
from bnlr.cli.fit_options import add_fit_options, estimator, fit_options
from bnlr.cli.input_summary import (
    columns_in_words,
    describe_columns,
    rows_in_words,
    voice_of,
)
from bnlr.cli.options import (
    Commands,
    add_command,
    add_quiet,
    add_reading,
    given_reading,
    read_options,
    typed_reading,
)
from bnlr.cli.output import check_folder, refuse_same_file
from bnlr.errors import DataError, ParameterError

if TYPE_CHECKING:
    import pandas as pd

    from bnlr._typing import FloatArray, IntArray
    from bnlr.classifier.estimator import BNClassifier
    from bnlr.data.suspects.messages import Phrasing
    from bnlr.io.tables.options import Reading
    from bnlr.io.tables.table import Table

_ABOUT = """\
Learn a classifier from DATA: delimited text (comma, semicolon, tab, bar or blanks; in
semicolon-separated files 1,5 is a number) whose first line names the columns, ARFF (.arff), KEEL
(.dat), packed or not (gz, bz2, xz, zip), Parquet, Feather, or what pandas reads, such as Excel; -
is standard input.

Empty cells, '?', 'NA' and 'NaN' are missing (in ARFF '?' and '<null>', in Parquet null), and what
--na adds: rows without a class are left out, other missing cells summed out. Columns of numbers
with decimals, or of more than ten different whole numbers, are cut into intervals (MDL); all others
are labels.
What was taken for what is said, a line a column; columns of numbers that a text makes labels of,
names and row numbers, and copies of the class are warned of. Where the structure is a logistic
regression and no cell is missing, the optimum found is the global one."""

_EXAMPLES = """\
examples:
  bnlr fit data.csv --class disease --out model.json
  bnlr fit data.csv --class disease --structure network.txt --penalty 0
  bnlr fit data.csv --class disease --structure kdb:k=1 --ignore patient-number
  bnlr fit data.csv --class disease --structure naive-bayes --learner frequencies
  bnlr fit data.csv.gz --class disease --weight count --na -9 --encoding latin-1
  bnlr fit data.csv --class disease --expect-missing 0.25 --out model.json
  bnlr fit 'data/*.parquet' --class disease --scheduler tcp://host:8786 --out model.json

exit codes: 0 done, 2 bad input"""


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        *(commands, "fit", "learn a classifier from data", _ABOUT, _EXAMPLES),
        "DATA --class NAME [--out MODEL.json]",
    )
    parser.add_argument("data", metavar="DATA", help="file with the rows, - standard input")
    parser.add_argument(
        "--class", dest="class_name", metavar="NAME", required=True, help="the column to predict"
    )
    parser.add_argument(
        "--structure",
        default=argparse.SUPPRESS,
        metavar="S",
        help=help_of("structure"),
    )
    parser.add_argument(
        *("-o", "--out"),
        metavar="MODEL.json",
        help="where to save the classifier (default: nowhere)",
    )
    parser.add_argument(
        *("-v", "--verbose"),
        action="store_true",
        help="list all columns, however many, and the iterations",
    )
    add_quiet(parser, "print nothing but errors")
    _add_data_options(parser)
    add_worker_options(parser)
    add_fit_options(parser)
    parser.set_defaults(run=run)


def _add_data_options(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("how to read")
    add_reading(group)
    group.add_argument(
        "--ignore",
        metavar="COLUMN",
        action="append",
        default=[],
        help="a column to leave out, such as a row's number; may be given several times",
    )
    group.add_argument(
        "--weight", metavar="COLUMN", help="a column of row weights, 0 or larger: 2 is two rows"
    )
    group.add_argument(
        "--missing",
        choices=["sum", "drop", "state"],
        default="sum",
        help="sum missing cells out (default), leave their rows out, or make a hole a label of its "
        "own",
    )
    group.add_argument("--drop-missing", action="store_true", help="the same as --missing drop")


def run(args: argparse.Namespace) -> int:
    """Fit, print what came out and save it."""
    from bnlr.io.models.envelope import checked_target  # noqa: PLC0415  other commands need none of these
    from bnlr.io.tables.read import read_table  # noqa: PLC0415

    if args.out is not None:
        checked_target(args.out)
        check_folder(args.out)
        refuse_same_file(args.out, args.data)
    _check_roles(args)
    classifier = estimator(fit_options(args))
    tell = (lambda _: None) if args.quiet else say
    if args.scheduler is not None or args.workers is not None:
        with fitted_on_workers(args, classifier, tell):
            return _told(classifier, args)
    table = read_table(args.data, read_options(args))
    table.column(args.class_name)
    used = table.without(args.ignore)
    drops = args.drop_missing or args.missing == "drop"
    kept, rows, weights = _usable_rows(used, args.class_name, args.weight, drops)
    tell(rows_in_words(used, kept, args.class_name))
    if weights is not None:
        tell(f"weights      {args.weight or 'of the file'}, {weights.sum():,.6g} in all")
    frame = _fit(classifier, kept, args.class_name, weights, voice_of(used, rows))
    if not args.quiet:
        _say_columns(used, frame, classifier, args)
    return _told(classifier, args)


def _told(classifier: "BNClassifier", args: argparse.Namespace) -> int:
    """Print what came out, and save it."""
    tell = (lambda _: None) if args.quiet else say
    tell(classifier.summary())
    if args.verbose and not args.quiet:
        tell(classifier.result_.trace.to_string(index=False))
    if args.out is not None:
        classifier._reading = reading = _kept_reading(classifier, args) or None
        classifier.save(args.out)
        kept = f"; predict and report will read with {typed_reading(reading)}" if reading else ""
        tell(f"saved        {args.out}{kept}")
    return 0


def _kept_reading(classifier: "BNClassifier", args: argparse.Namespace) -> "Reading":
    """Return how rows of the model are to be read; columns that it ignores may be absent then."""
    reading = given_reading(args)
    fitted = classifier._fitted
    known = [name for name in reading.pop("dates", []) if name in fitted.columns]
    return {**reading, "dates": known} if known else reading


def _check_roles(args: argparse.Namespace) -> None:
    """Refuse a column that is to be two things."""
    from bnlr.io.tables.typed import option  # noqa: PLC0415  as in `run`

    unwanted = {args.class_name: "the class", args.weight: "the weight"}
    for name in args.ignore:
        if name in unwanted:
            raise ParameterError(
                f"{option('--ignore', name)}: that is {unwanted[name]}; ignore others"
            )
    if args.weight == args.class_name:
        raise ParameterError(
            f"{option('--weight', args.weight)}: that is the class; name another column"
        )


def _usable_rows(
    table: "Table", class_name: str, weight: str | None, drop_missing: bool
) -> "tuple[Table, IntArray, FloatArray | None]":
    """Return the rows with a class, their places and weights; on request those without a hole."""
    import numpy as np  # noqa: PLC0415  heavy

    from bnlr.data.weights import check_weights  # noqa: PLC0415
    from bnlr.io.tables.cells import numeric_column  # noqa: PLC0415
    from bnlr.io.tables.typed import option  # noqa: PLC0415

    weights = np.asarray(table.weights) if table.weights else None
    if weight is not None and weights is not None:
        raise ParameterError(
            f"{option('--weight', weight)}: {table.source} gives its rows weights already; leave "
            "--weight out"
        )
    if weight is not None:
        weights = _weights(table, weight, np.asarray(numeric_column(table, weight)))
    names = list(table.columns) if drop_missing else [class_name]
    is_whole = np.ones(table.n_rows, dtype=bool)
    for name in names:
        if table.n_missing(name):
            is_whole &= [not table.is_missing(cell) for cell in table.columns[name]]
    rows = np.flatnonzero(is_whole)
    if not rows.size:
        reason = "without a missing cell" if drop_missing else f"with a class in {class_name!r}"
        raise DataError(f"{table.source} has no row {reason}; nothing to learn from")
    kept = table.keep(rows.tolist())
    if weights is None:
        return kept, rows, None
    kept = kept if weight is None else kept.without([weight])
    return kept, rows, check_weights(weights[rows], rows.size)


def _weights(table: "Table", name: str, weights: "FloatArray") -> "FloatArray":
    """Return weights of which none is missing or negative."""
    bad = ~(weights >= 0)  # NaN too
    if bad.any():
        row = int(bad.argmax())
        raise DataError(
            f"{table.source}: the weight {name!r} is {table.columns[name][row]!r} in data row "
            f"{row + 1}; weights are numbers, 0 or larger"
        )
    return weights


def _fit(
    classifier: "BNClassifier",
    table: "Table",
    class_name: str,
    weights: "FloatArray | None",
    voice: "Phrasing",
) -> "pd.DataFrame":
    """Fit on the table's rows and return them as they were read."""
    from bnlr.io.tables.cells import typed_frame  # noqa: PLC0415  loads pandas

    frame, _ = typed_frame(table, keep_text=class_name)
    if len(frame.columns) == 1:
        raise DataError(f"{table.source}: {class_name!r} is the only column; nothing to learn from")
    classes = set(frame[class_name])
    if len(classes) == 1:
        raise DataError(
            f"{table.source}: the class {class_name!r} is {classes.pop()!r} in all rows; "
            "a classifier needs rows of at least two"
        )
    classifier._fit(frame.drop(columns=class_name), frame[class_name], weights, voice)
    return frame


def _say_columns(
    table: "Table", frame: "pd.DataFrame", classifier: "BNClassifier", args: argparse.Namespace
) -> None:
    columns = describe_columns(table, frame, classifier, args.class_name)
    rows, line = columns_in_words(columns, args.verbose)
    if line is not None:
        say(line)
        return
    heads = ("column", "cells", "taken as", "missing")[: len(rows[0])]
    say_table(heads, rows, right=("missing",), fold="cells")
