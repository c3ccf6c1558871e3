"""What a fit says it reached is what the network it hands on has, also where entries sink to 0."""

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr.inference.engine import Engine
from bnlr.objectives.evidence import EvidenceRows
from bnlr.objectives.incomplete import EvidenceObjective
from bnlr.spaces.joint import JointSoftmax


def problem(seed):
    """A few rows with holes that a random structure can nearly tell apart, and its data."""
    rng = np.random.default_rng(seed)
    n_rows, n, n_states, n_classes = (int(rng.integers(*ends)) for ends in RANGES)
    classes = rng.integers(0, n_classes, n_rows)
    names = [f"x{j}" for j in range(n)]
    frame = pd.DataFrame({"y": classes})
    for j, name in enumerate(names):
        copied = rng.random(n_rows) < rng.random()
        cells = np.where(copied, classes * (j + 1) % n_states, rng.integers(0, n_states, n_rows))
        frame[name] = pd.array(cells, dtype="Int64")
        frame.loc[rng.random(n_rows) < 0.25, name] = pd.NA
    frame = frame[[name for name in frame if frame[name].notna().any()]]
    names = [name for name in frame if name != "y"]
    parents = set(names[:2]) if rng.random() < 0.3 else set()
    arcs = [(name, "y") for name in names if name in parents]
    arcs += [("y", name) for name in names if name not in parents and rng.random() < 0.8]
    pairs = [(a, b) for k, a in enumerate(names) for b in names[k + 1 :]]
    arcs += [pair for pair in pairs if rng.random() < 0.35]
    structure = bnlr.Structure(arcs, class_name="y", nodes=list(frame))
    return structure, bnlr.Dataset.from_frame(frame, "y")


RANGES = ((20, 200), (2, 6), (2, 6), (2, 5))


@pytest.mark.filterwarnings("ignore::bnlr.BnlrWarning")
@pytest.mark.parametrize("solver", ["newton", "l-bfgs"])
@pytest.mark.parametrize("seeds", [range(7, 10), pytest.param(range(120), marks=pytest.mark.slow)])
def test_the_value_reached_is_that_of_the_network(solver, seeds):
    """Without a floor in the objective two fits in a hundred ended as converged, nats apart."""
    deepest = 1.0
    for seed in seeds:
        structure, data = problem(seed)
        result = bnlr.fit(structure, data, learner="elr", solver=solver)
        reached = -result.rows[-1].value
        assert result.network.conditional_log_likelihood(data) == pytest.approx(reached, abs=1e-6)
        assert result.cll == pytest.approx(reached, abs=1e-6)
        deepest = min(deepest, *(float(cpt.min()) for cpt in result.network.cpts.values()))
    assert deepest < 1e-299 or solver == "newton"  # the floor was met: 8 does


@pytest.mark.parametrize("kind", ["cll", "ll"])
def test_entries_below_the_floor_have_no_gradient_and_others_that_of_differences(kind):
    structure, data = problem(3)
    space = JointSoftmax(structure, data.states)
    objective = EvidenceObjective(
        Engine(space.flat, structure.index("y"), 1), space, EvidenceRows.of(structure, data), kind
    )
    rng = np.random.default_rng(0)
    x = rng.normal(size=space.size)
    x[rng.random(space.size) < 0.2] = -800.0
    gradient = objective.value_and_gradient(x)[1]
    for k in range(space.size):
        step = np.where(np.arange(space.size) == k, 1e-5, 0.0)
        slope = (objective.value(x + step) - objective.value(x - step)) / 2e-5
        assert gradient[k] == pytest.approx(slope, abs=1e-5 * (1 + abs(slope)))
    assert objective.value(x) == objective.value_and_gradient(x)[0]
