"""``Pool``: the networks whose predictions are weighed together, and their weights."""

from dataclasses import dataclass, fields
from math import isnan
from typing import TYPE_CHECKING

import numpy as np

from bnlr._typing import FloatArray
from bnlr.classifier.member import Member
from bnlr.network import BayesianNetwork
from bnlr.words import counted

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class PoolMember(Member):
    """A network of a pool; the other attributes are as of `BNClassifier`, less the underscore.

    Attributes
    ----------
    weight : float
        What its log-probabilities are multiplied by.
    structure, discretize, penalty_center : str
        How it was learnt, as in ``selection_``.
    penalty : float
        The strength of its penalty.
    log_loss : float
        Of the folds left out; NaN where there were too few rows to leave any out.
    network : BayesianNetwork
    report : StructureReport
    result : FitResult
    discretizer : MDLDiscretizer, QuantileDiscretizer or None
    missing_states : dict
    rows : str
    """

    weight: float
    structure: str
    discretize: str
    penalty_center: str
    penalty: float
    log_loss: float

    @property
    def label(self) -> str:
        """How it was learnt, in words."""
        cuts = f", {self.discretize}" if self.discretizer is not None else ""
        return f"{self.structure}{cuts}, penalty {self.penalty:g} ({self.penalty_center})"

    def __repr__(self) -> str:
        return f"<PoolMember: weight {self.weight:.3g}, {self.label}>"


FACTS = tuple(one.name for one in fields(PoolMember)[len(fields(Member)) :])
"""What is known of a member beside its network: weight, how it was learnt, log-loss."""


@dataclass(frozen=True, eq=False, repr=False)
class Pool:
    """Networks whose predictions are weighed together: ``BNClassifier("pool").pool_``.

    log P(class | row) = Σ weight · log P of each member + constant: a logarithmic opinion pool
    (Genest & Zidek 1986), the weights from folds left out (stacking, Wolpert 1992).

    Attributes
    ----------
    members : tuple of PoolMember
        That of least log-loss first.
    log_loss : float
        Of the pool on the folds left out, which taught the weights too; NaN if there were none.
    weights : array of shape (n_members,)
        They need not sum to 1: members that see different things are surer together.
    networks : tuple of BayesianNetwork
    """

    members: tuple[PoolMember, ...]
    log_loss: float

    @property
    def weights(self) -> FloatArray:
        """The members' weights."""
        return np.array([member.weight for member in self.members])

    @property
    def networks(self) -> tuple[BayesianNetwork, ...]:
        """The members' networks."""
        return tuple(member.network for member in self.members)

    def to_frame(self) -> "pd.DataFrame":
        """Return a row a member, without the networks."""
        import pandas as pd  # noqa: PLC0415  heavy, and needed only here

        rows = [[getattr(member, name) for name in FACTS] for member in self.members]
        return pd.DataFrame(rows, columns=list(FACTS))

    def __repr__(self) -> str:
        head = f"Pool of {counted(len(self.members), 'network')}{_loss(self.log_loss)}"
        lines = [
            f"  weight {member.weight:.3f}: {member.label}{_loss(member.log_loss)}"
            for member in self.members
        ]
        return "\n".join([head, *lines])


def _loss(loss: float) -> str:
    return "" if isnan(loss) else f", log-loss {loss:.4f}"
