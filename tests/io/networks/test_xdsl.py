"""XDSL as GeNIe and pyAgrum write it, and what is refused."""

import numpy as np
import pytest

import bnlr
from bnlr.errors import ModelFileError
from bnlr.io.networks.formats import recognised
from bnlr.io.networks.xdsl import parse

GENIE = """<?xml version="1.0" encoding="ISO-8859-1"?>
<!-- a network -->
<smile version="1.0" id="Network1" numsamples="10000" discsamples="10000">
	<properties>
		<property id="source">expert</property>
	</properties>
	<nodes>
		<cpt id="Success" target="true">
			<state id="Yes" label="yes" />
			<state id="No" />
			<property id="unit">none</property>
			<probabilities>0.2 0.8</probabilities>
		</cpt>
		<cpt id="Forecast">
			<state id="Good" />
			<state id="Moderate" />
			<state id="Poor" />
			<parents>Success</parents>
			<probabilities>0.4 0.4 0.2 0.1 0.3 0.6</probabilities>
		</cpt>
		<deterministic id="Both">
			<state id="F" />
			<state id="T" />
			<parents>Success Forecast</parents>
			<resultingstates>T F F F F T</resultingstates>
		</deterministic>
	</nodes>
	<extensions>
		<genie version="1.0" app="GeNIe" name="caf\xe9">
			<node id="Success">
				<name>Success of the venture</name>
				<position>54 11 138 62</position>
			</node>
		</genie>
	</extensions>
</smile>
"""


def test_genie_s_tables():
    net = parse(GENIE.encode("latin-1"), "f").network("Success")
    assert net.structure.parents("Both") == ("Success", "Forecast")
    assert net.states["Forecast"] == ("Good", "Moderate", "Poor")
    assert net.cpts["Forecast"].tolist() == [[0.4, 0.4, 0.2], [0.1, 0.3, 0.6]]
    assert net.cpts["Both"][..., 1].tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]


def test_parents_are_written_first_and_the_order_comes_back(tmp_path):
    s = bnlr.Structure([("c", "a"), ("b", "c")], "a", nodes=["a", "c", "b"])
    cpts = {"b": [0.5, 0.5], "c": [[0.5, 0.5]] * 2, "a": [[0.5, 0.5]] * 2}
    net = bnlr.BayesianNetwork(s, dict.fromkeys("abc", ("n", "y")), cpts)
    bnlr.save(net, tmp_path / "x.xdsl")
    text = (tmp_path / "x.xdsl").read_text()
    assert text.index('cpt id="b"') < text.index('cpt id="c"') < text.index('cpt id="a"')
    assert bnlr.load(tmp_path / "x.xdsl").structure.nodes == ("a", "c", "b")


REFUSED = {
    "another root": ("smile", "smil", "f:3:1: the root is <smil>, not <smile>"),
    "not XML": ("<nodes>", "<nodes", "f:8:.*not valid XML"),
    "a decision": ("deterministic", "decision", "f:21:.*'Both' is a node of type decision; only"),
    "noisy": ("deterministic", "noisymax", "type noisymax; only chance nodes with a table"),
    "no id": ('<cpt id="Forecast">', "<cpt>", "f:14:3: <cpt> has no id"),
    "a state without": ('<state id="Poor" />', "<state />", "f:17:4: <state> has no id"),
    "a state twice": ('id="No"', 'id="Yes"', "f:8: the node 'Success' lists the state 'Yes' twice"),
    "unknown parent": ("<parents>Success<", "<parents>S<", "f:14: the node 'S' is not defined"),
    "unknown result": ("T F F", "T f F", "f:21: 'f' is no state of 'Both', which has 'F', 'T'"),
    "too few": ("0.1 0.3 0.6", "0.1 0.3", r"f:14: P\(Forecast \| Success\) has 5 .* need 6"),
    "no table": ("<probabilities>0.2 0.8</probabilities>", "", r"f:8: P\(Success\) has 0 numbers"),
    "two tables": (
        "<probabilities>0.2 0.8</probabilities>",
        "<probabilities>1 0</probabilities><probabilities>1 0</probabilities>",
        "a second <probabilities> of 'Success'",
    ),
    "time": ("<extensions>", "<dynamic /><extensions>", "a network in time slices"),
    "an entity": ("<!-- a network -->", '<!DOCTYPE smile [<!ENTITY a "x">]>', "entities"),
    "cut short": ("</smile>", "", "no element found; is it complete"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_the_line(name):
    old, new, said = REFUSED[name]
    text = GENIE.replace(old, new)
    assert text != GENIE
    with pytest.raises(ModelFileError, match=said):
        parse(text.encode("latin-1"), "f").network("Success")


def test_it_is_known_by_its_root():
    assert recognised(GENIE) == ".xdsl"


def test_agrum_s_first_parent_is_the_fastest():
    text = GENIE.replace('app="GeNIe"', 'app="aGrUM 3.3.1"')
    with pytest.warns(bnlr.BnlrWarning, match="first one is the fastest there, against the format"):
        net = parse(text.encode("latin-1"), "f").network("Success")
    assert net.structure.parents("Both") == ("Forecast", "Success")
    assert net.cpts["Both"][..., 1].tolist() == [[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]


def test_pyagrum_reads_names_states_and_numbers(tmp_path):
    gum = pytest.importorskip("pyagrum")
    net = parse(
        GENIE.replace("Both", "B")
        .replace("Success Forecast", "Forecast")
        .replace("T F F F F T", "T F T")
        .encode("latin-1"),
        "f",
    ).network("Success")
    bnlr.save(net, tmp_path / "x.xdsl")
    found = bnlr.from_pyagrum(gum.loadBN(str(tmp_path / "x.xdsl")), "Success")
    assert found.states == net.states
    for node in net.structure.nodes:
        np.testing.assert_allclose(found.cpts[node], net.cpts[node], rtol=1e-6)
