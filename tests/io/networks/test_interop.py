"""Networks from and to pyAgrum, its files, and pgmpy's objects by a stand-in of its interface."""

import sys
from types import ModuleType

import numpy as np
import pytest

import bnlr
from bnlr.io.networks.bif import _is_label as is_bif_label
from bnlr.io.networks.bif import _is_name as is_bif_name
from bnlr.io.networks.elements import is_fit
from bnlr.io.networks.escapes import escaped_nodes
from bnlr.io.networks.hugin import _is_label as is_net_label
from bnlr.io.networks.hugin import _is_name as is_net_name
from bnlr.io.networks.interop import from_pgmpy, from_pyagrum, to_pgmpy, to_pyagrum
from bnlr.io.networks.xdsl import _is_identifier as is_identifier
from tests.io import hostile

# pyAgrum reads numbers of BIF and NET in single precision, and of XMLBIF in double.
READ_BY_PYAGRUM = {
    "bif": (is_bif_name, is_bif_label, 1e-6),
    "net": (is_net_name, is_net_label, 1e-6),
    "bifxml": (is_fit, is_fit, 1e-15),
}


@pytest.fixture
def gum():
    return pytest.importorskip("pyagrum")


def table(model, node, parents):
    """pyAgrum's CPT with the axes in this order, by its own names of the axes."""
    cpt = model.cpt(node)
    axes = list(reversed(cpt.names))
    return cpt.toarray().transpose([axes.index(name) for name in (*parents, node)])


@pytest.mark.parametrize("extension", READ_BY_PYAGRUM)
def test_pyagrum_opens_what_bnlr_writes(extension, gum, tmp_path):
    *plain, tolerance = READ_BY_PYAGRUM[extension]
    path = tmp_path / f"x.{extension}"
    for seed in range(60):
        net = hostile.network(seed, min_card=2)
        bnlr.save(net, path)
        model = gum.loadBN(str(path))
        written = escaped_nodes(net, *plain, ignores_case=extension == "bif")
        assert set(model.names()) == {node.name for node in written.values()}
        for node, own in written.items():
            assert model.variable(own.name).labels() == own.labels
            parents = [written[parent].name for parent in net.structure.parents(node)]
            found = table(model, own.name, parents)
            np.testing.assert_allclose(found, net.cpts[node], rtol=0, atol=tolerance)


@pytest.mark.parametrize("extension", READ_BY_PYAGRUM)
def test_bnlr_opens_what_pyagrum_writes(extension, gum, tmp_path):
    # pyAgrum writes XMLBIF with six digits, the others with all.
    tolerance = 1e-6 if extension == "bifxml" else 0.0
    path = tmp_path / f"x.{extension}"
    gum.initRandom(7)
    for _ in range(20):
        model = gum.fastBN("a{x|y|z}->b[2]->c{w|2|u_v};a->c;d[3,5]->a;c->e;d->c")
        gum.saveBN(model, str(path))
        net = bnlr.load(path, "c")
        assert {tuple(arc) for arc in net.structure.edges} == {
            (model.variable(i).name(), model.variable(j).name()) for i, j in model.arcs()
        }
        for node in net.structure.nodes:
            assert net.states[node] == model.variable(node).labels()
            expected = table(model, node, net.structure.parents(node))
            np.testing.assert_allclose(net.cpts[node], expected, rtol=0, atol=tolerance)
            np.testing.assert_allclose(net.cpts[node].sum(axis=-1), 1.0, rtol=0, atol=1e-9)


def test_posteriors_are_pyagrum_s(gum, tmp_path):
    net = hostile.network(11, 2, hostile.CLEAN, hostile.CLEAN)
    bnlr.save(net, tmp_path / "x.bifxml")
    inference = gum.LazyPropagation(gum.loadBN(str(tmp_path / "x.bifxml")))
    own, *others = net.structure.nodes
    inference.setEvidence({node: net.states[node][-1] for node in others})
    inference.makeInference()
    evidence = {node: net.states[node][-1] for node in others}
    expected = inference.posterior(own).toarray()
    np.testing.assert_allclose(net.query([own], evidence), expected, rtol=1e-9)


@pytest.mark.slow
def test_objects_there_and_back(gum):
    done = 0
    for seed in range(200):
        net = hostile.network(seed)
        texts = [str(x) for labels in net.states.values() for x in labels] + list(net.states)
        are_one_text = [len(set(map(str, labels))) < len(labels) for labels in net.states.values()]
        if any(are_one_text) or any("\0" in text or "\ud800" in text for text in texts):
            with pytest.raises(bnlr.ParameterError, match=r"as text, which is all|valid Unicode"):
                to_pyagrum(net)
            continue
        model = to_pyagrum(net)
        done += 1
        found = from_pyagrum(model)
        assert found.structure == net.structure
        for node in net.structure.nodes:
            assert found.cpts[node].tobytes() == net.cpts[node].tobytes()
            assert list(map(str, found.states[node])) == list(map(str, net.states[node]))
    assert done > 40


def test_from_pyagrum_by_kinds_of_variables(gum):
    model = gum.fastBN("c{n|y}->r[2,4];c->d[0,1.5,2]")
    model.add(gum.IntegerVariable("i", "", [7, -1]))
    model.addArc("c", "i")
    model.cpt("i").fillWith([0.25, 0.75, 0.5, 0.5])
    net = from_pyagrum(model, "c")
    assert net.states["c"] == ("n", "y")
    assert net.states["r"] == (2, 3, 4)
    assert net.states["i"] == (-1, 7)
    assert all(isinstance(label, str) for label in net.states["d"])
    assert net.cpts["i"].tolist() == [[0.25, 0.75], [0.5, 0.5]]
    for node in net.structure.nodes:
        expected = table(model, node, net.structure.parents(node))
        assert net.cpts[node].tobytes() == np.ascontiguousarray(expected).tobytes()


def test_from_pyagrum_refuses(gum):
    model = gum.fastBN("c{n|y}->a")
    with pytest.raises(bnlr.ParameterError, match="class_name="):
        from_pyagrum(model)
    with pytest.raises(bnlr.ParameterError, match="'x' is not in the structure"):
        from_pyagrum(model, "x")
    model.cpt("c").fillWith([0.7, 0.7])
    with pytest.raises(bnlr.ParameterError, match=r"sums to 1.4"):
        from_pyagrum(model, "c")
    for other in (None, "x", np.zeros(3)):
        with pytest.raises(bnlr.ParameterError, match=r"expected a pyagrum.BayesNet"):
            from_pyagrum(other, "c")


# pgmpy is not needed: these classes have what its documentation says of TabularCPD and
# DiscreteBayesianNetwork, and check the same things.


class TabularCPD:
    def __init__(
        self, variable, variable_card, values, evidence=None, evidence_card=None, state_names=None
    ):
        evidence, evidence_card = list(evidence or []), list(evidence_card or [])
        flat = np.array(values, dtype=float)
        assert flat.shape == (variable_card, int(np.prod(evidence_card)))
        self.variable, self.variables = variable, [variable, *evidence]
        self.values = flat.reshape(variable_card, *evidence_card)
        cards = dict(zip(self.variables, self.values.shape, strict=True))
        self.state_names = state_names or {name: list(range(n)) for name, n in cards.items()}
        assert {name: len(labels) for name, labels in self.state_names.items()} == cards


class DiscreteBayesianNetwork:
    def __init__(self, ebunch=()):
        self._nodes, self._edges, self._cpds = {}, [], {}
        self.add_edges_from(ebunch)

    def add_nodes_from(self, nodes):
        self._nodes.update(dict.fromkeys(nodes))

    def add_edges_from(self, edges):
        for edge in edges:
            self.add_nodes_from(edge)
            self._edges.append(tuple(edge))

    def nodes(self):
        return list(self._nodes)

    def edges(self):
        return list(self._edges)

    def add_cpds(self, *cpds):
        for cpd in cpds:
            assert set(cpd.variables[1:]) == {a for a, b in self._edges if b == cpd.variable}
            self._cpds[cpd.variable] = cpd

    def get_cpds(self, node):
        return self._cpds.get(node)


@pytest.fixture(params=["DiscreteBayesianNetwork", "BayesianNetwork", "BayesianModel"])
def pgmpy(request, monkeypatch):
    models, factors = ModuleType("pgmpy.models"), ModuleType("pgmpy.factors.discrete")
    setattr(models, request.param, DiscreteBayesianNetwork)
    factors.TabularCPD = TabularCPD
    names = {"pgmpy": ModuleType("pgmpy"), "pgmpy.factors": ModuleType("pgmpy.factors")}
    for name, module in (names | {m.__name__: m for m in (models, factors)}).items():
        monkeypatch.setitem(sys.modules, name, module)


def test_pgmpy_there_and_back(pgmpy):
    for seed in range(60):
        net = hostile.network(seed)
        model = to_pgmpy(net)
        hostile.assert_same(from_pgmpy(model, net.structure.class_name), net)
        for node in net.structure.nodes:
            flat = model.get_cpds(node).values.reshape(len(net.states[node]), -1)
            np.testing.assert_array_equal(flat.T.ravel(), net.cpts[node].ravel())


def test_from_pgmpy_s_own_example():
    """The student network of pgmpy's guide, one CPD with its parent's states in another order."""
    model = DiscreteBayesianNetwork([("D", "G"), ("I", "G")])
    model.add_cpds(
        TabularCPD("D", 2, [[0.6], [0.4]], state_names={"D": ["easy", "hard"]}),
        TabularCPD("I", 2, [[0.7], [0.3]]),
        TabularCPD(
            "G",
            3,
            [[0.05, 0.5, 0.3, 0.9], [0.25, 0.3, 0.4, 0.08], [0.7, 0.2, 0.3, 0.02]],
            evidence=["D", "I"],
            evidence_card=[2, 2],
            state_names={"G": ["a", "b", "c"], "D": ["hard", "easy"], "I": [0, 1]},
        ),
    )
    net = from_pgmpy(model, "G")
    assert net.states == {"D": ("easy", "hard"), "G": ("a", "b", "c"), "I": (0, 1)}
    assert net.cpts["G"][1, 0].tolist() == [0.05, 0.25, 0.7]  # hard, 0
    assert net.cpts["G"][0, 1].tolist() == [0.9, 0.08, 0.02]  # easy, 1


def test_from_pgmpy_refuses():
    with pytest.raises(bnlr.ParameterError, match="expected a pgmpy"):
        from_pgmpy({"a": 1}, "a")
    model = DiscreteBayesianNetwork([("a", "b")])
    model.add_cpds(TabularCPD("a", 2, [[0.5], [0.5]], state_names={"a": ["x", "y"]}))
    with pytest.raises(bnlr.ParameterError, match="no CPD of 'b'"):
        from_pgmpy(model, "a")
    model.add_cpds(TabularCPD("b", 2, [[0.5, 1], [0.5, 0]], ["a"], [2]))
    with pytest.raises(bnlr.ParameterError, match=r"CPD of 'b' has states \[0, 1\] of 'a'"):
        from_pgmpy(model, "a")
    model.add_cpds(TabularCPD("a", 2, [[0.5], [0.6]]))
    with pytest.raises(bnlr.ParameterError, match=r"sums to 1.1"):
        from_pgmpy(model, "a")


def test_without_pgmpy_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    with pytest.raises(ImportError, match="pgmpy"):
        to_pgmpy(hostile.network(0))


# pgmpy itself, where it is installed.


def in_place(network, names, node, axes):
    """A CPT with these axes, states in the order of their texts in ``axes``."""
    have = [*network.structure.parents(names[node]), names[node]]
    cpt = network.cpts[names[node]].transpose([have.index(names[axis]) for axis in axes])
    for place, (axis, labels) in enumerate(axes.items()):
        known = list(map(str, network.states[names[axis]]))
        cpt = np.take(cpt, [known.index(label) for label in labels], axis=place)
    return cpt


# Variables of one state in BIF are too much for pgmpy.
READ_BY_PGMPY = {
    "bif": ("BIFReader", is_bif_name, is_bif_label, 2),
    "net": ("NETReader", is_net_name, is_net_label, 1),
    "xmlbif": ("XMLBIFReader", is_fit, is_fit, 1),
    "xdsl": ("XDSLReader", is_identifier, is_identifier, 1),
}


@pytest.mark.parametrize("extension", READ_BY_PGMPY)
def test_pgmpy_opens_what_bnlr_writes(extension, tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    reader, *plain, min_card = READ_BY_PGMPY[extension]
    path = tmp_path / f"x.{extension}"
    for seed in range(20):
        net = hostile.network(seed, min_card)
        bnlr.save(net, path)
        written = escaped_nodes(net, *plain, ignores_case=extension == "bif")
        names = {node: own.name for node, own in written.items()}
        model = getattr(readwrite, reader)(str(path)).get_model()
        found = from_pgmpy(model, names[net.structure.class_name])
        for node in net.structure.nodes:
            axes = {axis: written[axis].labels for axis in hostile.axis_names(net, node)}
            np.testing.assert_allclose(
                in_place(found, names, node, axes), net.cpts[node], atol=1e-7
            )


@pytest.mark.parametrize("extension", READ_BY_PGMPY)
def test_bnlr_opens_what_pgmpy_writes(extension, tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    path = tmp_path / f"x.{extension}"
    for seed in range(20):
        net = hostile.network(seed, 2, hostile.CLEAN, hostile.CLEAN)
        writer = getattr(readwrite, READ_BY_PGMPY[extension][0].replace("Reader", "Writer"))
        writer = writer(to_pgmpy(net))
        getattr(writer, "write", getattr(writer, f"write_{extension}", None))(str(path))
        found = bnlr.load(path, net.structure.class_name)
        names = {node: node for node in net.structure.nodes}
        for node in net.structure.nodes:
            axes = {a: list(map(str, net.states[a])) for a in hostile.axis_names(net, node)}
            np.testing.assert_allclose(
                in_place(found, names, node, axes), net.cpts[node], atol=1e-4
            )


def test_pgmpy_s_own_objects_there_and_back():
    pytest.importorskip("pgmpy.models")
    for seed in range(20):
        net = hostile.network(seed)
        model = to_pgmpy(net)
        assert model.check_model()
        hostile.assert_same(from_pgmpy(model, net.structure.class_name), net)
