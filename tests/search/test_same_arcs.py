"""Arcs do not depend on the order of Python's sets nor on threads: one program, two processes."""

import subprocess
import sys

import pytest

PROGRAM = """
import bnlr
from bnlr.search.tpda.three_phases import tpda
d = bnlr.Dataset.from_frame(bnlr.load_dataset("tic-tac-toe"), "class")
for method in ("tan", "hgc", "fan", "kdb", "score-tan", "score-fan", "score-kdb"):
    print(method, bnlr.learn_structure(d, method).edges)
print("tpda", tpda(d, threshold=0.0).edges)
few = bnlr.Dataset.from_frame(bnlr.load_dataset("corral"), "class")
print("cll", bnlr.learn_structure(few, "cll").edges)
"""


@pytest.mark.slow
def test_same_arcs_for_any_hash_seed_and_thread_count():
    runs = {
        subprocess.run(
            [sys.executable, "-c", PROGRAM],
            env={"PYTHONHASHSEED": seed, "OPENBLAS_NUM_THREADS": threads},
            capture_output=True, text=True, check=True,
        ).stdout
        for seed, threads in [("0", "1"), ("7", "2")]
    }  # fmt: skip
    assert len(runs) == 1
    lines = runs.pop().splitlines()
    methods = "tan hgc fan kdb score-tan score-fan score-kdb tpda cll"
    assert [line.split()[0] for line in lines] == methods.split()
    assert all("'class'" in line for line in lines)
