"""The benchmark's page: what breaks the aims, then a plot and tables an axis."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import bnlr
from benchmarks.growth import figures
from benchmarks.growth.measure import DONE, MEMORY, REFUSED, TIME
from benchmarks.growth.run import LARGER
from benchmarks.growth.tables import (
    AIM,
    AIM_OF_SEARCH,
    Line,
    Results,
    behind,
    lines,
    results_of,
    silent,
    slow,
)
from studies.common import Outcome
from studies.common.pages import (
    Column,
    Html,
    Section,
    bullets,
    drawn,
    failures,
    page,
    strong,
    table,
)
from studies.common.study import Files

TITLE = "How costs grow"
_READINGS = (
    "A point's data are drawn with a seed. A cell shows its class by chance, its parents, or "
    "neither; k-DB is the structure that they are drawn from, a tree with one parent. EM has a "
    "tenth of the cells missing where the axis is not holes.",
    "B: one pass of NumPy's bincount over class × each attribute of the complete rows. C: the "
    "same, compiled. Memory: the peak that a call adds, over the bytes of the Dataset.",
    "Seconds are of CPU, on one thread, the least mean of batches of calls; of a call that takes "
    "long, the only one. Slopes are in log-log, by least squares and the largest between "
    "neighbours; along states and parents against the distinct family cells in the rows.",
    "A line ends where it runs into a limit: larger points are not tried.",
    "scikit-learn: OneHotEncoder, after pandas.read_csv for files; CategoricalNB; "
    "LogisticRegression (l-bfgs) on a sparse one-hot matrix that is ready, at the loosest "
    "tolerance that comes within a millionth of bnlr's penalised objective.",
)


def report(outcome: Outcome, before: Results) -> Files:
    """The page; what is not measured is missing in it."""
    every = lines(results_of(outcome.done), before, outcome.study.settings["middle"])
    return {"index.html": _page(outcome, every)}


def _page(outcome: Outcome, every: Sequence[Line]) -> str:
    settings = outcome.study.settings
    middle = ", ".join(f"{value:,} {axis}" for axis, value in settings["middle"].items())
    limit = settings["limits"]["seconds"]
    limits = f"{limit:g} s, {settings['limits']['n_bytes'] / 2**30:g} GiB"
    intro = [
        f"What calls cost along one axis of the data, others at a middle: {middle}. Each point is "
        f"a call in a process of its own; limits: {limits}. Aims: slopes of at most {AIM} "
        f"({AIM_OF_SEARCH:g} over attributes to learn a structure), scikit-learn nowhere ahead.",
    ]
    axes = dict.fromkeys(line.axis for line in every)
    sections = [
        Section("What breaks the aims", [*failures(outcome), *_broken(every)]),
        *(
            Section(axis.capitalize(), _axis([x for x in every if x.axis == axis], limit))
            for axis in axes
        ),
        Section("Readings", [bullets(_READINGS)]),
    ]
    foot = f"bnlr {bnlr.__version__}, {settings['kernels']} kernels, python -m benchmarks.growth"
    return page(TITLE, intro, sections, foot=foot)


def _broken(every: Sequence[Line]) -> list[str]:
    parts = [
        _slopes(slow(every), "Lines with a slope above their aim."),
        _ratios(behind(every), "Where scikit-learn is ahead: its seconds' multiple that ours are."),
    ]
    unfinished = [
        f"{line.label}, {line.axis}: {_values(line, outcome)}"
        for line in every
        for outcome in dict.fromkeys(r["outcome"] for r in line.found.values())
        if outcome in _LIMITS
    ]
    if unfinished:
        parts += ["Ended by a limit, or refused:", bullets(unfinished)]
    quiet = [f"{job}: {seconds:.1f} s" for job, seconds in silent(every).items()]
    if quiet:
        parts += ["Longest calls that showed no progress on a terminal:", bullets(quiet)]
    return parts


def _values(line: Line, outcome: str) -> str:
    hit = [f"{value:,}" for value, r in line.found.items() if r["outcome"] == outcome]
    return f"{_LIMITS[outcome]} at {', '.join(hit)}"


def _slopes(every: Sequence[Line], caption: str) -> Html:
    heads = ["axis", "task", Column("slope", ".2f"), "steepest", "in", Column("aim", ".1f")]
    rows = [[x.axis, x.label, x.slope, _steepest(x), x.size, x.aim] for x in every]
    return table(heads, rows, caption)


def _steepest(line: Line) -> str:
    if line.steepest is None or line.aim is None:
        return ""
    text = f"{line.steepest.slope:.2f} up to {line.steepest.size:,.0f}"
    return strong(text) if line.steepest.slope > line.aim else text


def _ratios(every: Sequence[tuple[Line, dict[float, float]]], caption: str) -> Html:
    rows = [
        [
            line.axis,
            line.job,
            "; ".join(f"{value:,}: {ratio:.1f}" for value, ratio in found.items()),
        ]
        for line, found in every
    ]
    return table(["axis", "task", "value: times"], rows, caption)


def _axis(every: Sequence[Line], limit: float) -> list[str]:
    axis = every[0].axis
    alt = f"Seconds of every task against {axis}, in log-log"
    parts: list[str] = [drawn(partial(figures.growth, every, limit), f"Seconds along {axis}.", alt)]
    for caption, cell in _GRIDS.items():
        if any(cell(r) is not None for line in every for r in line.found.values()):
            parts.append(_grid(every, caption, cell))
    if any(line.before for line in every):
        parts.append(_grid(every, "Times the earlier run's seconds.", _seconds, before=True))
    return parts


Cell = Callable[[Mapping[str, Any]], Any]


def _grid(every: Sequence[Line], caption: str, cell: Cell, *, before: bool = False) -> Html:
    """A row a line, a column a value of the axis; seconds with their slopes."""
    values = sorted({value for line in every for value in line.found})
    with_slopes = cell is _seconds and not before
    heads: list[Column | str] = ["task", *(Column(f"{value:,}", ".3g") for value in values)]
    if with_slopes:
        heads += [Column("slope", ".2f"), "steepest"]
    rows = []
    for line in every:
        cells = [_against(line, v) if before else _shown(line.found.get(v), cell) for v in values]
        if any(c is not None for c in cells):
            rows.append(
                [line.label, *cells, *([line.slope, _steepest(line)] if with_slopes else [])]
            )
    return table(heads, rows, caption)


def _shown(result: Mapping[str, Any] | None, cell: Cell) -> Any:
    if result is None:
        return None
    return cell(result) if result["outcome"] == DONE else _LIMITS[result["outcome"]]


def _against(line: Line, value: float) -> float | None:
    now, then = line.seconds(), line.seconds(before=True)
    return now[value] / then[value] if value in now and value in then else None


def _seconds(result: Mapping[str, Any]) -> float:
    return float(result["seconds"])


def _steps(result: Mapping[str, Any]) -> str | None:
    if "iterations" not in result:
        return None
    passes = f" / {result['passes']}" if "passes" in result else ""
    text = f"{result['iterations']}{passes}"
    return text if result.get("converged", True) else strong(f"{text} not converged")


_LIMITS = {TIME: "> limit", MEMORY: "memory", REFUSED: "refused", LARGER: "not tried"}
_GRIDS: dict[str, Cell] = {
    "Seconds of CPU.": _seconds,
    "In B.": lambda r: r["seconds"] / r["b"],
    "In C.": lambda r: r["seconds"] / r["c"],
    "Peak of memory added, over the Dataset's bytes.": lambda r: r["memory"] / r["bytes"],
    "Iterations / passes over the rows.": _steps,
}
