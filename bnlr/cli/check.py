"""``bnlr check`` tells whether discriminative learning of a network is a convex problem."""

import argparse
import json
from dataclasses import dataclass

from bnlr.cli.console import fail, say, say_table
from bnlr.cli.options import Commands, add_class, add_command, add_network_encoding, add_quiet
from bnlr.errors import BnlrError, TooLargeError
from bnlr.io.structures import read_structure
from bnlr.structure.report import StructureReport, analyze
from bnlr.words import counted, in_words, quoted

_SHOWN = 20

_ABOUT = """\
Tell whether P(class | attributes) of a network is a logistic regression, so that every local
optimum of the conditional likelihood is global (Condition 1; the canonical form is perfect), and if
not, which parents are unmarried and which arcs would mend it.

A NETWORK is
  a text file with one arc a line: 'parent -> child', 'parent child' or 'parent,child', perhaps
    under a header such as 'from,to'; '#' comments, names with blanks in double quotes
  JSON: {"edges": [["parent", "child"]], "class": ".."}, perhaps with "nodes" and "states"
  a network or a classifier that bnlr saved (.json)
  a network in BIF, XMLBIF, Hugin NET, XDSL or UAI (.bif, .xmlbif, .xml, .net, .xdsl, .uai),
    packed or not (.gz, .bz2, .xz, .zip)
  -, standard input, with any of these
Several files give a table, a line each. Where the numbers of states are known, the parameters are
counted: beta (CPT cells of the class and its children), roos and loglinear (predictors per class
but the reference)."""

_EXAMPLES = """\
examples:
  bnlr check network.txt --class disease
  bnlr check alarm.bif --class HYPOVOLEMIA
  bnlr check *.json *.bif --class disease
  echo '[c][a|c][b|c:a]' | bnlr check - --class c --json

--json writes one object, for several files a list of them in the order given. A file that cannot
be read has the fields file and error; each other one
  file, class        text
  n_nodes, n_arcs    numbers
  is_perfect, satisfies_condition_1, whole_graph_is_perfect
                     true or false; the first says whether learning is convex
  markov_blanket     names
  canonical          arcs [parent, child] of the canonical form
  n_violations       a number
  violations         [child, parent, parent] of unmarried parents in the canonical form
  witnesses          {child: node or null}, null where Condition 1 fails
  embedding          arcs that, added to the network, make it convex
  parameter_counts   {"beta", "roos", "loglinear"}: numbers, null where there are none; null where
                     the states are not known
A list of more than ten million entries is null, a number of more than 4,000 digits text.

exit codes: 0 all perfect, 1 some not, 2 a file could not be read (the others are reported)"""

_HEADS = ("file", "class", "nodes", "arcs", "perfect", "violations", "arcs to add")
_SPACES = ("beta", "roos", "loglinear")


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        *(commands, "check", "decide whether learning is convex", _ABOUT, _EXAMPLES),
        "NETWORK... [--class NAME]",
    )
    parser.add_argument(
        "networks", metavar="NETWORK", nargs="+", help="file with the structure, - standard input"
    )
    add_class(parser)
    add_network_encoding(parser)
    parser.add_argument("--json", action="store_true", help="print JSON, see below")
    parser.add_argument(
        *("-v", "--verbose"),
        action="store_true",
        help="all details: below the table of several files, and lists in full",
    )
    add_quiet(parser, "print nothing but errors; the exit code tells")
    parser.set_defaults(run=run)


@dataclass(frozen=True)
class _Checked:
    """A file's report, or the error that reading it gave."""

    path: str
    report: StructureReport | None = None
    error: str | None = None


def run(args: argparse.Namespace) -> int:
    """Print the reports and return the exit code."""
    checked = [_check(path, args.class_name, args.encoding) for path in args.networks]
    if not args.quiet:
        _say(checked, args.json, args.verbose)
    errors = [one.error for one in checked if one.error is not None]
    for error in errors:
        fail(error)
    if errors:
        return 2
    return 0 if all(one.report and one.report.is_perfect for one in checked) else 1


def _check(path: str, class_name: str | None, encoding: str | None) -> _Checked:
    try:
        file = read_structure(path, class_name, encoding)
        return _Checked(path, analyze(file.structure, file.cards))
    except BnlrError as error:
        return _Checked(path, error=str(error))


def _say(checked: list[_Checked], as_json: bool, verbose: bool) -> None:
    if as_json:
        fields = [_to_dict(one) for one in checked]
        say(json.dumps(fields[0] if len(fields) == 1 else fields))
        return
    if len(checked) > 1:
        _say_table(checked)
    if len(checked) == 1 or verbose:
        shown = None if verbose else _SHOWN
        for one in checked:
            if one.report is not None:
                say(("\n" if len(checked) > 1 else "") + _describe(one.path, one.report, shown))


def _to_dict(checked: _Checked) -> dict[str, object]:
    report = checked.report
    if report is None:
        return {"file": checked.path, "error": checked.error}
    s = report.structure
    sizes = {"n_nodes": len(s.nodes), "n_arcs": len(s.edges), "n_violations": report.n_violations}
    return {"file": checked.path, **report.to_dict(), **sizes}


def _describe(path: str, report: StructureReport, shown: int | None) -> str:
    s = report.structure
    nodes, arcs = counted(len(s.nodes), "node"), counted(len(s.edges), "arc")
    head = f"{path}: class {quoted(s.class_name)}, {nodes}, {arcs}"
    return "\n".join([head, str(report), *_violations(report, shown)])


def _violations(report: StructureReport, shown: int | None) -> list[str]:
    if report.is_perfect:
        return []
    lines = [f"Unmarried parents in the canonical form: {report.n_violations:,}"]
    try:
        triples = report.violations
    except TooLargeError:
        return lines
    lines += [
        f"  {quoted(a)} and {quoted(b)}, parents of {quoted(c)}" for c, a, b in triples[:shown]
    ]
    if shown is not None and len(triples) > shown:
        lines.append(f"  … and {len(triples) - shown:,} more (--verbose lists them)")
    return lines


def _say_table(checked: list[_Checked]) -> None:
    """Write a line a file; parameters only where some file tells the states."""
    counts = [(one.report and one.report.parameter_counts) or {} for one in checked]
    spaces = _SPACES if any(counts) else ()
    rows = [
        (*_row(one), *(_in_short(of_one.get(space)) for space in spaces))
        for one, of_one in zip(checked, counts, strict=True)
    ]
    say_table((*_HEADS, *spaces), rows, right=("nodes", "arcs", *_HEADS[5:], *spaces), fold="file")


def _row(checked: _Checked) -> tuple[str, ...]:
    report = checked.report
    if report is None:
        return (checked.path, "-", "-", "-", "error", "-", "-")
    s = report.structure
    return (
        checked.path,
        s.class_name,
        f"{len(s.nodes):,}",
        f"{len(s.edges):,}",
        "yes" if report.is_perfect else "no",
        f"{report.n_violations:,}",
        _n_missing_arcs(report),
    )


def _in_short(count: int | None) -> str:
    return "-" if count is None else in_words(count)


def _n_missing_arcs(report: StructureReport) -> str:
    try:
        return f"{len(report.embedding):,}"
    except TooLargeError:
        return "too many"
