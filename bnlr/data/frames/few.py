"""Frames of few cells, where a look at each column costs more than the cells."""

import numpy as np
import pandas as pd

_FEW = 100_000


def are_few_floats(frame: pd.DataFrame) -> bool:
    """Whether all columns are plain floats, and few enough to be copied into one array."""
    return frame.size <= _FEW and bool((frame.dtypes == np.float64).all())
