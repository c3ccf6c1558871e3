"""The options of ``bnlr fit`` that are the estimator's parameters, by its own names."""

import argparse
import json
import re
from collections.abc import Callable
from dataclasses import Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnlr.classifier.parameters import (
    STRUCTURES,
    ClassWeight,
    Expected,
    Parameters,
    choices,
    help_of,
    names,
)
from bnlr.cli.options import among
from bnlr.data.unseen import Unseen
from bnlr.errors import ModelFileError, ParameterError
from bnlr.spellings import canonical, guess_choice
from bnlr.words import listed, quoted

if TYPE_CHECKING:
    from bnlr.classifier.estimator import BNClassifier
    from bnlr.structure.dag import Structure

_SELDOM = {"random_state": ("--seed", "--random-state")}  # an option that is not the name itself


# What makes a node a latent one, see `bnlr.data.labels.latent_remedy`.
_LATENT = re.compile(r"states=\{('[^']*'|\"[^\"]*\"): \['low', 'high'\]\}")

# Options of these names are the shell's own.
_OF_THE_SHELL = ("missing", "verbose")

# What a message in Python calls a parameter: learner='elr', or in a call that ends with it.
_IN_PYTHON = re.compile(r"(?<![\w'\"./])(?:[\w.]+\(…, )?\b(\w+)=(?:'([^']*)'|([\w.+-]*[\w]))(\))?")


def in_options(text: str) -> str:
    """Return a message with the estimator's parameters as the options that the shell has."""
    from bnlr.io.tables.typed import option  # noqa: PLC0415  messages alone need it

    def typed(match: re.Match[str]) -> str:
        name, value = match[1], match[2] or match[3]
        parameter = next((one for one in fields(Parameters) if one.name == name), None)
        if parameter is None:
            return match[0]
        end = "" if "(…, " in match[0] else match[4] or ""
        if parameter.type in _KINDS or name == "structure":
            return f"{option(_flags(name)[0], value)}{end}"
        return f"{option('--set', f'{name}={value}')}{end}"

    def latent(match: re.Match[str]) -> str:
        return option("--states", f"{match[1][1:-1]}=low,high")

    return _LATENT.sub(latent, _IN_PYTHON.sub(typed, text))


def add_fit_options(parser: argparse.ArgumentParser) -> None:
    """Add them; what is not given keeps its default in `BNClassifier`."""
    group = parser.add_argument_group("how to fit (as in bnlr.BNClassifier)")
    for parameter in fields(Parameters):
        if parameter.type in _KINDS and parameter.name not in _OF_THE_SHELL:
            _add(group, parameter)
    group.add_argument(
        "--states",
        metavar="NODE=STATE,..",
        action="append",
        help=help_of("states"),
        default=argparse.SUPPRESS,
    )
    group.add_argument(
        "--set",
        dest="further",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="any parameter of bnlr.BNClassifier, its value in JSON or as text",
    )


def _add(group: "argparse._ArgumentGroup", parameter: "Field[Any]") -> None:
    kind, metavar = _KINDS[parameter.type]
    name = parameter.name
    known = choices().get(name)
    group.add_argument(
        *_flags(name),
        dest=name,
        type=_spelt(kind, known) if known else kind,
        metavar=metavar,
        choices=known,
        help=help_of(name),
        default=argparse.SUPPRESS,
    )


def _spelt(kind: Callable[[str], Any], known: tuple[str, ...]) -> Callable[[str], Any]:
    """Read a text as one of those that are known, in any spelling."""
    return lambda text: canonical(kind(text), known)


def _flags(name: str) -> tuple[str, ...]:
    """Return what a parameter's option is called."""
    return _SELDOM.get(name, (f"--{name.replace('_', '-')}",))


def fit_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the estimator's parameters that were given.

    Raises
    ------
    ParameterError
        ``--set`` without a name and a value.
    ModelFileError
        A structure that is neither a method nor in a file.
    """
    shared = set(names()) - {"structure", *_OF_THE_SHELL}
    options = {name: value for name, value in vars(args).items() if name in shared}
    if args.missing == "state":
        options["missing"] = "state"
    if "states" in options:
        options["states"] = _latent_nodes(options["states"])
    return {**options, **_structure(args), **dict(map(_assignment, args.further))}


def _latent_nodes(texts: list[str]) -> dict[str, list[str]]:
    """Return nodes and their states from such as ``h=low,high``."""
    from bnlr.io.tables.typed import option, texts_of  # noqa: PLC0415  other options need none of it

    nodes: dict[str, list[str]] = {}
    for text in texts:
        name, states = _split(text)
        if not states:
            wanted = option("--states", f"{name}=low,high")
            raise ParameterError(f"{quoted(text)} gives the node no states; write {wanted}")
        if name in nodes:
            raise ParameterError(
                f"{option('--states', text)}: {quoted(name)} has states already, "
                f"{listed(nodes[name])}; give each node once"
            )
        nodes[name] = texts_of(states)
    return nodes


def _structure(args: argparse.Namespace) -> "dict[str, str | Structure | dict[str, Any]]":
    """Return the estimator's parameters that say which structure: none of them if not asked."""
    from bnlr.io.structures import load_structure  # noqa: PLC0415  loads NumPy

    if not hasattr(args, "structure"):
        return {}
    text: str = args.structure
    if Path(text).is_file():
        return {"structure": load_structure(text, args.class_name)}
    name, options = method_and_options(text)
    if (method := canonical(name, STRUCTURES)) in STRUCTURES:
        return {"structure": method, **({"structure_options": options} if options else {})}
    try:
        return {"structure": load_structure(text, args.class_name)}
    except ModelFileError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        known = f"{', '.join(STRUCTURES)}{guess_choice(name, STRUCTURES, show=str)}"
        raise ModelFileError(f"{error}; --structure takes a file, or a method: {known}") from error


def estimator(options: dict[str, Any]) -> "BNClassifier":
    """Return the unfitted estimator.

    Raises
    ------
    ParameterError
        It has no parameter of such a name.
    """
    from bnlr.classifier.estimator import BNClassifier  # noqa: PLC0415  loads scikit-learn

    known = sorted(names())
    for name in options:
        if name not in known:
            raise ParameterError(f"BNClassifier has no parameter {name!r}{among(name, known)}")
    return BNClassifier(**options)


def method_and_options(text: str) -> tuple[str, dict[str, Any]]:
    """Return a method's name and its options, as in ``kdb:k=1,threshold=0.01``.

    Raises
    ------
    ParameterError
        An option without a name and a value.
    """
    name, _, options = text.partition(":")
    return name, dict(_assignment(part) for part in options.split(",") if part.strip())


def _assignment(text: str) -> tuple[str, Any]:
    name, value = _split(text)
    return name, _literal(value)


def _split(text: str) -> tuple[str, str]:
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise ParameterError(f"{quoted(text)} gives no option a value; write NAME=VALUE")
    return name.strip(), value.strip()


def _literal(text: str) -> Any:
    if text.lower() == "none":
        return None
    try:
        return json.loads(text)
    except ValueError:
        return text


def _or_none(text: str) -> str | None:
    return None if text.lower() == "none" else text


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


# What stands after an option, by the type of the parameter, and what help calls it.
_KINDS: "dict[Any, tuple[Callable[[str], Any], str]]" = {
    str: (str, "NAME"),
    Unseen: (str, "NAME"),
    str | None: (_or_none, "NAME"),
    int: (int, "N"),
    int | None: (int, "N"),
    float: (float, "X"),
    float | None: (float, "X"),
    float | str: (_strength, "X"),
    Expected: (_share, "SHARE"),
    ClassWeight: (_literal, "WEIGHTS"),
}
