"""Studies whose journal goes on under other tasks."""

import pytest

from studies.common import Options, Record, Task, run_study
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


def test_what_is_known_is_not_done_again_but_a_result_of_its_own_goes_first(tmp_path):
    done = []

    def noted(task):
        done.append(task)
        if task == TASKS[2]:
            raise ValueError("at first")
        return work(task)

    run(toy(noted, TASKS[1:3], may_grow=True, report=None), tmp_path)
    known = {task: Record(task, {"known": k}) for k, task in enumerate(TASKS[:3])}
    study = toy(noted, TASKS[:4], may_grow=True, report=None, known=known)
    outcome = run(study, tmp_path, resume=True)
    assert done == [*TASKS[1:3], TASKS[3]]
    found = [record.result for record in outcome.records]
    assert found == [{"known": 0}, work(TASKS[1]).result, {"known": 2}, work(TASKS[3]).result]
