"""The journal: what is whole is kept, what is not is noticed, and other settings are refused."""

import hashlib
import json

import pytest

from studies.common import Failure, Options, Record, run_study
from studies.common.disk import Disk
from studies.common.errors import JournalError, SettingsError
from studies.common.journal import JOURNAL_NAME, Journal, check_header, read_journal
from tests.studies.common.toy import TASKS, contents, toy

HERE = Options(jobs=0, quiet=True)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "out"
    run_study(toy(), Options(folder, jobs=0, quiet=True))
    return folder


@pytest.fixture
def copy(whole, tmp_path):
    """A copy of the finished run, without its results: only the journal counts."""
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / JOURNAL_NAME).write_bytes((whole / JOURNAL_NAME).read_bytes())
    return folder


def resume(folder, **changed):
    calls = []

    def counted(task):
        calls.append(task)
        return toy().run(task)

    run_study(toy(counted, **changed), Options(folder, resume=True, jobs=0))
    return calls


class TestLines:
    def test_each_line_is_json_with_the_hash_of_its_content(self, whole):
        lines = (whole / JOURNAL_NAME).read_bytes().splitlines()
        assert len(lines) == 13
        for line in lines:
            content = line.partition(b'"content":')[2][:-1]
            parsed = json.loads(line)
            assert parsed["sha256"] == hashlib.sha256(content).hexdigest()
            assert json.loads(content) == parsed["content"]

    def test_records_return_as_they_were_written(self, tmp_path):
        failure = Failure("ValueError", "ünlucky", "Traceback …")
        records = [
            Record(TASKS[0], {"x": [0.1, None, "é"]}, None, {"total": 0.25}),
            Record(TASKS[1], None, failure, {"total": 1 / 3}),
            Record(TASKS[2], None, None, {"total": 0.0}),
        ]
        journal = Journal(tmp_path / "j", toy().header, records[:1], Disk())
        for record in records[1:]:
            journal.append(record)
        journal.close()
        past = read_journal(tmp_path / "j")
        assert list(past.records.values()) == records
        assert past.header == toy().header
        assert past.dropped == ()

    def test_first_result_holds_and_a_failure_is_superseded(self, tmp_path):
        failed = Record(TASKS[0], None, Failure("E", ""), {"total": 1.0})
        done, other = (Record(TASKS[0], value, None, {"total": 1.0}) for value in (1, 2))
        Journal(tmp_path / "j", toy().header, [failed, failed, done, other, failed], Disk()).close()
        past = read_journal(tmp_path / "j")
        assert past.records == {TASKS[0]: done}
        assert past.dropped == (5, 6)


class TestDamage:
    @pytest.mark.parametrize("cut", [1, 2, 40, 200])
    def test_torn_end_is_cut_off_with_a_note(self, copy, whole, cut, capsys):
        path = copy / JOURNAL_NAME
        path.write_bytes(path.read_bytes()[:-cut])
        assert resume(copy) == TASKS[-1:]
        assert "lines dropped: 13; their tasks are done again" in capsys.readouterr().err
        assert contents(copy) == contents(whole)
        assert resume(copy) == []
        assert "dropped" not in capsys.readouterr().err

    @pytest.mark.parametrize("number", [2, 7, 13])
    def test_any_altered_byte_of_a_line_makes_its_task_run_again(self, copy, whole, number):
        path = copy / JOURNAL_NAME
        lines = path.read_bytes().splitlines(keepends=True)
        whole_line = lines[number - 1]
        for at in range(0, len(whole_line) - 1, 23):
            changed = bytearray(whole_line)
            changed[at] ^= 1
            path.write_bytes(b"".join([*lines[: number - 1], changed, *lines[number:]]))
            past = read_journal(path)
            assert len(past.records) == 11
            assert number in past.dropped
        assert resume(copy) == [TASKS[number - 2]]
        assert contents(copy) == contents(whole)

    def test_torn_line_that_was_written_on_costs_two_tasks_only(self, copy, whole):
        path = copy / JOURNAL_NAME
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([*lines[:4], lines[4][:50], *lines[5:]]))
        assert resume(copy) == TASKS[3:5]
        assert contents(copy) == contents(whole)

    def test_doubled_and_shuffled_lines_change_nothing(self, copy, whole):
        path = copy / JOURNAL_NAME
        head, *lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join([head, *reversed(lines), *lines[:3]]))
        assert resume(copy) == []
        assert contents(copy) == contents(whole)

    @pytest.mark.parametrize("text", [b"", b"\n", b"hello\n", b'{"sha256":"00","content":{}}\n'])
    def test_another_file_is_refused_and_left_alone(self, copy, text):
        path = copy / JOURNAL_NAME
        path.write_bytes(text)
        with pytest.raises(JournalError, match=r"no journal of a study.*--out"):
            resume(copy)
        assert path.read_bytes() == text

    def test_changed_header_is_refused(self, copy):
        path = copy / JOURNAL_NAME
        path.write_bytes(path.read_bytes().replace(b'"seeds":2', b'"seeds":3', 1))
        with pytest.raises(JournalError, match="first line was changed"):
            resume(copy)


class TestSettings:
    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"settings": {"seeds": 3}}, "seeds is 2 there and 3 here"),
            ({"settings": {"seeds": 2.0}}, r"seeds is 2 there and 2\.0 here"),
            ({"settings": {"seeds": 2, "quick": True}}, "quick is not set there and true here"),
            ({"settings": {}}, "seeds is 2 there and not set here"),
            ({"version": 2}, "version is 1 there and 2 here"),
            ({"name": "other"}, 'study is "toy" there and "other" here'),
            ({"tasks": TASKS[:5]}, r"list of tasks differs \(12 there, 5 here\)"),
            ({"tasks": TASKS[::-1]}, "list of tasks differs"),
        ],
    )
    def test_others_are_refused_naming_what_differs(self, copy, changed, message):
        before = (copy / JOURNAL_NAME).read_bytes()
        with pytest.raises(SettingsError, match=f"{message}.*give another --out"):
            resume(copy, **changed)
        assert (copy / JOURNAL_NAME).read_bytes() == before
        assert [path.name for path in copy.iterdir()] == [JOURNAL_NAME]

    def test_another_release_of_bnlr_is_refused(self, copy, monkeypatch):
        monkeypatch.setattr("bnlr.__version__", "99")
        with pytest.raises(SettingsError, match=r'bnlr is ".*" there and "99" here'):
            resume(copy)

    def test_values_that_differ_far_behind_are_told_apart(self):
        one, other = ({"study": "s", "settings": {"x": "a" * 300 + end}} for end in "bc")
        with pytest.raises(SettingsError, match="x is"):
            check_header(one, {**other, "tasks_sha256": ""}, "journal")
