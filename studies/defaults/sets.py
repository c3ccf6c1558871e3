"""The data sets by name: which are made from one source, and on which the defaults were tuned."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class FolderSet:
    """A set of the data folder.

    Attributes
    ----------
    source : str
        The set that stands for its source in everything across sets: its own name, or that of the
        set whose rows, or whose recipe for rows, it shares.
    is_tuned : bool
        Whether the choices inside the defaults were made on it.
    builtin : str or None
        Its name for ``bnlr.load_dataset``.
    why : str
        What it shares with its source.
    """

    source: str
    is_tuned: bool
    builtin: str | None = None
    why: str = ""


_NAMES = (
    *("anneal", "anneal-orig", "audiology", "australian", "autos", "breast-cancer", "breast-w"),
    *("cleve", "connect-4", "corral", "crx", "flare", "german", "glass", "glass2"),
    *("heart-statlog", "hepatitis", "horse-colic", "hypothyroid", "ionosphere", "iris"),
    *("kr-vs-kp", "labor", "letter", "lymphography", "mofn-3-7-10", "mushroom", "nursery"),
    *("pima", "satimage", "segment", "shuttle", "sick", "sonar", "soybean", "splice"),
    *("tic-tac-toe", "vehicle", "vote", "vowel", "waveform-21", "waveform-5000", "zoo"),
)
_BUILTIN = {
    **{name: name for name in ("corral", "iris", "mofn-3-7-10", "tic-tac-toe")},
    "waveform-21": "waveform",
    "waveform-5000": "waveform-40",
}
_VARIANTS = {
    "anneal-orig": ("anneal", "the same rows, its question marks read as missing cells"),
    "australian": ("crx", "the same rows with codes and filled cells"),
    "glass2": ("glass", "two of its classes"),
    "heart-statlog": ("cleve", "270 of its 303 patients"),
    "sick": ("hypothyroid", "the same patients, another class"),
    "waveform-21": ("waveform-5000", "the same waves without the columns of noise"),
}

SETS: Mapping[str, FolderSet] = {
    # The tuned half: every second name in alphabetical order.
    name: FolderSet(
        source=_VARIANTS[name][0] if name in _VARIANTS else name,
        is_tuned=place % 2 == 1,
        builtin=_BUILTIN.get(name),
        why=_VARIANTS[name][1] if name in _VARIANTS else "",
    )
    for place, name in enumerate(_NAMES)
}

LEFT_OUT: Mapping[str, str] = {
    "corral-32": "32 of the 128 rows of corral",
    "shuttle-small": "a sample of the rows of shuttle",
}
"""Sets of the folder that nothing is measured on."""


def is_counted(name: str) -> bool:
    """Whether a set stands for its source in everything across sets."""
    return SETS[name].source == name


def is_held_out(name: str) -> bool:
    """Whether nothing was tuned on the set, nor on any other of its source."""
    source = SETS[name].source
    return not any(named.is_tuned for named in SETS.values() if named.source == source)


def half(name: str) -> str:
    """Return "held out" or "tuned"; "related" where only another set of its source was tuned on."""
    if is_held_out(name):
        return "held out"
    return "tuned" if SETS[name].is_tuned else "related"
