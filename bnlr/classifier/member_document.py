"""What a file holds of one fitted network, in a classifier's file.

"network"      as in a network's file
"cut_points"   {column: […]} of the columns that were cut
"missing_states" {column: the state that stands for a missing cell}
"fit"          how the parameters were reached, without the trace
"added_arcs"   of the network, beyond the structure judged and the one given
"rows"         what they were trained on: "complete", "holed" or "masked" rows
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from bnlr._typing import FloatArray
from bnlr.classifier.added_arcs import added_to_content, content_to_smaller
from bnlr.classifier.input.discretizers import discretizer_at
from bnlr.classifier.member import Member
from bnlr.classifier.missing.as_state import content_to_labels
from bnlr.data.intervals import interval_labels
from bnlr.errors import ModelFileError
from bnlr.io.models.fields import Fields, as_list, as_object, is_double, require_keys
from bnlr.io.models.network import content_to_network, network_to_content
from bnlr.learn.result import FitResult
from bnlr.network import BayesianNetwork
from bnlr.structure.dag import Structure
from bnlr.structure.report import analyze

MEMBER_KEYS = ("network", "cut_points", "missing_states", "fit", "added_arcs", "rows")

_ROWS = ("complete", "holed", "masked")
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


def member_to_content(member: Member, given: object) -> Fields:
    """Return what a file holds of it, in JSON's types; ``given`` is the parameter ``structure``.

    Raises
    ------
    ModelFileError
        States that JSON cannot carry.
    """
    return {
        "cut_points": {name: cuts.tolist() for name, cuts in member.cut_points.items()},
        "network": network_to_content(member.network),
        "fit": {name: _number(getattr(member.result, name)) for name in _FIT},
        "rows": member.rows,
        "missing_states": dict(member.missing_states),
        "added_arcs": added_to_content(member.network, member.report.structure, given),
    }


def _number(value: object) -> object:
    number = value.item() if isinstance(value, np.generic) else value
    return None if number == float("-inf") else number


def read_member(content: Mapping[str, object], source: str) -> tuple[Member, Structure]:
    """Read the content, which has the keys, and beside it the structure given.

    Raises
    ------
    ModelFileError
        With the file and the place of what is wrong.
    """
    network = content_to_network(content["network"], f"{source}: network")
    missing_states = content_to_labels(
        content["missing_states"], network, f"{source}: missing_states"
    )
    cut_points = _read_cut_points(content["cut_points"], network, missing_states, source)
    judged, given = content_to_smaller(content["added_arcs"], network, f"{source}: added_arcs")
    result = _read_fit(content["fit"], network, judged, source)
    member = Member(
        network=network,
        report=result.report,
        result=result,
        discretizer=discretizer_at(cut_points),
        missing_states=missing_states,
        rows=_read_rows(content["rows"], source),
    )
    return member, given


def _read_rows(value: object, source: str) -> str:
    if not isinstance(value, str) or value not in _ROWS:
        raise ModelFileError(f"{source}: rows must be one of {', '.join(_ROWS)}")
    return value


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
