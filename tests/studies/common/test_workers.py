"""Workers that fail, die or hang are charged with their own task; all others get their results."""

import dataclasses
import functools
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from studies.common import Options, Study, StudyError, Task, run_study
from studies.common.crew import do_tasks
from studies.common.journal import JOURNAL_NAME, read_journal
from studies.common.signals import Stop
from studies.common.workers import Processes
from tests.studies.common.toy import BAD, TASKS, bad_work, contents, toy, work
from tests.width import in_full

ROOT = Path(__file__).resolve().parents[3]
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs signals")


def run(study, folder, **options):
    return run_study(study, Options(folder, quiet=True, **options))


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "out"
    run(toy(), folder, jobs=0)
    return contents(folder)


class TestNumberOfWorkers:
    @pytest.mark.slow
    @pytest.mark.parametrize("jobs", [1, 2, 4])
    def test_does_not_change_a_byte(self, tmp_path, wanted, jobs):
        slow = functools.partial(work, slow=0.03)  # so that they end out of order
        assert run(toy(slow), tmp_path / "out", jobs=jobs).exit_code == 0
        assert contents(tmp_path / "out") == wanted

    @pytest.mark.slow
    @pytest.mark.parametrize("hash_seed", ["0", "7"])
    def test_nor_does_the_hash_seed(self, tmp_path, wanted, hash_seed):
        subprocess.run(
            [sys.executable, "-m", "tests.studies.common.toy", tmp_path / "out", "--jobs", "2"],
            cwd=ROOT, env={**os.environ, "PYTHONHASHSEED": hash_seed}, check=True, timeout=120,
        )  # fmt: skip
        assert contents(tmp_path / "out") == wanted

    @pytest.mark.slow
    def test_tasks_run_elsewhere_with_one_thread_a_library(self, tmp_path):
        study = toy(surroundings, report=None)
        results = run(study, tmp_path / "out", jobs=2).results()
        pids = {result["pid"] for result in results}
        assert os.getpid() not in pids
        assert 1 <= len(pids) <= 2
        assert {result["threads"] for result in results} == {os.environ.get("OMP_NUM_THREADS", "1")}
        assert all(result["blocked"] == 0 for result in results)
        assert all(result["ignores"] == [True, True] for result in results)


def surroundings(task):
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, []) if hasattr(os, "fork") else []
    return {
        "pid": os.getpid(),
        "threads": os.environ.get("OMP_NUM_THREADS"),
        "blocked": len(set(blocked) & {signal.SIGINT, signal.SIGTERM}),
        "ignores": [signal.getsignal(n) == signal.SIG_IGN for n in (signal.SIGINT, signal.SIGTERM)],
    }


REASONS = [
    ("raise", "ValueError", "no such luck"),
    ("exit", "SystemExit", "3"),
    ("leave", "WorkerDied", "the worker process ended with code 7"),
    pytest.param("kill", "WorkerDied", "the worker process was killed by SIGKILL", marks=posix),
    ("hang", "TimeLimit", "ran longer than the limit of 1 s"),
]


class TestHarm:
    @pytest.mark.slow
    @pytest.mark.parametrize(("harm", "kind", "message"), REASONS)
    @pytest.mark.parametrize("jobs", [3, *in_full(1)])
    def test_costs_one_task_which_a_resume_does_again(
        self, tmp_path, wanted, harm, kind, message, jobs
    ):
        folder, flag = tmp_path / "out", tmp_path / "flag"
        study = toy(functools.partial(bad_work, harm=harm, flag=str(flag)))
        outcome = run(study, folder, jobs=jobs, time_limit=1.0)
        assert outcome.exit_code == 1
        assert [record.task for record in outcome.failed] == [BAD]
        assert outcome.failed[0].failure.kind == kind
        assert outcome.failed[0].failure.message.startswith(message)
        assert [record.task for record in outcome.records] == TASKS
        assert (folder / "results.csv").read_text("utf-8").count(kind) == 1
        assert run(study, folder, jobs=jobs, time_limit=1.0, resume=True).exit_code == 1
        flag.touch()
        assert run(study, folder, jobs=jobs, resume=True).exit_code == 0
        assert contents(folder) == wanted

    def test_in_this_process_too(self, tmp_path):
        study = toy(functools.partial(bad_work, harm="raise"))
        outcome = run(study, tmp_path / "out", jobs=0)
        assert outcome.exit_code == 1
        assert str(outcome.failed[0].failure) == "ValueError: no such luck"

    @pytest.mark.parametrize("jobs", [0, *in_full(2)])
    def test_every_task_failing_still_ends_with_all_reasons(self, tmp_path, jobs):
        outcome = run(toy(always, report=None), tmp_path / "out", jobs=jobs)
        assert len(outcome.failed) == len(TASKS)
        assert {record.failure.kind for record in outcome.failed} == {"ZeroDivisionError"}

    @pytest.mark.slow
    @posix
    def test_every_worker_dying_still_ends(self, tmp_path):
        study = toy(functools.partial(always, how=9), report=None)
        outcome = run(dataclasses.replace(study, tasks=TASKS[:5]), tmp_path / "o", jobs=2)
        assert [record.failure.kind for record in outcome.records] == ["WorkerDied"] * 5

    @pytest.mark.slow
    @posix
    def test_worker_that_dies_with_the_runner_being_stopped_is_not_charged(self, tmp_path):
        stop, sign = Stop(), tmp_path / "sign"

        def tick():
            if sign.exists():
                while multiprocessing.active_children():
                    time.sleep(0.01)
                stop.signal = signal.SIGTERM

        dying = functools.partial(leave_sign, path=str(sign))
        with closing(Processes(dying, TASKS[:1], 1, None)) as crew:
            assert list(do_tasks(crew, stop, tick)) == []

    @pytest.mark.slow
    def test_traceback_stands_in_the_journal_alone(self, tmp_path):
        folder = tmp_path / "out"
        run(toy(functools.partial(bad_work, harm="raise")), folder, jobs=1)
        failure = read_journal(folder / JOURNAL_NAME).records[BAD].failure
        assert "toy.py" in failure.traceback
        assert "toy.py" not in (folder / "results.json").read_text("utf-8")

    @pytest.mark.parametrize("jobs", [0, *in_full(1)])
    def test_result_that_json_would_change_is_a_failure(self, tmp_path, jobs):
        outcome = run(toy(not_plain, report=None), tmp_path / "out", jobs=jobs)
        assert {record.failure.kind for record in outcome.failed} == {"ResultError"}
        assert "x'] is nan" in outcome.failed[0].failure.message

    @pytest.mark.slow
    def test_results_are_as_they_will_be_read_again(self, tmp_path):
        for jobs in (0, 1):
            outcome = run(toy(tuples, report=None), tmp_path / str(jobs), jobs=jobs)
            assert outcome.results() == ([1, [2.5]],) * len(TASKS)

    @pytest.mark.slow
    def test_exception_that_cannot_be_pickled_or_shown_is_told_all_the_same(self, tmp_path):
        outcome = run(toy(awkward, report=None), tmp_path / "out", jobs=1)
        assert {record.failure.kind for record in outcome.failed} == {"Awkward"}
        assert "cannot be shown" in outcome.failed[0].failure.message


def always(task, how=0):
    if how:
        os.kill(os.getpid(), how)
    return 1 // 0


def leave_sign(task, path):
    Path(path).touch()
    os.kill(os.getpid(), signal.SIGKILL)


def not_plain(task):
    return {"x": float("nan")}


def tuples(task):
    return (1, (2.5,))


class Awkward(Exception):
    def __init__(self, lock):
        super().__init__(lock)

    def __str__(self):
        raise RuntimeError("no words")


def awkward(task):
    raise Awkward(threading.Lock())


class Unloadable:
    """A function that a worker cannot load."""

    def __call__(self, _):
        return 1

    def __reduce__(self):
        return explode, ()


def explode():
    raise ImportError("no module named luck")


class TestFunction:
    def test_must_be_one_that_can_be_sent(self, tmp_path):
        study = toy(lambda _: 1)
        with pytest.raises(StudyError, match="top level of a module"):
            run(study, tmp_path / "out", jobs=1)

    @pytest.mark.slow
    def test_that_a_worker_cannot_load_is_one_error(self, tmp_path):
        with pytest.raises(StudyError, match="could not start: ImportError: no module named luck"):
            run(toy(Unloadable()), tmp_path / "out", jobs=2)
        with pytest.raises(ImportError):
            pickle.loads(pickle.dumps(Unloadable()))  # noqa: S301  our own bytes

    @pytest.mark.slow
    def test_large_results_pass_through_the_pipe(self, tmp_path):
        study = Study("large", 1, {}, [Task(n=n) for n in (1, 2)], large)
        results = run(study, tmp_path / "out", jobs=2).results()
        assert [len(result["x"]) for result in results] == [200_000] * 2


def large(task):
    return {"x": [float(task["n"])] * 200_000}


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are not blocked here")
def test_signals_wait_for_the_first_worker_too():
    """The standard library's tracker, started with it, unblocks them in the parent."""
    code = (
        "import signal\n"
        "from multiprocessing import resource_tracker\n"
        "from studies.common.worker import _child_settings\n"
        "with _child_settings():\n"
        "    resource_tracker.ensure_running()  # as the start of a process does\n"
        "    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [])\n"
        "    print({signal.SIGINT, signal.SIGTERM} <= blocked)"
    )
    root = Path(__file__).parents[3]
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=False
    )
    assert run.stdout == "True\n", run.stderr
