"""Tests on a cluster: skipped, with all that import from here, where there is no Dask."""

import pytest

for _name in ("dask.dataframe", "distributed", "pyarrow"):
    pytest.importorskip(_name, reason=f"no {_name} here: pip install 'bnlr[dask]'")
