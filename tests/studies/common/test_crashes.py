"""Whatever kills a study, and wherever: after a resume its files are those of a quiet run."""

import errno
import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from studies.common import Options, run_study
from studies.common.errors import WriteError
from studies.common.journal import JOURNAL_NAME, read_journal
from tests.studies.common.faulty import Crashing, Failing
from tests.studies.common.toy import TASKS, contents, toy
from tests.width import in_full

ROOT = Path(__file__).resolve().parents[3]
posix = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")


def here(folder, resume=False, jobs=0):
    return Options(folder, resume=resume, jobs=jobs, quiet=True)


def program(*words):
    return [sys.executable, "-m", *map(str, words)]


@pytest.fixture(scope="module")
def wanted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "out"
    assert run_study(toy(), here(folder)).exit_code == 0
    return contents(folder)


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    base = tmp_path_factory.mktemp("sweep")
    run = subprocess.run(
        program("tests.studies.common.sweep", base),
        cwd=ROOT, capture_output=True, text=True, check=False, timeout=300,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)


@posix
class TestEveryPlace:
    @pytest.mark.slow
    def test_nothing_is_lost_or_doubled_and_bytes_are_equal(self, sweep):
        assert sweep["wrong"] == []

    @pytest.mark.slow  # six seconds: a run killed in every place
    def test_every_named_place_was_visited_for_every_task(self, sweep):
        places = sweep["places"]
        for moment in ("before", "amid", "almost", "after"):
            assert places.count(f"{moment} write journal") == len(TASKS)
        for moment in ("before", "after"):
            assert places.count(f"{moment} sync journal") == len(TASKS)
            for name in ("journal.jsonl", "results.json", "results.csv", "timings.csv"):
                assert places.count(f"{moment} replace {name}") == 1

    def test_names_change_after_the_bytes_are_safe_and_are_made_safe_too(self, sweep):
        places = sweep["places"]
        for name in ("journal.jsonl", "results.json", "means.csv"):
            at = places.index(f"before replace {name}")
            assert places[at - 1] == f"after sync {name}"
            assert places[at + 2] == "before sync folder"
        at = places.index("after write journal")
        assert places[at + 1] == "before sync journal"


def error_of(folder, disk):
    try:
        assert run_study(toy(), here(folder), disk).exit_code == 0
    except WriteError as error:
        return str(error)
    return None


class TestFullOrBrokenDisk:
    @pytest.mark.slow
    @pytest.mark.parametrize("operation", ["write", "sync", "replace"])
    @pytest.mark.parametrize("error", [errno.ENOSPC, errno.EIO])
    def test_every_failing_operation_is_one_error_and_costs_nothing(
        self, tmp_path, wanted, operation, error
    ):
        n = 0
        while True:
            n += 1
            folder = tmp_path / f"at{n}"
            disk = Failing(n, error, (operation,))
            refused = error_of(folder, disk)
            if refused is None:
                break
            assert os.strerror(error) in refused
            assert "--resume" in refused
            assert not [path for path in folder.iterdir() if path.name.startswith(".")]
            run_study(toy(), here(folder, resume=True))
            assert contents(folder) == wanted
            past = read_journal(folder / JOURNAL_NAME)
            assert set(past.records) == set(TASKS)
        folders = 6 if hasattr(os, "O_DIRECTORY") else 0  # the new one and after five replaces
        assert n - 1 == {"write": 17, "sync": 17 + folders, "replace": 5}[operation]

    def test_records_before_the_failure_are_kept(self, tmp_path):
        disk = Failing(8, errno.ENOSPC)  # the header's write and six tasks' went well
        with pytest.raises(WriteError, match="free some space"):
            run_study(toy(), here(tmp_path / "out"), disk)
        past = read_journal(tmp_path / "out" / JOURNAL_NAME)
        assert list(past.records) == TASKS[:6]
        assert past.dropped == (8,)

    def test_failure_while_resuming_leaves_the_old_journal(self, tmp_path, wanted):
        folder = tmp_path / "out"
        with pytest.raises(WriteError):
            run_study(toy(), here(folder), Failing(8, errno.ENOSPC))
        before = (folder / JOURNAL_NAME).read_bytes()
        for operation in ("write", "sync", "replace"):
            disk = Failing(1, errno.ENOSPC, (operation,))
            with pytest.raises(WriteError):
                run_study(toy(), here(folder, resume=True), disk)
            assert (folder / JOURNAL_NAME).read_bytes() == before
        run_study(toy(), here(folder, resume=True))
        assert contents(folder) == wanted

    @pytest.mark.slow
    def test_workers_are_gone_after_a_failed_write(self, tmp_path, wanted):
        folder = tmp_path / "out"
        with pytest.raises(WriteError):
            run_study(toy(), here(folder, jobs=2), Failing(5, errno.EIO))
        run_study(toy(), here(folder, resume=True, jobs=2))
        assert contents(folder) == wanted

    def test_an_undisturbed_disk_is_asked_in_the_same_order_every_time(self, tmp_path):
        disks = [Crashing(), Crashing()]
        for k, disk in enumerate(disks):
            run_study(toy(), here(tmp_path / str(k)), disk)
        assert disks[0].places == disks[1].places


@posix
class TestKilled:
    def start(self, folder, *options):
        words = program("tests.studies.common.toy", folder, "--slow", 0.1, *options)
        return subprocess.Popen(
            words, cwd=ROOT, stderr=subprocess.PIPE, text=True, start_new_session=True
        )

    def wait_for_lines(self, folder, n, process):
        path = folder / JOURNAL_NAME
        limit = time.monotonic() + 60
        while not (path.exists() and path.read_bytes().count(b"\n") > n):
            assert process.poll() is None, process.stderr.read()
            assert time.monotonic() < limit
            time.sleep(0.01)

    @pytest.mark.slow
    @pytest.mark.parametrize("trial", range(3))
    def test_kill_9_at_any_time(self, tmp_path, wanted, trial):
        folder, rng = tmp_path / "out", random.Random(trial)  # noqa: S311  a sample
        n_before = 0
        for _ in range(2):
            process = self.start(folder, "--jobs", 2, "--resume")
            self.wait_for_lines(folder, n_before + rng.randrange(1, 4), process)
            time.sleep(rng.random() * 0.1)
            process.kill()
            process.communicate()
            n_before = len(read_journal(folder / JOURNAL_NAME).records)
            assert n_before > 0
        calls = []

        def counted(task):
            calls.append(task)
            return toy().run(task)

        run_study(toy(counted), here(folder, resume=True))
        assert len(calls) == len(TASKS) - n_before
        assert contents(folder) == wanted

    @pytest.mark.parametrize("number", [signal.SIGINT, *in_full(signal.SIGTERM)])
    @pytest.mark.parametrize("jobs", [0, 2])
    def test_signals_stop_cleanly_and_say_how_to_go_on(self, tmp_path, wanted, number, jobs):
        folder = tmp_path / "out"
        process = self.start(folder, "--jobs", jobs)
        self.wait_for_lines(folder, 2, process)
        os.killpg(process.pid, number)  # as Ctrl-C, which the workers get as well
        _, said = process.communicate(timeout=60)
        assert process.returncode == 128 + number, said
        assert "stopped after" in said
        assert "--resume" in said
        assert "Traceback" not in said, said
        assert sorted(path.name for path in folder.iterdir()) == [JOURNAL_NAME]
        assert read_journal(folder / JOURNAL_NAME).dropped == ()
        run_study(toy(), here(folder, resume=True))
        assert contents(folder) == wanted

    @pytest.mark.slow
    def test_workers_do_not_outlive_a_killed_runner(self, tmp_path):
        options = ("--slow", 500, "--jobs", 2, "--started", tmp_path)
        words = program("tests.studies.common.toy", tmp_path / "out", *options)
        # In a session of its own, so that its processes can be told from all others.
        process = subprocess.Popen(words, cwd=ROOT, start_new_session=True)
        try:
            self.wait_until(lambda: len(list(tmp_path.glob("[0-9]*"))) == 2)
            process.kill()
            process.wait()
            self.wait_until(lambda: not members(process.pid))
        finally:
            for pid in members(process.pid):
                os.kill(pid, signal.SIGKILL)

    def wait_until(self, is_so):
        limit = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < limit
            time.sleep(0.02)


def members(session):
    """Processes of a session that are not zombies."""
    if not Path("/proc/self/stat").exists():
        pytest.skip("needs /proc")
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, _, sid = path.read_text().rpartition(")")[2].split()[:4]
        except OSError:
            continue
        if int(sid) == session and state != "Z":
            found.append(int(path.parent.name))
    return found
