"""What a run leaves: result files by task order, timings apart, words for people."""

import csv
import io
import json
import signal

import pytest

from studies.common import Options, Study, StudyError, Task, Timed, csv_text, json_text, run_study
from studies.common.errors import ResultError
from studies.common.progress import Estimate, duration, progress
from studies.common.signals import Stop, Stopped, listening
from tests.studies.common.toy import BAD, TASKS, bad_work, toy, work


def run(study, folder, **options):
    return run_study(study, Options(folder, **{"quiet": True, "jobs": 0, **options}))


class TestResultFiles:
    def test_json_holds_settings_and_every_result_in_task_order(self, tmp_path):
        run(toy(), tmp_path)
        found = json.loads((tmp_path / "results.json").read_text("utf-8"))
        assert found["study"] == "toy"
        assert found["settings"] == {"seeds": 2}
        assert [task["task"] for task in found["tasks"]] == [dict(task) for task in TASKS]
        assert [task["result"] for task in found["tasks"]] == [work(t).result for t in TASKS]

    def test_csv_holds_the_plain_values_with_every_digit(self, tmp_path):
        run(toy(), tmp_path)
        rows = list(csv.DictReader(io.StringIO((tmp_path / "results.csv").read_text("utf-8"))))
        assert list(rows[0]) == ["data", "solver", "seed", "cll", "n"]
        assert [float(row["cll"]) for row in rows] == [work(t).result["cll"] for t in TASKS]

    def test_seconds_stand_in_a_file_of_their_own(self, tmp_path):
        run(toy(), tmp_path)
        rows = list(csv.DictReader(io.StringIO((tmp_path / "timings.csv").read_text("utf-8"))))
        assert list(rows[0]) == ["data", "solver", "seed", "total_seconds", "fit_seconds"]
        assert all(float(row["total_seconds"]) > 0 for row in rows)
        for name in ("results.json", "results.csv"):
            assert "seconds" not in (tmp_path / name).read_text("utf-8")

    def test_failures_have_a_column_when_there_are_any(self, tmp_path):
        def failing(task):
            return bad_work(task, "raise")

        run(toy(failing), tmp_path)
        rows = list(csv.DictReader(io.StringIO((tmp_path / "results.csv").read_text("utf-8"))))
        reasons = {row["failure"] for row in rows}
        assert reasons == {"", "ValueError: no such luck"}
        found = json.loads((tmp_path / "results.json").read_text("utf-8"))["tasks"]
        assert found[TASKS.index(BAD)]["failure"]["kind"] == "ValueError"

    def test_single_values_and_clashing_names_have_columns(self, tmp_path):
        def clashing(task):
            return 5 if task["a"] == 1 else {"a": 6, "b": True}

        run(Study("s", 1, {}, [Task(a=1), Task(a=2)], clashing), tmp_path)
        assert (tmp_path / "results.csv").read_text() == "a,result,result.a,b\n1,5,,\n2,,6,true\n"

    @pytest.mark.parametrize("name", ["results.json", "../x", "a/b", ".x", "journal.jsonl", ""])
    def test_report_may_not_write_anywhere(self, tmp_path, name):
        with pytest.raises(StudyError, match="may not write a file"):
            run(toy(report=lambda _: {name: "x"}), tmp_path / "out")

    def test_report_sees_results_by_field_and_writes_bytes_too(self, tmp_path):
        def report(outcome):
            picked = outcome.results(solver="cg", data="glass")
            return {"n.txt": str(len(picked)), "raw.bin": b"\x00\xff"}

        run(toy(report=report), tmp_path)
        assert (tmp_path / "n.txt").read_text() == "2"
        assert (tmp_path / "raw.bin").read_bytes() == b"\x00\xff"


class TestStudy:
    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"name": "No Good"}, "small letters"),
            ({"name": ""}, "small letters"),
            ({"tasks": []}, "no tasks"),
            ({"tasks": [Task(a=1), Task(a=1)]}, "task a=1 twice"),
        ],
    )
    def test_bad_ones_are_refused(self, changed, message):
        with pytest.raises(StudyError, match=message):
            toy(**changed)

    def test_settings_must_be_json(self, tmp_path):
        with pytest.raises(ResultError, match=r"the settings\['x'\] is a set"):
            run(toy(settings={"x": {1}}), tmp_path)

    def test_seconds_of_a_task_may_not_take_the_runners_name(self, tmp_path):
        outcome = run(toy(lambda _: Timed(1, {"total": 1.0}), report=None), tmp_path)
        assert "may not be called total" in outcome.failed[0].failure.message

    @pytest.mark.parametrize("bad", [{"jobs": -1}, {"time_limit": 0.0}, {"time_limit": -1.0}])
    def test_bad_options_are_refused(self, bad):
        with pytest.raises(StudyError, match=next(iter(bad))):
            Options(**bad)


class TestWords:
    def test_success_is_one_line(self, tmp_path, capsys):
        run(toy(), tmp_path, quiet=False)
        assert capsys.readouterr().err.startswith("toy: 12 tasks done in 0.")

    def test_failures_are_named_with_the_remedy(self, tmp_path, capsys):
        run(toy(lambda task: bad_work(task, "raise")), tmp_path, quiet=False)
        lines = capsys.readouterr().err.splitlines()
        assert lines[0] == f"failed: {BAD}: ValueError: no such luck"
        assert lines[1] == "toy: 1 of 12 tasks failed; --resume tries them again"

    def test_of_many_failures_some_are_named(self, tmp_path, capsys):
        run(toy(lambda _: 1 // 0, report=None), tmp_path, quiet=False)
        assert "… and 2 more" in capsys.readouterr().err

    def test_quiet_says_nothing(self, tmp_path, capsys):
        run(toy(lambda task: bad_work(task, "raise")), tmp_path)
        assert capsys.readouterr() == ("", "")

    @pytest.mark.parametrize(
        ("seconds", "text"),
        [(0.44, "0.4 s"), (12.3, "12 s"), (59.7, "1 min 00 s"), (185, "3 min 05 s"),
         (7800, "2 h 10 min")],
    )  # fmt: skip
    def test_durations(self, seconds, text):
        assert duration(seconds) == text

    def test_time_left_counts_the_tasks_of_this_run(self, monkeypatch):
        clock = [0.0]
        monkeypatch.setattr("studies.common.progress.monotonic", lambda: clock[0])
        estimate = Estimate(total=10, before=4)
        assert str(estimate) == "4 of 10 tasks"
        clock[0] = 40.0
        estimate.count(failed=False)
        estimate.count(failed=True)
        assert str(estimate) == "6 of 10 tasks, 1 failed, about 1 min 20 s left"

    def test_without_a_terminal_there_is_a_line_now_and_then(self, monkeypatch, capsys):
        clock = [0.0]
        monkeypatch.setattr("studies.common.progress.monotonic", lambda: clock[0])
        with progress("toy", 100, 0, quiet=False) as shown:
            for _ in range(66):
                clock[0] += 1.0
                shown.done(failed=False)
                shown.tick()
        lines = capsys.readouterr().err.splitlines()
        assert len(lines) == 3
        assert lines[0] == "toy: 2 of 100 tasks, about 1 min 38 s left"

    def test_on_a_terminal_there_is_a_bar(self, monkeypatch, capsys):
        import sys

        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TERM", "xterm")
        with progress("toy", 12, 0, quiet=False) as shown:
            shown.done(failed=False)
            shown.tick()
        said = capsys.readouterr().err
        assert "1/12" in said
        assert "left" in said


class TestSignals:
    def test_are_heard_and_handlers_restored(self):
        before = signal.getsignal(signal.SIGTERM)
        with listening() as stop:
            assert stop.signal is None
            signal.raise_signal(signal.SIGTERM)
            assert stop.signal == signal.SIGTERM
            with pytest.raises(Stopped), stop.at_once():
                pass
            with pytest.raises(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        assert signal.getsignal(signal.SIGTERM) is before

    def test_interrupt_a_task_at_once(self, tmp_path):
        def interrupted(task):
            if task == BAD:
                signal.raise_signal(signal.SIGINT)
            return 1

        outcome = run(toy(interrupted, report=None), tmp_path)
        assert outcome.exit_code == 130
        assert len(outcome.done) == TASKS.index(BAD)
        assert not (tmp_path / "results.json").exists()
        assert run(toy(report=None), tmp_path, resume=True).exit_code == 0

    def test_interrupt_a_report(self, tmp_path):
        def report(outcome):
            signal.raise_signal(signal.SIGTERM)
            return {"never.txt": ""}

        assert run(toy(report=report), tmp_path).exit_code == 143
        assert not (tmp_path / "never.txt").exists()

    def test_in_another_thread_nothing_is_installed(self, tmp_path):
        import threading

        codes = []
        thread = threading.Thread(target=lambda: codes.append(run(toy(), tmp_path).exit_code))
        thread.start()
        thread.join()
        assert codes == [0]

    def test_that_are_ignored_stay_so(self):
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            with listening() as stop:
                signal.raise_signal(signal.SIGINT)
                assert stop.signal is None
        finally:
            signal.signal(signal.SIGINT, before)

    def test_none_was_heard_at_first(self):
        with Stop().at_once():
            pass


class TestTables:
    def test_csv_quotes_and_keeps_the_order_of_columns(self):
        rows = [{"b": 'say "x", y', "a": 0.1}, {"c": [1, None], "a": None}]
        assert csv_text(rows) == 'b,a,c\n"say ""x"", y",0.1,\n,,"[1,null]"\n'
        assert csv_text(rows, ["a", "d"]) == "a,d\n0.1,\n,\n"

    def test_json_is_readable_and_exact(self):
        text = json_text({"ä": [0.1, None]})
        assert "ä" in text
        assert json.loads(text) == {"ä": [0.1, None]}
        with pytest.raises(ResultError):
            json_text(float("nan"))
