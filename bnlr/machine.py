"""What the hardware offers: compiled kernels or their twins, and threads that change no result."""

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from bnlr.arguments import whole
from bnlr.errors import TooLargeError
from bnlr.native import kernels

if TYPE_CHECKING:
    from bnlr.native import signatures as signatures  # noqa: PLC0414  for callers

# NumPy allows 64; some tables get an axis or two more on the way.
MOST_AXES = 60
_CHUNK = 2**16
_Place = TypeVar("_Place")
_Value = TypeVar("_Value")


@cache
def backend(compiled: str, twins: str) -> Any:
    """Return the submodule of compiled kernels, or the module of their NumPy twins.

    `bnlr.native.kernels` says which.
    """
    module = kernels()
    return import_module(f"bnlr.{twins}") if module is None else getattr(module, compiled)


def refuse_many_axes(table: str, n_axes: int) -> None:
    """Raise TooLargeError for a CPT of more axes than NumPy's arrays have, in which it stands.

    States bound a table's cells long before its axes, unless most of the axes have one state.
    """
    if n_axes > MOST_AXES:
        raise TooLargeError(
            f"{table} has {n_axes - 1} parents, more than the {MOST_AXES - 1} that a table can "
            "have; remove arcs into it, first those from variables of one state, which tell nothing"
        )


def n_workers(n_threads: int | None) -> int:
    """Return the number of threads meant by ``n_threads``.

    None is one for each CPU, or as many as ``OMP_NUM_THREADS`` in the environment says, by which
    joblib's workers and batch systems are told their share.

    Raises
    ------
    ParameterError
        ``n_threads`` below 1, or no whole number.
    """
    if n_threads is None:
        return _n_cpus()
    return whole("n_threads", n_threads, 1)


def in_order(
    function: Callable[[_Place], _Value], places: Iterable[_Place], workers: int
) -> Iterator[_Value]:
    """Results of ``function``, which releases the GIL, one by one in the order of ``places``.

    Nothing is done unless they are asked for.
    """
    return map(function, places) if workers == 1 else _pool(workers).map(function, places)


def in_row_chunks(
    function: Callable[[int, int], _Value], n_rows: int, workers: int
) -> Iterator[_Value]:
    """Results of ``function(start, stop)`` over chunks of rows that do not depend on threads.

    As `in_order`, nothing is done unless the results are asked for.
    """
    starts = range(0, max(n_rows, 1), _CHUNK)
    if len(starts) == 1:
        return iter((function(0, n_rows),))
    return in_order(lambda start: function(start, min(start + _CHUNK, n_rows)), starts, workers)


@cache
def _pool(workers: int) -> ThreadPoolExecutor:
    # Starting threads costs as much as a pass over ten thousand rows, so they are kept.
    return ThreadPoolExecutor(workers, thread_name_prefix="bnlr")


if hasattr(os, "register_at_fork"):
    # A forked child has the pool but none of its threads, and would wait for them for ever.
    os.register_at_fork(after_in_child=_pool.cache_clear)


@cache
def _n_cpus() -> int:
    n = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    share = os.environ.get("OMP_NUM_THREADS", "").partition(",")[0].strip()
    return min(n, max(int(share), 1)) if share.isdecimal() else n


def one_blas_thread() -> AbstractContextManager[object]:
    """Keep linear algebra to one thread while the context lasts.

    Its matrices are small here: a second thread mostly waits, for milliseconds where another
    process has the CPU, and it may change the order in which sums are added up.
    """
    blas = _blas()
    if all(library.num_threads == 1 for library in blas.lib_controllers):
        return nullcontext()  # as within another: setting and restoring takes ten microseconds
    context: AbstractContextManager[object] = blas.limit(limits=1)
    return context


@cache
def _blas() -> Any:
    import_module("scipy.linalg")  # brings a library of its own, which must be there to be found
    from threadpoolctl import ThreadpoolController  # noqa: PLC0415  only for fits

    return ThreadpoolController().select(user_api="blas")
