"""Tasks on a Dask cluster: the same bytes as by workers of this machine, and no harm to others."""

import os
import signal
import sys
import time
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from studies.common import Options, StudyError, run_study
from studies.common.crew import do_tasks
from studies.common.disk import Disk
from studies.common.journal import JOURNAL_NAME, read_journal
from studies.common.signals import Stop
from tests.cluster.clusters import LIMIT, distributed, two_workers
from tests.studies.common.toy import BAD, TASKS, bad_work, contents, toy, work
from tests.width import in_full

pytestmark = pytest.mark.filterwarnings("ignore")  # of what Dask itself warns of


@pytest.fixture(scope="module")
def scheduler():
    with two_workers() as client:
        yield client.scheduler.address


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "out"
    run_study(toy(), Options(folder, jobs=0, quiet=True))
    return contents(folder)


def run(study, folder, scheduler, **options):
    return run_study(study, Options(folder, scheduler=scheduler, **{"quiet": True, **options}))


def small_cluster(**options):
    return distributed.LocalCluster(processes=False, dashboard_address=None, **options)


def test_bytes_are_those_of_this_machine_and_the_dashboard_is_told_of(
    tmp_path, wanted, scheduler, capfd
):
    study = toy(partial(work, slow=0.02), anew=toy)  # so that they end out of order
    assert run(study, tmp_path / "out", scheduler, quiet=False).exit_code == 0
    assert contents(tmp_path / "out") == wanted
    assert f"toy: 2 workers of {scheduler}, see http://" in capfd.readouterr().err


@pytest.mark.parametrize(
    ("harm", "message"),
    [
        ("raise", "ValueError: no such luck"),
        ("hang", "TimeLimit: ran longer than the limit of 0.5 s"),
        *in_full(("kill", "WorkerDied: 4 workers died of this task")),
    ],
)
def test_harm_costs_one_task_which_a_resume_does_again(tmp_path, wanted, scheduler, harm, message):
    folder, flag = tmp_path / "out", tmp_path / "flag"
    study = toy(partial(bad_work, harm=harm, flag=str(flag)))
    outcome = run(study, folder, scheduler, time_limit=0.5)
    assert {record.task: str(record.failure) for record in outcome.failed} == {BAD: message}
    assert [record.task for record in outcome.records] == TASKS
    flag.touch()
    assert run(study, folder, scheduler, resume=True).exit_code == 0
    assert contents(folder) == wanted


def killing_once(task, flag):
    """As `work`, but the first worker that does a certain task is killed amid it."""
    if task == BAD and not Path(flag).exists():
        Path(flag).touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return work(task, slow=0.05)


def test_a_killed_worker_costs_nothing(tmp_path, wanted, scheduler):
    flag = tmp_path / "flag"
    study = toy(partial(killing_once, flag=str(flag)))
    assert run(study, tmp_path / "out", scheduler).exit_code == 0
    assert flag.exists()
    assert contents(tmp_path / "out") == wanted
    records = read_journal(tmp_path / "out" / JOURNAL_NAME).records
    assert set(records) == set(TASKS)


class Interrupted(Disk):
    """Ctrl-C comes while the second record is kept."""

    n_records = 0

    def sync(self, handle, name):
        super().sync(handle, name)
        self.n_records += name == "journal"
        if self.n_records == 2:
            self.n_records = len(TASKS)
            signal.raise_signal(signal.SIGINT)


def test_an_interrupted_study_goes_on_here_or_there(tmp_path, wanted, scheduler):
    folder = tmp_path / "out"
    options = Options(folder, scheduler=scheduler, quiet=True)
    outcome = run_study(toy(), options, Interrupted())
    assert outcome.exit_code == 130
    assert 2 <= len(outcome.done) < len(TASKS)
    assert not (folder / "results.json").exists()
    assert run(toy(), folder, scheduler, resume=True).exit_code == 0
    assert contents(folder) == wanted


def others(**changed):
    return toy(**changed)


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"settings": {"seeds": 3}}, "seeds is 3 there and 2 here"),
        ({"tasks": TASKS[:5]}, "list of tasks differs .5 there, 12 here"),
        ({"tasks": TASKS[:5], "may_grow": True}, "list of tasks differs"),
        ({"name": "No Good"}, "StudyError: .*small letters"),
    ],
)
def test_workers_with_other_data_are_one_error(tmp_path, scheduler, changed, message):
    study = toy(anew=partial(others, **changed), may_grow="may_grow" in changed)
    with pytest.raises(StudyError, match=rf"worker tcp://.*{message}.*--data-dir"):
        run(study, tmp_path / "out", scheduler)


def test_workers_without_the_code_are_one_error(tmp_path, scheduler, monkeypatch):
    here_only = type(sys)("here_only")
    exec("def work(task):\n    return 1", here_only.__dict__)  # noqa: S102
    here_only.work.__module__ = "here_only"
    monkeypatch.setitem(sys.modules, "here_only", here_only)
    with pytest.raises(StudyError, match=r"No module named 'here_only'.*PYTHONPATH"):
        run(toy(here_only.work), tmp_path / "out", scheduler)


def test_workers_of_several_threads_are_refused(tmp_path):
    with (
        small_cluster(n_workers=1, threads_per_worker=2) as cluster,
        pytest.raises(StudyError, match=r"has 2 threads.*--nthreads 1 --nworkers 2"),
    ):
        run(toy(), tmp_path / "out", cluster.scheduler_address)


def test_a_limit_wants_workers_that_can_be_started_anew(tmp_path, wanted):
    folder = tmp_path / "out"
    with small_cluster(n_workers=1, threads_per_worker=1) as cluster:
        with pytest.raises(StudyError, match=r"worker \S+ has no nanny.*without --no-nanny"):
            run(toy(), folder, cluster.scheduler_address, time_limit=60.0)
        assert run(toy(), folder, cluster.scheduler_address, resume=True).exit_code == 0
    assert contents(folder) == wanted


def test_no_scheduler_and_no_worker_are_errors_in_time(tmp_path, monkeypatch):
    from studies.common import cluster as ours

    monkeypatch.setattr(ours, "_CONNECT", 0.5)
    monkeypatch.setattr(ours, "ALONE", 0.5)
    start = time.monotonic()
    with pytest.raises(StudyError, match=r"no Dask scheduler answers at tcp://127.0.0.1:9;"):
        run(toy(), tmp_path / "out", "tcp://127.0.0.1:9")
    with (
        small_cluster(n_workers=0) as cluster,
        pytest.raises(StudyError, match=r"no worker for 0.5 seconds.*--resume"),
    ):
        run(toy(), tmp_path / "other", cluster.scheduler_address)
    assert time.monotonic() - start < LIMIT


def test_a_scheduler_that_goes_is_an_error(tmp_path):
    from studies.common.cluster import Cluster

    with small_cluster(n_workers=1, threads_per_worker=1) as cluster:
        study = toy(partial(work, slow=1.0))
        with (
            closing(Cluster(study, TASKS, cluster.scheduler_address, None)) as crew,
            pytest.raises(StudyError, match=r"scheduler at .* has gone.*--resume"),
        ):
            list(do_tasks(crew, Stop(), cluster.close))
