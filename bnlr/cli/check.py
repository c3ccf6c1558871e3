"""``bnlr check`` tells whether discriminative learning of a network is a convex problem."""

import argparse
import json
from dataclasses import dataclass

from bnlr.cli.console import columns, fail, say
from bnlr.cli.options import Commands, add_command
from bnlr.errors import BnlrError, TooLargeError
from bnlr.io.edges import read_structure
from bnlr.structure.names import quoted
from bnlr.structure.report import StructureReport, analyze

_SHOWN = 20

_ABOUT = """\
Tell whether P(class | attributes) of a network is a logistic regression, so that every local
optimum of the conditional likelihood is global (Condition 1; the canonical form is perfect), and if
not, which parents are unmarried and which arcs would mend it.

A NETWORK is a text file with one arc a line ('parent -> child', 'parent child' or 'parent,child',
'#' comments, names with blanks in double quotes), a JSON file {"edges": [["parent", "child"]],
"class": ".."} with perhaps "nodes" and "states", a model that bnlr saved, or a network in BIF,
XMLBIF or Hugin NET (.bif, .xmlbif, .xml, .net). Where the numbers of states are known, the
parameters are counted."""

_EXAMPLES = """\
examples:
  bnlr check network.txt --class disease
  bnlr check alarm.bif --class HYPOVOLEMIA
  bnlr check *.json *.bif --class disease --json

exit code: 0 all perfect, 1 some not, 2 bad input"""


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(commands, "check", "decide whether learning is convex", _ABOUT, _EXAMPLES)
    parser.add_argument("networks", metavar="NETWORK", nargs="+", help="file with the structure")
    parser.add_argument(
        "--class", dest="class_name", metavar="NAME", help="the class node, if the file has none"
    )
    parser.add_argument(
        "--json", action="store_true", help="one JSON object for one file, a list for several"
    )
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class _Checked:
    """A file's report, or the error that reading it gave."""

    path: str
    report: StructureReport | None = None
    error: str | None = None


def run(args: argparse.Namespace) -> int:
    """Print the reports and return the exit code."""
    checked = [_check(path, args.class_name) for path in args.networks]
    if args.json:
        fields = [_to_dict(one) for one in checked]
        say(json.dumps(fields[0] if len(fields) == 1 else fields))
    elif len(checked) > 1:
        say(_table(checked))
    elif checked[0].report is not None:
        say(_describe(checked[0].path, checked[0].report))
    errors = [one.error for one in checked if one.error is not None]
    for error in errors:
        fail(error)
    if errors:
        return 2
    return 0 if all(one.report and one.report.is_perfect for one in checked) else 1


def _check(path: str, class_name: str | None) -> _Checked:
    try:
        file = read_structure(path, class_name)
        return _Checked(path, analyze(file.structure, file.cards))
    except BnlrError as error:
        return _Checked(path, error=str(error))


def _to_dict(checked: _Checked) -> dict[str, object]:
    if checked.report is None:
        return {"file": checked.path, "error": checked.error}
    return {"file": checked.path, **checked.report.to_dict()}


def _describe(path: str, report: StructureReport) -> str:
    s = report.structure
    head = f"{path}: class {quoted(s.class_name)}, {len(s.nodes):,} nodes, {len(s.edges):,} arcs"
    return "\n".join([head, str(report), *_violations(report)])


def _violations(report: StructureReport) -> list[str]:
    if report.is_perfect:
        return []
    lines = [f"Unmarried parents in the canonical form: {report.n_violations:,}"]
    try:
        triples = report.violations
    except TooLargeError:
        return lines
    lines += [
        f"  {quoted(a)} and {quoted(b)}, parents of {quoted(c)}" for c, a, b in triples[:_SHOWN]
    ]
    if len(triples) > _SHOWN:
        lines.append(f"  … and {len(triples) - _SHOWN:,} more")
    return lines


def _table(checked: list[_Checked]) -> str:
    head = ("file", "class", "nodes", "arcs", "perfect", "violations", "arcs to add", "parameters")
    return columns([head, *(_row(one) for one in checked)])


def _row(checked: _Checked) -> tuple[str, ...]:
    report = checked.report
    if report is None:
        return (checked.path, "-", "-", "-", "error", "-", "-", "-")
    s = report.structure
    return (
        checked.path,
        s.class_name,
        f"{len(s.nodes):,}",
        f"{len(s.edges):,}",
        "yes" if report.is_perfect else "no",
        f"{report.n_violations:,}",
        _n_missing_arcs(report),
        _counts(report),
    )


def _n_missing_arcs(report: StructureReport) -> str:
    try:
        return f"{len(report.embedding):,}"
    except TooLargeError:
        return "too many"


def _counts(report: StructureReport) -> str:
    counts = report.to_dict()["parameter_counts"]
    if not isinstance(counts, dict):
        return "-"
    return ", ".join(f"{space} {n}" for space, n in counts.items() if n is not None)
