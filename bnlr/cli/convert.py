"""``bnlr convert``: a network from one file format into another."""

import argparse
from pathlib import Path

from bnlr.cli.console import note, say
from bnlr.cli.options import Commands, add_class, add_command, add_network_encoding, add_quiet
from bnlr.cli.output import refuse_same_file
from bnlr.words import counted, listed, quoted

_ABOUT = """\
Read a network and write it in the format of the other file's extension: .json (bnlr's own), .bif,
.xmlbif (also .xml and .bifxml), .net (Hugin), .xdsl (GeNIe), .uai. All carry any name and state,
and numbers to the last bit: where a format has no word for a name, other programs see a plain one
in its place, in UAI numbers alone, and bnlr reads the true one back. .dsl and .o3prm are read by
pyAgrum where it is installed; .gz, .bz2, .xz and .zip of any format are read. Of a classifier
that 'bnlr fit' saved, its network is written, without the cuts of numbers; of a pool the best."""

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
    add_network_encoding(parser)
    add_quiet(parser, "print nothing but errors")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Convert, and say what was written."""
    from bnlr.io.saving import load_any, save  # noqa: PLC0415  other commands need none of it

    refuse_same_file(args.target, args.source)
    network = load_any(args.source, args.class_name, args.encoding)
    save(network, Path(args.target))
    if not args.quiet:
        s = network.structure
        counts = [
            counted(len(s.nodes), "node"),
            counted(len(s.edges), "arc"),
            counted(sum(cpt.size for cpt in network.cpts.values()), "probability", "probabilities"),
        ]
        say(f"{args.target}: class {quoted(s.class_name)}, {', '.join(counts)}")
        content = _classifier_in(args.source)
        if content.get("pool") is not None:
            note(
                f"{args.source} is a pool of networks; this is the best of them alone, which "
                "predicts otherwise than the pool."
            )
        if cut := _cut_columns(content):
            names = listed(cut)
            note(
                f"The states of {names} are intervals; only the classifier's own file cuts numbers "
                "into them, so that 'bnlr predict' of this one wants rows of intervals."
            )
    return 0


def _classifier_in(source: str) -> dict[str, object]:
    """Return what a classifier's file holds, nothing of another file."""
    from bnlr.io.files import is_foreign  # noqa: PLC0415  as above
    from bnlr.io.models.envelope import read_document  # noqa: PLC0415

    if is_foreign(Path(source)):
        return {}
    kind, content = read_document(source)
    return content if kind == "classifier" else {}


def _cut_columns(content: dict[str, object]) -> list[str]:
    """Return the columns of numbers that a classifier cuts."""
    cuts = content.get("cut_points")
    return list(cuts) if isinstance(cuts, dict) else []
