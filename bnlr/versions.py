"""What runs here: versions, kernels, instruction set and threads, for reports of faults."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from bnlr import native
from bnlr._version import __version__
from bnlr.machine import n_workers

_USED = (
    *("numpy", "scipy", "pandas", "scikit-learn", "joblib", "networkx", "rich", "threadpoolctl"),
)
_OPTIONAL = ("matplotlib", "pyarrow")


def show_versions() -> None:
    """Print the versions of bnlr and what it uses, its kernels, and the number of threads.

    The kernels are "numpy" where bnlr was installed without a compiler or ``BNLR_KERNELS`` asks
    for them, else the instruction set they were compiled for: "baseline", "avx2" or "avx512".
    """
    kernels = native.chosen()
    built = [name for name in native.available() if name != native.NUMPY]
    rows = {
        "bnlr": __version__,
        "python": sys.version.split()[0],
        "system": f"{platform.system()} {platform.machine()}",
        "kernels": "numpy" if kernels == native.NUMPY else f"compiled, {kernels}",
        "can run": ", ".join(built) or "none was built: installed without a C++ compiler",
        "threads": str(n_workers(None)),
        **{name: _version_of(name) for name in (*_USED, *_OPTIONAL)},
    }
    width = max(map(len, rows))
    print("\n".join(f"{name:<{width}}  {value}" for name, value in rows.items()))  # noqa: T201


def _version_of(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"
