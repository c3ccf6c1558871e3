"""Formulas in conjunctive normal form: read, drawn at random, and solved by trying everything."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path

import numpy as np

from studies.common import StudyError

MOST_VARIABLES = 20
"""All assignments of so many variables are tried in a moment."""


@dataclass(frozen=True)
class Formula:
    """Clauses of literals: k is the variable X_k, −k its negation; variables count from 1."""

    name: str
    n_variables: int
    clauses: tuple[tuple[int, ...], ...]

    def satisfying(self) -> Iterator[tuple[bool, ...]]:
        """All assignments that make every clause true, in order."""
        for assignment in product((False, True), repeat=self.n_variables):
            if all(holds(clause, assignment) for clause in self.clauses):
                yield assignment

    def least_falsified(self) -> int:
        """The fewest clauses that an assignment leaves false; 0 if it is satisfiable."""
        return min(
            sum(not holds(clause, assignment) for clause in self.clauses)
            for assignment in product((False, True), repeat=self.n_variables)
        )

    def __str__(self) -> str:
        return " ∧ ".join(
            "(" + " ∨ ".join(("¬" if k < 0 else "") + f"x{abs(k)}" for k in clause) + ")"
            for clause in self.clauses
        )


def holds(clause: Sequence[int], assignment: Sequence[bool]) -> bool:
    """Whether an assignment makes a clause true."""
    return any(assignment[abs(k) - 1] == (k > 0) for k in clause)


def random_formula(name: str, n_variables: int, n_clauses: int, seed: int) -> Formula:
    """Draw clauses of three different variables each, any signs, none twice."""
    rng = np.random.default_rng([seed, n_variables, n_clauses])
    clauses: dict[tuple[int, ...], None] = {}
    while len(clauses) < n_clauses:
        variables = np.sort(rng.choice(n_variables, 3, replace=False) + 1)
        signs = rng.choice((-1, 1), 3)
        clauses[tuple((variables * signs).tolist())] = None
    return Formula(name, n_variables, tuple(clauses))


def read_dimacs(path: Path) -> Formula:
    """Read a formula in DIMACS form: "c" comments, "p cnf variables clauses", clauses ending in 0.

    Raises
    ------
    StudyError
        Not such a file, a clause of more than three literals or of none, or more variables than
        can be tried; it names the line.
    """
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{path}: cannot be read: {error}") from None
    n_variables, n_clauses, literals = _header(path, lines)
    clauses = tuple(_clauses(path, literals, n_variables))
    if len(clauses) != n_clauses:
        raise StudyError(f"{path}: {n_clauses} clauses are announced, {len(clauses)} follow")
    return Formula(path.stem, n_variables, clauses)


def _header(path: Path, lines: Sequence[str]) -> tuple[int, int, list[tuple[int, str]]]:
    """Return numbers of variables and clauses, and the words after the "p" line, with lines."""
    found = None
    words: list[tuple[int, str]] = []
    for number, line in enumerate(lines, start=1):
        if line.startswith("c") or not line.strip():
            continue
        if line.startswith("%"):
            break  # collections of formulas end their files so
        if line.startswith("p"):
            found = re.fullmatch(r"p\s+cnf\s+(\d+)\s+(\d+)\s*", line)
            if found is None:
                raise StudyError(
                    f"{path}, line {number}: {line!r} is not 'p cnf VARIABLES CLAUSES'"
                )
            continue
        words += [(number, word) for word in line.split()]
    if found is None:
        raise StudyError(f"{path}: there is no line 'p cnf VARIABLES CLAUSES'")
    n_variables, n_clauses = map(int, found.groups())
    if not 1 <= n_variables <= MOST_VARIABLES or not n_clauses:
        raise StudyError(
            f"{path}: {n_variables} variables and {n_clauses} clauses; the study tries all "
            f"assignments, so it takes 1 to {MOST_VARIABLES} variables and a clause or more"
        )
    return n_variables, n_clauses, words


def _clauses(
    path: Path, words: Sequence[tuple[int, str]], n_variables: int
) -> Iterator[tuple[int, ...]]:
    clause: list[int] = []
    for number, word in words:
        if not re.fullmatch(r"-?\d+", word) or abs(int(word)) > n_variables:
            raise StudyError(
                f"{path}, line {number}: {word!r} is no literal of {n_variables} variables"
            )
        if int(word):
            clause.append(int(word))
            continue
        yield _checked(path, number, clause)
        clause = []
    if clause:
        raise StudyError(f"{path}: the last clause does not end in 0")


def _checked(path: Path, number: int, clause: Sequence[int]) -> tuple[int, ...]:
    distinct = tuple(dict.fromkeys(clause))
    if not 1 <= len(distinct) <= 3 or any(-k in distinct for k in distinct):
        raise StudyError(
            f"{path}, line {number}: the clause {list(clause)} must have one to three literals, "
            "none of them with its own negation"
        )
    return distinct
