"""Every job runs, and says what it can of itself."""

import warnings

import pytest

import bnlr
from benchmarks.growth import jobs, points
from benchmarks.growth.jobs import JOBS, NAMES, OURS, PANELS, PEER

TINY = points.Point(rows=120, attributes=3, states=2)


@pytest.fixture(scope="module")
def problem():
    return points.Problem(TINY)


def result(problem, key, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.BnlrWarning)
        return JOBS[key].prepare(problem)()


@pytest.mark.parametrize("key", JOBS, ids=": ".join)
def test_a_job_runs(key, problem, tmp_path, monkeypatch):
    found = result(problem, key, tmp_path, monkeypatch)
    assert found is not None
    said = jobs.told(found)
    assert ("converged" in said) == isinstance(found, bnlr.FitResult)


@pytest.mark.parametrize("key", [k for k, job in JOBS.items() if "holes" not in job.skips])
def test_a_job_that_takes_holes_does(key, tmp_path, monkeypatch):
    holed = points.Problem(TINY.at("holes", 0.2))
    assert result(holed, key, tmp_path, monkeypatch) is not None


@pytest.mark.parametrize("key", [(jobs.READ_FRAME, OURS), (jobs.READ_FILE, OURS)])
def test_what_is_read_is_what_was_drawn(key, problem, tmp_path, monkeypatch):
    data = result(problem, key, tmp_path, monkeypatch)
    assert (data.to_frame().astype(str) == problem.data.to_frame().astype(str)).all(axis=None)


def test_iterations_and_passes_are_told(problem, tmp_path, monkeypatch):
    said = jobs.told(result(problem, (jobs.FIT_PENALISED, OURS), tmp_path, monkeypatch))
    assert said["converged"]
    assert 0 < said["iterations"] <= said["passes"]
    theirs = jobs.told(result(problem, (jobs.FIT_PENALISED, PEER), tmp_path, monkeypatch))
    assert theirs["iterations"] > 0


def test_every_job_has_a_panel_and_every_peer_a_job_of_ours():
    assert [name for names in PANELS.values() for name in names] == list(NAMES)
    for name, who in JOBS:
        assert who in {OURS, PEER}
        assert (name, OURS) in JOBS
