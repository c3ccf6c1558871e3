"""The printed tables against each other."""

import pytest
from scipy import stats

from studies.greiner import paper
from studies.greiner.accuracy_parts import against_accuracies

# Where the printed accuracies give another p-value than is printed.
AT_ODDS = {("NB+ELR", "GBN+ELR")}


def p_of(table, better, worse):
    pairs = [
        (row[better].mean, row[worse].mean) for row in table.values() if {better, worse} <= set(row)
    ]
    return stats.ttest_rel(*zip(*pairs, strict=True), alternative="greater").pvalue


def test_tables_have_all_sets_and_systems():
    assert len(paper.TABLE_1) == 25
    for table, systems in ((paper.TABLE_2, paper.COMPLETE), (paper.TABLE_3, paper.INCOMPLETE)):
        assert list(table) == list(paper.TABLE_1)
        whole = {name: row for name, row in table.items() if tuple(row) == systems}
        assert set(table) - set(whole) <= {"iris"}
    assert tuple(paper.TABLE_3["iris"]) == paper.INCOMPLETE[:3]
    assert (len(paper.TABLE_4), len(paper.TABLE_5)) == (15, 36)


def test_error_bars_of_single_test_sets_are_binomial():
    for table in (paper.TABLE_2, paper.TABLE_3):
        for name, row in table.items():
            n = paper.TABLE_1[name].n_test
            for cell in row.values() if n else ():
                share = cell.mean / 100
                assert cell.error == pytest.approx(100 * (share * (1 - share) / n) ** 0.5, abs=0.02)


@pytest.mark.parametrize("pair", [key for key in paper.TABLE_4 if key not in AT_ODDS])
def test_table_4_follows_from_table_2(pair):
    verdict = paper.TABLE_4[pair]
    assert p_of(paper.TABLE_2, *verdict[:2]) == pytest.approx(verdict.p, rel=0.5, abs=0.1)
    if verdict.p < 0.05:
        assert p_of(paper.TABLE_2, *verdict[:2]) == pytest.approx(verdict.p, rel=0.5)


def test_entries_that_go_against_the_accuracies_are_named():
    said = against_accuracies()
    assert "TAN+OFE over NB+ELR 0.55" in said
    for table, printed in ((paper.TABLE_4, paper.TABLE_2), (paper.TABLE_5, paper.TABLE_3)):
        for verdict in table.values():
            is_against = p_of(printed, *verdict[:2]) > 0.5
            assert (f"{verdict.better} over {verdict.worse} " in said) == is_against


def test_significant_entries_of_table_5_follow_from_table_3():
    for (row, column), verdict in paper.TABLE_5.items():
        if not (row in {"NB+APN", "NB+EM"} and column.startswith("GBN")):
            p = p_of(paper.TABLE_3, *verdict[:2])
            near = pytest.approx(verdict.p, rel=0.3, abs=0.01)
            assert p == near or 1 - p == near or (row, column) == ("TAN+APN", "TAN+ELR")
