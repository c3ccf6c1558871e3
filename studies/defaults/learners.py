"""The learners that meet: names, what makes them, and a version for the journal."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from importlib.util import find_spec
from typing import Any

import bnlr
from studies.defaults import boosters, peers
from studies.defaults.plain import STRENGTHS, Plain


@dataclass(frozen=True)
class Learner:
    """A way to a classifier.

    Attributes
    ----------
    label : str
        For tables and figures.
    about : str
        How it is set up.
    make : () → estimator
        Fresh, with ``fit`` and ``predict_proba`` as scikit-learn has them.
    version : int
        Raised when what it yields changes; its tasks are then done again.
    is_ours : bool
    is_ranked : bool
        Whether it takes part in ranks; those that differ little from another one do not.
    for_holes : bool
        Whether it is tried only where cells are missing.
    is_slow : bool
        Whether the quick version goes without it unless it is asked for.
    library : tuple of str
        Package to import and name to install it by, if it may be absent.
    """

    label: str
    about: str
    make: Callable[[], Any]
    version: int = 1
    is_ours: bool = True
    is_ranked: bool = True
    for_holes: bool = False
    is_slow: bool = False
    library: tuple[str, str] | None = None

    @property
    def is_available(self) -> bool:
        """Whether its library is installed."""
        return self.library is None or find_spec(self.library[0]) is not None

    @property
    def task_fields(self) -> Mapping[str, str | int]:
        """What its results depend on: its version, and that of a library that may be absent."""
        fields: dict[str, str | int] = {"version": self.version}
        return fields if self.library is None else {**fields, "library": version(self.library[1])}


AUTO, FIXED, CLL, LR, LR_CV, HGB = "auto", "fan", "cll", "lr", "lr-cv", "hgb"
LIGHTGBM, CATBOOST, EBM = "lightgbm", "catboost", "ebm"
POOL = "pool"
OURS = (AUTO, POOL)
"""Those that nothing is set of, against each of `PEERS`."""

PEERS = (LR_CV, HGB, LIGHTGBM, CATBOOST, EBM)
GENERATIVE_NB, GENERATIVE_TAN = "nb-counts", "tan-counts"


def _network(structure: str, **options: Any) -> Callable[[], bnlr.BNClassifier]:
    return partial(bnlr.BNClassifier, structure, **options)


_STATE: Mapping[str, Any] = {"missing": "state"}
_COUNTS: Mapping[str, Any] = {"learner": "frequencies", **_STATE}
_TEMPERED: Mapping[str, Any] = {"temperature": "auto", **_COUNTS}

_OPTIMUM = "the logistic optimum, its penalty's strength by cross-validation"


def _plain(label: str, about: str, **remedy: Any) -> Learner:
    about = f"`BNClassifier()` {about}"
    return Learner(label, about, partial(Plain, **remedy), is_ranked=False)


PLAIN = "plain"
ABLATIONS: Mapping[str, Learner] = {
    PLAIN: _plain(
        "plain",
        "as it was: no smooth numbers, no arcs chosen for the class, strengths of 100 to 0.03",
    ),
    "plain-smooth": _plain("plain + smooth", "plain but for smooth numbers", smooth=True),
    "plain-arcs": _plain("plain + arcs", "plain but for arcs for the class", for_the_class=True),
    "plain-strengths": _plain(
        "plain + strengths", "plain but for strengths of 3000 to 0.001", strengths=STRENGTHS
    ),
    "plain-pool": _plain("plain + pool", "plain, but several networks pooled", structure="pool"),
}
"""The default without its remedies, and with each of them alone; tried with ``--ablation``."""

LEARNERS: Mapping[str, Learner] = {
    AUTO: Learner(
        "auto",
        "`BNClassifier()`: structure, intervals and penalty by an inner cross-validation",
        _network("auto"),
        version=5,
    ),
    POOL: Learner(
        "pool",
        "`BNClassifier('pool')`: what auto tries, several networks weighed together",
        _network("pool"),
        version=2,
    ),
    FIXED: Learner("FAN", f"`BNClassifier('fan')`: {_OPTIMUM}", _network("fan")),
    "tan": Learner("TAN", f"`BNClassifier('tan')`: {_OPTIMUM}", _network("tan")),
    "nb": Learner("NB", f"`BNClassifier('naive-bayes')`: {_OPTIMUM}", _network("naive-bayes")),
    "hgc": Learner(
        "HGC",
        f"`BNClassifier('hgc', missing='state')`, which takes no holes: {_OPTIMUM}",
        _network("hgc", **_STATE),
    ),
    CLL: Learner(
        "CLL",
        "`BNClassifier('cll', missing='state')`, the search by held-out conditional likelihood, "
        "which takes no holes, its intervals those that suit NB, FAN and TAN best: " + _OPTIMUM,
        _network("cll", **_STATE),
        version=2,
    ),
    GENERATIVE_NB: Learner(
        "NB counts",
        "`BNClassifier('naive-bayes', learner='frequencies', missing='state')`: generative, "
        "add-one smoothing",
        _network("naive-bayes", **_COUNTS),
    ),
    GENERATIVE_TAN: Learner("TAN counts", "the same with TAN", _network("tan", **_COUNTS)),
    "hgc-counts": Learner("HGC counts", "the same with HGC", _network("hgc", **_COUNTS)),
    "nb-tempered": Learner(
        "NB tempered",
        "NB counts with `temperature='auto'`: its log-odds times the number that predicts best",
        _network("naive-bayes", **_TEMPERED),
    ),
    "tan-tempered": Learner("TAN tempered", "the same with TAN", _network("tan", **_TEMPERED)),
    "hgc-tempered": Learner("HGC tempered", "the same with HGC", _network("hgc", **_TEMPERED)),
    "auto-state": Learner(
        "auto state",
        "auto with `missing='state'`, where cells are missing",
        _network("auto", **_STATE),
        version=2,
        is_ranked=False,
        for_holes=True,
    ),
    "fan-state": Learner(
        "FAN state",
        "FAN with `missing='state'`, where cells are missing",
        _network("fan", **_STATE),
        is_ranked=False,
        for_holes=True,
    ),
    LR: Learner(
        "LR",
        "`LogisticRegression(C=1)` on one-hot columns after the same discretization, missing as a "
        "label",
        peers.logistic,
        is_ours=False,
    ),
    LR_CV: Learner(
        "LR CV",
        f"the same, C by {peers.N_INNER_FOLDS} inner folds among "
        f"{', '.join(f'{c:g}' for c in peers.STRENGTHS)}",
        peers.logistic_cv,
        is_ours=False,
    ),
    HGB: Learner(
        "HGB",
        "`HistGradientBoostingClassifier(early_stopping=True)` on raw columns, text as categories",
        peers.boosting,
        is_ours=False,
    ),
    LIGHTGBM: Learner(
        "LightGBM",
        "`LGBMClassifier()` on raw columns, text as categories",
        boosters.lightgbm,
        is_ours=False,
        library=("lightgbm", "lightgbm"),
    ),
    CATBOOST: Learner(
        "CatBoost",
        "`CatBoostClassifier()` on raw columns, text named as such, missing text as a label",
        boosters.catboost,
        is_ours=False,
        library=("catboost", "catboost"),
    ),
    EBM: Learner(
        "EBM",
        "interpret's `ExplainableBoostingClassifier()` on raw columns, text as categories",
        boosters.explainable,
        is_ours=False,
        is_slow=True,
        library=("interpret", "interpret-core"),
    ),
    "forest": Learner(
        "forest",
        "`RandomForestClassifier()` on raw numbers and one-hot columns of text",
        peers.forest,
        version=2,
        is_ours=False,
    ),
    "categorical-nb": Learner(
        "CategoricalNB",
        "scikit-learn's naive Bayes of counts, missing as a label",
        peers.categorical_nb,
        is_ours=False,
        is_ranked=False,
    ),
    "pyagrum": Learner(
        "pyAgrum TAN",
        "`pyagrum.skbn.BNClassifier(learningMethod='TAN')` with add-one smoothing on the same "
        "labels, missing as a label; the posterior of its network; a label that training lacks is "
        "replaced by the most frequent, for pyAgrum refuses it",
        peers.pyagrum_tan,
        is_ours=False,
        library=("pyagrum", "pyagrum"),
    ),
    **ABLATIONS,
}


def available(*, only_fast: bool = False) -> dict[str, Learner]:
    """Return the learners whose libraries are installed, those of the ablation left out."""
    return {
        name: learner
        for name, learner in LEARNERS.items()
        if learner.is_available and name not in ABLATIONS and not (only_fast and learner.is_slow)
    }


LABELS = {name: learner.label for name, learner in LEARNERS.items()}
