"""Values outside the states: whether they are refused or missing, and how either is said."""

from collections.abc import Mapping
from typing import Literal, cast, get_args

from bnlr.arguments import one_of
from bnlr.errors import StateError, UnseenStateWarning
from bnlr.warn import warn

Unseen = Literal["missing", "error"]
UNSEEN: tuple[str, ...] = get_args(Unseen)
"""What becomes of values that are no known states."""


def meant_unseen(unseen: object) -> Unseen:
    """Return the way to treat unseen values that is meant; refuse an unknown one."""
    return cast(Unseen, one_of("unseen", unseen, UNSEEN))


_AT_HAND = "with Dataset.from_frame(…, unseen='missing')"
ELSEWHERE = "before: column.where(column.isin(labels))"
"""How values are taken as missing by readers that have no such option."""


def report_unseen(clauses: Mapping[str, str], unseen: Unseen, how: str = _AT_HAND) -> None:
    """Refuse unseen values, naming ``how`` they are taken as missing, or warn of them once.

    ``clauses`` say of each column that has some what it has.

    Raises
    ------
    StateError
        There are some and `unseen` is "error".
    """
    if not clauses:
        return
    text = "; ".join(clauses.values())
    if unseen == "error":
        raise StateError(
            f"{text}: not among the known states; mend the cells, name the values in states=, or "
            f"take them as missing {how}"
        )
    warn(f"{text}: not seen before, taken as missing", UnseenStateWarning)
