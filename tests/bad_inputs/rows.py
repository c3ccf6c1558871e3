"""The rows of the guide's table of bad input: what is given, and what each entry point does.

``ok(words, states)`` is accepted: the states are those of column a (of the class for y), and the
outcome is that of the plain table or labels beside it. ``no(error, words, *said)`` is refused with
just this error, whose message holds ``said``. ``words`` are the table's own.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bnlr.errors import CellTypeError, UnexpectedMissingWarning, UnseenStateWarning

Y = [0, 1] * 6
GOOD = pd.DataFrame({"a": ["p", "q"] * 6, "b": ["u", "u", "v"] * 4})
PAIRS = [[1, 2], [2, 1]] * 6


@dataclass(frozen=True)
class Outcome:
    words: str
    error: type[Exception] | None = None
    said: tuple[str, ...] = ()
    states: tuple[object, ...] | None = None
    warns: type[Warning] | None = None

    def __str__(self) -> str:
        return (
            f"refused (`{self.error.__name__}`): {self.words}"
            if self.error
            else (f"accepted: {self.words}")
        )


@dataclass(frozen=True)
class Row:
    """One input, and what fit, predict and predict_proba, and from_frame do: None for no say."""

    what: str
    make: Callable[[], Any]
    fit: Outcome | None
    predict: Outcome | None = None
    frame: Outcome | None = None
    plain: Callable[[], Any] | None = None
    model: str = "text"
    part: str = "X"
    also: tuple[Callable[[], Any], ...] = ()


def ok(words, states=None, warns=None):
    return Outcome(words, states=states, warns=warns)


def no(error, words, *said):
    return Outcome(words, error, said)


def column(values):
    return pd.DataFrame({"a": values, "b": GOOD["b"]})


def objects(values):
    return pd.Series(list(values), dtype=object)


def same(what, make, outcome, frame=None, **more):
    """An input that all entry points treat alike."""
    return Row(what, make, outcome, outcome, frame or outcome, **more)


def cells(what, values, words, *said, error=CellTypeError):
    """Cells that all entry points refuse."""
    return same(what, lambda: column(values), no(error, words, "'a'", *said))


def labels(what, values, states, words="labels", plain=None, model="text", unseen=True):
    """Cells that are labels: known to `model` or, at predict, unseen and so missing."""
    told = ok("unseen, so missing, with a warning", warns=UnseenStateWarning)
    return Row(
        what,
        lambda: column(values),
        ok(words, states),
        told if unseen else ok(words),
        ok(words, states),
        plain=plain,
        model=model,
    )


def holes(what, values, words="missing cells"):
    """A column of the label p and holes."""
    told = ok(f"{words}, summed out", warns=UnexpectedMissingWarning)
    return Row(
        what,
        lambda: column(values),
        ok(words, ("p",)),
        told,
        ok(words, ("p",)),
        plain=lambda: column(objects(["p", None] * 6)),
    )


def renamed(*names):
    return GOOD.set_axis(pd.Index(names, dtype=object, tupleize_cols=False), axis=1)


NO_FRAME = no(CellTypeError, "make a `pandas.DataFrame` of it", "expected a pandas DataFrame")
NO_TABLE = "give a frame or a two-dimensional array"
TO_TEXT = "turn it into text"
A_FEW = "turn it into a few classes first, such as the year"
ENCODE = "decode it, for instance with `column.str.decode`"
