"""What stands under each heading of the study's page."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from studies.common import Outcome
from studies.common.pages import Column as Heading
from studies.common.pages import Html, bullets, drawn, failures, mark, note, table, whole
from studies.common.sets import Loaded
from studies.feelders_ivanovs import figures, paper
from studies.feelders_ivanovs.datasets import StudyData, facts
from studies.feelders_ivanovs.paper import COLUMNS, SOLVER_LABELS, SPACE_LABELS, Column, Table
from studies.feelders_ivanovs.tables import Race, flops_table, iterations_table

_SAME_START, _SAME_MAXIMUM = 1e-10, 0.01
_FACTS = ("rows", "attributes", "classes", "largest domain")


def signed(cll: float) -> str:
    """A CLL as text with a real minus."""
    return f"{cll:.3f}".replace("-", "−")


def data_parts(outcome: Outcome, loaded: Loaded[StudyData]) -> list[str]:
    """What the UCI sets are, here and in the paper, and what is missing."""
    parts: list[str] = []
    if loaded.sets:
        heads: list[Heading | str] = [
            "data",
            *(Heading(whose, group=fact) for fact in _FACTS for whose in ("ours", "paper")),
        ]
        rows = [(study.name, *_facts_row(study)) for study in loaded.sets.values()]
        parts.append(table(heads, rows, "Table 1. The UCI data sets."))
    if loaded.left_out:
        parts.append(note(f"Left out: {loaded.reasons}"))
    parts += failures(outcome)
    parts.append(
        "Artificial data are named parents.attributes.domain.rows; each attribute has the class "
        "and up to parents − 1 of the attributes before it as parents."
    )
    return parts


def _facts_row(study: StudyData) -> list[int]:
    ours, theirs = facts(study.data), paper.TABLE_1[study.name]
    pairs = zip(_astuple(ours), _astuple(theirs), strict=True)
    return [figure for pair in pairs for figure in pair]


def _astuple(of: paper.DataFacts) -> tuple[int, int, int, int]:
    return of.n_rows, of.n_attributes, of.n_classes, of.max_states


def table_parts(
    what: str, ours: Table, theirs: Table, half: str, mean: Mapping[Column, float]
) -> list[str]:
    """Half of table 2, its printed ``mean`` row included, and the further solvers."""
    if not ours:
        return ["No data set has all nine runs."]
    printed = {data: theirs[data] for data in ours if data in theirs}
    parts = [
        f"{what} until a run came within 5 % of the way to the largest CLL, divided by the "
        "smallest of the row.",
        comparison(ours, printed, f"Table 2, {half}: {what.lower()}; ours over the paper's.", mean),
    ]
    further = _further(ours)
    return parts if further is None else [*parts, further]


def comparison(
    ours: Table, printed: Table, caption: str, mean: Mapping[Column, float] | None = None
) -> Html:
    """Both tables as one: for each data set a row of ours and, below, the paper's.

    ``mean`` is the paper's own mean row, which its rows do not always give.
    """
    heads: list[Heading | str] = ["data", "whose", *(_heading(column) for column in COLUMNS)]
    rows: list[list[Any]] = []
    for data, own in ours.items():
        rows.append([whole(data), "ours", *(own[column] for column in COLUMNS)])
        if data in printed:
            rows.append(["", "paper", *(printed[data][column] for column in COLUMNS)])
    foot = [["mean", "ours", *paper.means(ours).values()]]
    if printed:
        foot.append(["", "paper's rows", *paper.means(printed).values()])
    if mean is not None:
        foot.append(["", "paper, printed", *(mean[column] for column in COLUMNS)])
    return table(heads, rows, caption, foot)


def _further(ours: Table) -> Html | None:
    """The columns beyond the paper's nine, on the same scale."""
    first = next(iter(ours.values()))
    columns = [column for column in first if column not in COLUMNS]
    if not columns:
        return None
    rows = [[whole(data), *(row.get(column) for column in columns)] for data, row in ours.items()]
    heads: list[Heading | str] = ["data", *(_heading(column) for column in columns)]
    return table(heads, rows, "Further solvers, divided by the smallest of the paper's nine.")


def _heading(column: Column) -> Heading:
    space, solver = column
    return Heading(SOLVER_LABELS.get(solver, solver), ".1f", group=SPACE_LABELS[space])


def statements(iterations: Table, flops: Table, found: Sequence[Race] = ()) -> list[dict[str, Any]]:
    """What section 6 of the paper says, and whether our tables and its own bear it out.

    With the races ``found``, also for which seeds of the artificial networks it fails, each taken
    alone.
    """
    if not iterations:
        return []
    by_seed = _by_seed(found)
    return [
        {
            "statement": statement.text,
            "ours": statement.holds(iterations, flops),
            "paper": statement.holds(paper.ITERATIONS, paper.FLOPS),
            "fails at seeds": [
                seed for seed, own in by_seed.items() if statement.holds(*own) is False
            ],
        }
        for statement in paper.STATEMENTS
    ]


def _by_seed(found: Sequence[Race]) -> dict[int, tuple[Table, Table]]:
    """Both halves of table 2 as each seed alone gives them, UCI sets with each."""
    every: dict[int, tuple[Table, Table]] = {}
    for seed in sorted({race.seed for race in found} - {0}):
        own = [race for race in found if race.seed in {0, seed}]
        halves = iterations_table(own), flops_table(own)
        if all(halves):
            every[seed] = halves
    return every


def conclusions(iterations: Table, flops: Table, found: Sequence[Race] = ()) -> str:
    """The same as a table."""
    rows = [
        [
            line["statement"],
            mark(line["ours"]),
            ", ".join(map(str, line["fails at seeds"]))
            or ("–" if line["ours"] is None else "none"),
            mark(line["paper"]),
        ]
        for line in statements(iterations, flops, found)
    ]
    if not rows:
        return "No data set has all nine runs."
    return table(
        ["statement of section 6", "our tables", "fails at seeds", "its tables"],
        rows,
        "Whether the means bear out what the paper says: over all our seeds, with each seed of the "
        "artificial networks alone, and in the paper's own tables; no verdict without all of its "
        "rows.",
    )


def convergence_parts(found: Sequence[Race]) -> list[str]:
    """Figure 3."""
    if not found:
        return ["No run has ended."]
    race = next((race for race in found if race.data == "Pima"), found[0])
    caption = (
        f"Figure 3 for {race.data}: how far each of the runs is from the largest CLL found, "
        f"{signed(race.best)}; the start has {signed(race.start)}. The dashed line is the "
        f"threshold of table 2, {signed(race.threshold)}."
    )
    parts: list[str] = [drawn(lambda: figures.convergence(race), caption, figures.CONVERGENCE_ALT)]
    if race.data == "Pima":
        parts.insert(0, paper.FIGURE_3)
    return parts


def check_parts(found: Sequence[Race]) -> list[str]:
    """That all runs start alike and end alike."""
    if not found:
        return ["No run has ended."]
    start = max(race.start_spread for race in found)
    behind = [
        f"{race.data}, seed {race.seed}: {figures.label(column)} ends "
        f"{race.shortfall(column):.1%} of the way short"
        for race in found
        for column in race.runs
        if column in COLUMNS and race.shortfall(column) > _SAME_MAXIMUM
    ]
    n_runs = sum(column in COLUMNS for race in found for column in race.runs)
    parts = [
        "At the start the CLLs of the three spaces differ by a share of "
        f"{start:.1e} at most, which is {'' if start <= _SAME_START else 'more than '}rounding.",
        f"{n_runs - len(behind)} of {n_runs} runs end within 1 % of the way from the start to the "
        "largest CLL of their data set.",
    ]
    if behind:
        parts += [
            "The others had all their iterations, or were stopped by their own rule:",
            bullets(behind),
        ]
    return parts


def structure_parts(loaded: Loaded[StudyData]) -> list[str]:
    """A picture of each UCI set's structure."""
    if not loaded.sets:
        return ["No UCI data set was found."]
    parts = ["Naive Bayes and arcs between attributes that BIC pays for, kept perfect."]
    for study in loaded.sets.values():
        n_arcs = len(study.structure.edges) - len(study.structure.attributes)
        caption = f"{study.name}: {n_arcs} arcs between attributes. {' '.join(study.notes)}".strip()
        alt = f"Structure of {study.name}, the class in the middle"
        parts.append(drawn(partial(figures.structure, study), caption, alt))
    return parts
