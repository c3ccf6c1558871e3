"""The command from its options to its files."""

import csv
import json
from html.parser import HTMLParser
from pathlib import Path

import pytest

from studies.__main__ import COMMANDS
from studies.common import main
from studies.feelders_ivanovs import command

pytest.importorskip("matplotlib")


def studies(*words):
    return main(COMMANDS, ["feelders-ivanovs", *map(str, words)])


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """The quick study on one small data set, without workers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command, "QUICK", ("1.5.2-3.100",))
        folder = tmp_path_factory.mktemp("few")
        code = studies(
            "--quick", "--out", folder / "out", "--jobs", 0, "--quiet", "--also", "newton"
        )
    assert code == 0
    return folder / "out"


def test_the_files_that_a_study_leaves(few):
    names = {path.name for path in few.iterdir()}
    assert {"index.html", "iterations.csv", "flops.csv", "checks.json"} <= names
    assert {"results.json", "results.csv", "timings.csv", "journal.jsonl"} <= names
    (row,) = csv.DictReader((few / "iterations.csv").read_text("utf-8").splitlines())
    nine = [float(row[f"{space} {solver}"]) for space, solver in command.paper.COLUMNS]
    assert min(nine) == 1.0
    assert float(row["roos newton"]) <= 1.0


def test_the_checks_say_how_the_runs_ended(few):
    (race,) = json.loads((few / "checks.json").read_text())["races"]
    assert race["start_spread"] <= 1e-10
    assert race["threshold"] == pytest.approx(
        race["largest_cll"] - 0.05 * (race["largest_cll"] - race["start_cll"])
    )
    assert max(race["shortfall"].values()) < 0.01


class Words(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.text = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)


def test_the_page_shows_both_tables_and_opens_offline(few):
    page = Words((few / "index.html").read_text("utf-8"))
    captions = " ".join(page.text)
    for word in ("Table 2, top", "Table 2, bottom", "Figure 3", "1.5.2-3.100", "paper"):
        assert word in captions
    links = [a.get("src") or a.get("href") for _, a in page.tags]
    assert all(link.startswith(("data:", "#")) for link in links if link)
    assert sum(tag == "img" for tag, _ in page.tags) == 1


def write(path: Path, n=60):
    rows = ["size,colour,class"]
    rows += [f"{k % 17 + 0.5},{'rgb'[k % 3]},{'ny'[(k % 17 > 7) ^ (k % 5 == 0)]}" for k in range(n)]
    path.write_text("\n".join(rows) + "\n")
    return path


def test_ones_own_data_get_a_recommendation(tmp_path):
    data = write(tmp_path / "mine.csv")
    out = tmp_path / "out"
    assert studies("--data", data, "--class", "class", "--out", out, "--jobs", 0, "--quiet") == 0
    found = json.loads((out / "recommendation.json").read_text())
    rows = list(csv.DictReader((out / "runs.csv").read_text("utf-8").splitlines()))
    flops = {(r["space"], r["solver"]): float(r["flops to the threshold"]) for r in rows}
    best = min((f, c) for c, f in flops.items() if c in command.paper.COLUMNS)[1]
    assert f"space={best[0]!r}, solver={best[1]!r}" in found["advice"][0]
    told = found["foretold"]
    assert set(told["expected flops"]) == {" ".join(c) for c in command.paper.COLUMNS}
    assert -1 <= told["rank correlation"] <= 1
    assert "cut into intervals: size" in (out / "index.html").read_text("utf-8")


def test_an_imperfect_structure_is_told_what_would_mend_it(tmp_path):
    data = write(tmp_path / "mine.csv")
    graph = tmp_path / "graph.txt"
    graph.write_text("class -> colour\nsize -> colour\n")
    out = tmp_path / "out"
    words = ("--data", data, "--class", "class", "--structure", graph, "--out", out)
    assert studies(*words, "--jobs", 0, "--quiet") == 0
    advice = " ".join(json.loads((out / "recommendation.json").read_text())["advice"])
    assert "not perfect" in advice
    assert "→" in advice
