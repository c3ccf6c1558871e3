"""The default without one of its remedies, on the same folds: what each is worth."""

from studies.common.pages import Section
from studies.defaults.compare import ALL, HELD_OUT, TUNED, Comparison, compare, subsets
from studies.defaults.learners import ABLATIONS, AUTO, POOL
from studies.defaults.standings import part_table
from studies.defaults.tables import Results

PARTS = (ALL, HELD_OUT, TUNED)


def ablation_parts(found: Results) -> list[Section]:
    """A section if any such learner took part, with the pool, which auto is without."""
    listed = ablations(found)
    if not any(own.first in ABLATIONS for _, own in listed):
        return []
    caption = (
        "The default without one of its remedies against the whole: a ratio above 1 is what the "
        "remedy gains. The pool beside it: a ratio below 1 is what pooling gains."
    )
    return [Section("What each remedy is worth", [part_table(listed, caption)])]


def ablations(found: Results) -> list[tuple[str, Comparison]]:
    """Part of the sets and comparison with the default."""
    compared = [
        (part, compare(found, sets, name, AUTO))
        for name in (*ABLATIONS, POOL)
        for part, sets in subsets(found, (name, AUTO)).items()
        if part in PARTS
    ]
    return [(part, own) for part, own in compared if own is not None]
