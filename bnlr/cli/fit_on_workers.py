"""``bnlr fit --scheduler`` and ``--workers``: the rows of Parquet files stay on Dask's workers."""

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from bnlr.cli.options import given_reading, typed_reading
from bnlr.errors import DataError, ParameterError
from bnlr.words import counted, listed, quoted

if TYPE_CHECKING:
    from bnlr.classifier.estimator import BNClassifier


def add_worker_options(parser: argparse.ArgumentParser) -> None:
    """Add the options that say where rows are."""
    group = parser.add_argument_group(
        "several processes or machines (DATA is then Parquet: a file, a folder, 'data/*.parquet', "
        "s3://…)"
    )
    group.add_argument(
        "--scheduler", metavar="URL", help="a Dask cluster's, such as tcp://host:8786"
    )
    group.add_argument("--workers", metavar="N", type=int, help="start N processes on this machine")


@contextmanager
def fitted_on_workers(
    args: argparse.Namespace, classifier: "BNClassifier", tell: Callable[[str], None]
) -> Iterator[None]:
    """Fit on workers, which are there for what is done inside.

    Raises
    ------
    ParameterError
        Options that are for text files, or both ways to name workers.
    DataError
        No workers, no files, no such column.
    """
    from bnlr.data.dataset import with_dask  # noqa: PLC0415  loads NumPy

    _check(args)
    room = with_dask("bnlr.cluster.session")
    with room.session(args.scheduler, args.workers) as client:
        n_workers = len(client.scheduler_info(n_workers=-1)["workers"])
        tell(f"workers      {n_workers:,}, dashboard {client.dashboard_link}")
        frame = room.read_parquet(args.data)
        tell(
            f"data         {args.data}: {counted(frame.npartitions, 'partition')}, "
            f"{counted(len(frame.columns), 'column')}"
        )
        _fit(classifier, _usable(frame, args), args)
        yield


def _check(args: argparse.Namespace) -> None:
    if args.scheduler is not None and args.workers is not None:
        raise ParameterError("--scheduler has workers, --workers starts some; give one of them")
    if args.workers is not None and args.workers < 1:
        raise ParameterError(f"--workers is {args.workers}; give 1 or more")
    if given := given_reading(args):
        raise ParameterError(
            f"{typed_reading(given)}: for text files, and workers read Parquet; leave it out"
        )
    if args.data == "-":
        raise ParameterError("workers do not read standard input; name Parquet files")


def _usable(frame: Any, args: argparse.Namespace) -> Any:
    """The columns wanted, of rows with a class, on request of those without a hole."""
    wanted = [args.class_name, *args.ignore, *([] if args.weight is None else [args.weight])]
    for name in wanted:
        if name not in frame.columns:
            raise DataError(
                f"{args.data}: no column {quoted(name)}; there are {listed(frame.columns)}"
            )
    kept = frame.drop(columns=args.ignore)
    drops = args.drop_missing or args.missing == "drop"
    return kept.dropna() if drops else kept.dropna(subset=[args.class_name])


def _fit(classifier: "BNClassifier", frame: Any, args: argparse.Namespace) -> None:
    from bnlr.data.suspects.messages import IN_PYTHON  # noqa: PLC0415  loads NumPy
    from bnlr.io.tables.typed import option  # noqa: PLC0415  as above

    weights = None if args.weight is None else frame[args.weight]
    own = [args.class_name, *([] if weights is None else [args.weight])]
    voice = replace(
        IN_PYTHON,
        source=lambda _: f"{args.data}: ",
        drop=lambda names: " ".join(option("--ignore", name) for name in names),
    )
    classifier._fit(frame.drop(columns=own), frame[args.class_name], weights, voice)
