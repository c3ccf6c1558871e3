"""Posteriors of the class, and how probable rows are.

A row whose Markov blanket of the class is observed needs no inference: its class's log-odds are a
sum of table entries, taken from packed rows. All other rows go to the inference engine, which sums
their missing cells out. Logarithms are natural.
"""

from collections.abc import Iterable

import numpy as np

from bnlr._typing import BoolArray, CodeArray, FloatArray, IntArray
from bnlr.data.dataset import Dataset
from bnlr.design.families import TableLayout
from bnlr.design.packed_rows import row_scores
from bnlr.errors import BnlrWarning
from bnlr.network.factorization import Factorization
from bnlr.warn import warn
from bnlr.words import counted

# Below this a posterior may have lost digits, or all of them, to underflow.
_LEAST_EXACT = 1e-290
_NEARLY_CERTAIN = -1e-3  # a logarithm from which on 1 less the rest says more
_SHOWN_ROWS = 5


def class_posteriors(network: Factorization, data: Dataset, in_logs: bool) -> FloatArray:
    """P(class | the row's other cells) or its logarithm, (n_rows, n_classes).

    Rows that the network holds for impossible get P(class | the class's parents), with one
    warning.
    """
    layout = TableLayout.of(network.structure, network.cards)
    holed = _rows_with_holes(data, layout.attributes)
    if not holed.any():
        result, is_impossible = _of_whole_rows(network, data, in_logs)
    elif holed.all():
        result, is_impossible = _of_holed_rows(network, data, in_logs)
    else:
        result = np.empty((data.n_rows, len(network.class_states)))
        is_impossible = np.empty(data.n_rows, dtype=np.bool_)
        for rows, posteriors in [(~holed, _of_whole_rows), (holed, _of_holed_rows)]:
            part = posteriors(network, data.take(np.flatnonzero(rows)), in_logs)
            result[rows], is_impossible[rows] = part
    if is_impossible.any():
        _warn_of_impossible(network.structure.class_name, np.flatnonzero(is_impossible))
    return result


def normalized(scores: FloatArray, in_logs: bool) -> FloatArray:
    """Distributions, or their logarithms, from these up to a constant a row; overwrites them."""
    scores -= scores.max(axis=1, keepdims=True)
    shares = np.exp(scores)
    totals = shares.sum(axis=1, keepdims=True)
    if in_logs:
        scores -= np.log(totals)
        return scores
    shares /= totals
    return shares


def true_class_logs(logs: FloatArray, classes: CodeArray) -> FloatArray:
    """Log P(its class) of each row, from those of all classes, (n_rows, n_classes).

    Near 1 by what the others have, which 1 would round away.
    """
    true = np.arange(len(classes)), classes
    others = np.exp(logs)
    others[true] = 0.0
    rest = np.minimum(others.sum(axis=1), 0.5)
    result: FloatArray = np.where(logs[true] > _NEARLY_CERTAIN, np.log1p(-rest), logs[true])
    return result


def row_log_likelihoods(network: Factorization, data: Dataset) -> FloatArray:
    """Log P(the row's observed cells, the class's included), (n_rows,); −inf if impossible."""
    result = np.empty(data.n_rows)
    holed = _rows_with_holes(data, network.structure.attributes)
    if not holed.all():
        part = data.take(np.flatnonzero(~holed)) if holed.any() else data
        result[~holed] = _whole_row_logs(network, part)
    if holed.any():
        codes = _codes(network, data, np.flatnonzero(holed))
        result[holed] = network._exact.engine().log_evidence(network._exact.theta, codes)
    return result


def summed_class_logs(data: Dataset, network: Factorization) -> tuple[float, int]:
    """Σ weight · log P(class | other cells) over the rows with a class, and how many there are."""
    rows = np.flatnonzero((data.class_codes >= 0) & (data.weights > 0))
    if not len(rows):
        return 0.0, 0
    labelled = data.take(rows)
    logs = true_class_logs(class_posteriors(network, labelled, in_logs=True), labelled.class_codes)
    return float(labelled.weights @ logs), len(rows)


def summed_row_logs(data: Dataset, network: Factorization) -> float:
    """Σ weight · log P(the row's observed cells)."""
    logs = row_log_likelihoods(network, data)
    heavy = data.weights > 0
    return float(data.weights[heavy] @ logs[heavy])


def _rows_with_holes(data: Dataset, nodes: Iterable[str]) -> BoolArray:
    holed = np.zeros(data.n_rows, dtype=np.bool_)
    for node in nodes:
        if node in data.missing_counts:
            holed |= data.column(node) < 0
    return holed


# Rows that are whole where it matters


def _of_whole_rows(
    network: Factorization, data: Dataset, in_logs: bool
) -> tuple[FloatArray, BoolArray]:
    scores = _class_scores(network, data)
    is_impossible: BoolArray = np.asarray(np.isneginf(scores).all(axis=1))
    if is_impossible.any():
        rows = np.flatnonzero(is_impossible)
        with np.errstate(divide="ignore"):
            scores[rows] = np.log(_given_parents(network, data, rows))
    return normalized(scores, in_logs), is_impossible


def _class_scores(network: Factorization, data: Dataset) -> FloatArray:
    """Log P(c, the class's children | their other parents), (n_rows, n_classes)."""
    layout = TableLayout.of(network.structure, network.cards)
    with np.errstate(divide="ignore"):
        tables = np.log(layout.stack(network.cpts))
    return row_scores(layout, data, tables)


def _given_parents(network: Factorization, data: Dataset, rows: IntArray) -> FloatArray:
    structure = network.structure
    parents = tuple(data.column(p)[rows] for p in structure.parents(structure.class_name))
    return np.broadcast_to(
        network.cpts[structure.class_name][parents], (len(rows), len(network.class_states))
    )


def _whole_row_logs(network: Factorization, data: Dataset) -> FloatArray:
    """Log P(row) where only the class may be missing."""
    scores, classes = _class_scores(network, data), data.class_codes
    chosen = scores[np.arange(len(classes)), np.maximum(classes, 0)]
    logs: FloatArray = np.where(classes >= 0, chosen, np.logaddexp.reduce(scores, axis=1))
    structure = network.structure
    for node in structure.nodes:
        parents = structure.parents(node)
        if structure.class_name not in (node, *parents):
            with np.errstate(divide="ignore"):
                entries: FloatArray = np.log(network.cpts[node])
            logs = logs + entries[tuple(data.column(axis) for axis in (*parents, node))]
    return logs


# Rows with holes


def _of_holed_rows(
    network: Factorization, data: Dataset, in_logs: bool
) -> tuple[FloatArray, BoolArray]:
    exact = network._exact
    codes = _codes(network, data)
    posteriors, log_evidence = exact.engine().posterior(exact.theta, codes)
    is_impossible = np.isneginf(log_evidence)
    if is_impossible.any():
        rows = np.flatnonzero(is_impossible)
        posteriors[rows] = _given_seen_parents(network, data, codes[rows], rows)
    if not in_logs:
        return posteriors, is_impossible
    with np.errstate(divide="ignore"):
        logs: FloatArray = np.log(posteriors)
    rows = np.flatnonzero((posteriors.min(axis=1) < _LEAST_EXACT) & ~is_impossible)
    if rows.size:
        logs[rows] = _exact_logs(network, codes[rows]) - log_evidence[rows, None]
    return logs, is_impossible


def _exact_logs(network: Factorization, codes: CodeArray) -> FloatArray:
    """Log P(c, the other cells) of every class c, (n_rows, n_classes), one class at a time."""
    exact, place = network._exact, network.structure.index(network.structure.class_name)
    logs = np.empty((len(codes), len(network.class_states)))
    labelled = np.array(codes)
    for c in range(logs.shape[1]):
        labelled[:, place] = c
        logs[:, c] = exact.engine().log_evidence(exact.theta, labelled)
    return logs


def _given_seen_parents(
    network: Factorization, data: Dataset, codes: CodeArray, rows: IntArray
) -> FloatArray:
    """P(class | those of its parents that are observed); P(class) where these are impossible."""
    exact, structure = network._exact, network.structure
    above = structure.parents(structure.class_name)
    places = [structure.index(parent) for parent in above]
    kept = np.full_like(codes, -1)
    kept[:, places] = codes[:, places]
    posteriors, log_evidence = exact.engine().posterior(exact.theta, kept)
    nothing = np.full_like(codes[:1], -1)
    prior, _ = exact.engine().posterior(exact.theta, nothing)
    posteriors[np.isneginf(log_evidence)] = prior[0]
    whole = (kept[:, places] >= 0).all(axis=1)
    if whole.any():
        posteriors[whole] = _given_parents(network, data, rows[whole])
    return posteriors


def _codes(network: Factorization, data: Dataset, rows: IntArray | None = None) -> CodeArray:
    """Codes of the network's nodes in its own order, (n_rows, n_nodes)."""
    nodes = network.structure.nodes
    if rows is None and data.nodes == nodes:
        return data.codes
    every = slice(None) if rows is None else rows
    codes = np.empty((data.n_rows if rows is None else len(rows), len(nodes)), data.codes.dtype)
    for place, node in enumerate(nodes):
        codes[:, place] = data.column(node)[every]
    return codes


def _warn_of_impossible(class_name: str, rows: IntArray) -> None:
    more = " …" if len(rows) > _SHOWN_ROWS else ""
    shown = ", ".join(map(str, rows[:_SHOWN_ROWS])) + more
    warn(
        f"{counted(len(rows), 'row')} ({shown}) of probability 0 under the network; told instead "
        f"are the probabilities of {class_name!r} given its parents alone",
        BnlrWarning,
    )
