"""``python -m benchmarks.larger``: fit a TAN to a Parquet file larger than memory should be.

The file is drawn once into ``--folder`` (0.65 GB for 100 million rows of 30 attributes) and then
read and fitted in a process of its own, with the codes in a store beside it. Anonymous memory is
what the process needs; pages of the store can be dropped and read again.
"""

import argparse
import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter, sleep

import numpy as np

import bnlr
from benchmarks.generated import CLASS, Codes, sample
from benchmarks.memory import read_status

_ROOT = Path(__file__).resolve().parents[1]
_BATCH = 1_000_000
_MIB = 2**20
_LABELS = ("low", "medium", "high", "very high")


def main() -> None:
    """Draw the file if it is not there, fit in a fresh process, print what that took."""
    args = _parser().parse_args()
    folder = Path(args.folder)
    path = folder / f"rows_{args.rows}.parquet"
    if args.child:
        print(json.dumps(_measure(path, args.threads, args.tol)))
        return
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _draw(path, args.rows)
    command = [sys.executable, "-m", "benchmarks.larger", "--child", *sys.argv[1:]]
    subprocess.run(command, cwd=_ROOT, check=True)  # noqa: S603  this module


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.larger", description=__doc__)
    parser.add_argument("--folder", required=True, help="where the file and the store are kept")
    parser.add_argument("--rows", type=int, default=100_000_000)
    parser.add_argument("--threads", type=int, default=None)
    parser.add_argument("--tol", type=float, default=1e-9)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    return parser


def _draw(path: Path, n_rows: int) -> None:
    """Write rows of a random TAN: whole numbers, texts and categories in turn."""
    import pyarrow as pa  # noqa: PLC0415  an extra
    from pyarrow import parquet  # noqa: PLC0415

    codes, cards, parents = sample(n_rows, 30, 1, seed=1)
    part = path.with_suffix(".part")
    writer = None
    for start in range(0, n_rows, _BATCH):
        block = codes[:, start : start + _BATCH]
        table = pa.table({_name(k): _column(k, column, cards[k]) for k, column in enumerate(block)})
        writer = writer or parquet.ParquetWriter(part, table.schema)
        writer.write_table(table)
    if writer is not None:
        writer.close()
    path.with_suffix(".json").write_text(json.dumps(parents), encoding="utf-8")
    part.replace(path)


def _name(place: int) -> str:
    return CLASS if place == 0 else f"x{place:02d}"


def _column(place: int, codes: Codes, card: int) -> object:
    import pyarrow as pa  # noqa: PLC0415  an extra

    if place % 3 == 0:
        return pa.array(codes.astype(np.int64))
    categories = pa.DictionaryArray.from_arrays(pa.array(codes.view(np.int8)), _LABELS[:card])
    return categories.cast(pa.string()) if place % 3 == 1 else categories


def _measure(path: Path, threads: int | None, tol: float) -> dict[str, float | int | str | None]:
    store = path.with_suffix(".codes")
    store.unlink(missing_ok=True)
    with _peak_anonymous() as peak:
        begin = perf_counter()
        data = bnlr.Dataset.from_parquet(path, CLASS, store=store)
        read = perf_counter()
        result = bnlr.fit(_structure(path), data, n_threads=threads, tol=tol)
        end = perf_counter()
    store.unlink()
    bound = result.upper_bound
    return {
        "rows": data.n_rows,
        "seconds to read": round(read - begin, 2),
        "seconds to fit": round(end - read, 2),
        "peak of anonymous memory, MiB": round(max(peak) / _MIB),
        "CLL": result.cll,
        "relative gap proven": None if bound is None else (bound - result.cll) / abs(result.cll),
        "message": result.message,
    }


def _structure(path: Path) -> bnlr.Structure:
    parents = json.loads(path.with_suffix(".json").read_text("utf-8"))
    arcs = [(_name(p), _name(k)) for k, above in enumerate(parents) for p in above]
    return bnlr.Structure([*((CLASS, _name(k)) for k in range(1, len(parents))), *arcs], CLASS)


@contextmanager
def _peak_anonymous() -> Iterator[list[int]]:
    """Look at the process's anonymous memory every 50 ms; Linux only, else 0."""
    seen, done = [0], threading.Event()
    if sys.platform != "linux":
        yield seen
        return

    def watch() -> None:
        while not done.is_set():
            seen.append(read_status("RssAnon"))
            sleep(0.05)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        done.set()
        thread.join()


if __name__ == "__main__":
    main()
