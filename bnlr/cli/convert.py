"""``bnlr convert``: a network from one file format into another."""

import argparse
from pathlib import Path

from bnlr.cli.console import say
from bnlr.cli.options import Commands, add_command
from bnlr.structure.names import quoted

_ABOUT = """\
Read a network and write it in the format of the other file's extension: .json (bnlr's own), .bif,
.xmlbif (also .xml and .bifxml), .net (Hugin). All carry any name and state, and numbers to the last
bit: where a format has no word for a name, other programs see a plain one in its place, and bnlr
reads the true one back. Of a classifier that 'bnlr fit' saved, its network is written."""

_EXAMPLES = """\
examples:
  bnlr convert alarm.bif alarm.json --class HYPOVOLEMIA
  bnlr convert model.json model.xmlbif

Files of other programs do not say which node is the class: name it with --class."""


def register(commands: Commands) -> None:
    """Add the command and its options."""
    parser = add_command(
        commands, "convert", "turn a network into another format", _ABOUT, _EXAMPLES
    )
    parser.add_argument("source", metavar="A", help="file to read")
    parser.add_argument("target", metavar="B", help="file to write")
    parser.add_argument(
        "--class", dest="class_name", metavar="NAME", help="the class node, if the file has none"
    )
    parser.add_argument("--quiet", action="store_true", help="print nothing but errors")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert, and say what was written."""
    from bnlr.io.model import load_any, save  # noqa: PLC0415  other commands need none of it

    network = load_any(args.source, args.class_name)
    save(network, Path(args.target))
    if not args.quiet:
        s = network.structure
        n_cells = sum(cpt.size for cpt in network.cpts.values())
        say(
            f"{args.target}: class {quoted(s.class_name)}, {len(s.nodes):,} nodes, "
            f"{len(s.edges):,} arcs, {n_cells:,} probabilities"
        )
    return 0
