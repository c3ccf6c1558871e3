"""The estimator's parameters in one table: names, defaults, choices, and a line of help for each.

`BNClassifier.__init__` spells the same names and defaults out, as scikit-learn asks; checks, files
and the command line read them here. Light, so that a command's help loads little.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import TYPE_CHECKING, Any, Self

from bnlr._typing import State
from bnlr.data.unseen import UNSEEN, Unseen
from bnlr.learn.choices import AUTO, CENTRES, LEARNERS, NONPERFECT, SPACES
from bnlr.optimize.base import SOLVERS
from bnlr.search.methods import METHODS
from bnlr.spellings import canonical

if TYPE_CHECKING:
    import os

    from bnlr.structure.dag import Structure

POOL = "pool"
CHOSEN = (AUTO, POOL)
"""As ``structure``: chosen by folds; the best one, or several whose predictions are pooled."""

STRUCTURES = (*CHOSEN, *METHODS)
CUTTINGS = ("mdl", "mdl-5", "quantile-5")
"""Ways to cut numbers; any whole number from 2 on may stand for 5, see `input.discretizers`."""

_CUTTING = re.compile(r"(mdl|quantile)s?[-_ ]*(\d+)", re.IGNORECASE)

AS_SEEN = "as seen"
"""As ``expect_missing``: the holes that the rows have are those to come."""

Expected = float | str | Mapping[str, float] | None
ClassWeight = str | Mapping[Any, float] | None
Latent = Mapping[str, Sequence[State]] | None


def _about(
    words: str,
    among: tuple[str, ...] = (),
    *,
    is_open: bool = False,
    texts: tuple[str, ...] = (),
) -> dict[str, Any]:
    """Words for help, and the texts that a parameter may be; ``is_open``: or something else.

    ``texts`` are those that the words name.
    """
    return {"words": words, "among": among, "is_open": is_open, "texts": among or texts}


@dataclass(frozen=True)
class Parameters:
    """What `BNClassifier` is asked for; see there. Nothing is checked here.

    Names have the one spelling that the rest of the house knows, however they were given.
    """

    structure: "str | os.PathLike[str] | Structure" = field(
        default=AUTO,
        metadata=_about(
            "with options as in kdb:k=1, or a file that 'bnlr check' reads",
            STRUCTURES,
            is_open=True,
        ),
    )
    structure_options: "Mapping[str, Any] | None" = field(
        default=None, metadata=_about("options of the method, by name")
    )
    learner: str = field(
        default=AUTO,
        metadata=_about(
            "frequencies is generative, dfe goes by losses, lr finds the global optimum", LEARNERS
        ),
    )
    space: str = field(default=AUTO, metadata=_about("the parameters to find", SPACES))
    solver: str = field(
        default=AUTO, metadata=_about("what finds them", (AUTO, *SOLVERS), is_open=True)
    )
    discretize: str | None = field(
        default=AUTO,
        metadata=_about(
            "how numbers are cut; others are as mdl-5 and quantile-5, none makes them all labels",
            (AUTO, *CUTTINGS),
            is_open=True,
        ),
    )
    penalty: float | str = field(
        default=AUTO,
        metadata=_about(
            "strength of the L2 penalty, 0 for none, auto or cv: what predicts best",
            texts=(AUTO, "cv"),
        ),
    )
    penalty_center: str = field(default=AUTO, metadata=_about("where it shrinks to", CENTRES))
    pseudocount: float | None = field(
        default=None, metadata=_about("added to every count (default: 1; for dfe 0)")
    )
    max_iter: int | None = field(
        default=None, metadata=_about("the most iterations (default: 1000; for dfe 4 passes)")
    )
    tol: float = field(default=1e-9, metadata=_about("how far from the optimum to stop, relative"))
    n_starts: int = field(default=1, metadata=_about("starts, for structures with local optima"))
    random_state: int | None = field(
        default=None, metadata=_about("of the further starts and of the masks")
    )
    expect_missing: Expected = field(
        default=None,
        metadata=_about(
            "train for this share of cells missing in prediction, 0 to below 1, or 'as-seen'",
            texts=(AS_SEEN,),
        ),
    )
    unseen: Unseen = field(
        default="missing",
        metadata=_about("what prediction does with labels not seen here", UNSEEN),
    )
    missing: str = field(
        default="sum",
        metadata=_about("whether missing cells are summed out, or a label", ("sum", "state")),
    )
    temperature: str | None = field(
        default=None,
        metadata=_about("auto: scale what learner frequencies predicts", texts=(AUTO,)),
    )
    nonperfect: str = field(
        default="elr",
        metadata=_about("where learning is not convex; embed: in what is", NONPERFECT),
    )
    m_step_pseudocount: float = field(
        default=0.0, metadata=_about("added to every count in every step of em")
    )
    class_weight: ClassWeight = field(
        default=None,
        metadata=_about(
            'balanced: all classes weigh the same together; or weights, as in {"yes": 2}',
            texts=("balanced",),
        ),
    )
    states: Latent = field(
        default=None,
        metadata=_about(
            "a node of a given structure that no column shows, and its states, as in "
            "'h=low,high'; may be given several times"
        ),
    )
    n_jobs: int | None = field(
        default=None,
        metadata=_about(
            "processes that try candidates of auto, pool and cll side by side, -1 for one a "
            "processor; starting them takes seconds"
        ),
    )
    verbose: int = field(default=0, metadata=_about("1: a line for each candidate and iteration"))

    @property
    def chooses_structure(self) -> bool:
        """Whether several structure learners are tried."""
        return isinstance(self.structure, str) and self.structure in CHOSEN

    @classmethod
    def of(cls, holder: object) -> Self:
        """Take them from an object that has them as attributes, in any spelling."""
        return cls(**{one.name: _meant(one, getattr(holder, one.name)) for one in fields(cls)})


def _meant(parameter: Field[Any], value: Any) -> Any:
    """Return a value in the spelling of the table; a structure may be a path too."""
    meant = canonical(value, parameter.metadata["texts"])
    if parameter.name == "discretize" and isinstance(meant, str):
        return _cutting(meant)
    return meant


def _cutting(text: str) -> str:
    """Return a way to cut numbers in the spelling of `CUTTINGS`: "mdl-7" of "MDL 7"."""
    match = _CUTTING.fullmatch(text)
    return text if match is None else f"{match[1].lower()}-{match[2]}"


def names() -> tuple[str, ...]:
    """Return the parameters' names, in the constructor's order."""
    return tuple(one.name for one in fields(Parameters))


def choices() -> dict[str, tuple[str, ...]]:
    """{parameter: the texts it may be} of those that are nothing else."""
    return {
        one.name: one.metadata["among"]
        for one in fields(Parameters)
        if one.metadata["among"] and not one.metadata["is_open"]
    }


def help_of(name: str) -> str:
    """Return a line of help: what the parameter may be, what it means, and its default."""
    (one,) = (one for one in fields(Parameters) if one.name == name)
    *first, last = one.metadata["among"] or ("",)
    texts = f"{', '.join(first)} or {last}; " if first else ""
    default = "" if one.default is None else f" (default: {one.default})"
    return f"{texts}{one.metadata['words']}{default}"
