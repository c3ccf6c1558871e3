"""The small files that users reported, each read as its README says; of each there is a test."""

import gzip
from pathlib import Path

import numpy as np
import pytest

import bnlr
from tests.io import hostile

ROOT = Path(__file__).parents[2]
CASES = ROOT.parent / "shared" / "cases" / "reported"
pytestmark = pytest.mark.skipif(not CASES.is_dir(), reason="no reported cases beside the checkout")

H, TWO = "h", ("a", "b")
ROWS = [[0.9, 0.1], [0.2, 0.8]]
NETWORKS = {
    "bif_r_bnlearn_intervals.bif": ({H: ("[0_1]", "_1_2]"), "c": TWO}, {H: [0.3, 0.7], "c": ROWS}),
    "bif_pgmpy_blank_state.bif": ({H: ("very low", "high"), "c": TWO}, {H: [0.3, 0.7], "c": ROWS}),
    "hugin_weights.net": (
        {"c": TWO, H: ("x", "y")},
        {H: [0.1, 0.9], "c": [[0.5, 0.5], [0.75, 0.25]]},
    ),
}
TABLES = {
    "csv_na_is_a_label.csv": {"region": ["NA", "EU", "NA", "EU"], "n": [1, 2, 1, 3]},
    "keel.dat": {"a": ["x", "y", "x", "y"], "n": [1, 2, 1, 3]},
    "arff_row_on_data_line.arff": {"a": ["x", "y", "x", "y"], "n": [1, 2, 1, 3]},
    "arff_trailing_comma_moa.arff": {"a": ["x", "y", "x", "y"], "n": [1, 2, 1, 3]},
}


@pytest.mark.parametrize("name", NETWORKS)
def test_networks(name):
    states, tables = NETWORKS[name]
    network = bnlr.load(CASES / name, class_name="c")
    assert network.states == states
    assert network.structure.parents("c") == (H,)
    for node, table in tables.items():
        np.testing.assert_allclose(network.cpts[node], table, rtol=1e-15)


@pytest.mark.parametrize("name", TABLES)
def test_tables(name):
    frame = bnlr.read_frame(CASES / name, "c", keep_na=True)
    for column, cells in TABLES[name].items():
        assert frame[column].tolist() == cells
    assert frame["c"].tolist() == ["yes", "no", "yes", "no"]


def test_thirds_of_two_digits_are_thirds():
    with pytest.warns(bnlr.BnlrWarning, match=r"P\(c\) sums to 0.99; rounded digits explain that"):
        network = bnlr.load(CASES / "bif_thirds.bif", class_name="c")
    np.testing.assert_allclose(network.cpts["c"], [1 / 3] * 3, rtol=1e-15)


def test_latin_1_is_named_or_refused_with_the_remedy():
    path = CASES / "bif_latin1.bif"
    with pytest.raises(bnlr.ModelFileError, match=r"not UTF-8 text.*such as latin-1: encoding="):
        bnlr.load(path, class_name="Grösse")
    network = bnlr.load(path, class_name="Grösse", encoding="latin-1")
    assert network.states == {"Grösse": ("klein", "groß")}


def test_a_packed_network_is_the_plain_one(tmp_path):
    path = CASES / "asia.bif.gz"
    (tmp_path / "asia.bif").write_bytes(gzip.decompress(path.read_bytes()))
    network = bnlr.load(path, class_name="dysp")
    hostile.assert_same(network, bnlr.load(tmp_path / "asia.bif", class_name="dysp"))
    np.testing.assert_array_equal(network.cpts["asia"], [0.01, 0.99])
    assert set(network.structure.parents("either")) == {"lung", "tub"}


def test_no_reported_file_is_forgotten():
    tests = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("test_*.py")]
    for path in CASES.iterdir():
        assert path.name == "README.md" or any(path.name in text for text in tests), path.name
