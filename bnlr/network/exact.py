"""Exact inference in one network: its CPTs as the engine knows them, and an engine a target."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from bnlr._typing import FloatArray
from bnlr.inference.cpts import FlatCPTs
from bnlr.inference.engine import Engine
from bnlr.structure.dag import Structure


@dataclass(frozen=True, eq=False)
class Exact:
    """Flat CPTs, the node asked about, and an engine for each such node that was asked for."""

    flat: FlatCPTs
    theta: FloatArray
    target: int
    engines: dict[int, Engine] = field(default_factory=dict)

    @classmethod
    def of(
        cls, structure: Structure, cards: Mapping[str, int], cpts: Mapping[str, FloatArray]
    ) -> "Exact":
        """Lay CPTs out for inference about the class."""
        flat = FlatCPTs.of(structure, cards)
        return cls(flat, flat.flatten(cpts), structure.index(structure.class_name))

    def about(self, node: int) -> "Exact":
        """Return the same for another target; the engines are shared."""
        return Exact(self.flat, self.theta, node, self.engines)

    def engine(self) -> Engine:
        """Return the engine of the target, built when first asked for."""
        if self.target not in self.engines:
            self.engines[self.target] = Engine(self.flat, self.target)
        return self.engines[self.target]
