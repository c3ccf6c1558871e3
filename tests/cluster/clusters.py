"""A small cluster of processes for the tests of this folder, and data for them."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer

import dask
import dask.dataframe as dd
import distributed
import numpy as np
import pandas as pd

__all__ = ["dask", "dd", "distributed"]  # for who must not import them where they are not

COLUMNS = ["x", "k", "s", "o"]

LIMIT = 120.0
"""Seconds within which each question must have been answered or refused."""


@contextmanager
def two_workers(**options) -> Iterator["distributed.Client"]:
    asked = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": "1GiB", **options}
    with (
        distributed.LocalCluster(dashboard_address=None, **asked) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def kill_one(client) -> None:
    """Kill the process of the older worker; not all nannies replace one that has just started."""
    client.wait_for_workers(2, timeout=LIMIT)
    os.kill(min(client.run(os.getpid).values()), signal.SIGKILL)


@contextmanager
def killed(client, after: float) -> Iterator[None]:
    """Kill a worker's process so many seconds from now."""
    timer = Timer(after, kill_one, (client,))
    timer.start()
    try:
        yield
    finally:
        timer.join()


def mixed(n_rows: int, seed: int = 0) -> pd.DataFrame:
    """Numbers, labels and categories with holes, the class, and weights, some of them 0."""
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, 3, n_rows)
    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(n_rows) < 0.1, np.nan, rng.normal(classes, 1.0)),
            "k": rng.integers(0, 50, n_rows) + 10 * classes,
            "s": np.where(rng.random(n_rows) < 0.6, np.array(["a", "b", "q"])[classes], "a"),
            "o": pd.Categorical(
                rng.choice(["lo", "mid", "hi"], n_rows), ["lo", "mid", "hi"], ordered=True
            ),
        }
    )
    frame["class"] = np.array(["yes", "no", "may"])[classes]
    frame["w"] = rng.integers(0, 3, n_rows).astype(float)
    return frame
