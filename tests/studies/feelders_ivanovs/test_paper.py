"""The paper's figures, checked against each other: typing errors would break their means."""

from statistics import fmean

import pytest

from studies.feelders_ivanovs import paper
from studies.feelders_ivanovs.networks import NetworkName

TABLES = [(paper.ITERATIONS, paper.MEAN_ITERATIONS), (paper.FLOPS, paper.MEAN_FLOPS)]


@pytest.mark.parametrize(("table", "printed"), TABLES, ids=["iterations", "flops"])
def test_the_printed_means_are_those_of_the_printed_rows(table, printed):
    # A figure is rounded by at most 0.05, so is their mean's error, and the printed mean again.
    for column in paper.COLUMNS:
        mean = fmean(row[column] for row in table.values())
        assert abs(mean - printed[column]) <= 0.1 + 1e-9, column
    assert paper.means(table) == {
        column: pytest.approx(fmean(row[column] for row in table.values()))
        for column in paper.COLUMNS
    }


@pytest.mark.parametrize("table", [paper.ITERATIONS, paper.FLOPS])
def test_the_smallest_of_every_row_is_one(table):
    assert {min(row.values()) for row in table.values()} == {1.0}
    assert all(set(row) == set(paper.COLUMNS) for row in table.values())


def test_rows():
    assert tuple(paper.ITERATIONS) == tuple(paper.FLOPS) == (*paper.UCI, *paper.ARTIFICIAL)
    assert (len(paper.UCI), len(paper.ARTIFICIAL)) == (5, 12)
    assert all(str(NetworkName.parse(name)) == name for name in paper.ARTIFICIAL)


def mirrored(table):
    """The last space's and solver's figures as the first's."""
    spaces = dict(zip(paper.SPACES, paper.SPACES[::-1], strict=True))
    solvers = dict(zip(paper.SOLVERS, paper.SOLVERS[::-1], strict=True))
    return {
        name: {(space, solver): row[spaces[space], solvers[solver]] for space, solver in row}
        for name, row in table.items()
    }


@pytest.mark.parametrize("statement", paper.STATEMENTS, ids=lambda s: s.text[:40])
def test_the_paper_s_own_tables_bear_its_statements_out_and_others_do_not(statement):
    assert statement.holds(paper.ITERATIONS, paper.FLOPS)
    assert not statement.holds(mirrored(paper.ITERATIONS), mirrored(paper.FLOPS))


@pytest.mark.parametrize("statement", paper.STATEMENTS, ids=lambda s: s.text[:40])
def test_fewer_rows_than_the_paper_has_give_no_verdict(statement):
    for name in paper.ROWS:
        kept = {other: row for other, row in paper.FLOPS.items() if other != name}
        assert statement.holds(kept, paper.FLOPS) is None
        assert statement.holds(paper.ITERATIONS, kept) is None
    assert statement.holds({}, {}) is None
