"""``bnlr report``: a page of HTML about a model and how it does on rows."""

import argparse
import hashlib
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnlr.cli.console import say
from bnlr.cli.models import features_for, model_in, table_for
from bnlr.cli.options import (
    Commands,
    add_class,
    add_command,
    add_forget,
    add_quiet,
    add_reading,
    given_reading,
    typed_reading,
)
from bnlr.cli.output import check_folder, refuse_same_file, replacing

if TYPE_CHECKING:
    from bnlr.classifier.reporting import Model
    from bnlr.io.tables.table import Table

_ABOUT = """\
Write one page of HTML about a model: how well it predicts the rows of DATA beside their base
rates, which attributes matter, calibration, confusions, where it errs, what speaks for the class in
single rows; then what it is, how it was fitted, and its tables. The page opens offline, on a phone
too, and prints; it holds no script and asks nobody for anything. MODEL and DATA are those of
'bnlr predict'; rows whose class is empty are only predicted. Best are rows that the model has not
seen. Needs matplotlib: pip install 'bnlr[plot]'."""

_EXAMPLES = """\
examples:
  bnlr report model.json --data new.csv
  bnlr report model.json --data new.csv --row 17 --row 212 --out patients.html
  bnlr report alarm.bif --class HYPOVOLEMIA --data cases.csv --title "Alarm, ward 3"

exit codes: 0 done, 2 bad input"""


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        *(commands, "report", "write a page about a model", _ABOUT, _EXAMPLES),
        "MODEL --data DATA [--out FILE]",
    )
    parser.add_argument("model", metavar="MODEL", help="file that 'bnlr fit' or bnlr.save wrote")
    parser.add_argument(
        "--data", metavar="DATA", required=True, help="file with the rows, - standard input"
    )
    add_class(parser)
    parser.add_argument(
        *("-o", "--out"),
        metavar="FILE",
        help="where to write (default: MODEL's name with -report.html)",
    )
    parser.add_argument("--title", metavar="TEXT", help="heading of the page")
    parser.add_argument(
        "--row",
        dest="rows",
        metavar="N",
        type=int,
        action="append",
        default=[],
        help="a row to explain, 1 for the first; may be given several times (default: the rows "
        "predicted with most and least certainty, and the most wrong one)",
    )
    add_reading(parser)
    add_forget(parser)
    add_quiet(parser, "print nothing but errors")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the page and say where it is."""
    from bnlr.classifier.reporting import check_page, evaluation_of  # noqa: PLC0415  loads scikit-learn
    from bnlr.report.model import report_page  # noqa: PLC0415

    out = args.out or f"{Path(args.model).stem}-report.html"
    check_folder(out)
    refuse_same_file(out, args.model, args.data)
    check_page(out)
    model = model_in(args.model, args.class_name)
    table = table_for(model, args)
    evaluation = evaluation_of(model, *_rows(model, table), _origin(args, out))
    page = report_page(evaluation, args.title, args.rows)
    with replacing(out) as file:
        file.write(page)
    if not args.quiet:
        say(f"page         {out}")
    return 0


def _rows(model: "Model", table: "Table") -> "tuple[Any, Any]":
    """Return the features as the model takes them, and the classes, None without any."""
    from bnlr.classifier.estimator import BNClassifier  # noqa: PLC0415  loads scikit-learn
    from bnlr.classifier.reporting import network_of  # noqa: PLC0415
    from bnlr.io.tables.cells import frame_like  # noqa: PLC0415  loads pandas

    network = network_of(model)
    own = network.structure.class_name
    for node in network.structure.markov_blanket(network.latent):
        table.column(node)
    if isinstance(model, BNClassifier):
        frame = features_for(model, table)
    else:
        frame = frame_like(table, network.states).drop(columns=own, errors="ignore")
    labels = frame_like(table, {own: network.states[own]})
    return frame, labels.get(own)


def _origin(args: argparse.Namespace, out: str) -> dict[str, str]:
    """Return the command and the files with their hashes."""
    words = ["bnlr", "report", args.model, "--data", args.data, "--out", out]
    for option, value in (("--class", args.class_name), ("--title", args.title)):
        words += [] if value is None else [option, value]
    words += [word for row in args.rows for word in ("--row", str(row))]
    words += ["--forget"] if args.forget else []
    return {
        "command": f"{shlex.join(words)} {typed_reading(given_reading(args))}".strip(),
        "model": f"{args.model}, SHA-256 {_sha256(args.model)}",
        "data": args.data if args.data == "-" else f"{args.data}, SHA-256 {_sha256(args.data)}",
    }


def _sha256(path: str) -> str:
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
