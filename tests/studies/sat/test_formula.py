"""DIMACS files, random formulas, and the reduction against the reference cases."""

import numpy as np
import pytest

import bnlr
from studies.common import StudyError
from studies.sat.formula import Formula, random_formula, read_dimacs
from studies.sat.reduction import construction, sample_of, structure_of
from tests.cases import CASES, _files

NAMED = [raw for raw in _files(CASES) if raw["kind"] == "sat"]
CODED = [raw for raw in _files(CASES / "coded") if raw["kind"] == "theorem2"]


def literal(text):
    return -int(text[2:]) if text.startswith("-") else int(text[1:])


def named_formula(raw):
    n = sum(node.startswith("X") for node in raw["nodes"])
    clauses = tuple(tuple(map(literal, clause)) for clause in raw["clauses"])
    return Formula(raw["name"], n, clauses)


def coded_parts():
    for raw in CODED:
        for name, part in raw["expected"].items():
            if isinstance(part, dict) and "clauses" in part:
                yield name, part, raw["tolerance"]["abs"]


def test_there_are_cases():
    assert NAMED
    assert list(coded_parts())


@pytest.mark.parametrize("raw", NAMED, ids=lambda raw: raw["name"])
def test_named_cases(raw):
    formula, expected = named_formula(raw), raw["expected"]
    assert sum(1 for _ in formula.satisfying()) == expected["n_satisfying"]
    structure = structure_of(formula)
    assert set(structure.edges) == {tuple(arc) for arc in raw["edges"]}
    assert structure.class_name == raw["class"]
    data = sample_of(formula)
    rows = [
        [
            None if code < 0 else data.states[node][code]
            for code, node in zip(row, data.nodes, strict=True)
        ]
        for row in data.codes.tolist()
    ]
    order = [list(data.nodes).index(node) for node in raw["nodes"]]
    assert [[row[k] for k in order] for row in rows] == raw["rows"]


@pytest.mark.parametrize("raw", NAMED, ids=lambda raw: raw["name"])
def test_the_cll_of_the_named_cpts(raw):
    from tests.cases import _named

    case = _named(raw)
    found = case.network().conditional_log_likelihood(sample_of(named_formula(raw)))
    case.check(found, raw["expected"]["cll"])


@pytest.mark.parametrize(("name", "part", "tolerance"), list(coded_parts()))
def test_coded_cases(name, part, tolerance):
    formula = Formula(name, part["variables"], tuple(map(tuple, part["clauses"])))
    assert (next(formula.satisfying(), None) is not None) == part["satisfiable"]
    assert set(structure_of(formula).edges) == {tuple(arc) for arc in part["network"]["edges"]}
    for key, eps in (("cll_sum_eps_0.1", 0.1), ("cll_sum_eps_0.001", 0.001)):
        network = construction(formula, [bool(v) for v in part["assignment"]], eps)
        cpts = {node: np.array(table) for node, table in network.cpts.items()}
        for change in part["overrides"]:
            p = change["p1"]
            cpts[change["node"]][tuple(change["parents"])] = [1 - p, p]
        changed = bnlr.BayesianNetwork(network.structure, network.states, cpts)
        cll = changed.conditional_log_likelihood(sample_of(formula))
        assert cll == pytest.approx(part[key], abs=tolerance)


def test_the_construction_is_satisfied_by_a_satisfying_assignment():
    formula = random_formula("f", 4, 12, 0)
    assignment = next(formula.satisfying())
    cll = construction(formula, assignment, 1e-9).conditional_log_likelihood(sample_of(formula))
    assert cll == pytest.approx(0.0, abs=1e-7)


def test_random_formulas_have_distinct_clauses_of_three_variables():
    formula = random_formula("f", 5, 24, 3)
    assert len(set(formula.clauses)) == 24
    assert all(len({abs(k) for k in clause}) == 3 for clause in formula.clauses)
    assert formula == random_formula("f", 5, 24, 3)
    assert formula != random_formula("f", 5, 24, 4)


GOOD = "c a comment\np cnf 3 2\n1 -2 3 0\n-1\n2 0\n%\n0\n"


def test_dimacs(tmp_path):
    path = tmp_path / "two.cnf"
    path.write_text(GOOD)
    assert read_dimacs(path) == Formula("two", 3, ((1, -2, 3), (-1, 2)))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 2 3 0\n", "no line 'p cnf"),
        ("p cnf 3\n", "line 1: 'p cnf 3' is not"),
        ("p cnf 3 1\n1 2 4 0\n", "line 2: '4' is no literal of 3 variables"),
        ("p cnf 3 1\n1 x 2 0\n", "line 2: 'x' is no literal"),
        ("p cnf 3 2\n1 2 3 0\n", "2 clauses are announced, 1 follow"),
        ("p cnf 3 1\n1 2 3\n", "the last clause does not end in 0"),
        ("p cnf 4 1\n1 2 3 4 0\n", "one to three literals"),
        ("p cnf 3 1\n1 -1 3 0\n", "own negation"),
        ("p cnf 3 1\n0\n", "one to three literals"),
        ("p cnf 30 1\n1 2 3 0\n", "1 to 20 variables"),
        ("p cnf 3 0\n", "a clause or more"),
    ],
)
def test_files_that_are_no_formula(tmp_path, text, message):
    path = tmp_path / "bad.cnf"
    path.write_text(text)
    with pytest.raises(StudyError, match=message):
        read_dimacs(path)


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(StudyError, match="cannot be read"):
        read_dimacs(tmp_path / "absent.cnf")
