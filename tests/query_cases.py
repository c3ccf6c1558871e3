"""Reference cases about statistical queries: a network, what it is asked, and the numbers to meet.

Both formats of `tests.cases`: named files of kind "queries", and the parts of coded ones of kind
"query" that have queries of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bnlr
from tests.cases import CASES, Case, _coded, _files, _named


@dataclass(frozen=True)
class QueryCase:
    name: str
    case: Case
    network: bnlr.BayesianNetwork
    queries: list[bnlr.Query]
    expected: dict[str, Any]


def query_cases() -> list[QueryCase]:
    """Every network with queries and numbers, the named cases' further CPTs included."""
    named = [raw for raw in _files(CASES) if raw["kind"] == "queries"]
    coded = [raw for raw in _files(CASES / "coded") if raw["kind"] == "query"]
    return [
        *(part for raw in named for part in _named_parts(raw)),
        *(part for raw in coded for part in _coded_parts(raw)),
    ]


def _named_parts(raw: dict[str, Any]) -> list[QueryCase]:
    case, asked = (
        _named(raw),
        [bnlr.Query(q["targets"], q["evidence"], q["p"]) for q in raw["queries"]],
    )
    parts = [QueryCase(case.name, case, case.network(), asked, raw["expected"])]
    for key, numbers in raw["expected"].items():
        if key.startswith("at_"):
            other = case.network(case.own_axes(raw[key.removeprefix("at_")]))
            parts.append(QueryCase(f"{case.name} {key}", case, other, asked, numbers))
    return parts


def _coded_parts(raw: dict[str, Any]) -> list[QueryCase]:
    """The parts with queries and, one by one, the queries with numbers of their own."""
    numbers = raw["expected"]
    parts = {**numbers, **numbers["example_4_1"]}
    for key, part in numbers.items():
        for k, one in enumerate(part.get("queries", ())):
            if "query" in one:
                own = {"answers": [one["answer"]], "queries": [one["query"]]}
                parts[f"{key} {k}"] = {**one, **own, "network": part["network"]}
                parts.pop(key, None)
    return [
        _coded_part(f"{raw['id']} {key}", part, raw["tolerance"])
        for key, part in parts.items()
        if "network" in part and "queries" in part
    ]


def _coded_part(name: str, part: dict[str, Any], tolerance: dict[str, float]) -> QueryCase:
    case = _coded(name, part["network"], part, part, tolerance)
    names = {"err": "error", "grad_theta": "grad_error_theta", "grad_beta": "grad_error_beta"}
    expected = {names.get(key, key): value for key, value in part.items()}
    return QueryCase(name, case, case.network(), [_of_codes(q) for q in part["queries"]], expected)


def _of_codes(raw: dict[str, Any]) -> bnlr.Query:
    cells = [{node: str(code) for node, code in raw[side].items()} for side in ("x", "y")]
    return bnlr.Query(*cells, p=raw["p"])
