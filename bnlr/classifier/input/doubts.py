"""What `BNClassifier.fit` says of columns that hardly mean what they are taken for."""

from dataclasses import replace

from bnlr._typing import IntArray
from bnlr.classifier.input.undiscretized import UncutRows
from bnlr.data.suspects.class_copies import find_class_copies
from bnlr.data.suspects.find import find_suspects
from bnlr.data.suspects.messages import Phrasing, warn_of_copies, warn_of_suspects


def tell_doubts(
    table: UncutRows, target: str | None, voice: Phrasing, places: IntArray | None
) -> None:
    """Warn of columns taken for labels, and of columns that are a copy of the class.

    ``target`` is what y is called; ``places`` are those of the rows in X, None where all count.
    """
    voice = voice if places is None else _in_places(voice, places)
    named = [name for name in table.columns if name == target]
    if named:
        warn_of_copies(named, "has the name of y", voice)
    found = find_suspects(table.labels, decimal_commas=voice.decimal_commas, meant=voice.meant)
    same = {**found.copies, **find_class_copies(table.numbers, table.class_codes)}
    same = {name: is_whole for name, is_whole in same.items() if name not in named}
    warn_of_suspects(replace(found, copies=same), voice)


def _in_places(voice: Phrasing, places: IntArray) -> Phrasing:
    """The voice that speaks of the rows at ``places`` by their numbers in X."""
    row = voice.row
    return replace(voice, row=lambda place: row(int(places[place])))
