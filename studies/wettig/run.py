"""One task of the study: ELR from one start on one of the paper's samples, or the way round it."""

import warnings
from typing import Any

import numpy as np

import bnlr
from studies.common import Task
from studies.wettig.truth import COLLIDER, STATES, sample_of

KINDS = {
    "frequencies": "the add-one frequency estimates, ELR's plug-in start",
    "shaken": "the frequency estimates, each β moved by a standard normal",
    "normal": "standard normal β",
    "dirichlet": "CPT rows drawn evenly (Dirichlet 1)",
    "wide": "normal β of standard deviation 3",
}
"""How a start is drawn."""

EMBEDDED = "embedded"
"""The task that adds the arcs which make Condition 1 hold."""

_MAX_ITER = 2000


def run_task(task: Task) -> dict[str, Any]:
    """Raise the CLL from one start.

    Parameters
    ----------
    task
        With the fields sample (a name that `sample_of` reads), kind (one of `KINDS` or `EMBEDDED`)
        and start.

    Returns
    -------
    dict
        ``cll`` reached, ``bound`` proven by the L-model, ``iterations``; for `EMBEDDED` also the
        ``arcs`` that were added.
    """
    data = sample_of(str(task["sample"])).dataset()
    kind = str(task["kind"])
    options: dict[str, Any] = {"learner": "auto", "nonperfect": "embed"}
    if kind != EMBEDDED:
        start = drawn(kind, data, int(str(task["start"])))
        options = {"learner": "elr", "start": start, "solver": "l-bfgs"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bnlr.SeparationWarning)  # suprema are what is looked for
        result = bnlr.fit(COLLIDER, data, max_iter=_MAX_ITER, n_threads=1, **options)
    found: dict[str, Any] = {
        "cll": result.cll,
        "bound": result.upper_bound,
        "iterations": result.n_iter,
    }
    if kind == EMBEDDED:
        added = set(result.network.structure.edges) - set(COLLIDER.edges)
        found["arcs"] = [f"{a} → {b}" for a, b in sorted(added)]
    return found


def drawn(kind: str, data: bnlr.Dataset, seed: int) -> bnlr.BayesianNetwork:
    """CPTs to start from; the seed alone decides what is random in them."""
    rng = np.random.default_rng(seed)
    counted = bnlr.fit(COLLIDER, data, learner="frequencies").network
    cpts = {}
    for node in COLLIDER.nodes:
        shape = counted.cpts[node].shape
        if kind == "dirichlet":
            cpts[node] = rng.dirichlet(np.ones(shape[-1]), shape[:-1])
            continue
        beta = np.log(counted.cpts[node]) if kind in {"frequencies", "shaken"} else np.zeros(shape)
        spread = {"frequencies": 0.0, "wide": 3.0}.get(kind, 1.0)
        cpts[node] = _softmax(beta + spread * rng.standard_normal(shape))
    return bnlr.BayesianNetwork(COLLIDER, STATES, cpts)


def _softmax(beta: np.ndarray) -> np.ndarray:
    shares = np.exp(beta - beta.max(axis=-1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=-1, keepdims=True))
