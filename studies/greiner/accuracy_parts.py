"""Tables II to V and the figures of the same accuracies."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from studies.common.pages import Column, Html, bullets, drawn, strong, table, whole
from studies.common.statistics import LEVEL, TTest
from studies.greiner import figures, tables
from studies.greiner.datasets import HOLE_RATE
from studies.greiner.paper import (
    COMPLETE,
    INCOMPLETE,
    STRUCTURES,
    TABLE_2,
    TABLE_3,
    TABLE_4,
    TABLE_5,
    Accuracy,
    Table,
)
from studies.greiner.readings import NOTHING


def complete_parts(found: Mapping[str, Table]) -> list[str]:
    """Tables II and IV, figures 4, 5, 9 and 10."""
    ours = found.get("complete", {})
    if not ours:
        return [NOTHING]
    return [
        *_accuracy_tables(ours, TABLE_2, COMPLETE, "Table II, {}."),
        _comparison_table(ours, TABLE_2, TABLE_4, "Table IV."),
        *_scatters(found, TABLE_2, ("4", "5", "9", "10")),
    ]


def incomplete_parts(found: Mapping[str, Table]) -> list[str]:
    """Tables III and V, figures 6 and 7, and the same with whole test rows."""
    ours, untouched = found.get("incomplete", {}), found.get(tables.WHOLE, {})
    if not ours:
        return [NOTHING]
    return [
        *_accuracy_tables(ours, TABLE_3, INCOMPLETE, "Table III, {}."),
        _comparison_table(ours, TABLE_3, TABLE_5, "Table V."),
        *_scatters(found, TABLE_3, ("6", "7")),
        f"The text removes {HOLE_RATE:.0%} of the cells of training and test rows, and so do the "
        "tables above; chess, 94.56 for NB+ELR in table III, makes one doubt that its test rows "
        "had holes. Here are the same networks, trained with holes and asked about whole "
        f"test rows: {_n_close(untouched)} entries of table III are close then, {_n_close(ours)} "
        "where test rows have holes.",
        *_accuracy_tables(untouched, TABLE_3, INCOMPLETE, "Table III, {}, with whole test rows."),
        _comparison_table(untouched, TABLE_3, TABLE_5, "Table V, with whole test rows."),
    ]


def _n_close(ours: Table) -> str:
    """On how many of the shared entries of table III ours is close to the paper's."""
    shared = sum(name in TABLE_3[data] for data, row in ours.items() for name in row)
    apart = sum(len(tables.apart(ours, TABLE_3, system)) for system in INCOMPLETE)
    return f"{shared - apart} of {shared}"


def against_accuracies() -> str:
    """Where tables IV and V have the worse of two systems, by the paper's own accuracies, first."""
    printed = [*tables.comparisons(TABLE_4, TABLE_2, {}), *tables.comparisons(TABLE_5, TABLE_3, {})]
    apart = [
        f"{one.verdict.better} over {one.verdict.worse} {one.from_printed.p:.2f}"
        for one in printed
        if one.from_printed is not None and one.from_printed.p > 0.5
    ]
    return (
        "Tables IV and V, as far as their arrows can be read, go against the accuracies of tables "
        "II and III where p from these is above 0.5, so that the other system is the better: "
        f"{', '.join(apart)}."
    )


def _accuracy_tables(
    ours: Table, printed: Table, systems: Sequence[str], name: str
) -> Iterator[Html]:
    """A table a structure."""
    for structure in STRUCTURES.values():
        own = [system for system in systems if system.startswith(f"{structure}+")]
        if any(system in row for row in ours.values() for system in own):
            caption = (
                f"{name.format(structure)} Accuracy in per cent and its error bar; ours stands out "
                "where it is more than 2 points and more than twice the paper's error bar away."
            )
            yield _accuracy_table(ours, printed, own, caption)


def space_parts(found: Mapping[str, Table]) -> list[str]:
    """ELR and APN in β and in θ, on naive Bayes with holes."""
    ours = found.get("incomplete", {})
    systems = ("NB+ELR", "NB+ELR_θ", "NB+APN", "NB+APN_θ")
    rows = [[data, *(row.get(system) for system in systems)] for data, row in ours.items()]
    if not rows:
        return [NOTHING]
    tests = [
        f"{first} against {second}: {_p_text(tables.test(ours, first, second))}"
        for first, second in (systems[:2], systems[2:])
    ]
    caption = (
        "Accuracy in per cent with a quarter of the cells missing. The paper says that β is the "
        "better without figures."
    )
    return [table(["data", *systems], rows, caption), bullets(tests)]


def flat_comparisons(found: Mapping[str, Table]) -> list[dict[str, Any]]:
    """Rows for a CSV file: one an entry of tables IV and V."""
    kinds = (
        ("complete", TABLE_2, TABLE_4),
        ("incomplete", TABLE_3, TABLE_5),
        (tables.WHOLE, TABLE_3, TABLE_5),
    )
    return [
        {
            "rows": rows,
            "better": entry.verdict.better,
            "worse": entry.verdict.worse,
            "paper_p": entry.verdict.p,
            "p_from_printed_accuracies": entry.from_printed and entry.from_printed.p,
            "p": entry.ours and entry.ours.p,
            "mean_gain": entry.ours and entry.ours.mean,
            "ahead_equal_behind": "/".join(map(str, entry.wins)),
        }
        for rows, printed, verdicts in kinds
        for entry in tables.comparisons(verdicts, printed, found.get(rows, {}))
    ]


def _accuracy_table(ours: Table, printed: Table, systems: Sequence[str], caption: str) -> Html:
    shown = [name for name in systems if any(name in row for row in ours.values())]
    heads: list[Column | str] = ["data"]
    heads += [Column(who, group=name) for name in shown for who in ("paper", "here")]
    rows = []
    for data, row in ours.items():
        cells: list[Any] = []
        for name in shown:
            theirs, own = printed.get(data, {}).get(name), row.get(name)
            is_apart = theirs is not None and own is not None and not tables.is_close(own, theirs)
            cells += [theirs, strong(str(own)) if is_apart else own]
        rows.append([whole(data), *cells])
    foot: list[Any] = ["mean"]
    for name in shown:
        shared = [data for data, row in ours.items() if name in row and name in printed[data]]
        foot += [_mean(printed[data][name] for data in shared)]
        foot += [_mean(ours[data][name] for data in shared)]
    return table(heads, rows, caption, [foot])


def _comparison_table(
    ours: Table, printed: Table, verdicts: Mapping[tuple[str, str], Any], name: str
) -> Html:
    rows = [
        [
            whole(entry.verdict.better),
            whole(entry.verdict.worse),
            f"{entry.verdict.p:g}",
            _p(entry.from_printed),
            _p(entry.ours),
            entry.ours.mean,
            "/".join(map(str, entry.wins)),
        ]
        for entry in tables.comparisons(verdicts, printed, ours)
        if entry.ours is not None
    ]
    heads: list[Column | str] = ["better", "than", Column("printed", group="p, paper")]
    heads += [Column("from its accuracies", group="p, paper"), Column("p", group="here")]
    heads += [Column("mean gain", "+.2f", group="here"), Column("ahead/equal/behind", group="here")]
    caption = (
        f"{name} One-sided paired t-tests across the sets that the first system is the better; "
        f"p below {LEVEL} stands out. Arrows as far as they can be read; the p-values from the "
        "paper's own printed accuracies stand beside the printed ones."
    )
    return table(heads, rows, caption)


def _scatters(found: Mapping[str, Table], printed: Table, numbers: Iterable[str]) -> list[str]:
    parts: list[str] = []
    for number in numbers:
        rows, panels = figures.SCATTERS[number]
        ours = found.get(rows, {})
        known = [
            panel
            for panel in panels
            if any(panel[0] in row and panel[1] in row for row in ours.values())
        ]
        if known:
            tests = "; ".join(f"{a} over {b}: {_p_text(tables.test(ours, a, b))}" for a, b in known)
            parts.append(
                drawn(
                    partial(figures.scatter, known, ours, printed),
                    f"Figure {number}. Accuracies, a point a set: below the line the system along "
                    f"x is the better. {tests}.",
                    f"Mean accuracies: {_means_of(known, ours)}",
                )
            )
    return parts


def _means_of(panels: Iterable[figures.Panel], ours: Table) -> str:
    told = []
    for pair in panels:
        both = [row for row in ours.values() if set(pair) <= set(row)]
        means = (f"{name} {_mean(row[name] for row in both)}" for name in pair)
        told.append(f"{' and '.join(means)} on {len(both)} sets")
    return "; ".join(told)


def _mean(cells: Iterable[Accuracy]) -> str:
    values = [cell.mean for cell in cells]
    return f"{sum(values) / len(values):.2f}" if values else "–"


def _p(test: TTest | None) -> str:
    if test is None:
        return "–"
    text = "< 0.0001" if test.p < 1e-4 else f"{test.p:.4f}"
    return strong(text) if test.is_significant(LEVEL) else text


def _p_text(test: TTest | None) -> str:
    return "too few sets for a test" if test is None else f"p = {test.p:.2g}"
