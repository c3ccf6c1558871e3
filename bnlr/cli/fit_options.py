"""The options of ``bnlr fit`` that are the estimator's parameters, by its own names."""

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bnlr.cli.options import among
from bnlr.errors import ModelFileError, ParameterError
from bnlr.words import guess, quoted

if TYPE_CHECKING:
    from bnlr.classifier import BNClassifier
    from bnlr.structure.dag import Structure

METHODS = ("auto", "naive-bayes", "tan", "fan", "kdb", "hgc", "tpda", "cll")
PARAMETERS = (
    *("learner", "space", "solver", "discretize", "penalty", "penalty_center", "pseudocount"),
    *("tol", "max_iter", "n_starts", "random_state", "expect_missing", "unseen", "temperature"),
    *("m_step_pseudocount", "nonperfect"),
)


def add_fit_options(parser: argparse.ArgumentParser) -> None:
    """Add them; what is not given keeps its default in `BNClassifier`."""
    group = parser.add_argument_group("how to fit (as in bnlr.BNClassifier)")

    def add(name: str, kind: Callable[[str], Any], metavar: str, text: str, *more: str) -> None:
        group.add_argument(
            name, *more, type=kind, metavar=metavar, help=text, default=argparse.SUPPRESS
        )

    add(
        *("--learner", str, "L"),
        "auto (default), frequencies (generative), dfe (by losses), lr (global optimum), elr, em "
        "or apn",
    )
    add("--space", str, "S", "auto (default), loglinear, roos or softmax")
    add(
        *("--solver", str, "S"),
        "auto (default), newton, l-bfgs, cg, cg-brent, bfgs, scipy-cg or scipy-bfgs",
    )
    add(
        *("--discretize", _or_none, "D"),
        "how numbers are cut: auto (default), mdl, mdl-5 (finer), quantile-5, or none: all labels",
    )
    add(
        *("--penalty", _strength, "X"),
        "strength of the L2 penalty, 0 for none, 'cv', or auto (default): what predicts best",
    )
    add("--penalty-center", str, "C", "where it shrinks to: auto, scaled, frequencies or zero")
    add("--pseudocount", float, "X", "added to every count (default: 1; for dfe 0)")
    add("--m-step-pseudocount", float, "X", "the same in every step of em (default: 0)")
    add("--nonperfect", str, "N", "if learning is not convex: elr (default) or embed in what is")
    add("--tol", float, "X", "how far from the optimum to stop, relative (default: 1e-9)")
    add("--max-iter", int, "N", "the most iterations (default: 1000; for dfe 4 passes)")
    add("--n-starts", int, "N", "starts, for structures with local optima (default: 1)")
    add("--seed", int, "N", "of the further starts and of the masks", "--random-state")
    add(
        *("--expect-missing", _share, "SHARE"),
        "train for this share of cells missing in prediction, 0 to below 1, or 'as-seen'",
    )
    add("--temperature", _or_none, "T", "auto: scale what learner frequencies predicts")
    group.add_argument(
        "--unseen",
        choices=["missing", "error"],
        default=argparse.SUPPRESS,
        help="what prediction does with labels not seen here (default: missing)",
    )
    group.add_argument(
        "--set",
        dest="further",
        metavar="NAME=VALUE",
        action="append",
        default=[],
        help="any parameter of bnlr.BNClassifier, its value in JSON or as text",
    )


def fit_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the estimator's parameters that were given.

    Raises
    ------
    ParameterError
        ``--set`` without a name and a value.
    ModelFileError
        A structure that is neither a method nor in a file.
    """
    options = {name: getattr(args, name) for name in PARAMETERS if hasattr(args, name)}
    if hasattr(args, "seed"):
        options["random_state"] = args.seed
    if args.missing == "state":
        options["missing"] = "state"
    return {**options, **_structure(args), **dict(map(_assignment, args.further))}


def _structure(args: argparse.Namespace) -> "dict[str, str | Structure | dict[str, Any]]":
    """Return the estimator's parameters that say which structure: none of them if not asked."""
    from bnlr.io.structures import load_structure  # noqa: PLC0415  loads NumPy

    if not hasattr(args, "structure"):
        return {}
    text: str = args.structure
    if Path(text).is_file():
        return {"structure": load_structure(text, args.class_name)}
    name, options = method_and_options(text)
    if name in METHODS or _is_method(name):
        return {"structure": name, **({"structure_options": options} if options else {})}
    try:
        return {"structure": load_structure(text, args.class_name)}
    except ModelFileError as error:
        if not isinstance(error.__cause__, OSError):
            raise
        known = f"{', '.join(METHODS)}{guess(name, METHODS, show=str)}"
        raise ModelFileError(f"{error}; --structure takes a file, or a method: {known}") from error


def _is_method(name: str) -> bool:
    """Return whether the estimator knows a name that is not listed here."""
    from bnlr.classifier.structures import is_method  # noqa: PLC0415  loads scikit-learn

    return is_method(name)


def estimator(options: dict[str, Any]) -> "BNClassifier":
    """Return the unfitted estimator.

    Raises
    ------
    ParameterError
        It has no parameter of such a name.
    """
    from bnlr.classifier import BNClassifier  # noqa: PLC0415  loads scikit-learn

    known = BNClassifier._get_param_names()
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
    name, sign, value = text.partition("=")
    if not sign or not name.strip():
        raise ParameterError(f"{quoted(text)} gives no option a value; write NAME=VALUE")
    return name.strip(), _literal(value.strip())


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
