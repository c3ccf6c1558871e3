"""The closed forms against the reference cases, and the starts."""

import numpy as np
import pytest

import bnlr
from studies.common import Record, Task
from studies.wettig.run import KINDS, drawn
from studies.wettig.tables import checks, ends, levels, surface_checks
from studies.wettig.truth import COLLIDER, SAMPLES, STATES, Sample, g
from tests.cases import CASES, _files

CODED = [raw for raw in _files(CASES / "coded") if raw["kind"] == "theorem4"]
NAMED = [raw for raw in _files(CASES) if raw["kind"] == "multimodal"]


def coded_samples():
    for raw in CODED:
        for part in raw["expected"].values():
            if isinstance(part, dict) and "suprema" in part:
                yield Sample("case", tuple(part["counts"]), part["extra"]), part


@pytest.mark.parametrize(("sample", "part"), list(coded_samples()))
def test_suprema_of_the_coded_cases(sample, part):
    assert sample.suprema == pytest.approx(part["suprema"], abs=1e-8)
    assert sample.l_model == pytest.approx(part["lmodel_max_cll"], abs=1e-8)
    assert sample.dataset().weights.sum() == len(part["rows"])


@pytest.mark.parametrize("raw", NAMED, ids=lambda raw: raw["name"])
def test_suprema_of_the_named_cases(raw):
    n = tuple(int(k) for k in raw["name"].split("_")[1:])
    sample = Sample("case", n, 1)
    expected = raw["expected"]
    assert list(sample.suprema.values()) == pytest.approx(expected["local_maxima_cll"])
    assert sample.l_model == pytest.approx(expected["upper_bound_cll"])


def test_lemma_1():
    edge = np.linspace(1e-9, 1 - 1e-9, 201)
    y, z = np.meshgrid(edge, edge)
    for x in (0.2, 0.5):
        assert g(x, y, z).max() <= np.log(x) + 1e-9
        assert g(x, 1e-8, 0.0) == pytest.approx(np.log(x), abs=1e-6)
    np.testing.assert_allclose(
        [g(0.3, 0.5, z).max() for z in edge[[0, -1]]], np.log(0.3 / 1.7), atol=1e-6
    )


def test_starts_depend_on_the_seed_alone():
    data = SAMPLES["D″"].dataset()
    for kind in KINDS:
        first, again, other = (drawn(kind, data, seed) for seed in (3, 3, 4))
        same = [np.array_equal(first.cpts[n], again.cpts[n]) for n in first.cpts]
        assert all(same)
        moved = any(not np.array_equal(first.cpts[n], other.cpts[n]) for n in first.cpts)
        assert moved == (kind != "frequencies")


def records(clls, embedded):
    """clls: {(sample, kind): [CLL]}; embedded: {sample: CLL}."""
    made = [
        Record(
            Task(sample=sample, kind=kind, start=k),
            {"cll": cll, "bound": SAMPLES[sample].l_model, "iterations": 1},
        )
        for (sample, kind), own in clls.items()
        for k, cll in enumerate(own)
    ]
    return made + [
        Record(
            Task(sample=sample, kind="embedded", start=0),
            {"cll": cll, "bound": cll, "iterations": 1, "arcs": ["X0 → X1"]},
        )
        for sample, cll in embedded.items()
    ]


def verdicts(clls, embedded):
    return [line["holds"] for line in checks(records(clls, embedded))]


def all_found():
    clls = {(name, "normal"): levels(sample) for name, sample in SAMPLES.items()}
    return clls | {(name, "frequencies"): levels(s)[:1] for name, s in SAMPLES.items()}


def test_checks_hold_where_all_is_found():
    best = {name: sample.l_model for name, sample in SAMPLES.items()}
    assert verdicts(all_found(), best) == [True] * 5


def test_checks_fail_where_something_is_not():
    clls = all_found()
    clls["D′", "normal"] = [*levels(SAMPLES["D′"])[:3], -5.0]
    clls["D", "frequencies"] = [-2.0]
    lower = {name: sample.l_model - 1 for name, sample in SAMPLES.items()}
    assert verdicts(clls, lower) == [False, False, True, False, False]
    assert [one.n_elsewhere for one in ends(records(clls, {}))] == [1, 0, 0, 1, 0, 0]


def test_checks_of_the_surface_fail_on_another():
    assert [line["holds"] for line in surface_checks()] == [True, True]
    assert [line["holds"] for line in surface_checks(lambda x, y, z: g(x, y, z) + 0.1)] == [
        False,
        False,
    ]


@pytest.mark.parametrize("x", [0.2, 0.5, 0.9])
def test_derivatives_of_the_surface_are_the_printed_ones(x):
    """Equations 21 and 22 against differences."""
    step = 1e-4
    for y, z in [(0.3, 0.6), (0.8, 0.1)]:
        second = (g(x, y, z + step) - 2 * g(x, y, z) + g(x, y, z - step)) / step**2
        above, below = x * y + (1 - x) * z, x * (1 - y) + (1 - x) * (1 - z)
        assert second == pytest.approx((1 - x) ** 2 * (above**-2 + below**-2), rel=1e-4)
        slopes = [(g(x, y + step, k) - g(x, y - step, k)) / (2 * step) for k in (0.0, 1.0)]
        printed = (x - 1) / ((1 - y) * (1 - x * y)), (1 - x) / (y * (x * y + 1 - x))
        assert slopes == pytest.approx(printed, rel=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_equation_16_is_the_cll_of_a_network_with_the_proofs_parameters(seed):
    """Equations 15 to 18: five numbers, the CPTs that they are, and the CLL of the paper's D."""
    theta, of_11, of_12, of_21, of_22 = np.random.default_rng(seed).uniform(0.05, 0.95, 5)
    # of_ij is P(X2 = 2 | X0 = i, X1 = j); codes are the states less 1.
    by_parents = {(0, 0): of_11, (0, 1): of_12, (1, 0): of_21, (1, 1): of_22}
    cpt = np.empty((2, 2, 2))
    for cells in np.ndindex(2, 2):
        own = dict(zip(COLLIDER.parents("X2"), cells, strict=True))
        chance = by_parents[own["X0"], own["X1"]]
        cpt[cells] = 1 - chance, chance
    cpts = {"X0": [1 - theta, theta], "X1": [0.3, 0.7], "X2": cpt}
    network = bnlr.BayesianNetwork(COLLIDER, STATES, cpts)
    printed = g(1 - theta, of_11, of_21) + g(theta, of_22, of_12)
    found = network.conditional_log_likelihood(SAMPLES["D"].dataset())
    assert found == pytest.approx(float(printed), abs=1e-12)
