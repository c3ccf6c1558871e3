"""A client for as long as something is done, and files that its workers read."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import dask.dataframe as dd
from distributed import Client, LocalCluster

from bnlr.errors import DataError

_SECONDS = 10


@contextmanager
def session(scheduler: str | None, n_workers: int | None) -> Iterator[Client]:
    """Connect to a scheduler, or start ``n_workers`` processes of one thread on this machine.

    Raises
    ------
    DataError
        No scheduler answers.
    """
    if scheduler is None:
        asked = {"n_workers": n_workers, "threads_per_worker": 1, "dashboard_address": ":0"}
        with LocalCluster(**asked) as cluster, Client(cluster) as client:
            yield client
        return
    try:
        client = Client(scheduler, timeout=_SECONDS)
    except (OSError, ValueError) as error:
        raise DataError(
            f"no Dask scheduler answers at {scheduler}; start one with 'dask scheduler', and "
            f"workers with 'dask worker {scheduler}'"
        ) from error
    with client:
        yield client


def read_parquet(path: str) -> Any:
    """Parquet files as a Dask frame: a file, a folder, a pattern, here or in a store (s3://…).

    Raises
    ------
    DataError
        Nothing there, no Parquet, or a store that needs a package which is not installed.
    """
    try:
        frame = dd.read_parquet(path)
        if not len(frame.columns):
            raise FileNotFoundError("no such file, or no columns in it")
        return frame
    except ImportError as error:
        raise DataError(
            f"{path} is in a store that asks for another package: {error.__cause__ or error}; "
            "install it here and on every worker"
        ) from error
    except (OSError, ValueError, TypeError) as error:
        raise DataError(
            f"{path} cannot be read as Parquet by several workers ({type(error).__name__}: "
            f"{str(error)[:300]}); write the rows as Parquet, such as frame.to_parquet(path)"
        ) from error
