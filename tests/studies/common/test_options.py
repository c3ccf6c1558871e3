"""The common command line."""

import subprocess
import sys
from pathlib import Path

import pytest

from studies.common import Command, common_parser, main
from tests.studies.common.toy import RESULT_FILES, toy

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = {
    "toy": Command("twelve quick tasks", __name__),
}


def add_options(parser):
    parser.add_argument("--harm", action="store_true", help="fail")
    parser.set_defaults(seeds=2)


def build(args):
    settings = {"seeds": args.seeds, "quick": args.quick}
    return toy(fail if args.harm else toy().run, settings=settings)


def fail(task):
    raise ValueError("harm")


class TestCommand:
    @pytest.mark.slow
    def test_runs_resumes_and_refuses(self, tmp_path, capsys):
        out = str(tmp_path / "out")
        words = ["toy", "--out", out, "--jobs", "1"]
        assert main(COMMANDS, words) == 0
        assert {path.name for path in Path(out).iterdir()} >= set(RESULT_FILES)
        assert main(COMMANDS, words) == 2
        assert "studies: error: " in capsys.readouterr().err
        assert main(COMMANDS, [*words, "--resume"]) == 0
        assert main(COMMANDS, [*words, "--resume", "--seeds", "5"]) == 2
        assert "seeds is 2 there and 5 here" in capsys.readouterr().err

    def test_failed_tasks_are_exit_code_1(self, tmp_path, capsys):
        words = ["toy", "--out", str(tmp_path / "out"), "--jobs", "0", "--harm"]
        assert main(COMMANDS, words) == 1
        assert "--resume tries them again" in capsys.readouterr().err
        assert main(COMMANDS, [*words, "--resume", "--quiet"]) == 1
        assert capsys.readouterr().err == ""

    def test_a_cluster_needs_an_extra(self, tmp_path, monkeypatch, capsys):
        monkeypatch.setitem(sys.modules, "distributed", None)
        monkeypatch.delitem(sys.modules, "studies.common.cluster", raising=False)
        words = ["toy", "--out", str(tmp_path / "out"), "--scheduler", "tcp://host:8786"]
        assert main(COMMANDS, words) == 2
        assert "pip install 'bnlr[dask]'" in capsys.readouterr().err
        assert not (tmp_path / "out" / "journal.jsonl").exists()

    def test_help_lists_studies_and_options(self, capsys):
        assert main(COMMANDS, ["--help"]) == 0
        assert "twelve quick tasks" in capsys.readouterr().out
        assert main(COMMANDS, ["toy", "--help"]) == 0
        said = capsys.readouterr().out
        for option in (
            "--quick",
            "--out",
            "--resume",
            "--jobs",
            "--scheduler",
            "--data-dir",
            "--harm",
        ):
            assert option in said

    @pytest.mark.parametrize(
        "words",
        [
            [],
            ["nonsense"],
            ["toy", "--jobs", "-1"],
            ["toy", "--jobs", "two"],
            ["toy", "--seeds", "0"],
            ["toy", "--time-limit", "0"],
            ["toy", "--time-limit", "nan"],
            ["toy", "--data-dir", "/no/such/folder"],
            ["toy", "--res"],
        ],
    )
    def test_bad_words_are_exit_code_2(self, words, capsys):
        assert main(COMMANDS, words) == 2
        assert "error" in capsys.readouterr().err

    def test_defaults(self):
        args = common_parser("toy", "").parse_args([])
        assert (args.out, args.resume, args.quick, args.quiet) == (None, False, False, False)
        assert (args.data_dir, args.time_limit, args.seeds) == (None, None, 3)
        assert args.jobs >= 1

    def test_words_are_those_of_the_process_by_default(self, monkeypatch, tmp_path):
        out = str(tmp_path / "out")
        monkeypatch.setattr(sys, "argv", ["studies", "toy", "--out", out, "--jobs", "0"])
        assert main(COMMANDS) == 0
        assert {path.name for path in Path(out).iterdir()} >= set(RESULT_FILES)


class TestImport:
    @pytest.mark.slow
    def test_loads_nothing_heavy(self):
        code = (
            "import studies.common.pages, studies.common.drawing, sys\n"
            "heavy = {'numpy', 'numba', 'rich', 'matplotlib', 'pandas', 'scipy'}\n"
            "assert not heavy & set(sys.modules), heavy & set(sys.modules)"
        )
        subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=60)
