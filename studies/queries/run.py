"""One task of the study: both learners on one sample of events of one example."""

from typing import Any

import numpy as np

import bnlr
from studies.common import Task
from studies.queries.examples import EXAMPLES, Example

SIZES = (20, 50, 100, 200, 500, 1000, 2000)
LEARNERS = {
    "ofe": "OFE: add-one frequency estimates of the events",
    "qd": "QD: the queries, labelled by the events that match them",
}

_STARTS = 3
_UNKNOWN = 0.5


def run_task(task: Task) -> dict[str, Any]:
    """Learn from events by OFE and by QD, and ask both the example's queries.

    Parameters
    ----------
    task
        With the fields example, rows and seed.

    Returns
    -------
    dict
        {learner: mean squared error on the true answers}, and ``labelled``, how many of the
        queries have an event that matches their evidence.
    """
    example = EXAMPLES[str(task["example"])]
    # The rows of a seed are among those of the same seed and more rows.
    rng = np.random.default_rng(task.part("example", "seed").seed)
    n_rows = int(str(task["rows"]))
    events = example.events(max(SIZES), rng).take(np.arange(n_rows))
    counted = bnlr.fit(example.structure, events, learner="frequencies").network
    error, n_labelled = _driven(example, events, int(str(task["seed"])))
    return {
        "ofe": bnlr.query_error(counted, example.queries),
        "qd": error,
        "labelled": n_labelled,
    }


def _driven(example: Example, events: bnlr.Dataset, seed: int) -> tuple[float, int]:
    """Learn from the queries with a matching event; one without is answered by a half."""
    labelled = example.unlabelled.labelled_by(events)
    true = bnlr.QuerySet(example.queries).labels
    known = [k for k, query in enumerate(labelled) if query.p is not None]
    errors = {k: (_UNKNOWN - p) ** 2 for k, p in enumerate(true.tolist())}
    if known:
        network = bnlr.fit_queries(
            example.structure,
            [labelled[k] for k in known],
            example.states,
            solver="l-bfgs",
            n_starts=_STARTS,
            random_state=seed,
            n_threads=1,
        ).network
        errors |= {k: bnlr.query_error(network, example.queries[k]) for k in known}
    return float(np.mean(list(errors.values()))), len(known)
