"""Sets whose rows have holes of their own (section 5.1.3).

The paper counts 20 and does not name them, and the web page that did is gone: here are all sets of
the data folder that have holes. Missing stays missing, in training and in test rows.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path

import pandas as pd

from studies.common.sets import Loaded
from studies.common.sources import CLASS, RawSet, Source, find, readers
from studies.su.sets import ALL, SETS

N_PAPER = 20
"""Such sets in the paper."""

_ANNEAL = ("anneal-orig", ("carbon", "hardness", "strength", "thick", "width", "len"), ())
_OF_SU = (
    *("audiology", "autos", "breast-cancer", "wisconsin", "cleveland", "credit-rating"),
    *("hepatitis", "horse-colic", "hypothyroid", "labor", "mushroom", "sick", "soybean", "vote"),
)

NATURAL: Mapping[str, tuple[Source, tuple[str, ...] | str, tuple[str, ...]]] = {
    **{f"{n} (holes)": (SETS[n].source, SETS[n].numeric, SETS[n].dropped) for n in _OF_SU},
    f"{_ANNEAL[0]} (holes)": (Source("anneal-orig.csv", "anneal.ORIG"), *_ANNEAL[1:]),
}
"""Name → source, columns of numbers, and columns to leave out."""


def load(
    names: Iterable[str], data_dir: Path | None = None, *, download: bool = True
) -> Loaded[RawSet]:
    """Find sets of `NATURAL`; errors as `studies.greiner.datasets.load`."""
    places = readers(data_dir, download=download)

    def read(name: str) -> RawSet:
        source, numeric, dropped = NATURAL[name]
        found = find(source, places)
        return RawSet(_prepared(found.frame, numeric, dropped), found.origin)

    return Loaded.of(names, read)


def _prepared(
    frame: pd.DataFrame, numeric: tuple[str, ...] | str, dropped: tuple[str, ...]
) -> pd.DataFrame:
    rows = frame[frame[CLASS].notna()].drop(columns=list(dropped)).reset_index(drop=True)
    columns: dict[str, pd.Series[float] | pd.Categorical] = {}
    for name in rows.columns:
        if name != CLASS and (numeric == ALL or name in numeric):
            columns[str(name)] = pd.to_numeric(rows[name]).astype(float)
        elif rows[name].notna().any():  # a column of holes alone tells nothing
            columns[str(name)] = pd.Categorical(rows[name].astype(object))
    return pd.DataFrame(columns)
