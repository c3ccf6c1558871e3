"""The same comparison for a user's own data: which space and solver suit them, and why."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from scipy import stats

import bnlr
from bnlr.io import load_structure  # lists of arcs, which no public call reads
from studies.common import Outcome, Task, csv_text, json_text
from studies.common.pages import Column as Heading
from studies.common.pages import Section, bullets, drawn, note, page, strong, table
from studies.common.study import Files
from studies.feelders_ivanovs import figures, paper
from studies.feelders_ivanovs.datasets import StudyData
from studies.feelders_ivanovs.paper import COLUMNS, SPACES, Column
from studies.feelders_ivanovs.report import checked
from studies.feelders_ivanovs.run import MOST_ITERATIONS
from studies.feelders_ivanovs.sections import signed
from studies.feelders_ivanovs.structures import augmented_naive_bayes
from studies.feelders_ivanovs.tables import Race, races

_FEW_WHOLE_NUMBERS = 10


def read(path: str, class_name: str, structure: str | None) -> StudyData:
    """Read a table, cut its columns of numbers into intervals (MDL), and find its structure.

    Parameters
    ----------
    path
        A delimited text file with names in its first line.
    class_name
    structure
        A file that ``bnlr check`` reads; None for naive Bayes and arcs that BIC pays for.

    Raises
    ------
    bnlr.BnlrError
        The file, the class or the structure cannot be used; says which and why.
    """
    frame = bnlr.read_frame(path, class_name)
    frame = frame[frame[class_name].notna()]
    numeric = frame.drop(columns=class_name).select_dtypes("number")
    many = [str(name) for name in numeric if _is_measured(frame[name])]
    if many:
        cut = bnlr.MDLDiscretizer().fit_transform(frame[many], frame[class_name])
        frame = frame.assign(**{name: cut[name] for name in many})
    holes = [name for name in frame.columns if frame[name].isna().any()]
    frame = frame.astype(dict.fromkeys(holes, object)).fillna("?") if holes else frame
    data = bnlr.Dataset.from_frame(frame, class_name)
    notes = [f"{Path(path).name}: {data.n_rows:,} rows"]
    notes += [f"cut into intervals: {', '.join(many)}"] if many else []
    notes += [f"missing cells as a value '?': {', '.join(holes)}"] if holes else []
    graph = (
        augmented_naive_bayes(data) if structure is None else load_structure(structure, class_name)
    )
    return StudyData(Path(path).stem, data, graph, tuple(notes))


def foretold(study: StudyData) -> dict[Column, float]:
    """The flops that `bnlr.recommend` expects of each of the paper's nine, before any is run."""
    table = bnlr.recommend(study.structure, study.data).table
    rows = table[["space", "solver", "flops"]].to_numpy().tolist()
    return {(space, solver): flops for space, solver, flops in rows}


def _cheapest(expected: Mapping[Column, float]) -> Column:
    return min(COLUMNS, key=lambda column: expected.get(column, np.inf))


def rank_correlation(expected: Mapping[Column, float], race: Race) -> float | None:
    """Spearman's, of expected with spent flops over the nine; None with fewer than three."""
    spent = {c: flops for c, flops in race.flops().items() if flops is not None and c in expected}
    if len(spent) < 3:
        return None
    return float(stats.spearmanr([expected[c] for c in spent], list(spent.values())).statistic)


def _is_measured(column: Any) -> bool:
    """Whether numbers are measurements and not a few codes."""
    values = column.dropna().unique()
    return len(values) > _FEW_WHOLE_NUMBERS or bool((np.mod(values.astype(float), 1) != 0).any())


def spaces(study: StudyData) -> tuple[str, ...]:
    """The spaces that describe the structure: the LR spaces need a perfect canonical form."""
    return SPACES if bnlr.analyze(study.structure).is_perfect else ("softmax",)


def find(task: Task, study: StudyData) -> StudyData:  # noqa: ARG001  as `command.find`
    """Give the one data set that there is."""
    return study


def report(outcome: Outcome, study: StudyData) -> Files:
    """The page with the recommendation, and its figures as CSV and JSON."""
    found = races(outcome.done)
    if not found:
        return {"index.html": page(f"Which optimizer suits {study.name}", "No run ended.", [])}
    (race,) = found
    expected = foretold(study)
    told = {
        "recommended": " ".join(_cheapest(expected)),
        "expected flops": {" ".join(column): flops for column, flops in expected.items()},
        "rank correlation": rank_correlation(expected, race),
    }
    advice = recommendation(race, study)
    return {
        "runs.csv": csv_text(_rows(race, expected)),
        "recommendation.json": json_text(
            {"foretold": told, "advice": advice, "checks": checked(race)}
        ),
        "index.html": _page(race, study, advice, expected),
    }


def recommendation(race: Race, study: StudyData) -> list[str]:
    """Sentences: what to use, what it costs, and why; the first one is the advice itself."""
    flops = {column: spent for column, spent in race.flops().items() if spent is not None}
    nine = {column: spent for column, spent in flops.items() if column in COLUMNS}
    if not nine:
        return [
            "None of the paper's solvers came near the largest CLL within "
            f"{MOST_ITERATIONS:,} iterations."
        ]
    best, *others = sorted(nine, key=lambda column: (nine[column], COLUMNS.index(column)))
    sentences = [
        f"Of the paper's nine, {figures.label(best)} came near the optimum for the fewest flops: "
        f"{nine[best]:,.0f} in {race.iterations()[best]:.0f} iterations over "
        f"{race.runs[best]['parameters']:,} parameters."
    ]
    if others:
        times = nine[others[0]] / max(nine[best], 1.0)
        sentences.append(f"{figures.label(others[0])} is next, at {times:.2f} times that.")
    sentences += _reasons(race, study, best)
    newton = min((c for c in flops if c[1] == "newton"), key=flops.__getitem__, default=None)
    if newton is None:
        return [f"Use {_named(best)}.", *sentences]
    return [
        _advice(flops, best, newton),
        *sentences,
        _newton(race, flops[newton] / nine[best], newton),
    ]


def _advice(flops: dict[Column, float], best: Column, newton: Column) -> str:
    if flops[newton] <= flops[best]:
        return f"Use {_named(newton)}; of the paper's nine, {_named(best)}."
    return f"Use {_named(best)}, or {_named(newton)} for the optimum itself."


def _named(column: Column) -> str:
    space, solver = column
    return f"{figures.label(column)} (space={space!r}, solver={solver!r})"


def _reasons(race: Race, study: StudyData, best: Column) -> list[str]:
    verdict = bnlr.analyze(study.structure)
    if not verdict.is_perfect:
        arcs = ", ".join(f"{a} → {b}" for a, b in verdict.embedding)
        return [
            "The canonical form is not perfect, so there is no equivalent logistic regression, and "
            f"what was found may be a local optimum; with the arcs {arcs} it would be perfect."
        ]
    sizes = [(space, race.runs[space, "cg"]["parameters"]) for space in SPACES]
    shown = ", ".join(f"{paper.SPACE_LABELS[space]} {size:,}" for space, size in sizes)
    reasons = [f"Parameters by space: {shown}; BFGS pays for their square in every iteration."]
    if best in paper.ADVICE:
        reasons.append(
            "The paper advises LR + BFGS, LR + CG and LR_Roos + CG in order of growing complexity "
            "of the structure, and this is one of them."
        )
    return reasons


def _newton(race: Race, times: float, column: Column) -> str:
    """Compare with bnlr's own solver, which looks at the curvature."""
    gap = race.best - float(race.runs[column]["cll"])
    side = "below" if gap > 0 else "above"
    return (
        f"{figures.label(column)} takes {times:.2f} times the flops to the same threshold and goes "
        f"on to the optimum: it ends {abs(gap):.1e} {side} the best of the others, after "
        f"{race.runs[column]['iterations']} iterations."
    )


def _foretold_parts(race: Race, expected: Mapping[Column, float]) -> list[str]:
    best = _cheapest(expected)
    correlation = rank_correlation(expected, race)
    told = (
        "too few runs came near the optimum to compare"
        if correlation is None
        else (f"its rank correlation with the race below is {correlation:.2f}")
    )
    return [
        f"Before any run `bnlr.recommend` expected {_named(best)} to be the cheapest, at "
        f"{expected[best]:,.0f} flops; {told}."
    ]


def _rows(race: Race, expected: Mapping[Column, float]) -> list[dict[str, Any]]:
    iterations, flops = race.iterations(), race.flops()
    return [
        {
            "space": column[0],
            "solver": column[1],
            "parameters": run["parameters"],
            "iterations to the threshold": iterations[column],
            "flops to the threshold": flops[column],
            "flops expected": expected.get(column),
            "iterations": run["iterations"],
            "cll": run["cll"],
            "status": run["status"],
        }
        for column, run in race.runs.items()
    ]


def _page(race: Race, study: StudyData, advice: list[str], expected: Mapping[Column, float]) -> str:
    heads: list[Heading | str] = [
        "space and solver",
        Heading("parameters"),
        Heading("iterations", ".0f", "to the threshold"),
        Heading("flops", ",.0f", "to the threshold"),
        Heading("expected flops", ",.0f", "to the threshold"),
        Heading("iterations", group="at the end"),
        Heading("CLL", ".6f", "at the end"),
        Heading("because", group="at the end"),
    ]
    rows = [
        [figures.label((r["space"], r["solver"])), *list(r.values())[2:]]
        for r in _rows(race, expected)
    ]
    caption = (
        f"CLL at the start {signed(race.start)}, largest {signed(race.best)}; the threshold "
        f"{signed(race.threshold)} lies 5 % of the way below the largest."
    )
    alt = figures.CONVERGENCE_ALT
    sections = [
        Section("Foretold", _foretold_parts(race, expected)),
        Section("Recommendation", [strong(advice[0]), bullets(advice[1:])]),
        Section("Runs", [table(heads, rows, caption)]),
        Section("Convergence", [drawn(lambda: figures.convergence(race), race.data, alt)]),
        Section(
            "Structure",
            [
                drawn(lambda: figures.structure(study), study.name, "The structure"),
                *([] if not study.notes else [note("; ".join(study.notes))]),
            ],
        ),
    ]
    intro = (
        "Three optimizers in each parameter space, as Feelders and Ivanovs (2006) compared them."
    )
    return page(
        f"Which optimizer suits {study.name}", intro, sections, foot=f"bnlr {bnlr.__version__}"
    )
