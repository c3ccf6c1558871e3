"""Which kernels run, who chooses, and what is said where none were built."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bnlr
from bnlr import native

ROOT = Path(__file__).resolve().parents[1]
BUILT = [name for name in native.INSTRUCTION_SETS if name in native.available()]
FIT = (
    "import bnlr\n"
    "data = bnlr.Dataset.from_frame(bnlr.load_dataset('tic-tac-toe'), class_name='class')\n"
    "for _ in range(2):\n"
    "    result = bnlr.fit(bnlr.learn_structure(data, 'tan'), data, penalty=0.3)\n"
    "print(bnlr.native.chosen(), repr(result.cll), result.x.tobytes().hex()[:4000])\n"
)


def ran(code: str, kernels: str | None = None) -> "subprocess.CompletedProcess[str]":
    env = {k: v for k, v in os.environ.items() if k != "BNLR_KERNELS"}
    env |= {"PYTHONPATH": str(ROOT), "OPENBLAS_CORETYPE": "Haswell"}
    if kernels is not None:
        env["BNLR_KERNELS"] = kernels
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, env=env, timeout=300, check=False,
    )  # fmt: skip


@pytest.mark.slow
def test_the_fastest_is_taken_unless_the_environment_says_otherwise():
    code = "import bnlr.native as n; print(n.chosen(), n.available()[-1])"
    taken, fastest = ran(code).stdout.split()
    assert taken == fastest
    assert ran(code, "numpy").stdout.split()[0] == "numpy"


@pytest.mark.skipif(len(BUILT) < 2, reason="one instruction set")
@pytest.mark.slow  # a process for each set; single kernels are compared to the bit by default
def test_a_fit_has_the_same_bits_with_every_instruction_set():
    found = [ran(FIT, name) for name in BUILT]
    assert [run.stdout.split()[0] for run in found] == BUILT, found[0].stderr
    assert len({run.stdout.partition(" ")[2] for run in found}) == 1


@pytest.mark.slow
def test_an_unknown_kernel_is_refused_with_those_there_are():
    run = ran("import bnlr; bnlr.show_versions()", "numba")
    assert run.returncode == 1
    assert "ParameterError: BNLR_KERNELS is 'numba'" in run.stderr
    assert "numpy" in run.stderr.splitlines()[-1]


@pytest.mark.slow
def test_without_built_kernels_numpy_takes_over_and_it_is_said_once():
    missing = "import sys; sys.modules['bnlr.native._baseline'] = None\n"
    run = ran(missing + FIT)
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith("numpy ")
    assert run.stderr.count("installed without its compiled kernels") == 1
    assert not ran(missing + FIT, "numpy").stderr


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timer signals here")
def test_a_long_call_ends_when_it_is_interrupted():
    """A thousand rows in a clique of 2^18 cells: seconds within one call."""
    names = [f"a{i}" for i in range(24)]
    structure = bnlr.Structure([(name, "y") for name in names] + [("y", "c")], class_name="c")
    cpts = {name: np.array([0.3, 0.7]) for name in names}
    cpts |= {"y": np.full((2,) * 25, 0.5), "c": np.array([[0.2, 0.8], [0.6, 0.4]])}
    states = dict.fromkeys(structure.nodes, (0, 1))
    network = bnlr.BayesianNetwork(structure, states, cpts)
    rng = np.random.default_rng(0)
    codes = np.full((1000, len(structure.nodes)), -1)
    codes[:, structure.nodes.index("y")] = 1
    for row in codes:
        row[rng.choice([structure.nodes.index(name) for name in names], 6, replace=False)] = 1
    data = bnlr.Dataset.from_codes(codes, states, "c")

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    begin = time.perf_counter()
    try:
        with pytest.raises(KeyboardInterrupt):
            network.log_likelihood(data)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
    assert time.perf_counter() - begin < 5.0


def test_versions_are_shown(capsys):
    bnlr.show_versions()
    shown = dict(line.split(None, 1) for line in capsys.readouterr().out.splitlines())
    assert shown["bnlr"] == bnlr.__version__
    assert shown["numpy"] == np.__version__
    assert native.chosen() in shown["kernels"]
    assert int(shown["threads"]) >= 1
