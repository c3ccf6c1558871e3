"""The parts of the page."""

from collections.abc import Sequence

from studies.common import Outcome
from studies.common.pages import Column, bullets, failures, note, statements, table, whole
from studies.common.sets import Loaded
from studies.defaults import holes
from studies.defaults.datasets import Rows
from studies.defaults.learners import LABELS, LEARNERS
from studies.defaults.sets import LEFT_OUT, SETS, half, is_counted
from studies.defaults.standings import NOTHING, comparison_table, name_of
from studies.defaults.statements import LEAST_WINS, Line
from studies.defaults.tables import Results, is_refusal


def data_parts(outcome: Outcome, loaded: Loaded[Rows]) -> list[str]:
    """The sets, what is left out of them, and those left out whole."""
    heads: list[Column | str] = ["data", "rows", "of", "numeric", "other", "classes"]
    heads += [Column("missing", ".1%"), "half", "counted", "notes"]
    rows = []
    for name, own in loaded.sets.items():
        n_numeric, n_classes = own.n_numeric, own.classes.nunique()
        others = own.attributes.shape[1] - n_numeric
        counts = (len(own.classes), own.n_all, n_numeric, others, n_classes)
        row = [whole(name), *counts, own.missing_share, whole(half(name)), is_counted(name)]
        rows.append([*row, _notes(name, loaded)])
    caption = (
        "The data sets: rows used, of how many; attributes; classes. Sets that are not counted "
        "share their source with one that is and are in no test across sets. Choices inside the "
        "defaults were made on the tuned half; related: only on another set of the same source."
    )
    left_out = {**loaded.left_out, **LEFT_OUT}
    words = "; ".join(f"{name}: {why}" for name, why in left_out.items())
    return [table(heads, rows, caption), note(f"Left out: {words}."), *failures(outcome)]


def _notes(name: str, loaded: Loaded[Rows]) -> str:
    notes = [f"of {SETS[name].source}: {SETS[name].why}"] if SETS[name].why else []
    dropped = loaded.sets[name].dropped
    if dropped:
        n_rows = sum(dropped.values())
        classes = "1 rare class" if len(dropped) == 1 else f"{len(dropped)} rare classes"
        notes.append(f"without {classes}, {n_rows} rows")
    return "; ".join(notes)


def learner_parts(outcome: Outcome) -> list[str]:
    """How each is set up, and which refused."""
    names = dict.fromkeys(str(task["learner"]) for task in outcome.study.tasks)
    parts: list[str] = [bullets(f"{LABELS[name]}: {LEARNERS[name].about}." for name in names)]
    earlier = [name for name in names if not LEARNERS[name].is_available]
    if earlier:
        labels = ", ".join(LABELS[name] for name in earlier)
        parts.append(f"Scores of an earlier run, for the library is not installed: {labels}.")
    refused = [record for record in outcome.done if is_refusal(record)]
    if refused:
        parts.append(f"{len(refused)} tasks of peers ended in an error of theirs:")
        parts.append(bullets(f"{r.task}: {r.result['failed']}" for r in refused[:20]))
    return parts


def statement_parts(said: Sequence[Line]) -> list[str]:
    """The table of statements and a sentence of those that do not hold."""
    if not said:
        return [f"They speak of at least {LEAST_WINS} sets, more than there are here."]
    lacking = [line["statement"] for line in said if line["holds"] is False]
    good = "All of them hold." if all(line["holds"] for line in said) else "The others hold."
    words = f"Not so: {'; '.join(lacking)}." if lacking else good
    return [statements(said, "What the defaults must show, over the counted sets."), words]


def hole_parts(found: Results, loaded: Loaded[Rows]) -> list[str]:
    """Summing out beside a state."""
    lines = [
        line for line in holes.both_ways(found, loaded) if any(x is not None for x in line.losses)
    ]
    if not lines:
        return ["No set here has missing cells."]
    kept = [
        k for k in range(2 * len(holes.PAIRS)) if any(one.losses[k] is not None for one in lines)
    ]
    names = [name for pair in holes.PAIRS for name in pair]
    heads: list[Column | str] = ["data", Column("missing", ".1%")]
    heads += [Column(whole(LABELS[names[k]]), ".4f") for k in kept]
    rows = [[name_of(line.data), line.share, *(line.losses[k] for k in kept)] for line in lines]
    parts: list[str] = [table(heads, rows, "Log-loss on the sets with missing cells.")]
    compared = holes.comparisons(found)
    if compared:
        parts.append(
            comparison_table(compared, "Summing out against a state, counted sets with holes.")
        )
    return parts


def zero_parts(found: Results) -> list[str]:
    """Probabilities of 0, and fits that stopped early."""
    rows = []
    for name in LEARNERS:
        own = [results[name] for results in found.values() if name in results]
        if own:
            zeros, early = (sum(getattr(m, what) for m in own) for what in ("zeros", "unconverged"))
            rows.append([whole(LABELS[name]), len(own), zeros, early])
    if not rows:
        return [NOTHING]
    heads = ["learner", "sets", "rows of probability 0", "fits not converged"]
    return [table(heads, rows, "Test rows whose class had probability 0; fits that gave up.")]
