"""DSL and O3PRM through pyAgrum: what it tells, and what it is never asked."""

import numpy as np
import pytest

import bnlr
from bnlr.io.structures import read_structure

# of pyAgrum's own modules, where they are imported
pytestmark = pytest.mark.filterwarnings("ignore:builtin type:DeprecationWarning")
DSL = """net dog {
  node a { TYPE = CPT; HEADER = { ID = a; NAME = "a"; }; PARENTS = ();
    DEFINITION = { NAMESTATES = (n, y); PROBABILITIES = (0.25, 0.75); }; };
  node b { TYPE = CPT; HEADER = { ID = b; NAME = "b"; }; PARENTS = (a);
    DEFINITION = { NAMESTATES = (u, v, w); PROBABILITIES = (0.5, 0.5, 0.0, 0.25, 0.25, 0.5); }; };
};
"""
O3PRM = """class X {
  boolean a { [0.75, 0.25] };
  boolean b dependson a { [0.1, 0.6, 0.9, 0.4] };
}
"""


@pytest.mark.parametrize(
    ("name", "text", "b"),
    [
        ("x.dsl", DSL, [[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]),
        ("x.o3prm", O3PRM, [[0.1, 0.9], [0.6, 0.4]]),
    ],
)
def test_they_are_read_with_a_warning(name, text, b, tmp_path):
    pytest.importorskip("pyagrum")
    path = tmp_path / name
    path.write_text(text)
    with pytest.warns(bnlr.BnlrWarning, match="by pyAgrum, which keeps seven digits"):
        net = bnlr.load(path, "a")
    assert net.structure.edges == (("a", "b"),)
    np.testing.assert_allclose(net.cpts["b"], b, rtol=1e-6)
    with pytest.warns(bnlr.BnlrWarning):
        assert read_structure(path, "a").cards == net.cards
    with pytest.warns(bnlr.BnlrWarning), pytest.raises(bnlr.ModelFileError, match="class_name="):
        bnlr.load(path)
    with pytest.raises(bnlr.ModelFileError, match="read but not written"):
        bnlr.save(net, path)


def test_what_pyagrum_refuses_is_refused_in_words(tmp_path):
    pytest.importorskip("pyagrum")
    (tmp_path / "x.dsl").write_text("net {")
    with pytest.raises(bnlr.ModelFileError, match=r"x\.dsl: pyAgrum does not read it: "):
        bnlr.load(tmp_path / "x.dsl", "a")
    (tmp_path / "x.o3prm").write_text("import other;\n" + O3PRM)
    with pytest.raises(bnlr.ModelFileError, match="imports other files"):
        bnlr.load(tmp_path / "x.o3prm", "a")


def test_without_pyagrum_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyagrum", None)
    (tmp_path / "x.dsl").write_text(DSL)
    with pytest.raises(bnlr.InteropExtraError, match=r"reading \.dsl needs pyagrum; install it"):
        bnlr.load(tmp_path / "x.dsl", "a")
