"""Dask frames: structures and fits are those of one machine, in any partitions and their order."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.cluster import read as from_dask
from bnlr.cluster.partitions import Partitions
from bnlr.learn.frequencies import frequency_network
from tests.cluster.clusters import LIMIT, dd, killed, two_workers
from tests.data.test_parted import made

pytestmark = pytest.mark.filterwarnings("ignore")  # of what Dask itself warns of


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


def plain(data):
    frame = data.to_frame().astype(float)
    frame["w"] = data.weights
    return frame


def read(frame, n_partitions):
    far = dd.from_pandas(frame, npartitions=n_partitions, sort=False)
    return bnlr.Dataset.from_dask(far, "class", weights="w", seconds=LIMIT)


def test_partitions_and_a_killed_worker_change_no_bit(client):
    data = made(5, 2000, n_attributes=6, weighted=True)
    structure = bnlr.learn_structure(data)
    here = bnlr.fit(structure, data)
    found = set()
    for n_partitions in (1, 5):
        rows = read(plain(data), n_partitions)
        assert rows.states == data.states
        assert bnlr.learn_structure(rows) == structure
        found.add(bnlr.fit(structure, rows).cll)
    with killed(client, after=0.2):
        found.add(bnlr.fit(structure, rows).cll)
    found.add(bnlr.fit(structure, rows).cll)
    assert len(found) == 1
    assert found.pop() == pytest.approx(here.cll, rel=1e-12)


def test_codes_leave_the_memory_once_packed_and_come_back_when_asked_for(client, monkeypatch):
    data = made(5, 2000, n_attributes=3)
    structure = bnlr.learn_structure(data)
    far = dd.from_pandas(plain(data), npartitions=3, sort=False)
    bits = set()
    for share in (1, 2**40):  # of a worker's memory: much, or next to none
        monkeypatch.setattr(from_dask, "_SHARE", share)
        rows = from_dask.read_partitions(Partitions.of(far, LIMIT), "class", None, "w", 256)
        result = bnlr.fit(structure, rows)
        assert bool(rows.parts._kept) == (share == 1)
        bits.add((result.cll, result.network.conditional_log_likelihood(rows)))
        assert bnlr.learn_structure(rows) == structure
    assert len(bits) == 1


@pytest.mark.slow  # a cluster's trips, for each number of partitions and each structure
def test_any_number_and_order_of_partitions_come_to_the_same(client):
    data = made(6, 150_000, n_attributes=8, n_classes=3, weighted=True)
    frame = plain(data)
    here = {m: bnlr.learn_structure(data, m) for m in ("tan", "fan", "kdb", "naive-bayes")}
    counted = frequency_network(here["tan"], data)
    fitted = bnlr.fit(here["tan"], data)
    bits = set()
    for n_partitions in (1, 2, 5, 17):
        rows = read(frame, n_partitions)
        for method, structure in here.items():
            assert bnlr.learn_structure(rows, method) == structure
        result = bnlr.fit(here["tan"], rows)
        bits.add((result.cll, result.upper_bound))
        assert result.cll == pytest.approx(fitted.cll, rel=1e-12)
    assert len(bits) == 1
    # By class: most partitions then lack all classes but one.
    rows = read(frame.sort_values("class", kind="stable"), 17)
    assert bnlr.learn_structure(rows) == here["tan"]
    for node, cpt in frequency_network(here["tan"], rows).cpts.items():
        np.testing.assert_array_equal(cpt, counted.cpts[node])
    assert bnlr.fit(here["tan"], rows).cll == pytest.approx(fitted.cll, rel=1e-12)


@pytest.mark.slow  # Hessians by differences of gradients take a hundred trips
@pytest.mark.parametrize("learner", ["em", "apn", "elr"])
def test_rows_with_holes_are_learnt_from_as_here(client, learner):
    data = made(7, 3000, weighted=True, holes=0.1)
    structure = bnlr.learn_structure(data)
    asked = {"learner": learner, "penalty": 1.0 if learner == "elr" else 0.0}
    here = bnlr.fit(structure, data, **asked)
    bits = {bnlr.fit(structure, read(plain(data), n), **asked).cll for n in (1, 4)}
    assert len(bits) == 1
    assert bits.pop() == pytest.approx(here.cll, rel=1e-12)


def test_parts_are_as_many_as_codes_and_weights_of_any_width_want(client, monkeypatch):
    n_rows, n_parts = 2000, 8
    frame = pd.DataFrame({"class": np.arange(n_rows) % 2, "many": np.arange(n_rows) % 200})
    here = bnlr.Dataset.from_frame(frame, "class", weights=np.ones(n_rows))
    workers = client.scheduler_info(n_workers=-1)["workers"].values()
    memory = min(worker["memory_limit"] for worker in workers)
    n_bytes = here.codes.nbytes + here.weights.nbytes
    monkeypatch.setattr(from_dask, "_SHARE", n_parts * memory // n_bytes)
    far = dd.from_pandas(frame.assign(w=1.0), npartitions=3, sort=False)
    rows = from_dask.read_partitions(Partitions.of(far, LIMIT), "class", None, "w", 64)
    assert len(rows.parts._kept) == n_parts
