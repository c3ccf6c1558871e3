"""What the engine refuses: arrays of another shape, numbers that are none, unknown codes."""

import numpy as np

from bnlr._typing import CodeArray, FloatArray
from bnlr.errors import ParameterError, StateError
from bnlr.inference.cpts import FlatCPTs


def checked_theta(flat: FlatCPTs, theta: FloatArray) -> FloatArray:
    """Return flat CPTs as doubles, refusing another shape and numbers that are none or below 0."""
    theta = np.ascontiguousarray(theta, dtype=np.float64)
    if theta.shape != (flat.n_cells,):
        raise ParameterError(
            f"theta has shape {theta.shape}; it must be ({flat.n_cells},), all CPTs of the "
            f"network in one array"
        )
    wrong = ~((theta >= 0.0) & (theta < np.inf))
    if wrong.any():
        cell = int(np.argmax(wrong))
        node = int(np.searchsorted(flat.offsets, cell, side="right")) - 1
        raise ParameterError(
            f"the CPT of {flat.names[node]!r} holds {theta[cell]}; probabilities are 0 to 1"
        )
    return theta


def checked_codes(flat: FlatCPTs, codes: CodeArray) -> CodeArray:
    """Return codes (N, n) as an array, refusing another shape or type and unknown states."""
    codes = np.asarray(codes)
    if codes.ndim != 2 or codes.shape[1] != flat.n_nodes or codes.dtype.kind not in "iu":
        raise ParameterError(
            f"codes have shape {codes.shape} and type {codes.dtype}; they must be integers of "
            f"shape (rows, {flat.n_nodes}), one column a node"
        )
    unknown = codes.max(axis=0, initial=np.iinfo(codes.dtype).min) >= flat.cards
    if unknown.any():
        node = int(np.argmax(unknown))
        row = int(np.argmax(codes[:, node] >= flat.cards[node]))
        raise StateError(
            f"row {row} has the code {codes[row, node]} for {flat.names[node]!r}; its states are "
            f"0 to {flat.cards[node] - 1}, and −1 stands for missing"
        )
    return codes


def checked_place(node: int, flat: FlatCPTs, what: str) -> int:
    """Return the place of a node as an int, refusing all else; `what` says what it is for."""
    if isinstance(node, (bool, np.bool_)) or not isinstance(node, (int, np.integer)):
        raise ParameterError(f"{what} is {node!r}; give the place of a node, an integer")
    if not 0 <= node < flat.n_nodes:
        raise ParameterError(f"{what} is {node!r}; places go from 0 to {flat.n_nodes - 1}")
    return int(node)


def checked_weights(weights: FloatArray | None, n_rows: int) -> FloatArray:
    """Return one finite weight a row, ones for None."""
    if weights is None:
        return np.ones(n_rows)
    checked = np.ascontiguousarray(weights, dtype=np.float64)
    if checked.shape != (n_rows,):
        raise ParameterError(
            f"weights have shape {checked.shape}; they must be ({n_rows},), one a row"
        )
    if not np.isfinite(checked).all():
        raise ParameterError("a weight is NaN or infinite; give finite weights")
    return checked
