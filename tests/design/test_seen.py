"""Families cut down to what rows show: the same scores of all rows from fewer cells."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bnlr.design import seen as cut
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import Design
from bnlr.design.seen import seen_cells
from tests.strategies import generators, problems, structures


@pytest.fixture(autouse=True)
def _always(monkeypatch):
    for name, value in {"_WIDE": 0, "_WIDE_FAMILY": 0, "_SHARE": 0}.items():
        monkeypatch.setattr(cut, name, value)


@given(problems(structures(max_nodes=6), n_rows=9), generators(), st.booleans())
def test_rows_score_and_count_as_in_all_cells(problem, rng, whole_columns):
    structure, data = problem
    layout = TableLayout.of(structure, data.cards)
    seen = seen_cells(layout, data, whole_columns=whole_columns)
    if seen is None:
        return
    tables = rng.standard_normal((layout.n_cells, layout.n_classes - 1))
    whole = Design.of(layout, data, merge=False)
    small = Design.of(seen.layout, seen.data, merge=False)
    np.testing.assert_allclose(small.scores(tables[seen.cells]), whole.scores(tables), atol=1e-12)
    counts = whole.counts()
    np.testing.assert_array_equal(small.counts(), counts[seen.cells])
    assert small.counts().sum() == pytest.approx(counts.sum())  # no row is in a cell left out
    own = seen.layout.families[0]
    np.testing.assert_array_equal(seen.cells[own.rows], np.arange(layout.families[0].n_cells))
    if whole_columns:
        for one, other in zip(seen.layout.families, layout.families, strict=True):
            assert (one.node, one.shape[-1:]) == (other.node, other.shape[-1:])


@given(problems(structures(max_nodes=4), n_rows=9))
def test_nothing_is_cut_where_it_saves_little(problem):
    structure, data = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cut, "_SHARE", 10**6)
        assert seen_cells(TableLayout.of(structure, data.cards), data, whole_columns=True) is None
