"""What `BNClassifier.fit` says of columns that hardly mean what they are taken for."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bnlr._typing import IntArray
from bnlr.data.copies import copies
from bnlr.data.dataset import Dataset
from bnlr.data.suspects import suspects
from bnlr.data.telling import Voice, tell, tell_copies


@dataclass(frozen=True)
class Doubts:
    """How to speak of columns: ``places`` are those of the rows in X, None where all count.

    ``class_name`` is what y is called.
    """

    voice: Voice
    places: IntArray | None
    class_name: str | None

    def tell(self, labels: Dataset, numbers: pd.DataFrame) -> None:
        """Warn of columns taken for labels, and of numbers that are a copy of the class.

        ``labels`` may hold the numbers too, cut; its holes are holes.
        """
        named = [node for node in (*labels.nodes, *numbers) if node == self.class_name]
        if named:
            tell_copies(named[:1], "has the name of y", self.voice)
        nodes = [node for node in labels.nodes if node not in numbers]
        found = suspects(
            labels,
            nodes,
            decimal_commas=self.voice.decimal_commas,
            meant=self.voice.meant,
        )
        values = {
            str(name): column.to_numpy(np.float64, na_value=np.nan)
            for name, column in numbers.items()
        }
        same = {**found.copies, **copies(values, labels.class_codes)}
        same = {name: is_whole for name, is_whole in same.items() if name not in named}
        tell(replace(found, copies=same), self._voice())

    def _voice(self) -> Voice:
        if self.places is None:
            return self.voice
        places, row = self.places, self.voice.row
        return replace(self.voice, row=lambda place: row(int(places[place])))
