"""What a classifier's file holds, and how it is read back, trusting nothing in it.

"parameters"   the constructor's, a given structure as null (the network's less added arcs)
"classes"      {"dtype": NumPy's code, "values": […]}
"columns"      {"names": […], "are_named": whether X had names}
"cut_points"   {column: […]} of the columns that were cut
"network"      as in a network's file
"fit"          how the parameters were reached, without the trace
"missing_states" {column: the state that stands for a missing cell}
"selection"    the candidates as [structure, discretize, …], null where none were tried
"added_arcs"   of the network, beyond the structure judged and the one given
"rows"         what they were trained on: "complete", "holed" or "masked" rows
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bnlr._typing import FloatArray
from bnlr.classifier.added_arcs import NONE, added_to_content, content_to_smaller
from bnlr.classifier.auto.selection import content_to_selection, selection_to_content
from bnlr.classifier.fitted import Fitted
from bnlr.classifier.input.discretizers import discretizer_at
from bnlr.classifier.missing.as_state import content_to_labels
from bnlr.classifier.parameters import Parameters
from bnlr.data.intervals import interval_labels
from bnlr.errors import ModelFileError
from bnlr.io.files import PathLike
from bnlr.io.models.envelope import read_document
from bnlr.io.models.fields import Fields, as_list, as_names, as_object, is_double, require_keys
from bnlr.io.models.network import content_to_network, network_to_content
from bnlr.learn.result import FitResult
from bnlr.network import BayesianNetwork
from bnlr.structure.dag import Structure
from bnlr.structure.report import analyze

_KEYS = (
    *("parameters", "classes", "columns", "cut_points", "network", "fit", "rows"),
    *("missing_states", "selection", "added_arcs"),
)
# A file from before there were these has none.
_LATER: Mapping[str, object] = {
    "missing_states": {},
    "selection": None,
    "added_arcs": NONE,
}
_LATER_PARAMETERS = {
    "structure_options": None,
    "missing": "sum",
    "temperature": None,
    "nonperfect": "elr",
    "m_step_pseudocount": 0.0,
}
_ROWS = ("complete", "holed", "masked")
_DTYPE = re.compile(r"[<>|=](b1|[iu][1248]|f[248]|U[1-9]\d{0,5}|O)")
_FIT: dict[str, tuple[type, ...]] = {
    "cll": (float, int, type(None)),
    "start_cll": (float, int, type(None)),
    "converged": (bool,),
    "n_iter": (int,),
    "message": (str,),
    "learner": (str,),
    "space": (str,),
    "solver": (str,),
    "why": (str,),
    "upper_bound": (float, int, type(None)),
    "penalty": (float, int),
    "center_scale": (float, int, type(None)),
    "log_likelihood": (float, int, type(None)),
    "start_log_likelihood": (float, int, type(None)),
}


def classifier_to_content(parameters: Mapping[str, Any], fitted: Fitted) -> dict[str, object]:
    """Return what a fitted classifier's file holds, in JSON's types.

    ``parameters`` are the estimator's, by name, as they are now.

    Raises
    ------
    ModelFileError
        Class labels, states or options that JSON cannot carry.
    """
    _refuse_options(parameters["structure_options"])
    network, judged = fitted.network, fitted.report.structure
    return {
        "parameters": {name: _plain(value) for name, value in parameters.items()},
        "classes": _classes_to_content(fitted.classes),
        "columns": {"names": list(fitted.columns), "are_named": fitted.are_named},
        "cut_points": {name: cuts.tolist() for name, cuts in fitted.cut_points.items()},
        "network": network_to_content(network),
        "fit": {name: _plain(getattr(fitted.result, name)) for name in _FIT},
        "rows": fitted.rows,
        "missing_states": dict(fitted.missing_states),
        "selection": selection_to_content(fitted.selection),
        "added_arcs": added_to_content(network, judged, parameters["structure"]),
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
    plain = value.item() if isinstance(value, np.generic) else value
    return None if plain == float("-inf") else plain


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
    network = content_to_network(content["network"], f"{source}: network")
    names, are_named = _read_columns(content["columns"], network, source)
    missing_states = content_to_labels(
        content["missing_states"], network, f"{source}: missing_states"
    )
    cut_points = _read_cut_points(content["cut_points"], network, missing_states, source)
    judged, given = content_to_smaller(content["added_arcs"], network, f"{source}: added_arcs")
    parameters = _read_parameters(content["parameters"], given, tuple(known), source)
    result = _read_fit(content["fit"], network, judged, source)
    return parameters, Fitted(
        parameters=Parameters.of(SimpleNamespace(**parameters)),
        classes=_read_classes(content["classes"], network, source),
        columns=tuple(names),
        are_named=are_named,
        network=network,
        report=result.report,
        result=result,
        discretizer=discretizer_at(cut_points),
        missing_states=missing_states,
        rows=_read_rows(content["rows"], source),
        selection=content_to_selection(content["selection"], f"{source}: selection"),
    )


def _read_parameters(
    value: object, given: Structure, known: tuple[str, ...], source: str
) -> dict[str, Any]:
    fields = {**_LATER_PARAMETERS, **as_object(value, f"{source}: parameters")}
    require_keys(fields, known, f"{source}: parameters")
    for name, parameter in fields.items():
        allowed = _DICTS.get(name)
        if not (_is_plain(parameter) or (allowed is not None and allowed(parameter))):
            raise ModelFileError(f"{source}: parameters.{name} must be a number, text or null")
    return {**fields, "structure": given if fields["structure"] is None else fields["structure"]}


def _is_plain(value: object) -> bool:
    return isinstance(value, (str, int, float, bool, type(None)))


def _are_shares(value: object) -> bool:
    return isinstance(value, dict) and all(type(share) in (int, float) for share in value.values())


def _are_options(value: object) -> bool:
    return isinstance(value, dict) and all(_is_plain(option) for option in value.values())


# The parameters that may be dicts, and what such a dict may hold.
_DICTS: Mapping[str, Callable[[object], bool]] = {
    "expect_missing": _are_shares,
    "structure_options": _are_options,
}


def _read_rows(value: object, source: str) -> str:
    if not isinstance(value, str) or value not in _ROWS:
        raise ModelFileError(f"{source}: rows must be one of {', '.join(_ROWS)}")
    return value


def _read_columns(value: object, network: BayesianNetwork, source: str) -> tuple[list[str], bool]:
    where = f"{source}: columns"
    fields = as_object(value, where)
    require_keys(fields, ("names", "are_named"), where)
    names, are_named = as_names(fields["names"], f"{where}.names"), fields["are_named"]
    if not isinstance(are_named, bool):
        raise ModelFileError(f"{where}.are_named must be true or false")
    if len(set(names)) < len(names) or not set(network.structure.attributes) <= set(names):
        raise ModelFileError(
            f"{where}.names must be distinct and name all the network's attributes"
        )
    if not are_named and names != [f"x{k}" for k in range(len(names))]:
        raise ModelFileError(f"{where}.names must be x0, x1, … where X had none")
    return names, are_named


def _read_cut_points(
    value: object, network: BayesianNetwork, missing_states: Mapping[str, str], source: str
) -> dict[str, FloatArray]:
    where = f"{source}: cut_points"
    cut_points = {}
    for name, given in as_object(value, where).items():
        cuts = as_list(given, f"{where}[{name!r:.60}]")
        numbers = [float(c) for c in cuts if is_double(c)]
        is_increasing = all(a < b for a, b in pairwise(numbers))
        if len(numbers) < len(cuts) or not is_increasing:
            raise ModelFileError(f"{where}[{name!r:.60}] must hold increasing numbers")
        array = np.array(numbers, dtype=np.float64)
        hole = (missing_states[name],) if name in missing_states else ()
        if network.states.get(name) != (*interval_labels(array), *hole):
            raise ModelFileError(f"{where}[{name!r:.60}] does not go with the network's states")
        cut_points[name] = array
    return cut_points


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


def _read_fit(value: object, network: BayesianNetwork, judged: Structure, source: str) -> FitResult:
    where = f"{source}: fit"
    # A file from before there was a scaled centre has none.
    fields = {"center_scale": None, **as_object(value, where)}
    require_keys(fields, tuple(_FIT), where)
    for name, kinds in _FIT.items():
        if type(fields[name]) not in kinds:
            raise ModelFileError(f"{where}.{name} must be a {kinds[0].__name__}")
        if float in kinds and not (fields[name] is None or is_double(fields[name])):
            raise ModelFileError(f"{where}.{name} is beyond double precision")
    impossible = {k: float("-inf") for k in ("cll", "start_cll") if fields[k] is None}
    given: dict[str, Any] = {**fields, **impossible}
    report = analyze(judged, network.cards)
    return FitResult(network=network, report=report, **given)
