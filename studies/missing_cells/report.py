"""The study's result files: log-losses as a table and a figure, and the verdicts."""

from collections.abc import Sequence
from functools import partial

from studies.common import Outcome, csv_text, json_text
from studies.common.pages import (
    Column,
    Html,
    Section,
    bullets,
    drawn,
    failures,
    foot,
    mark,
    note,
    page,
    strong,
    table,
    whole,
)
from studies.common.sets import Loaded
from studies.common.sources import RawSet
from studies.common.study import Files
from studies.missing_cells import figures
from studies.missing_cells.datasets import N_FOLDS, facts
from studies.missing_cells.learners import FIXED_RATE, LEARNERS
from studies.missing_cells.tables import CLOSE, FIXED, MATCHED, SHOWN, Cell, cells, flat, verdicts

TITLE = "Predicting with missing cells"
_ABOUT = (
    "frequency estimates: add-one, each family from the rows that show all of it.",
    "EM: add-one in every step; the same as frequency estimates where no training cell is missing.",
    "logistic optimum: `BNClassifier(learner='lr')` with its defaults, the penalty towards scaled "
    "frequency estimates and its strength by cross-validation, mapped back to CPTs; it needs whole "
    "rows, so holes of the training rows get their column's most frequent value.",
    "ELR, the rate expected: `BNClassifier(expect_missing=…)` with its defaults, the penalty as "
    "above (strength 3 where training rows have holes), told the share of each column that the "
    "test rows lack; with no cell removed it is trained on the rows as they are, which without "
    "holes is the logistic optimum.",
    f"ELR, {FIXED_RATE:.0%} expected: the same, trained once, as if a quarter of the cells were to "
    "be removed, and asked with all shares.",
)
_READINGS = (
    "Missing cells of vote and soybean stay missing, in training and in the test; removed cells "
    "come on top of them. All learners of a fold see the same rows with the same holes.",
    "The structure of a fold is learnt from its training rows, for all learners alike; TAN counts "
    "pairs of attributes in the rows that show both.",
    f"Every column has the states that occur in the whole set, so no test row of the {N_FOLDS} "
    "stratified folds has a value that training has not heard of.",
    "Where no cell is removed and none was missing, ELR is the logistic optimum itself, and "
    "training for holes has no part in it.",
    "Standard errors are over the test rows of all folds, as if these were independent.",
)


def report(outcome: Outcome, loaded: Loaded[RawSet], quick: bool) -> Files:
    """Tables, checks and page; what lacks folds is missing in them."""
    found = cells(outcome.done)
    return {
        "log_losses.csv": csv_text(flat(found)),
        "checks.json": json_text({"verdicts": verdicts(found)}),
        "index.html": _page(outcome, loaded, found, quick),
    }


def _page(outcome: Outcome, loaded: Loaded[RawSet], found: Sequence[Cell], quick: bool) -> str:
    intro = [
        "How well does a Bayesian network predict the class when 0, 25 or 50 % of the cells of the "
        "rows to predict are missing? The missing cells are summed out exactly; what differs is "
        f"how the CPTs were learnt. Mean log-loss (natural log) over {N_FOLDS} folds."
    ]
    if quick:
        intro.append(
            note("This is the quick version, on one data set. Leave `--quick` out for all.")
        )
    sections = [
        Section("Data", _data_parts(outcome, loaded)),
        Section("Learners", [bullets(_ABOUT)]),
        Section("Log-loss", _loss_parts(found)),
        Section("Is ELR as good as the best?", _verdict_parts(found)),
        Section("Fits", _fit_parts(outcome)),
        Section("Readings", [bullets(_READINGS)]),
    ]
    return page(TITLE, intro, sections, foot=foot(outcome))


def _data_parts(outcome: Outcome, loaded: Loaded[RawSet]) -> list[str]:
    rows = [[name, *facts(found.frame), found.origin] for name, found in loaded.sets.items()]
    heads: list[Column | str] = ["data", "rows", "attributes", "classes"]
    heads += [Column("missing cells", ".1%"), "origin"]
    parts: list[str] = [table(heads, rows, "The data sets, before any cell is removed.")]
    if loaded.left_out:
        parts.append(note(f"Left out: {loaded.reasons}"))
    return [*parts, *failures(outcome)]


def _loss_parts(found: Sequence[Cell]) -> list[str]:
    if not found:
        return ["No data set has all its folds."]
    caption = "Mean log-loss against the share of removed test cells, with standard errors."
    alt = "Log-loss by the share of missing cells, a line a learner, a panel a data set"
    heads = ["data", "structure", "removed", *(whole(figures.SHORT[name]) for name in SHOWN)]
    rows = [[*_names(cell), *_losses(cell)] for cell in found]
    text = (
        "Mean log-loss ± its standard error; the least of each row stands out. “ELR, told” is told "
        "the share to be removed."
    )
    return [drawn(partial(figures.losses, found), caption, alt), table(heads, rows, text)]


def _losses(cell: Cell) -> list[str]:
    texts = {name: _with_error(cell.mean(name), cell.standard_error(name)) for name in SHOWN}
    return [strong(text) if name == cell.best else text for name, text in texts.items()]


def _verdict_parts(found: Sequence[Cell]) -> list[str]:
    if not found:
        return ["No data set has all its folds."]
    parts: list[str] = [
        f"As good means: within {CLOSE} nats of the least log-loss of all learners, or within one "
        "standard error of it. “Paired” takes the standard error of the difference, row by row, "
        "which is stricter.",
        *(_summary(found, learner) for learner in (MATCHED, FIXED)),
    ]
    return [*parts, *(_behind(found, learner) for learner in (MATCHED, FIXED))]


def _behind(found: Sequence[Cell], learner: str) -> Html:
    heads: list[Column | str] = ["data", "structure", "removed", "best"]
    heads += [Column("behind", ".4f"), Column("±", ".4f"), "as good", "paired"]
    rows = [
        [
            *_names(cell),
            whole(figures.SHORT[cell.best]),
            cell.behind(learner),
            cell.behind_error(learner),
            mark(cell.is_as_good(learner)),
            mark(cell.is_as_good_paired(learner)),
        ]
        for cell in found
    ]
    caption = (
        f"How far {figures.LABELS[learner]}, is behind the best, in nats, ± the paired standard "
        "error."
    )
    return table(heads, rows, caption)


def _summary(found: Sequence[Cell], learner: str) -> str:
    n_good = sum(cell.is_as_good(learner) for cell in found)
    n_paired = sum(cell.is_as_good_paired(learner) for cell in found)
    return (
        f"{figures.LABELS[learner]}: as good as the best in {n_good} of {len(found)} cells, "
        f"{n_paired} by the paired standard error."
    )


def _fit_parts(outcome: Outcome) -> list[str]:
    """Iterations, and the fits that did not converge."""
    rows = []
    for name in LEARNERS:
        own = [record.result for record in outcome.done if record.task["learner"] == name]
        if own:
            most = max(result["iterations"] for result in own)
            rows.append([name, len(own), most, sum(not result["converged"] for result in own)])
    if not rows:
        return ["No task has ended."]
    heads = ["learner", "fits", "most iterations", "not converged"]
    return [table(heads, rows, "How the fits ended.")]


def _with_error(mean: float, error: float) -> str:
    return f"{mean:.3f} ± {error:.3f}".replace(" ", "\N{NARROW NO-BREAK SPACE}")


def _names(cell: Cell) -> list[str]:
    return [whole(cell.data), whole(figures.STRUCTURES[cell.structure]), f"{cell.rate:.0%}"]
