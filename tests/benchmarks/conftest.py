"""The benchmarks count in passes that numba compiles, which the extra `bench` alone brings."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("numba") else ["test_*.py", "growth/test_*.py"]
