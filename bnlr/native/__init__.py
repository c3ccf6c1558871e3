"""Kernels compiled when the package was built, one module for each instruction set.

``kernels`` is the front door. The folder holds what the rooms' C++ share; each room's own stands
beside its Python, as ``kernels.cpp``, and its NumPy twins, which take over where nothing was built.
``signatures`` is a stub: what each kernel takes and returns.
"""

import os
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from bnlr.errors import BnlrWarning, ParameterError
from bnlr.warn import warn

NUMPY = "numpy"
INSTRUCTION_SETS = ("baseline", "avx2", "avx512")
_NOT_BUILT = (
    "bnlr was installed without its compiled kernels and works with NumPy, several times slower: "
    "install a C++17 compiler and bnlr again. BNLR_KERNELS=numpy in the environment keeps it quiet"
)


@cache
def kernels() -> Any:
    """Return the compiled module for the best instruction set that the CPU has; None without one.

    ``BNLR_KERNELS`` in the environment names another of `INSTRUCTION_SETS`, or ``numpy``. All give
    the same bits but for ``numpy``, whose sums are rounded in another order.

    Raises
    ------
    ParameterError
        ``BNLR_KERNELS`` names nothing that can run here.
    """
    wanted, found = os.environ.get("BNLR_KERNELS", ""), available()
    if wanted and wanted not in found:
        raise ParameterError(
            f"BNLR_KERNELS is {wanted!r:.60} in the environment; here it can be "
            f"{', '.join(found)}, or unset for the fastest, {found[-1]}"
        )
    taken = wanted or found[-1]
    if taken != NUMPY:
        return compiled(taken)
    if not wanted:
        warn(_NOT_BUILT, BnlrWarning)
    return None


@cache
def compiled(name: str) -> ModuleType:
    """Return the compiled module for one of the instruction sets that `available` names.

    What gains nothing from wide registers is compiled for the baseline only, and joins the others
    here.
    """
    module, baseline = (import_module(f"bnlr.native._{each}") for each in (name, "baseline"))
    for kind, common in vars(baseline).items():
        if isinstance(common, ModuleType):
            own = vars(vars(module).setdefault(kind, common))
            own.update({k: kernel for k, kernel in vars(common).items() if k not in own})
    return module


@cache
def available() -> tuple[str, ...]:
    """Names of the kernels that can run here, from the slowest to the fastest."""
    try:
        baseline = import_module("bnlr.native._baseline")
    except ImportError:
        return (NUMPY,)
    return (NUMPY, *INSTRUCTION_SETS[: 1 + _runnable(baseline.instruction_sets())])


def _runnable(n_supported: int) -> int:
    """Of the instruction sets beyond the baseline that the CPU has, how many were built."""
    n = 0
    for name in INSTRUCTION_SETS[1 : 1 + n_supported]:
        try:
            import_module(f"bnlr.native._{name}")
        except ImportError:
            break
        n += 1
    return n


def chosen() -> str:
    """Name of the kernels in use."""
    module = kernels()
    return NUMPY if module is None else str(module.__name__).rpartition("_")[2]
