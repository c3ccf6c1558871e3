"""What stands under each heading of the study's page but the tables of accuracies."""

from collections.abc import Mapping, Sequence
from functools import partial

from studies.common import Outcome, Record
from studies.common.pages import Html, course, drawn, failures, note, statements, table
from studies.common.sets import Loaded
from studies.common.sources import RawSet
from studies.common.statistics import Statement
from studies.greiner import curves, figures, tables
from studies.greiner.accuracy_parts import against_accuracies
from studies.greiner.datasets import differences, facts
from studies.greiner.learners import TPDA_VARIANTS
from studies.greiner.paper import STRUCTURES, TABLE_1, TABLE_2, Accuracy, Table
from studies.greiner.readings import NOTHING, OFTEN_APART, READINGS
from studies.greiner.run import COMPLEX_HOLE_RATE, COMPLEX_ROWS
from studies.wrong_structure.figures import figure_8, figure_8_alt
from studies.wrong_structure.tables import curves as wrong_curves


def statement_parts(outcome: Outcome, said: Sequence[Statement]) -> list[str]:
    """Whether each statement holds, and tasks that failed."""
    parts = failures(outcome)
    if not said:
        return [*parts, NOTHING]
    caption = (
        "What the paper says and this study checks. Gains are accuracy points across data sets, or "
        "shares of error across samples; p is that of a one-sided paired t-test. Three numbers "
        "count samples in which ELR's error is lower, equal and higher."
    )
    return [*parts, statements(said, caption)]


def curve_parts(records: Sequence[Record]) -> list[str]:
    """Figures 1 and 3."""
    parts: list[str] = []
    traced = curves.traces(records)
    if traced:
        parts.append(
            drawn(
                partial(figures.by_iteration, traced),
                "Figure 1. Error of ELR on cleve by iteration, complete rows, means over five "
                "folds.",
                f"Error by iteration: {course(_traced_lines(traced))}",
            )
        )
    found = curves.curves(records, "curve", ("rows", "structure", "size"))
    titles = {
        ("complete", "naive-bayes"): "(a) NB, complete rows",
        ("incomplete", "naive-bayes"): "(b) NB, a quarter missing",
        ("complete", "tpda"): "(c) GBN, complete rows",
    }
    panels = {
        title: {key[2]: point for key, point in found.items() if key[:2] == which}
        for which, title in titles.items()
        if any(key[:2] == which for key in found)
    }
    if panels:
        caption = "Figure 3. Error on the chess test rows against the number of training rows."
        draw = partial(figures.errors, panels, "training rows")
        parts += [
            drawn(draw, caption, _curve_alt(panels, "training rows")),
            _curve_table(panels, "training rows", caption),
        ]
    return parts or ["The sets of figures 1 and 3, cleve and chess, are not among those asked for."]


def figure_8_parts(records: Sequence[Record]) -> list[str]:
    """Figure 8."""
    points = wrong_curves(r for r in records if r.task["part"] == "wrong structure")
    if not points:
        return [NOTHING]
    return [
        drawn(
            partial(figure_8, points),
            "Figure 8. Mean error against m, the number of attributes that are one and the same; "
            "the dotted line is the least error that any classifier has. ELR is that of the "
            "tables, which cross tuning stops; “ELR, not tuned” goes to its optimum. "
            "`python -m studies wrong-structure` has it with more samples, and with infinitely "
            "many rows.",
            figure_8_alt(points),
        )
    ]


def complex_parts(records: Sequence[Record]) -> list[str]:
    """Figures 11 and 12."""
    copied = curves.curves(records, "irrelevant attributes", ("rows", "agreement", "k", "size"))
    linked = curves.curves(records, "superfluous links", ("rows", "m"))
    parts: list[str] = []
    for number, rows in ((11, "complete"), (12, "incomplete")):
        panels = {
            f"k = {k}, P(E1 = C) = {agreement:g}": {
                key[3]: point for key, point in copied.items() if key[:3] == (rows, agreement, k)
            }
            for k in sorted({key[2] for key in copied})
            for agreement in sorted({key[1] for key in copied}, reverse=True)
        }
        missing = f", {COMPLEX_HOLE_RATE:.0%} of the cells missing" if number == 12 else ""
        if any(panels.values()):
            caption = (
                f"Figure {number} (a). The model is naive Bayes and the class is E1 up to noise"
                f"{missing}. Exact error against the number of training rows, means over samples."
            )
            alt = _curve_alt(panels, "training rows")
            draw = partial(figures.errors, panels, "training rows")
            parts += [drawn(draw, caption, alt), _curve_table(panels, "training rows", caption)]
        lines = {key[1]: point for key, point in linked.items() if key[0] == rows}
        if lines:
            caption = (
                f"Figure {number} (b). The truth is naive Bayes, the model also links E1 to Em; "
                f"{COMPLEX_ROWS} rows{missing}."
            )
            panel = {"": lines}
            draw = partial(figures.errors, panel, "m", is_log=False)
            alt = _curve_alt(panel, "m")
            parts += [drawn(draw, caption, alt), _curve_table(panel, "m", caption)]
    return [*parts, _tuned(records)] if parts else [NOTHING]


def _tuned(records: Sequence[Record]) -> str:
    """In how many samples cross tuning leaves ELR at its start, OFE."""
    own = [r.result for r in records if r.task["part"] in curves.COMPLEX_PARTS]
    at_start = sum(result["iterations"]["ELR"] == 0 for result in own)
    return (
        f"Cross tuning leaves ELR at its start, the frequency estimates, in {at_start} of "
        f"{len(own)} samples; the statements are of this ELR, with the one that goes to its "
        "optimum beside it."
    )


def _traced_lines(traced: Mapping[str, curves.Traces]) -> dict[str, Sequence[float]]:
    return {
        f"{STRUCTURES[structure]}, {name} rows,": values
        for structure, trace in traced.items()
        for name, values in (("training", trace.train), ("test", trace.test))
    }


def _curve_alt(panels: Mapping[str, figures.Lines], x_name: str) -> str:
    lines = {
        f"{title} {learner}".strip(): [
            point[learner].mean for _, point in sorted(points.items()) if learner in point
        ]
        for title, points in panels.items()
        for learner in dict.fromkeys(name for point in points.values() for name in point)
    }
    return f"Error by {x_name}: {course(lines)}"


def natural_parts(records: Sequence[Record]) -> list[str]:
    """Section 5.1.3's further sets: accuracies where rows have holes of their own."""
    found = tables.natural_holes(records)
    if not found:
        return [NOTHING]
    systems = list(dict.fromkeys(name for row in found.values() for name in row))
    rows = [[data, *(row.get(system) for system in systems)] for data, row in found.items()]
    return [table(["data", *systems], rows, "Accuracy in per cent, holes as they came.")]


def tpda_parts(records: Sequence[Record]) -> list[str]:
    """GBN+OFE by each variant of TPDA, beside table II."""
    found = tables.tpda_variants(records)
    if not found:
        return [NOTHING]
    heads = ["data", "paper", *TPDA_VARIANTS]
    rows = [
        [
            data,
            TABLE_2[data].get("GBN+OFE"),
            *(
                f"{row[name][0]}, {row[name][1]:.0f} arcs" if name in row else None
                for name in TPDA_VARIANTS
            ),
        ]
        for data, row in found.items()
    ]
    return [
        table(heads, rows, "GBN+OFE, accuracy in per cent, and arcs, on sets of few attributes.")
    ]


def data_parts(loaded: Loaded[RawSet]) -> list[str]:
    """Table I, and what was left out."""
    rows = []
    for name, found in loaded.sets.items():
        ours = facts(name, found.frame)
        test = "five folds" if ours.n_test is None else f"{ours.n_test:,}"
        rows.append([name, ours.n_attributes, ours.n_classes, ours.n_train, test, found.origin])
    heads = ["data", "attributes", "classes", "training rows", "test rows", "origin"]
    parts: list[str] = [table(heads, rows, "Table I, as the sets are here.")]
    if loaded.left_out:
        parts.append(note(f"Left out: {loaded.reasons}"))
    missing = [name for name in TABLE_1 if name not in {*loaded.sets, *loaded.left_out}]
    if missing:
        parts.append(f"Not asked for: {', '.join(missing)}.")
    return parts


def deviations(
    loaded: Loaded[RawSet], found: Mapping[str, Table], records: Sequence[Record]
) -> list[str]:
    """A sentence for each way in which this is not the paper's study, as far as known."""
    ours, fewer = found.get("complete", {}), tables.with_fewer_cuts(records)
    why = [
        f"{data}, {system}: {_why_apart(ours[data][system], TABLE_2[data][system], cut)}"
        for data in ours
        for system in ("NB+OFE", "TAN+OFE")
        if data in tables.apart(ours, TABLE_2, system)
        for cut in [fewer.get(data, {}).get(system, {})]
    ]
    return [*why, _to_the_digit(ours), *differences(loaded.sets), *READINGS, against_accuracies()]


def _to_the_digit(ours: Table) -> str:
    same = [
        f"{data} ({system})"
        for data, row in ours.items()
        for system in ("NB+OFE", "TAN+OFE")
        if system in row and f"{row[system].mean:.2f}" == f"{TABLE_2[data][system].mean:.2f}"
    ]
    return (
        "OFE adds one to every count, as do all starts and APN's and ELR's first CPTs; with it "
        f"these accuracies are the printed ones to the digit: {', '.join(same) or 'none'}."
    )


def _why_apart(ours: Accuracy, printed: Accuracy, fewer: Mapping[float, Accuracy]) -> str:
    """What becomes of OFE, which leaves no room for another optimizer, with fewer cuts."""
    if not fewer:
        return OFTEN_APART
    told = ", ".join(f"{cost:g} times: {cell.mean:.2f}" for cost, cell in fewer.items())
    explains = any(tables.is_close(cell, printed) for cell in fewer.values())
    which = "so the cuts may be the reason" if explains else "so fewer cuts are not the reason"
    return (
        f"{ours.mean:.2f} here, {printed.mean:.2f} in table II; where a cut must gain the MDL "
        f"rule's cost so many times over, {told}, {which}."
    )


def _curve_table(panels: Mapping[str, figures.Lines], x_name: str, caption: str) -> Html:
    points = [point for lines in panels.values() for point in lines.values()]
    learners = list(dict.fromkeys(name for point in points for name in point))
    rows = [
        [title, x, *(_error(point.get(name)) for name in learners)]
        for title, lines in panels.items()
        for x, point in sorted(lines.items())
    ]
    return table(
        ["", x_name, *learners],
        rows,
        f"{caption.split('.', 1)[0]}, mean error ± its standard error.",
    )


def _error(samples: curves.Samples | None) -> str:
    return "–" if samples is None else f"{samples.mean:.4f} ± {samples.standard_error:.4f}"
