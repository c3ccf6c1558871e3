"""Studies whose journal goes on under other tasks."""

import pytest

from studies.common import Options, Task, run_study
from studies.common.errors import SettingsError
from studies.common.journal import read_journal
from tests.studies.common.toy import TASKS, toy, work


def run(study, folder, **options):
    return run_study(study, Options(folder, **{"quiet": True, "jobs": 0, **options}))


def test_only_new_tasks_are_done_and_none_is_forgotten(tmp_path):
    done = []

    def noted(task):
        done.append(task)
        return work(task)

    def grown(tasks):
        return toy(noted, tasks, may_grow=True, report=None)

    first, second = TASKS[:4], [*TASKS[2:6], Task(data="new", solver="cg", seed=1)]
    run(grown(first), tmp_path)
    outcome = run(grown(second), tmp_path, resume=True)
    assert done == [*first, *second[2:]]
    assert [record.task for record in outcome.records] == second
    assert set(read_journal(tmp_path / "journal.jsonl").records) == {*first, *second}
    run(grown(first), tmp_path, resume=True)
    assert len(done) == 7


def test_settings_must_still_agree(tmp_path):
    run(toy(may_grow=True), tmp_path)
    with pytest.raises(SettingsError, match="seeds"):
        run(toy(may_grow=True, settings={"seeds": 3}), tmp_path, resume=True)
