"""``bnlr fit``: learn a classifier from a data file."""

import argparse
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from bnlr.cli.console import say
from bnlr.cli.options import Commands, add_command
from bnlr.errors import DataError, ModelFileError
from bnlr.structure.names import listing, quoted

if TYPE_CHECKING:
    from bnlr.io.table import Table
    from bnlr.structure.dag import Structure

_METHODS = ("naive-bayes", "tan", "fan", "kdb", "hgc", "tpda")

_ABOUT = """\
Learn a classifier from DATA: a delimited text file (comma, semicolon, tab or bar; .gz too) whose
first line names the columns, ARFF or Parquet. Empty cells, '?' and 'NA' are missing (in ARFF '?',
in Parquet null): rows without a class are left out, other missing cells summed out. Columns of
numbers with decimals, or of more than ten different whole numbers, are cut into intervals (MDL);
all others are labels. Where the structure is a logistic regression and no cell is missing, the
optimum found is the global one."""

_EXAMPLES = """\
examples:
  bnlr fit data.csv --class disease --out model.json
  bnlr fit data.csv --class disease --structure network.txt --penalty 0
  bnlr fit data.csv --class disease --structure naive-bayes --learner frequencies
  bnlr fit data.csv --class disease --expect-missing 0.25 --out model.json"""


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "fit", "learn a classifier from data", _ABOUT, _EXAMPLES)
    parser.add_argument("data", metavar="DATA", help="file with the rows")
    parser.add_argument(
        "--class", dest="class_name", metavar="NAME", required=True, help="the column to predict"
    )
    parser.add_argument(
        "--structure",
        default="tan",
        metavar="S",
        help=f"{', '.join(_METHODS)}, or a file that 'bnlr check' reads (default: tan)",
    )
    parser.add_argument("--out", metavar="MODEL.json", help="where to save the classifier")
    parser.add_argument(
        "--drop-missing",
        action="store_true",
        help="leave rows with a missing cell out (default: sum the cells out)",
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors, warnings")
    _add_fit_options(parser)
    parser.set_defaults(run=run)


def _add_fit_options(parser: argparse.ArgumentParser) -> None:
    """Options of the estimator, by its own names; what is not given keeps its default there."""
    group = parser.add_argument_group("how to fit (as in bnlr.BNClassifier)")

    def add(name: str, kind: Callable[[str], Any], metavar: str, text: str) -> None:
        group.add_argument(name, type=kind, metavar=metavar, help=text, default=argparse.SUPPRESS)

    add(
        "--learner",
        str,
        "L",
        "auto, frequencies (generative), dfe (by losses), lr (global optimum), elr, em or apn",
    )
    add("--space", str, "S", "auto, loglinear, roos or softmax")
    add("--solver", str, "S", "auto, newton, l-bfgs, cg, cg-brent, bfgs, scipy-cg or scipy-bfgs")
    add(
        "--penalty",
        _strength,
        "X",
        "strength of the L2 penalty, 0 for none, or 'cv' (the default for complete rows; else 3)",
    )
    add("--penalty-center", str, "C", "where it shrinks to: auto, scaled, frequencies or zero")
    add("--pseudocount", float, "X", "added to every count (default: 1; for dfe 0)")
    add("--tol", float, "X", "how far from the optimum to stop, relative")
    add("--max-iter", int, "N", "the most iterations (default: 1000; for dfe 4 passes)")
    add("--n-starts", int, "N", "starts, for structures with local optima")
    add("--random-state", int, "SEED", "seed of the further starts and of the masks")
    add(
        "--expect-missing",
        _share,
        "SHARE",
        "train for this share of cells missing in prediction, 0 to below 1, or 'as-seen'",
    )
    group.add_argument(
        "--unseen",
        choices=["missing", "error"],
        default=argparse.SUPPRESS,
        help="what prediction does with labels not seen here (default: missing)",
    )


def _strength(text: str) -> float | str:
    """Return what stands after --penalty; the estimator checks numbers."""
    return text if text in ("auto", "cv") else _number(text, "a number, 0 or larger, auto or cv")


def _share(text: str) -> float | str:
    """Return what stands after --expect-missing; the estimator checks numbers."""
    return "as seen" if text in ("as seen", "as-seen") else _number(text, "a share or as-seen")


def _number(text: str, wanted: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{quoted(text)} is no number; give {wanted}") from None


_FIT_OPTIONS = (
    *("learner", "space", "solver", "penalty", "penalty_center", "pseudocount"),
    *("tol", "max_iter", "n_starts", "random_state", "expect_missing", "unseen"),
)


def run(args: argparse.Namespace) -> int:
    """Fit, print what came out and save it."""
    from bnlr.io.document import checked_target  # noqa: PLC0415  other commands need none of these
    from bnlr.io.table import read_table  # noqa: PLC0415

    if args.out is not None:
        checked_target(args.out)
    structure = _structure(args.structure, args.class_name)
    table = read_table(args.data)
    table.column(args.class_name)
    kept = _usable_rows(table, args.class_name, args.drop_missing)
    options = {name: getattr(args, name) for name in _FIT_OPTIONS if hasattr(args, name)}
    tell = (lambda _: None) if args.quiet else say
    tell(_describe_rows(table, kept, args.class_name))
    classifier, numeric = _fit(kept, args.class_name, structure, options)
    tell(_describe_columns(numeric))
    tell(classifier.summary())
    if args.out is not None:
        classifier.save(args.out)
        tell(f"saved        {args.out}")
    return 0


def _structure(value: str, class_name: str) -> "str | Structure":
    from bnlr.io.edges import load_structure  # noqa: PLC0415  as above

    if value in _METHODS:
        return value
    try:
        return load_structure(value, class_name)
    except ModelFileError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        raise ModelFileError(
            f"{error}; --structure takes a file, or a method: {', '.join(_METHODS)}"
        ) from error


def _usable_rows(table: "Table", class_name: str, drop_missing: bool) -> "Table":
    """Return the rows with a class; on request only those without any missing cell."""
    needed = table.columns.values() if drop_missing else [table.column(class_name)]
    is_whole = [True] * table.n_rows
    for cells in needed:
        is_whole = [
            whole and not table.is_missing(cell)
            for whole, cell in zip(is_whole, cells, strict=True)
        ]
    rows = [row for row, whole in enumerate(is_whole) if whole]
    if not rows:
        reason = "without a missing cell" if drop_missing else f"with a class in {class_name!r}"
        raise DataError(f"{table.source} has no row {reason}; nothing to learn from")
    return table.keep(rows)


def _fit(
    table: "Table", class_name: str, structure: "str | Structure", options: dict[str, Any]
) -> tuple[Any, tuple[str, ...]]:
    """Return the fitted classifier and the columns of numbers."""
    from bnlr.classifier import BNClassifier  # noqa: PLC0415  loads scikit-learn
    from bnlr.io.cells import typed_frame  # noqa: PLC0415  loads pandas

    frame, numeric = typed_frame(table, keep_text=class_name)
    classifier = BNClassifier(structure, **options)
    return classifier.fit(frame.drop(columns=class_name), frame[class_name]), numeric


def _describe_rows(table: "Table", kept: "Table", class_name: str) -> str:
    counts = Counter(map(str.strip, kept.column(class_name))).most_common()
    classes = listing([f"{label} {n:,}" for label, n in counts])
    left_out = table.n_rows - kept.n_rows
    lines = [f"data         {table.source}: {table.n_rows:,} rows, {len(table.columns)} columns"]
    missing = table.missing()
    if missing:
        ways = listing([f"{way!r} {n:,}" for way, n in missing.items()])
        # What becomes of those kept depends on the learner; the summary tells.
        done = "" if kept.missing() else "; their rows are left out"
        total = sum(missing.values())
        cells = "1 cell" if total == 1 else f"{total:,} cells"
        lines.append(f"missing      {cells}, written {ways}{done}")
    if left_out:
        rows = "1 row" if left_out == 1 else f"{left_out:,} rows"
        lines.append(f"left out     {rows} with a missing cell or class")
    return "\n".join([*lines, f"classes      {classes}"])


def _describe_columns(numeric: tuple[str, ...]) -> str:
    names = listing([quoted(name) for name in numeric]) if numeric else "none"
    return f"numbers      {names}"
