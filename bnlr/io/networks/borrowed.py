"""Formats that pyAgrum reads for bnlr where it is installed: DSL and O3PRM.

pyAgrum keeps seven digits of a probability and its grammars are lenient, so that a warning says who
read the file. It is given a copy of the text under a plain name, and never its own pickles.
"""

import re
import tempfile
from contextlib import redirect_stdout, suppress
from functools import cached_property
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bnlr.errors import BnlrWarning, ModelFileError, ParameterError
from bnlr.io.graph import build_structure
from bnlr.io.networks.interop import from_pyagrum, needed
from bnlr.warn import warn

if TYPE_CHECKING:
    from bnlr._typing import State
    from bnlr.network import BayesianNetwork
    from bnlr.structure.dag import Structure

# Another file would be looked for and read.
_IMPORT = re.compile(r"^\s*import\b", re.MULTILINE)


# A column's sum may be off by so much, and is divided by; as other formats' columns are in silence.
_ROUNDING, _NO_ROUNDING = 1e-3, 1e-9


class BorrowedNetwork:
    """A network that pyAgrum reads from a text.

    Parameters
    ----------
    end
        The extension of its format.
    text
    source
        What errors call the file.
    """

    def __init__(self, end: str, text: str, source: str) -> None:
        self._end, self._text, self._source = end, text, source

    def structure(self, class_name: str | None = None) -> "Structure":
        """Return the graph; errors as `network`."""
        model = self._model
        nodes = [model.variable(k).name() for k in sorted(model.nodes())]
        arcs = [(parent, node) for node in nodes for parent in model.cpt(node).names[1:]]
        return build_structure(arcs, class_name, nodes, self._source)

    @property
    def states(self) -> "dict[str, tuple[State, ...]]":
        """{node: its states}."""
        model = self._model
        return {name: tuple(model.variable(name).labels()) for name in model.names()}

    def network(self, class_name: str | None = None) -> "BayesianNetwork":
        """Return the network.

        Raises
        ------
        ModelFileError
            What pyAgrum does not read, or no class.
        InteropExtraError
            pyAgrum is not installed.
        """
        structure = self.structure(class_name)
        for name in self._model.names():
            cpt = self._model.cpt(name)
            off = np.abs(np.asarray(cpt.toarray()).sum(axis=-1) - 1.0).max()
            if _NO_ROUNDING < off <= _ROUNDING:
                cpt.normalizeAsCPT()
        try:
            return from_pyagrum(self._model, structure.class_name)
        except ParameterError as error:
            raise ModelFileError(f"{self._source}: {error}") from error

    @cached_property
    def _model(self) -> Any:
        gum = needed("pyagrum", "pyagrum", f"reading {self._end}")
        if self._end == ".o3prm":
            if _IMPORT.search(self._text):
                raise ModelFileError(f"{self._source}: it imports other files; put all in one")
            with suppress(ImportError):  # which older releases do without
                import_module("pyagrum.prm")
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / f"network{self._end}"
            copy.write_text(self._text, encoding="utf-8")
            try:
                with redirect_stdout(StringIO()):
                    model = gum.loadBN(str(copy))
            except Exception as error:  # pyAgrum's have no common root
                lines = str(error).replace(str(copy), "").strip().splitlines() or [""]
                said = next((line for line in lines if " error " in line), lines[0])
                raise ModelFileError(
                    f"{self._source}: pyAgrum does not read it: {said:.200}"
                ) from error
        warn(
            f"{self._source} was read by pyAgrum, which keeps seven digits of a probability",
            BnlrWarning,
        )
        return model
