"""The rows that were given, the tables of the network, and how the page was made."""

from collections.abc import Iterator, Sequence
from itertools import product

from bnlr._typing import FloatArray, State
from bnlr.report.html import (
    Column,
    Html,
    Section,
    bullets,
    code,
    folded,
    inline,
    named,
    table,
    words,
)
from bnlr.report.model.evaluation import Evaluation
from bnlr.words import counted

_MOST_CELLS = 120
_MOST_TABLES = 60
_MOST_OPEN = 12


def data_section(evaluation: Evaluation) -> Section:
    """Rows, missing cells, and what was odd."""
    data = evaluation.data
    missing = {
        node: n for node, n in data.missing_counts.items() if node in evaluation.network.states
    }
    parts: list[str] = [
        words(
            "{}, {} with a class that the model knows.",
            counted(data.n_rows, "row"),
            f"{evaluation.known.size:,}",
        )
    ]
    if evaluation.notes:
        parts.append(bullets(evaluation.notes))
    if missing:
        rows = [
            [named(node), n, n / data.n_rows]
            for node, n in sorted(missing.items(), key=lambda item: (-item[1], item[0]))
        ]
        columns: list[Column | str] = ["column", "missing", Column("share", ".1%")]
        caption = "Missing cells, which are summed out; labels that the model does not know count."
        parts.append(table(columns, rows, caption))
    else:
        parts.append("No cell is missing.")
    return Section("The rows", parts)


def tables_section(evaluation: Evaluation) -> Section:
    """The CPTs that fit on a page, folded."""
    own, structure = evaluation.class_name, evaluation.network.structure
    order = [own, *(node for node in structure.nodes if node != own)]
    small = [node for node in order if evaluation.network.cpts[node].size <= _MOST_CELLS]
    shown = small[:_MOST_TABLES]
    parts: list[str] = [inline(_about_tables(evaluation))]
    folds = [_cpt(evaluation, node) for node in shown]
    is_long = len(folds) > _MOST_OPEN
    parts += [folded(f"{len(folds)} tables", *folds)] if is_long else folds
    left = len(order) - len(shown)
    if left:
        large = f"those of more than {_MOST_CELLS} cells, and all after the first {_MOST_TABLES}"
        parts.append(f"{counted(left, 'table')} left out: {large}.")
    return Section("Conditional probability tables", parts)


def _about_tables(evaluation: Evaluation) -> str:
    learner = evaluation.result.learner if evaluation.result is not None else ""
    if learner in ("lr", "elr"):
        return (
            "They were fitted to predict the class: their P(class | attributes) is what was "
            "optimised, and single entries need not be frequencies of the rows."
        )
    return "P(node | its parents), a line for each configuration of the parents."


def _cpt(evaluation: Evaluation, node: str) -> Html:
    network = evaluation.network
    parents, states = network.structure.parents(node), network.states
    rows = list(_lines([states[parent] for parent in parents], network.cpts[node]))
    columns = [
        *(Column(named(parent)) for parent in parents),
        *(Column(named(state), ".4f", group=named(node)) for state in states[node]),
    ]
    about = "a line for each configuration of its parents" if parents else "it has no parents"
    caption = words("The table of {}: {}.", named(node), about)
    return folded(words("P({}{})", named(node), _given(parents)), table(columns, rows, caption))


def _given(parents: Sequence[str]) -> Html:
    if not parents:
        return Html("")
    return Html(" | " + ", ".join(named(parent) for parent in parents))


def _lines(axes: Sequence[Sequence[State]], cpt: FloatArray) -> Iterator[list[object]]:
    for configuration, line in zip(product(*axes), cpt.reshape(-1, cpt.shape[-1]), strict=True):
        yield [*map(named, configuration), *line.tolist()]


def origin_section(evaluation: Evaluation) -> Section:
    """Version, command, and the files with their hashes."""
    rest = dict(evaluation.origin)
    command = rest.pop("command", None)
    parts: list[str] = [] if command is None else [code(command)]
    if rest:
        parts.append(table(["what", "value"], [*rest.items()], "What this page was made with."))
    return Section("How to make this page again", parts)
