"""What a classifier's file holds, and how it is read back, trusting nothing in it.

"parameters"   the constructor's, a given structure as null (the network's less added arcs)
"classes"      {"dtype": NumPy's code, "values": […]}
"columns"      {"names": […], "are_named": whether X had names}
"selection"    the candidates as [structure, discretize, …], null where none were tried
"pool"         the networks that predict together, see `pool_document`; null for one network
"importances"  the columns' importances, null where they are not known
"reading"      what `bnlr fit` was told of how to read the rows, by the names of `read_frame`'s
               arguments; null where nothing was

and what `member_document` tells of the network, of a pool the best.
"""

import os
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import FloatArray
from bnlr.classifier.added_arcs import NONE
from bnlr.classifier.auto.selection import content_to_selection, selection_to_content
from bnlr.classifier.fitted import Fitted
from bnlr.classifier.member_document import MEMBER_KEYS, member_to_content, read_member
from bnlr.classifier.parameters import Parameters
from bnlr.classifier.pool_document import content_to_pool, pool_to_content
from bnlr.classifier.reading_document import content_to_reading
from bnlr.errors import ModelFileError
from bnlr.io.files import PathLike
from bnlr.io.models.envelope import read_document
from bnlr.io.models.fields import Fields, as_list, as_names, as_object, require_keys
from bnlr.network import BayesianNetwork
from bnlr.structure.dag import Structure

# A file from before there were these has none.
_LATER: Mapping[str, object] = {
    "missing_states": {},
    "selection": None,
    "added_arcs": NONE,
    "pool": None,
    "importances": None,
    "reading": None,
}
_KEYS = tuple(dict.fromkeys(("parameters", "classes", "columns", *MEMBER_KEYS, *_LATER)))
# What a file does not keep.
_OF_THE_MACHINE = {"n_jobs": None, "verbose": 0}
_WEIGHTS = "class_weight"
_LATER_PARAMETERS = {
    "structure_options": None,
    "missing": "sum",
    "temperature": None,
    "nonperfect": "elr",
    "m_step_pseudocount": 0.0,
    _WEIGHTS: None,
    "states": None,
    **_OF_THE_MACHINE,
}
_DTYPE = re.compile(r"[<>|=](b1|[iu][1248]|f[248]|U[1-9]\d{0,5}|O)")


def classifier_to_content(parameters: Mapping[str, Any], fitted: Fitted) -> dict[str, object]:
    """Return what a fitted classifier's file holds, in JSON's types.

    ``parameters`` are the estimator's, by name, as they are now.

    Raises
    ------
    ModelFileError
        Class labels, states or options that JSON cannot carry.
    """
    _refuse_options(parameters["structure_options"])
    return {
        "parameters": {
            name: _weights_to_content(value) if name == _WEIGHTS else _plain(value)
            for name, value in parameters.items()
            if name not in _OF_THE_MACHINE
        },
        "classes": _classes_to_content(fitted.classes),
        "columns": {"names": list(fitted.columns), "are_named": fitted.are_named},
        **member_to_content(fitted.best, parameters["structure"]),
        "selection": selection_to_content(fitted.selection),
        "pool": pool_to_content(fitted.pool),
        "importances": None if fitted.importances is None else fitted.importances.tolist(),
        "reading": fitted.reading,
    }


def _refuse_options(options: Mapping[str, object] | None) -> None:
    for name, value in (options or {}).items():
        if isinstance(value, Structure) or not _is_plain(_plain(value)):
            raise ModelFileError(
                f"structure_options[{name!r}] is a {type(value).__name__}, which no file holds; "
                "learn the structure with bnlr.learn_structure, and give it as structure"
            )


def _plain(value: object) -> object:
    if isinstance(value, Structure):
        return None
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Collection) and not isinstance(value, str | bytes):
        return [_plain(item) for item in value]
    plain = value.item() if isinstance(value, np.generic) else value
    return None if plain == float("-inf") else plain


def _weights_to_content(value: object) -> object:
    """[[class, weight], …] of a dictionary, whose keys need not be text."""
    if not isinstance(value, Mapping):
        return _plain(value)
    return [[_plain(label), float(weight)] for label, weight in value.items()]


def _read_weights(value: object, where: str) -> object:
    if not isinstance(value, list):
        return value
    if not all(
        isinstance(pair, list)
        and len(pair) == 2
        and _is_plain(pair[0])
        and type(pair[1]) in (int, float)
        for pair in value
    ):
        raise ModelFileError(f"{where} must hold pairs of a class and its weight")
    return dict(value)


def _classes_to_content(classes: NDArray[Any]) -> Fields:
    if not _DTYPE.fullmatch(classes.dtype.str):
        raise ModelFileError(
            f"class labels of type {classes.dtype} cannot be written; fit on text, whole numbers, "
            "decimals or booleans"
        )
    return {"dtype": classes.dtype.str, "values": classes.tolist()}


def read_classifier(path: PathLike, known: Iterable[str]) -> tuple[dict[str, Any], Fitted]:
    """Read a classifier's file: its parameters, all of which are ``known``, and what was fitted.

    Raises
    ------
    ModelFileError
        With the file and the place of what is wrong.
    """
    source = str(path)
    _, found = read_document(path, kind="classifier")
    content = {**_LATER, **found}
    require_keys(content, _KEYS, f"{source}: the content")
    only, given = read_member(content, source)
    names, are_named = _read_columns(content["columns"], only.network, source)
    parameters = _read_parameters(content["parameters"], given, tuple(known), source)
    pool = content_to_pool(content["pool"], only, f"{source}: pool")
    return parameters, Fitted(
        parameters=Parameters.of(SimpleNamespace(**parameters)),
        classes=_read_classes(content["classes"], only.network, source),
        columns=tuple(names),
        are_named=are_named,
        best=only if pool is None else pool.members[0],
        selection=content_to_selection(content["selection"], f"{source}: selection"),
        pool=pool,
        importances=_read_importances(content["importances"], len(names), source),
        reading=content_to_reading(content["reading"], f"{source}: reading"),
    )


def _read_importances(value: object, n_columns: int, source: str) -> FloatArray | None:
    if value is None:
        return None
    where = f"{source}: importances"
    shares = as_list(value, where)
    are_shares = all(type(share) in (int, float) and 0 <= share <= 1 for share in shares)  # type: ignore[operator]
    if len(shares) != n_columns or not are_shares:
        raise ModelFileError(f"{where} must hold a number from 0 to 1 for each column")
    return np.array(shares, dtype=np.float64)


def _read_parameters(
    value: object, given: Structure, known: tuple[str, ...], source: str
) -> dict[str, Any]:
    fields = {**_LATER_PARAMETERS, **as_object(value, f"{source}: parameters")}
    require_keys(fields, known, f"{source}: parameters")
    fields[_WEIGHTS] = _read_weights(fields[_WEIGHTS], f"{source}: parameters.{_WEIGHTS}")
    for name, parameter in fields.items():
        allowed = _DICTS.get(name)
        if not (_is_plain(parameter) or (allowed is not None and allowed(parameter))):
            raise ModelFileError(f"{source}: parameters.{name} must be a number, text or null")
    return {**fields, "structure": given if fields["structure"] is None else fields["structure"]}


def _is_plain(value: object) -> bool:
    return isinstance(value, (str, int, float, bool, type(None)))


def _are_shares(value: object) -> bool:
    return isinstance(value, dict) and all(type(share) in (int, float) for share in value.values())


def _are_labels(value: object) -> bool:
    return isinstance(value, dict) and all(
        isinstance(labels, list) and all(map(_is_plain, labels)) for labels in value.values()
    )


def _are_options(value: object) -> bool:
    return isinstance(value, dict) and all(_is_plain(option) for option in value.values())


# The parameters that may be dicts, and what such a dict may hold.
_DICTS: Mapping[str, Callable[[object], bool]] = {
    "expect_missing": _are_shares,
    "states": _are_labels,
    "structure_options": _are_options,
    _WEIGHTS: lambda value: isinstance(value, dict),
}


def _read_columns(value: object, network: BayesianNetwork, source: str) -> tuple[list[str], bool]:
    where = f"{source}: columns"
    fields = as_object(value, where)
    require_keys(fields, ("names", "are_named"), where)
    names, are_named = as_names(fields["names"], f"{where}.names"), fields["are_named"]
    if not isinstance(are_named, bool):
        raise ModelFileError(f"{where}.are_named must be true or false")
    observed = set(network.structure.attributes).difference(network.latent)
    if len(set(names)) < len(names) or not observed <= set(names):
        raise ModelFileError(
            f"{where}.names must be distinct and name all the network's observed attributes"
        )
    if not are_named and names != [f"x{k}" for k in range(len(names))]:
        raise ModelFileError(f"{where}.names must be x0, x1, … where X had none")
    return names, are_named


def _read_classes(value: object, network: BayesianNetwork, source: str) -> NDArray[Any]:
    where = f"{source}: classes"
    fields = as_object(value, where)
    require_keys(fields, ("dtype", "values"), where)
    code, values = fields["dtype"], as_list(fields["values"], f"{where}.values")
    if not isinstance(code, str) or not _DTYPE.fullmatch(code):
        raise ModelFileError(f"{where}.dtype must be the code of a NumPy type, got {code!r:.60}")
    if values != list(network.class_states):
        raise ModelFileError(f"{where}.values must be the states of the network's class")
    try:
        classes = np.array(values, dtype=np.dtype(code))
    except (TypeError, ValueError, OverflowError) as error:
        raise ModelFileError(f"{where}: {error}") from error
    if classes.ndim != 1 or classes.tolist() != values:
        raise ModelFileError(f"{where}.values cannot be of the type {code}")
    return classes
