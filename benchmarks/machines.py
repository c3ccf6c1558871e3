"""``python -m benchmarks.machines``: a TAN on several machines, by constants measured here.

A LocalCluster of processes with one thread each reads Parquet of two sizes, learns a TAN and fits
it. The difference between the sizes is the price of a row in the workers' CPU seconds; trips are
counted; the quickest about nearly no rows tells their latency, one about many parts what the
scheduler takes for each: what else runs here is no part of either.
The table is then on paper: rows shared by cores, a part a core, trips one after the other.
"""

import argparse
import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

import numpy as np
import pandas as pd

import bnlr
from benchmarks.generated import CLASS, sample

ROWS = (10**9, 10**10, 10**11)
MACHINES = (1, 8, 64)


@dataclass(frozen=True)
class Constants:
    """Seconds of a core for a row to be read and coded, searched for a TAN, fitted; trips of each.

    A trip takes ``latency`` seconds and ``a_part`` more for each part.
    """

    read: float
    search: float
    fit: float
    read_trips: int
    search_trips: int
    fit_trips: int
    latency: float
    a_part: float

    def worked(self, n_rows: float, n_cores: int) -> float:
        """What rows at hand take, which need no trips."""
        return (self.read + self.search + self.fit) * n_rows / n_cores

    def travelled(self, n_cores: int) -> float:
        """All trips, one after another."""
        trips = self.read_trips + self.search_trips + self.fit_trips
        return trips * (self.latency + self.a_part * n_cores)

    def seconds(self, n_rows: float, n_cores: int) -> float:
        """All of reading, structure and fit."""
        return self.worked(n_rows, n_cores) + self.travelled(n_cores)

    def even(self, n_cores: int) -> float:
        """Rows from which two machines of ``n_cores`` take less time than one without Dask."""
        return self.travelled(2 * n_cores) / (self.worked(1, n_cores) - self.worked(1, 2 * n_cores))


def main() -> None:
    """Measure, and print constants and table."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.machines", description=__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="of the smaller file")
    parser.add_argument("--attributes", type=int, default=50)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cores", type=int, default=16, help="of a machine, in the table")
    parser.add_argument("--smoke", action="store_true", help="few rows: whether it runs")
    args = parser.parse_args()
    n_rows, n_attributes = (20_000, 5) if args.smoke else (args.rows, args.attributes)
    found = measure(n_rows, n_attributes, args.workers)
    print(json.dumps(asdict(found), indent=2))
    print(table(found, args.cores))


def measure(n_rows: int, n_attributes: int, n_workers: int) -> Constants:
    """Constants of rows of a random TAN on ``n_workers`` processes here."""
    with tempfile.TemporaryDirectory() as folder, _cluster(n_workers=n_workers):
        files = [_written(Path(folder) / str(k), k * n_rows, n_attributes) for k in (1, 3)]
        _times(files[0])  # what is loaded and started once is no part of a row
        few, many = map(_times, files)
    a_row = {
        what: max(many[what] - few[what], 0.0) / (2 * n_rows) for what in ("read", "search", "fit")
    }
    latencies = {n: _latency(n) for n in (2, 32)}
    a_part = max(latencies[32] - latencies[2], 0.0) / 30
    return Constants(
        **a_row,
        read_trips=int(many["read_trips"]),
        search_trips=int(many["search_trips"]),
        fit_trips=int(many["fit_trips"]),
        latency=max(latencies[2] - 2 * a_part, 0.0),
        a_part=a_part,
    )


def table(found: Constants, n_cores: int) -> str:
    """Seconds by rows and machines."""
    lines = ["rows      " + "".join(f"{n:>12,} x {n_cores}" for n in MACHINES)]
    for n_rows in ROWS:
        cells = (found.seconds(n_rows, n * n_cores) for n in MACHINES)
        lines.append(f"{n_rows:<10.0e}" + "".join(f"{_told(s):>{12 + 5}}" for s in cells))
    lines.append(f"two machines pay from {found.even(n_cores):,.0f} rows on")
    return "\n".join(lines)


def _told(seconds: float) -> str:
    for size, name in ((3600.0, "h"), (60.0, "min")):
        if seconds >= 2 * size:
            return f"{seconds / size:.1f} {name}"
    return f"{seconds:.1f} s"


@contextmanager
def _cluster(**asked: Any) -> Iterator[None]:
    from distributed import Client, LocalCluster  # noqa: PLC0415  an extra

    options = {"threads_per_worker": 1, "dashboard_address": None, **asked}
    with LocalCluster(**options) as cluster, Client(cluster) as client:
        client.wait_for_workers(1)
        yield


def _written(folder: Path, n_rows: int, n_attributes: int) -> str:
    """Rows of a random TAN in four files of Parquet."""
    codes, *_ = sample(n_rows, n_attributes, 1, seed=1)
    folder.mkdir()
    names = [CLASS, *(f"a{k}" for k in range(n_attributes))]
    frame = pd.DataFrame(dict(zip(names, codes, strict=True)))
    for k, rows in enumerate(np.array_split(np.arange(n_rows), 4)):
        frame.iloc[rows].to_parquet(folder / f"{k}.parquet")
    return str(folder)


def _times(folder: str) -> dict[str, float]:
    """CPU seconds of all workers, and trips, of reading, structure and fit."""
    import dask.dataframe as dd  # noqa: PLC0415  an extra

    clock = [_worked()]
    data = bnlr.Dataset.from_dask(dd.read_parquet(folder), CLASS)
    n_rows, trips = data.n_rows, [data.trips]  # which waits until all is read
    clock.append(_worked())
    structure = bnlr.learn_structure(data, "tan")
    trips.append(data.trips)
    clock.append(_worked())
    bnlr.fit(structure, data, penalty=3.0)
    trips.append(data.trips)
    clock.append(_worked())
    read, search, fit = np.diff(clock)
    n_read = trips[0] + 2  # the labels and the codes
    n_search, n_fit = np.diff(trips)
    return {
        "rows": n_rows,
        "read": read,
        "search": search,
        "fit": fit,
        "read_trips": n_read,
        "search_trips": n_search,
        "fit_trips": n_fit,
    }


def _worked() -> float:
    from distributed import get_client  # noqa: PLC0415  an extra

    return sum(get_client().run(process_time).values())


def _latency(n_parts: int) -> float:
    """Seconds of a trip about so many parts, in which there is next to nothing to do."""
    import dask.dataframe as dd  # noqa: PLC0415  an extra

    with _cluster(n_workers=1, threads_per_worker=n_parts, processes=False):
        data = bnlr.Dataset.from_dask(dd.from_map(_block, range(n_parts)), CLASS)
        times = []
        for _ in range(50):
            begin, trips = perf_counter(), data.trips
            data.sample(1)
            times.append((perf_counter() - begin) / (data.trips - trips))
    return min(times)


def _block(number: int) -> pd.DataFrame:
    """Rows of one block, those that a part at least has."""
    return pd.DataFrame({"a": np.arange(2**16) % 2, CLASS: (np.arange(2**16) + number) // 2 % 2})


if __name__ == "__main__":
    main()
