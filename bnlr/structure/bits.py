"""Sets of nodes as the bits of one integer, so that subset tests cost a few machine words.

Bit i stands for node i in node order. `inside & ~outside == 0` reads "inside ⊆ outside".
"""

from collections.abc import Iterable, Sequence

import numpy as np

from bnlr.errors import TooLargeError

_FEW = 12
_LONGEST_LIST = 10_000_000


def mask_of(places: Iterable[int]) -> int:
    """Return the integer whose bits at `places` are set."""
    mask = 0
    for place in places:
        mask |= 1 << place
    return mask


def members(mask: int) -> list[int]:
    """Return the positions of the bits set in `mask`, ascending."""
    if mask.bit_count() <= _FEW:
        places = []
        while mask:
            lowest = mask & -mask
            places.append(lowest.bit_length() - 1)
            mask ^= lowest
        return places
    raw = mask.to_bytes((mask.bit_length() + 7) // 8, "little")
    bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), bitorder="little")
    return np.flatnonzero(bits).tolist()


def neighbour_masks(parent_masks: Sequence[int]) -> list[int]:
    """Return, per node, the nodes joined to it by an arc in either direction."""
    joined = list(parent_masks)
    for child, parents in enumerate(parent_masks):
        bit = 1 << child
        for parent in members(parents):
            joined[parent] |= bit
    return joined


def refuse_long_list(what: str, items: str, count: int) -> None:
    """Raise `TooLargeError` if a list of `count` tuples would fill memory."""
    if count > _LONGEST_LIST:
        raise TooLargeError(
            f"{what} would have {count:,} {items}, more than {_LONGEST_LIST:,} that are listed; "
            f"simplify the structure: drop nodes or parents"
        )
