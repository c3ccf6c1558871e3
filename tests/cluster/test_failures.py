"""What goes wrong on a cluster is mended, or one error within a stated time: never a hang."""

import os
import subprocess
import sys
from functools import partial
from time import monotonic, sleep

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.cluster import dask_parts
from bnlr.cluster import read as reading
from bnlr.cluster.partitions import Partitions
from tests.cluster.clusters import (
    COLUMNS,
    LIMIT,
    dask,
    dd,
    distributed,
    kill_one,
    mixed,
    two_workers,
)
from tests.cluster.test_read import plain, read
from tests.data.test_parted import made
from tests.width import in_full

pytestmark = pytest.mark.filterwarnings("ignore")  # of what Dask itself warns of


@pytest.fixture(scope="module")
def client():
    """Threads of this process, quick to start; none of these is killed."""
    with two_workers(processes=False) as client:
        yield client


@pytest.fixture
def fresh():
    """A cluster that has lost no worker yet."""
    with two_workers() as client:
        yield client


def of_parts(*parts, seconds=LIMIT):
    meta = plain(made(6, 20)).iloc[:0]
    joined = dd.from_delayed(list(parts), meta=meta, verify_meta=False)
    return bnlr.Dataset.from_dask(joined, "class", weights="w", seconds=seconds)


@dask.delayed
def poisoned(frame):
    raise RuntimeError("the disk is broken")


@dask.delayed
def slow(frame):
    sleep(6)
    return frame


@dask.delayed
def deadly(frame):
    os._exit(1)


def test_bad_partitions_are_named_and_empty_ones_are_no_trouble(client):
    frame = plain(made(6, 200))
    good, none = dask.delayed(frame), dask.delayed(frame.iloc[:0])
    assert of_parts(none, good, none).n_rows == 200
    for bad, told in {
        poisoned(frame): "partition 1: RuntimeError: the disk is broken",
        dask.delayed(frame.astype(str).assign(w=1.0)): "0.0 in partition 0, .* text '0.0' in .* 1",
        dask.delayed(frame.assign(w="much")): "partition 1.*weight",
        dask.delayed(frame.drop(columns="a1")): "partition 1 has other columns.*'a1'",
        dask.delayed(pd.DataFrame({"other": [1], "w": [1.0]})): "partition 1.*'class'",
    }.items():
        with pytest.raises(bnlr.BnlrError, match=told):
            of_parts(good, bad)
    with pytest.raises(bnlr.DataError, match="no row"):
        of_parts(none, none)


def test_weights_are_looked_for_first_and_their_total_is_checked_as_here(client):
    frame = plain(made(6, 200))
    for total, told in ((0.0, "all weights are zero"), (1e308, "sum overflows")):
        with pytest.raises(bnlr.ParameterError, match=told):
            of_parts(*[dask.delayed(frame.assign(w=total))] * 2)
    readings = []

    @dask.delayed
    def counted(frame):
        readings.append(1)  # the workers are threads
        return frame

    for states in (None, made(6, 20).states):
        far = dd.from_delayed([counted(frame.drop(columns="w"))] * 2, verify_meta=False)
        readings.clear()  # of the one that the columns were learnt from
        with pytest.raises(bnlr.DataError, match=r"no column 'w', only 'class', .*'a3'"):
            bnlr.Dataset.from_dask(far, "class", states, "w", LIMIT)
        assert len(readings) <= 2


def test_values_beyond_the_states_are_refused_and_made_missing_as_is_said(client):
    frame = plain(made(6, 200))
    states = {"class": (0, 1), "a0": (0, 1)}
    far = dd.from_pandas(frame, npartitions=2, sort=False)
    with pytest.raises(
        bnlr.StateError, match=r"partition .: column 'a0'.*where\(column.isin"
    ) as caught:
        bnlr.Dataset.from_dask(far, "class", states, seconds=LIMIT)
    assert "from_frame" not in str(caught.value)
    column, labels = far["a0"], states["a0"]
    mended = far.assign(a0=column.where(column.isin(labels)))
    rows = bnlr.Dataset.from_dask(mended, "class", states, seconds=LIMIT)
    assert rows.missing_counts == {"a0": int((frame["a0"] == 2).sum())}


def test_a_partition_may_lack_classes_and_labels(client):
    data = made(6, 400, n_classes=3)
    frame = plain(data)
    parts = [frame[frame["class"] == c] for c in (2, 0, 1)]
    rows = of_parts(*map(dask.delayed, parts))
    assert rows.states == data.states
    assert bnlr.learn_structure(rows) == bnlr.learn_structure(data)


def test_a_trip_has_its_time(client):
    frame = plain(made(6, 200))
    begin = monotonic()
    with pytest.raises(bnlr.DataError, match=r"not answered within 2 seconds.*more: seconds="):
        of_parts(dask.delayed(frame), slow(frame), seconds=2.0)
    assert monotonic() - begin < 15.0


@pytest.mark.parametrize("seconds", [0, 0.0, -1, float("nan"), None])
def test_no_time_at_all_is_refused_at_once(seconds):
    with pytest.raises(bnlr.ParameterError, match="seconds is"):  # there is no client to ask
        of_parts(dask.delayed(plain(made(6, 20))), seconds=seconds)


def test_a_cluster_without_workers_is_refused(monkeypatch):
    monkeypatch.setattr(dask_parts, "_ALONE", 1.0)
    options = {"n_workers": 0, "processes": False, "dashboard_address": None}
    begin = monotonic()
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster),
        pytest.raises(bnlr.DataError, match="no worker for 1 seconds"),
    ):
        read(plain(made(6, 200)), 2)
    assert monotonic() - begin < 20.0


class Killer:
    """Kills a worker's process while the answer to trip number ``at`` is waited for."""

    def __init__(self, client, at):
        self.client, self.at, self.n = client, at, 0
        self._await = dask_parts._await

    def __call__(self, client, futures, clock):
        if self.n == self.at:
            kill_one(self.client)
        self.n += 1
        self._await(client, futures, clock)


@pytest.mark.parametrize("at", [8, *in_full(0, 1, 2, 3, 5, 12, 20, 25)])  # each costs a worker
def test_a_worker_killed_while_reading_searching_or_fitting_changes_no_bit(fresh, monkeypatch, at):
    data = made(9, 40_000, n_attributes=6, n_classes=3, weighted=True)
    frame = plain(data)

    def learn():
        rows = read(frame, 5)
        structure = bnlr.learn_structure(rows)
        result = bnlr.fit(structure, rows)
        return rows.trips, structure, result.cll, result.upper_bound

    n_trips, *expected = learn()
    assert at < n_trips + 1
    killer = Killer(fresh, at)
    monkeypatch.setattr(dask_parts, "_await", killer)
    assert learn() == (n_trips, *expected)
    assert killer.n > at


@pytest.mark.slow  # each kill costs a new worker
@pytest.mark.parametrize("at", [0, 1, 3])
def test_a_classifier_outlives_a_killed_worker(fresh, monkeypatch, at):
    frame = mixed(5000)
    far = dd.from_pandas(frame, npartitions=4)
    asked = bnlr.BNClassifier("tan", learner="frequencies")
    expected = asked.fit(far[COLUMNS], far["class"]).predict_proba(far[COLUMNS]).compute()
    monkeypatch.setattr(dask_parts, "_await", Killer(fresh, at))
    again = asked.fit(far[COLUMNS], far["class"]).predict_proba(far[COLUMNS]).persist()
    kill_one(fresh)
    pd.testing.assert_frame_equal(again.compute(), expected, check_exact=True)


@pytest.mark.slow  # a cluster of its own
def test_a_partition_that_kills_is_named():
    frame = plain(made(6, 200))
    once = dask.config.set({"distributed.scheduler.allowed-failures": 0})
    with (
        once,
        two_workers(),
        pytest.raises(bnlr.DataError, match=r"partition 1: KilledWorker.*more memory"),
    ):
        of_parts(dask.delayed(frame), deadly(frame))


@pytest.mark.slow  # a worker is started as another program
def test_a_worker_that_dies_for_ever_ends_the_job(monkeypatch):
    monkeypatch.setattr(dask_parts, "_ALONE", 2.0)
    options = {"n_workers": 0, "dashboard_address": None}
    data = made(6, 2000)
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        asked = ["-m", "distributed.cli.dask_worker", cluster.scheduler_address, "--no-nanny"]
        words = [sys.executable, *asked, "--no-dashboard", "--nthreads", "1"]
        with subprocess.Popen(words, stderr=subprocess.DEVNULL) as worker:
            try:
                client.wait_for_workers(1, timeout=LIMIT)
                rows = read(plain(data), 3)
                structure = bnlr.learn_structure(rows)
            finally:
                worker.kill()
        begin = monotonic()
        with pytest.raises(bnlr.DataError, match="no worker for 2 seconds"):
            bnlr.fit(structure, rows)
        assert monotonic() - begin < 60.0


@pytest.mark.slow  # a cluster of its own
def test_a_scheduler_that_goes_is_told_of():
    with two_workers(processes=False) as client:
        rows = read(plain(made(6, 2000)), 3)
        client.cluster.close()
        with pytest.raises(bnlr.DataError, match=r"scheduler|worker"):
            bnlr.learn_structure(rows)


def test_whatever_is_asked_of_a_scheduler_that_is_gone_is_told_of():
    frame = plain(made(6, 200))
    far = dd.from_pandas(frame, npartitions=2, sort=False)
    with two_workers(processes=False) as client:
        partitions = Partitions.of(far, LIMIT)
        coded = partitions.each(len)
    first = np.array([0, 100, 200])
    for asked in (
        partial(partitions.each, len),
        partial(partitions.sample, np.arange(5), [100, 100]),
        partial(reading._in_blocks, client, coded, first, 64, 2),
    ):
        with pytest.raises(bnlr.DataError, match="scheduler has gone"):
            asked()
