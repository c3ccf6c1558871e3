"""``bnlr convert``: a network from one file format into another."""

import argparse
from pathlib import Path

from bnlr.cli.console import say
from bnlr.cli.options import Commands, add_class, add_command, add_quiet
from bnlr.cli.output import refuse_same_file
from bnlr.structure.names import counted, quoted

_ABOUT = """\
Read a network and write it in the format of the other file's extension: .json (bnlr's own), .bif,
.xmlbif (also .xml and .bifxml), .net (Hugin). All carry any name and state, and numbers to the last
bit: where a format has no word for a name, other programs see a plain one in its place, and bnlr
reads the true one back. Of a classifier that 'bnlr fit' saved, its network is written."""

_EXAMPLES = """\
examples:
  bnlr convert alarm.bif alarm.json --class HYPOVOLEMIA
  bnlr convert model.json model.xmlbif

Files of other programs do not say which node is the class: name it with --class. A file that is
there already is replaced in one step.

exit codes: 0 done, 2 bad input"""


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        *(commands, "convert", "turn a network into another format", _ABOUT, _EXAMPLES),
        "A B [--class NAME]",
    )
    parser.add_argument("source", metavar="A", help="file to read")
    parser.add_argument("target", metavar="B", help="file to write")
    add_class(parser)
    add_quiet(parser, "print nothing but errors")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert, and say what was written."""
    from bnlr.io.model import load_any, save  # noqa: PLC0415  other commands need none of it

    refuse_same_file(args.target, args.source)
    network = load_any(args.source, args.class_name)
    save(network, Path(args.target))
    if not args.quiet:
        s = network.structure
        counts = [
            counted(len(s.nodes), "node"),
            counted(len(s.edges), "arc"),
            counted(sum(cpt.size for cpt in network.cpts.values()), "probability", "probabilities"),
        ]
        say(f"{args.target}: class {quoted(s.class_name)}, {', '.join(counts)}")
    return 0
