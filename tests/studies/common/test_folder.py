"""The output folder: whose it is, and what is never overwritten."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from studies.common import Options, lock, run_study
from studies.common.errors import FolderError, InUseError, WriteError
from studies.common.lock import LOCK_NAME, locked
from tests.studies.common.toy import contents, toy

ROOT = Path(__file__).resolve().parents[3]


def run(folder, resume=False):
    return run_study(toy(), Options(folder, resume=resume, jobs=0, quiet=True))


def hold(folder):
    """A process that holds the folder until its input closes."""
    code = (
        "import pathlib, sys\n"
        "from studies.common.lock import locked\n"
        "with locked(pathlib.Path(sys.argv[1])):\n"
        "    print('held', flush=True)\n"
        "    sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, folder],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=ROOT,
    )  # fmt: skip
    assert process.stdout.readline() == "held\n"
    return process


class TestLock:
    @pytest.mark.slow
    def test_a_second_runner_is_refused_naming_the_first(self, tmp_path):
        process = hold(tmp_path)
        try:
            with pytest.raises(InUseError, match=rf"process {process.pid} works in it.*--out") as e:
                run(tmp_path)
            assert e.value.pid == process.pid
        finally:
            process.communicate()
        assert run(tmp_path).exit_code == 0

    @pytest.mark.slow
    def test_the_lock_of_a_dead_process_does_not_block(self, tmp_path):
        process = hold(tmp_path)
        process.kill()
        process.communicate()
        assert (tmp_path / LOCK_NAME).exists()
        assert run(tmp_path).exit_code == 0
        assert not (tmp_path / LOCK_NAME).exists()

    def test_twice_in_one_process_is_refused_too(self, tmp_path):
        with locked(tmp_path):
            with pytest.raises(InUseError, match=str(os.getpid())), locked(tmp_path):
                pass
            with pytest.raises(InUseError):
                run(tmp_path)
        with locked(tmp_path):
            pass

    def test_a_file_removed_before_it_was_locked_is_no_lock(self, tmp_path, monkeypatch):
        lock_now, removed = lock._try_lock, []

        def late(handle):
            if not removed:
                removed.append(1)
                (tmp_path / LOCK_NAME).unlink()  # as its last holder does
            lock_now(handle)

        monkeypatch.setattr(lock, "_try_lock", late)
        with locked(tmp_path), pytest.raises(InUseError), locked(tmp_path):
            pass

    def test_an_owner_that_wrote_no_number_is_another_process(self, tmp_path):
        with locked(tmp_path):
            os.truncate(tmp_path / LOCK_NAME, 0)
            with pytest.raises(InUseError, match="another process works in it") as e:
                run(tmp_path)
            assert e.value.pid is None

    def test_is_released_when_the_study_raises(self, tmp_path):
        with pytest.raises(ZeroDivisionError), locked(tmp_path):
            _ = 1 // 0
        assert run(tmp_path).exit_code == 0


class TestFolder:
    def test_is_made_with_its_parents(self, tmp_path):
        assert run(tmp_path / "a" / "b").exit_code == 0

    def test_bears_the_name_of_the_study_by_default(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        outcome = run(None)
        assert outcome.folder == Path("toy")
        assert (tmp_path / "toy" / "results.json").exists()

    def test_with_a_journal_needs_resume(self, tmp_path):
        run(tmp_path)
        before = contents(tmp_path)
        with pytest.raises(FolderError, match=r"--resume.*another --out"):
            run(tmp_path)
        assert contents(tmp_path) == before
        assert run(tmp_path, resume=True).exit_code == 0
        assert contents(tmp_path) == before

    @pytest.mark.parametrize("resume", [False, True])
    @pytest.mark.parametrize("name", ["thesis.doc", "results.json", ".hidden"])
    def test_with_other_files_is_refused_and_left_alone(self, tmp_path, resume, name):
        (tmp_path / name).write_text("mine")
        with pytest.raises(FolderError, match=rf"other files \({name}\).*empty folder"):
            run(tmp_path, resume)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_text() == "mine"

    def test_empty_one_may_be_resumed(self, tmp_path):
        assert run(tmp_path, resume=True).exit_code == 0

    def test_half_written_files_of_a_dead_runner_are_swept_up(self, tmp_path):
        (tmp_path / ".journal.jsonl.0123abcd.study-tmp").write_text("half")
        assert run(tmp_path).exit_code == 0
        assert not list(tmp_path.glob(".*"))

    def test_that_is_a_file_is_refused(self, tmp_path):
        (tmp_path / "file").touch()
        with pytest.raises(FolderError, match="is a file"):
            run(tmp_path / "file")
        with pytest.raises(FolderError, match="cannot make the folder"):
            run(tmp_path / "file" / "below")

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
    def test_without_permission_is_refused(self, tmp_path):
        tmp_path.chmod(0o500)
        with pytest.raises(WriteError, match="permissions"):
            run(tmp_path)
