"""The table of several machines is what its constants say."""

import pytest

from benchmarks.machines import MACHINES, ROWS, Constants, measure, table
from tests.cluster.clusters import distributed

assert distributed  # without it the benchmark has nothing to measure


def test_rows_are_shared_and_trips_are_not():
    found = Constants(1e-6, 1e-7, 2e-6, 3, 2, 25, latency=0.01, a_part=1e-3)
    assert found.seconds(1e6, 1) == pytest.approx(3.1 + 30 * 0.011)
    assert found.seconds(1e6, 10) == pytest.approx(0.31 + 30 * 0.02)
    assert found.worked(found.even(16), 16) == pytest.approx(found.seconds(found.even(16), 32))
    lines = table(found, 16).splitlines()
    assert len(lines) == 1 + len(ROWS) + 1
    assert lines[1].split()[0] == "1e+09"
    assert len(lines[0].split("x")) == 1 + len(MACHINES)


@pytest.mark.slow  # starts clusters
@pytest.mark.filterwarnings("ignore")  # of what Dask itself warns of
def test_constants_are_measured():
    found = measure(20_000, 5, 2)
    assert min(found.latency, found.a_part) >= 0
    assert found.read_trips == 3
    assert 2 <= found.search_trips <= 5
    assert found.fit_trips <= 45
