"""Options that no study can heed: exit code 2, and which it was."""

import pytest

from studies.__main__ import COMMANDS
from studies.common import main


@pytest.mark.slow  # loads what a study needs of others' libraries
@pytest.mark.parametrize(
    ("study", "words", "said"),
    [
        *(("defaults", words, words[-1]) for words in [("--sets", "wine"), ("--learners", "svm")]),
        ("feelders-ivanovs", ("--data", "x.csv"), "--class"),
        ("feelders-ivanovs", ("--class", "y"), "--data"),
        ("feelders-ivanovs", ("--data", "absent.csv", "--class", "y"), "absent.csv"),
        ("feelders-ivanovs", ("--also", "adam"), "adam"),
        ("greiner", ("--sets", "mushroom"), "mushroom"),
        ("missing-cells", ("--sets", "iris"), "iris"),
        ("su", ("--sets", "nothing"), "nothing"),
        *((name, ("--no-such",), "--no-such") for name in COMMANDS),
    ],
)
def test_options_that_cannot_be(study, words, said, tmp_path, capsys):
    assert main(COMMANDS, [study, *words, "--out", str(tmp_path / "out")]) == 2
    assert said in capsys.readouterr().err
