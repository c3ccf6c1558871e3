"""Parents of one state: they change no number, and no more are allowed than a table has axes."""

from itertools import product

import numpy as np
import pandas as pd
import pytest

import bnlr
from bnlr import Dataset, Structure
from bnlr.search.methods import METHODS
from tests.width import in_full

LEARNERS = ["auto", "frequencies", "dfe", "elr", "em", "apn"]
RNG = np.random.default_rng(0)
ROWS = pd.DataFrame({"a": RNG.integers(0, 2, 60), "z": RNG.integers(0, 3, 60)})
ROWS["y"] = (ROWS["a"] + (RNG.random(60) < 0.3)) % 2
ARCS = [("y", "a"), ("y", "z")]
HOLED = ROWS.astype(object).mask(RNG.random(ROWS.shape) < 0.2).assign(y=ROWS["y"])


def idle(n):
    return [f"p{k}" for k in range(n)]


def with_idle(frame, n):
    return frame.assign(**dict.fromkeys(idle(n), "k"))


def structure(n, child):
    return Structure([*ARCS, *((p, child) for p in idle(n))], "y", [*idle(n), "a", "z", "y"])


@pytest.mark.parametrize(
    ("child", "learner"),
    [
        ("a", "elr"),
        ("y", "em"),
        *in_full(*product("ay", ["frequencies", "auto"]), ("y", "elr"), ("a", "em")),
    ],
)
def test_idle_parents_change_no_number(child, learner, tmp_path):
    n = 58
    plain = bnlr.fit(Structure(ARCS, "y"), Dataset.from_frame(ROWS, "y"), learner=learner, tol=1e-9)
    data = Dataset.from_frame(with_idle(ROWS, n), "y")
    result = bnlr.fit(structure(n, child), data, learner=learner, tol=1e-9)
    network, expected = result.network, plain.network
    wide = with_idle(ROWS, n)
    np.testing.assert_allclose(network.predict_proba(wide), expected.predict_proba(ROWS), atol=1e-5)
    wide = with_idle(HOLED, n).assign(p1=None)
    holed = network.predict_proba(wide), network.posterior(wide, "z")
    if learner in {"frequencies", "em"}:  # the others fit P(class | attributes) alone
        np.testing.assert_allclose(holed[0], expected.predict_proba(HOLED), atol=1e-5)
        np.testing.assert_allclose(holed[1], expected.posterior(HOLED, "z"), atol=1e-5)
    targets = ["z", *idle(n - 1), "a"]
    found = network.query(targets, {"y": 1})
    assert np.asarray(found).size == np.asarray(expected.query(["z", "a"], {"y": 1})).size
    assert network.sample(5, 0).shape == (5, n + 3)
    for suffix in (".json", ".bif", ".xmlbif", ".net"):
        bnlr.save(network, tmp_path / f"m{suffix}")
        read = bnlr.load(tmp_path / f"m{suffix}")
        for node, cpt in network.cpts.items():
            np.testing.assert_allclose(read.cpts[node], cpt, atol=1e-12)
    if learner == "auto":
        bnlr.write_report(result, data, tmp_path / "report.html")
        assert network.explain(with_idle(ROWS, n).iloc[0])


@pytest.mark.parametrize("n", [60, 64, *in_full(70, 200)])
@pytest.mark.parametrize("child", ["a", "y"])
def test_more_are_refused_by_name(n, child):
    graph = structure(n, child)
    n_parents = len(graph.parents(child))
    for frame in (ROWS, HOLED):
        data = Dataset.from_frame(with_idle(frame, n), "y")
        for learner in LEARNERS:
            if learner == "dfe" and frame is HOLED:
                continue  # it needs complete rows
            with pytest.raises(
                bnlr.TooLargeError, match=f"'{child}' has {n_parents} parents"
            ) as caught:
                bnlr.fit(graph, data, learner=learner)
            assert "remove arcs" in str(caught.value)
    with pytest.raises(bnlr.TooLargeError, match=f"'{child}'"):
        bnlr.BNClassifier(graph).fit(with_idle(ROWS, n).drop(columns="y"), ROWS["y"])
    states = {**dict.fromkeys(idle(n), ("k",)), "a": (0, 1), "z": (0, 1, 2), "y": (0, 1)}
    with pytest.raises(bnlr.TooLargeError, match=f"'{child}'"):
        bnlr.BayesianNetwork(graph, states, dict.fromkeys(graph.nodes, np.ones(1)))
    assert bnlr.analyze(graph).structure == graph


def test_a_family_outside_the_class_is_refused_too():
    data = Dataset.from_frame(with_idle(ROWS, 70), "y")
    graph = Structure([("y", "a"), *((p, "z") for p in idle(70))], "y")
    for learner in LEARNERS:
        with pytest.raises(bnlr.TooLargeError, match="'z'"):
            bnlr.fit(graph, data, learner=learner)


def bif(n):
    lines = ["network n { property bnlr_class c ; }", "variable c { type discrete [2] { x, y }; }"]
    lines += [f"variable {p} {{ type discrete [1] {{ k }}; }}" for p in idle(n)]
    lines += [f"probability ( {p} ) {{ table 1.0; }}" for p in idle(n)]
    lines += [f"probability ( c | {', '.join(idle(n))} ) {{ ({', '.join('k' * n)}) 0.5, 0.5; }}"]
    return "\n".join(lines)


def net(n):
    lines = ["net { }", 'node c { states = ("x" "y"); }']
    lines += [f'node {p} {{ states = ("k"); }}' for p in idle(n)]
    lines += [f"potential ({p}) {{ data = (1.0); }}" for p in idle(n)]
    data = "(" * (n + 1) + "0.5 0.5" + ")" * (n + 1)
    return "\n".join([*lines, f"potential (c | {' '.join(idle(n))}) {{ data = {data}; }}"])


def xmlbif(n):
    def variable(name, states):
        outcomes = "".join(f"<OUTCOME>{state}</OUTCOME>" for state in states)
        return f'<VARIABLE TYPE="nature"><NAME>{name}</NAME>{outcomes}</VARIABLE>'

    def table(name, parents, cells):
        given = "".join(f"<GIVEN>{p}</GIVEN>" for p in parents)
        return f"<DEFINITION><FOR>{name}</FOR>{given}<TABLE>{cells}</TABLE></DEFINITION>"

    parts = [variable("c", "xy"), *(variable(p, "k") for p in idle(n))]
    parts += [table("c", idle(n), "0.5 0.5"), *(table(p, (), "1.0") for p in idle(n))]
    return f'<?xml version="1.0"?><BIF><NETWORK><NAME>n</NAME>{"".join(parts)}</NETWORK></BIF>'


@pytest.mark.parametrize(("suffix", "written"), [(".bif", bif), (".net", net), (".xmlbif", xmlbif)])
def test_files(suffix, written, tmp_path):
    path = tmp_path / f"m{suffix}"
    path.write_text(written(59), "utf-8")
    assert bnlr.load(path, "c").cpts["c"].shape == (*[1] * 59, 2)
    for n in (60, 64, 80):
        path.write_text(written(n), "utf-8")
        with pytest.raises(bnlr.TooLargeError, match=f"{path.name}.*'?c'? has {n} parents"):
            bnlr.load(path, "c")


def test_more_targets_than_axes_are_refused():
    n = 70
    graph = Structure([("y", "a"), *(("y", p) for p in idle(n))], "y")
    data = Dataset.from_frame(with_idle(ROWS[["a", "y"]], n), "y")
    network = bnlr.fit(graph, data).network
    with pytest.raises(bnlr.TooLargeError, match="ask for fewer"):
        network.query([*idle(n), "a"], {})
    given = network.query(["a"], dict.fromkeys(idle(n), "k"))
    np.testing.assert_allclose(np.asarray(given), np.asarray(network.query(["a"], {})))


@pytest.mark.parametrize("method", in_full(*METHODS))
def test_searches_of_idle_columns(method):
    """Columns of one value get no arcs that a table cannot hold, or the fit says which."""
    data = Dataset.from_frame(with_idle(ROWS, 70), "y")
    options = {"k": 70} if method.endswith("kdb") else {}
    found = bnlr.learn_structure(data, method, **options)
    try:
        network = bnlr.fit(found, data).network
    except bnlr.TooLargeError as error:
        assert method == "kdb"
        assert "parents" in str(error)  # noqa: PT017
    else:
        assert np.isfinite(network.predict_proba(data)).all()
