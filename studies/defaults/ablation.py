"""Each remedy of the default alone, and all of them, on the same folds: what it is worth."""

from studies.common.pages import Section
from studies.defaults.compare import ALL, HELD_OUT, TUNED, Comparison, compare, subsets
from studies.defaults.learners import ABLATIONS, AUTO, PLAIN, POOL
from studies.defaults.standings import part_table
from studies.defaults.tables import Results

PARTS = (ALL, HELD_OUT, TUNED)


def ablation_parts(found: Results) -> list[Section]:
    """A section if the default without its remedies took part."""
    listed = ablations(found)
    if not listed:
        return []
    caption = (
        "The default without its four remedies against that with each of them alone, the default "
        "(all but pooling) and the pool (all): a ratio below 1 is what they gain."
    )
    return [Section("What each remedy is worth", [part_table(listed, caption)])]


def ablations(found: Results) -> list[tuple[str, Comparison]]:
    """Part of the sets and comparison with the default without its remedies."""
    compared = [
        (part, compare(found, sets, name, PLAIN))
        for name in (*ABLATIONS, AUTO, POOL)
        if name != PLAIN
        for part, sets in subsets(found, (name, PLAIN)).items()
        if part in PARTS
    ]
    return [(part, own) for part, own in compared if own is not None]
