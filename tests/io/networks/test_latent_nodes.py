"""Which nodes are latent travels with the network in every format that is written."""

import numpy as np
import pandas as pd
import pytest

import bnlr

STRUCTURE = bnlr.Structure([("h 1", "c"), ("h 1", "a"), ("h2", "a"), ("h2", "b")], class_name="c")


def network(latent):
    rng = np.random.default_rng(0)
    states = {"c": (0, 1), "h 1": ("low one", 2), "a": ("x", "y"), "h2": (True, False), "b": (1, 2)}
    cpts = {n: rng.dirichlet([1, 1], (2,) * len(STRUCTURE.parents(n))) for n in STRUCTURE.nodes}
    return bnlr.BayesianNetwork(STRUCTURE, states, cpts, latent=latent)


@pytest.mark.parametrize("suffix", ["json", "bif", "xmlbif", "net", "xdsl", "uai"])
@pytest.mark.parametrize("latent", [(), ("h 1",), ("h2",), ("h 1", "h2")])
def test_round_trips(tmp_path, suffix, latent):
    written = network(latent)
    bnlr.save(written, tmp_path / f"n.{suffix}")
    read = bnlr.load(tmp_path / f"n.{suffix}")
    assert set(read.latent) == set(latent)
    assert dict(read.states) == dict(written.states)
    for node, cpt in written.cpts.items():
        assert read.cpts[node].tobytes() == cpt.tobytes()
    rows = pd.DataFrame({"a": ["x", "y"], "b": [1, 2], "h 1": ["low one", 2], "h2": [True, False]})
    rows = rows.drop(columns=list(latent)).astype(object)
    np.testing.assert_array_equal(read.predict_proba(rows), written.predict_proba(rows))
    assert "h 1" not in bnlr.load(tmp_path / f"n.{suffix}", class_name="h 1").latent


@pytest.mark.parametrize("suffix", ["bif", "bifxml", "net", "xdsl", "uai"])
def test_other_programs_read_what_is_written(tmp_path, suffix):
    gum = pytest.importorskip("pyagrum")
    written = network(("h 1",))
    bnlr.save(written, tmp_path / f"n.{suffix}")
    read = gum.loadBN(str(tmp_path / f"n.{suffix}"))
    assert len(read.nodes()) == len(STRUCTURE.nodes)
    assert len(read.arcs()) == len(STRUCTURE.edges)


@pytest.mark.parametrize(
    ("latent", "words"), [(["c"], "latent names 'c'"), (["x"], "latent names 'x'"), ("h", "a list")]
)
def test_json_that_names_no_attribute_is_refused(tmp_path, latent, words):
    from bnlr.io.models.network import content_to_network, network_to_content

    content = {**network_to_content(network(())), "latent": latent}
    with pytest.raises(bnlr.ModelFileError, match=words):
        content_to_network(content)
