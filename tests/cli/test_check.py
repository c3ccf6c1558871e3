"""``bnlr check``: tables, details, JSON, standard input, and what it loads."""

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import bnlr
from tests.cli.commands import in_one_process, refused, run

ROOT = Path(__file__).resolve().parents[2]
HEAVY = {"sklearn", "statsmodels", "pandas", "numba", "matplotlib", "networkx"}
PERFECT = "c -> a\nc -> b\na -> b\n"
IMPERFECT = "c -> a\nc -> b\nc -> z\na -> z\nb -> z\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("perfect.txt").write_text(PERFECT)
    Path("imperfect.txt").write_text(IMPERFECT)
    Path("one.txt").write_text("c -> a\n")
    Path("bad.txt").write_text("c -> a\nc ->\n")
    structure = bnlr.Structure([("c", "a")], class_name="c")
    states = {"c": ("u", "v"), "a": ("x", "y", "z")}
    cpts = {"c": [0.5, 0.5], "a": np.full((2, 3), 1 / 3)}
    bnlr.save(bnlr.BayesianNetwork(structure, states, cpts), "n.bif")
    return tmp_path


def rows_of(out):
    return [re.split(r" {2,}", line.strip()) for line in out.splitlines()]


def test_the_table_counts_parameters_where_the_states_are_known(files, capsys):
    code, out, err = run(capsys, "check", "n.bif", "imperfect.txt", "--class", "c")
    assert (code, err) == (1, "")
    head, known, unknown = rows_of(out)
    assert head[-4:] == ["arcs to add", "beta", "roos", "loglinear"]
    # β: 2 + 2·3 cells; Roos: 1 + 3 indicators per class; log-linear: 1 + 2.
    assert known == ["n.bif", "c", "2", "1", "yes", "0", "0", "8", "4", "3"]
    assert unknown == ["imperfect.txt", "c", "4", "5", "no", "1", "1", "-", "-", "-"]


def test_long_names_are_not_cut_where_nobody_looks(files, capsys):
    name = "x" * 300 + ".txt"
    try:
        Path(name).write_text(PERFECT)
    except OSError:
        name = "x" * 200 + ".txt"
        Path(name).write_text(PERFECT)
    _, out, _ = run(capsys, "check", name, "one.txt", "--class", "c")
    assert rows_of(out)[1][0] == name
    assert len(out.splitlines()) == 3
    assert "\x1b" not in out


def test_a_bad_file_does_not_stop_the_others(files, capsys):
    argv = ["bad.txt", "perfect.txt", "none.txt", "imperfect.txt", "--class", "c"]
    code, out, err = run(capsys, "check", *argv)
    assert code == 2
    assert [row[4] for row in rows_of(out)[1:]] == ["error", "yes", "error", "no"]
    assert [line.split()[2].rstrip(":") for line in err.splitlines()] == ["bad.txt:2:5", "cannot"]
    code, out, _ = run(capsys, "check", *argv, "--json")
    fields = json.loads(out)
    assert code == 2
    assert [one["file"] for one in fields] == argv[:4]
    assert ["error" in one for one in fields] == [True, False, True, False]


def test_verbose_adds_the_details_below_the_table(files, capsys):
    argv = ["perfect.txt", "imperfect.txt", "--class", "c"]
    _, table, _ = run(capsys, "check", *argv)
    _, details, _ = run(capsys, "check", *argv, "--verbose")
    assert details.startswith(table)
    _, one, _ = run(capsys, "check", "imperfect.txt", "--class", "c")
    assert details.endswith(one)


def test_a_long_list_of_violations_is_cut_unless_all_is_asked_for(files, capsys):
    parents = [f"p{k}" for k in range(8)]
    Path("wide.txt").write_text("\n".join(["c z", *(f"{p} z" for p in parents)]))
    _, out, _ = run(capsys, "check", "wide.txt", "--class", "c")
    assert "… and 16 more (--verbose lists them)" in out  # 9 parents, 36 pairs
    _, out, _ = run(capsys, "check", "wide.txt", "--class", "c", "-v")
    assert len(re.findall("parents of 'z'", out)) == 36


@pytest.mark.slow
def test_lists_that_would_fill_memory_are_counted(files, capsys):
    arcs = [f"c {x}\n{x} k\n" for x in (f"x{i}" for i in range(4500))]
    Path("large.txt").write_text("".join(arcs) + "c k\n")
    pairs = "10,122,750"  # of 4,500 parents, and c is joined to all
    code, out, err = run(capsys, "check", "large.txt", "--class", "c")
    assert (code, err) == (1, "")
    assert out.endswith(
        f"simplify the structure.\nUnmarried parents in the canonical form: {pairs}\n"
    )
    _, out, _ = run(capsys, "check", "large.txt", "perfect.txt", "--class", "c")
    assert rows_of(out)[1] == ["large.txt", "c", "4,502", "9,001", "no", pairs, "too many"]


def test_quiet_leaves_errors_and_the_exit_code(files, capsys):
    assert run(capsys, "check", "imperfect.txt", "--class", "c", "-q") == (1, "", "")
    assert run(capsys, "check", "perfect.txt", "--class", "c", "-q") == (0, "", "")
    refused(run(capsys, "check", "bad.txt", "perfect.txt", "--class", "c", "-q"), "bad.txt:2:5")


def test_counted_nouns(files, capsys):
    _, out, _ = run(capsys, "check", "one.txt", "--class", "c")
    assert out.startswith("one.txt: class 'c', 2 nodes, 1 arc\n")
    Path("lonely.txt").write_text("c\n")
    _, out, _ = run(capsys, "check", "lonely.txt", "--class", "c")
    assert out.startswith("lonely.txt: class 'c', 1 node, 0 arcs\n")


def test_json_has_the_fields_that_the_help_names(files, capsys):
    help_text = run(capsys, "check", "--help")[1].partition("--json writes")[2]
    _, out, _ = run(capsys, "check", "imperfect.txt", "--class", "c", "--json")
    fields = json.loads(out)
    assert all(re.search(rf"\b{name}\b", help_text) for name in fields)
    assert (fields["n_nodes"], fields["n_arcs"], fields["n_violations"]) == (4, 5, 1)
    assert fields["embedding"] == [["a", "b"]]


def test_standard_input(files, monkeypatch, capsys):
    raw = io.BytesIO(IMPERFECT.encode())
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=raw))
    code, out, err = run(capsys, "check", "-", "--class", "c")
    assert (code, err) == (1, "")
    assert out.startswith("-: class 'c', 4 nodes, 5 arcs")


@pytest.mark.slow
def test_commands_that_read_no_data_stay_light(files):
    codes, modules = in_one_process(
        [
            ["--help"],
            ["--version"],
            ["fit", "--help"],
            ["check", "n.bif"],
            ["check", "n.bif", "perfect.txt", "--class", "c"],
            ["convert", "n.bif", "n.json"],
        ]
    )
    assert set(codes) == {0}
    assert "bnlr" in modules
    assert not HEAVY & modules
