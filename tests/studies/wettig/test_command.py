"""The command from its options to its files."""

import json

import pytest

from studies.__main__ import COMMANDS
from studies.common import main

pytest.importorskip("matplotlib")


@pytest.mark.filterwarnings("ignore")
def test_the_study_on_few_starts(tmp_path):
    out = tmp_path / "out"
    words = [
        "wettig",
        "--seeds",
        "4",
        "--samples",
        "60",
        "--jobs",
        "0",
        "--quiet",
        "--out",
        str(out),
    ]
    assert main(COMMANDS, words) == 0
    said = json.loads((out / "checks.json").read_text("utf-8"))["statements"]
    assert [line["holds"] for line in said[:2] + said[3:7]] == [True] * 6
    every, untied = (line["figures"] for line in said[7:])
    assert every["of"] > untied["of"]
    assert every["of"] == every["best"] + every["another supremum"] + every["no supremum"]
    assert (out / "index.html").read_text("utf-8").count("<img") == 2
