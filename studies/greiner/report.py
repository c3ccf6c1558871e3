"""The study's result files: tables II to V paper and ours, figures, and the statements checked."""

from collections.abc import Mapping

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import Section, bullets, foot, note, page
from studies.common.sets import Loaded
from studies.common.sources import RawSet
from studies.common.statistics import Statement
from studies.common.study import Files
from studies.greiner import accuracy_parts, sections
from studies.greiner.paper import Table
from studies.greiner.partitions import flat as flat_partitions
from studies.greiner.statements import compared, statements
from studies.greiner.tables import accuracies, flat

TITLE = "ELR, OFE, APN and EM on 25 data sets"


def report(outcome: Outcome, loaded: Loaded[RawSet], quick: bool) -> Files:
    """Tables, checks and page; what lacks folds is missing in them."""
    found = accuracies(outcome.done)
    said = statements(found, outcome.done)
    return {
        "accuracies.csv": csv_text(flat(found)),
        "comparisons.csv": csv_text(accuracy_parts.flat_comparisons(found)),
        "partitions.csv": csv_text(list(flat_partitions(compared(found, outcome.done)))),
        "checks.json": json_text({"statements": said}),
        "index.html": _page(outcome, loaded, found, said, quick),
    }


def _page(
    outcome: Outcome,
    loaded: Loaded[RawSet],
    found: Mapping[str, Table],
    said: list[Statement],
    quick: bool,
) -> str:
    intro = [
        "R. Greiner, X. Su, B. Shen and W. Zhou (2005) fit the CPTs of three structures, naive "
        "Bayes (NB), TAN and what an independence search finds (GBN), by frequencies (OFE) and by "
        "ascent of the conditional likelihood (ELR); with a quarter of the cells missing, also by "
        "ascent of the likelihood (APN) and by EM. This page holds their accuracies and ours, side "
        "by side.",
    ]
    if quick:
        intro.append(note("This is the quick version, on few data sets. Leave `--quick` out."))
    records = outcome.done
    parts = [
        Section("What is shown", sections.statement_parts(outcome, said)),
        Section("Complete rows", accuracy_parts.complete_parts(found)),
        Section("A quarter of the cells missing", accuracy_parts.incomplete_parts(found)),
        Section("Holes of their own", sections.natural_parts(records)),
        Section("General networks by variants of TPDA", sections.tpda_parts(records)),
        Section("Learning curves and iterations", sections.curve_parts(records)),
        Section("Correctness of structure", sections.figure_8_parts(records)),
        Section("Models that are too complex", sections.complex_parts(records)),
        Section("The coordinates: β or θ", accuracy_parts.space_parts(found)),
        Section("Data", sections.data_parts(loaded)),
        Section("Deviations and readings", [bullets(sections.deviations(loaded, found, records))]),
    ]
    return page(TITLE, intro, parts, foot=foot(outcome))
