"""What the compiled modules offer, submodule by submodule, and so do most rooms' NumPy twins.

A test holds these signatures against those of the modules that were built. No shape is told here;
all arrays are C-ordered and taken as they are.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Integers = NDArray[np.int64 | np.intp]
Bools = NDArray[np.bool_]
Uint16s = NDArray[np.uint16]
Uint32s = NDArray[np.uint32]
Uint64s = NDArray[np.uint64]
Int32s = NDArray[np.int32]
Codes = NDArray[np.integer]  # in as many bytes as they need

# The same where a kernel writes into them.
WrittenFloats = Floats
WrittenIntegers = Integers
WrittenBools = Bools
WrittenUint32s = Uint32s
WrittenCodes = Codes

Capsule = Any  # what C++ alone looks into

class Packed(Protocol):
    """Passes over packed rows, and how rows are packed."""

    def expand(
        self, ends: Integers, cells: Integers, tables: Floats, grouped: WrittenFloats
    ) -> None: ...
    def collapse(
        self, ends: Integers, cells: Integers, grouped: Floats, tables: WrittenFloats
    ) -> None: ...
    def gather(
        self,
        table: Floats,
        offsets: Integers,
        codes: Codes,
        start: int,
        stop: int,
        scores: WrittenFloats,
    ) -> None: ...
    def count(
        self,
        offsets: Integers,
        codes: Codes,
        classes: Codes,
        weights: Floats,
        start: int,
        stop: int,
        table: WrittenFloats,
    ) -> None: ...
    def linearise(
        self,
        table: Floats,
        offsets: Integers,
        codes: Codes,
        classes: Codes,
        weights: Floats,
        start: int,
        stop: int,
        probabilities: WrittenFloats,
        gradient: WrittenFloats,
    ) -> float: ...
    def curvature(
        self,
        table: Floats,
        offsets: Integers,
        codes: Codes,
        probabilities: Floats,
        weights: Floats,
        start: int,
        stop: int,
        product: WrittenFloats,
    ) -> None: ...
    def spread(
        self,
        probabilities: Floats,
        offsets: Integers,
        codes: Codes,
        weights: Floats,
        start: int,
        stop: int,
        table: WrittenFloats,
    ) -> None: ...
    def cross(
        self,
        rows: Integers,
        values: Floats,
        offsets: Integers,
        codes: Codes,
        ends: Integers,
        cells: Integers,
        n_families: int,
        table: WrittenFloats,
    ) -> None: ...
    def cross_by_class(
        self,
        rows: Integers,
        values: Floats,
        offsets: Integers,
        codes: Codes,
        ends: Integers,
        cells: Integers,
        n_families: int,
        table: WrittenFloats,
    ) -> None: ...
    def line(
        self,
        scores: Floats,
        steps: Floats,
        classes: Codes,
        weights: Floats,
        s: float,
        start: int,
        stop: int,
    ) -> tuple[float, float]: ...
    def correct(
        self,
        table: Floats,
        offsets: Integers,
        codes: Codes,
        classes: Codes,
        weights: Floats,
        start: int,
        stop: int,
        probabilities: Floats,
        corrected: WrittenFloats,
        gradient: WrittenFloats,
    ) -> None: ...
    def entropy(
        self, probabilities: Floats, weights: Floats, start: int, stop: int
    ) -> tuple[float, float]: ...
    def encode(
        self,
        columns: Codes,
        places: Integers,
        cards: Uint64s,
        ends: Integers,
        start: int,
        stop: int,
        codes: WrittenCodes,
    ) -> None: ...
    IS_COMPILED: bool
    def join(
        self, axes: Integers, cards: Integers, ends: Integers, largest: int
    ) -> tuple[Integers, Integers, Integers, Integers]: ...
    def members(
        self,
        axes: Integers,
        cards: Integers,
        ends: Integers,
        firsts: Integers,
        groups: tuple[Integers, Integers, Integers, Integers],
        offsets: Integers,
        cells: WrittenIntegers,
    ) -> None: ...

class Counting(Protocol):
    """Contingency tables of many families."""

    LANES: int
    def count_bits(
        self,
        codes: Codes,
        axes: Integers,
        ends: Integers,
        cards: Integers,
        starts: Integers,
        start: int,
        stop: int,
        out: WrittenIntegers,
    ) -> None: ...
    def count_cells(
        self, codes: Codes, axes: Integers, cards: Integers, table: WrittenIntegers
    ) -> None: ...
    def add_families(
        self,
        codes: Codes,
        axes: Integers,
        ends: Integers,
        cards: Integers,
        starts: Integers,
        which: Integers,
        weights: Floats,
        out: WrittenFloats,
    ) -> None: ...
    def weigh_cells(
        self, codes: Codes, axes: Integers, cards: Integers, weights: Floats, table: WrittenFloats
    ) -> None: ...
    def sum_occurring(
        self,
        codes: Codes,
        order: Integers,
        ends: Integers,
        others: Integers,
        cards: Integers,
        terms: Floats,
        sums: WrittenFloats,
    ) -> None: ...

class Cells(Protocol):
    """Sums of values of rows over the cells of many families."""

    def add_values(
        self,
        codes: Codes,
        axes: Integers,
        ends: Integers,
        cards: Integers,
        starts: Integers,
        first: int,
        stop: int,
        values: Floats,
        out: WrittenFloats,
    ) -> None: ...

class Dfe(Protocol):
    """Discriminative frequency estimates, row by row."""

    def place(
        self,
        codes: Codes,
        axes: Integers,
        ends: Integers,
        cards: Integers,
        cell_starts: Integers,
        members: Integers,
        column_starts: Integers,
        cells: WrittenUint32s,
        columns: WrittenUint32s,
    ) -> None: ...
    def learn(
        self,
        cells: Uint32s,
        columns: Uint32s,
        members: Integers,
        cell_starts: Integers,
        column_starts: Integers,
        cards: Integers,
        rows: Integers,
        classes: Integers,
        weights: Floats,
        losses: WrittenFloats,
        shares: WrittenFloats,
        is_new: WrittenBools,
        counts: WrittenFloats,
        totals: WrittenFloats,
        inverses: WrittenFloats,
        outside: Uint32s,
        above: Uint32s,
        is_seen: WrittenBools,
        has_seen: WrittenBools,
    ) -> None: ...

class Trees(Protocol):
    """Inference on trees and forests of attributes below the class."""

    def total_rows(
        self,
        rows: Int32s,
        tree: object,
        tables: Floats,
        logs: Floats,
        totals: WrittenFloats,
    ) -> None: ...
    def count_rows(
        self,
        rows: Int32s,
        labels: Integers,
        weights: Floats,
        tree: object,
        tables: Floats,
        logs: Floats,
        counts: WrittenFloats,
        totals: WrittenFloats,
    ) -> None: ...
    def normalise(
        self, totals: Floats, posterior: WrittenFloats, log_evidence: WrittenFloats
    ) -> None: ...
    def share_any(self, tree: object, tables: Floats, counts: WrittenFloats) -> None: ...

class Newton(Protocol):
    """Newton's method of small problems."""

    OUTCOMES: tuple[str, ...]
    TOLD: tuple[str, ...]
    def begin(
        self,
        ends: Integers,
        cells: Integers,
        offsets: Integers,
        codes: Uint16s,
        classes: Codes,
        weights: Floats,
        drawn: Integers,
        penalty: tuple[float, float, int, int],
        centre: Floats,
        rough_ends: Integers,
        rough_cells: Integers,
        rough_values: Floats,
        x: Floats,
        rules: object,
        tol: float,
        limit: int,
        memory: int,
    ) -> tuple[Capsule, tuple[float, ...]]: ...
    def advance(self, walk: Capsule, last: int) -> tuple[int, tuple[float, ...]]: ...
    def point(self, walk: Capsule) -> tuple[Floats, Floats]: ...
    def curvature_matrix(
        self,
        ends: Integers,
        cells: Integers,
        offsets: Integers,
        codes: Uint16s,
        classes: Codes,
        weights: Floats,
        drawn: Integers,
        strength: float,
        probabilities: Floats,
        blend: float,
        least: float,
        matrix: WrittenFloats,
    ) -> None: ...
    def solve(self, matrix: Floats, b: WrittenFloats) -> bool: ...

class Interactions(Protocol):
    """Tables in coefficients of interactions."""

    def turn(
        self,
        values: WrittenFloats,
        cards: Integers,
        ends: Integers,
        offsets: Integers,
        forth: bool,
    ) -> None: ...
    def share(
        self,
        parts: Floats,
        values: WrittenFloats,
        cells: Integers,
        ends: Integers,
        weights: Floats,
        damping: Floats,
        inverse: float,
    ) -> None: ...
    def scale(self, values: WrittenFloats, inverses: Floats) -> None: ...

class Spaces(Protocol):
    """From tables back to CPTs."""

    def in_gauge(self, tables: WrittenFloats, like: Floats, least: float) -> None: ...
    def normalise(
        self, tables: WrittenFloats, scopes: object, children: Integers, witnesses: Integers
    ) -> None: ...
    def exponentiate(self, logs: WrittenFloats, scopes: object) -> None: ...

class Cliques(Protocol):
    """Inference in a junction tree."""

    def evidence(
        self,
        schedule: object,
        theta: Floats,
        codes: Int32s,
        target: int,
        hidden: bool,
        posterior: WrittenFloats,
        log_evidence: WrittenFloats,
    ) -> None: ...
    def expect(
        self,
        schedule: object,
        theta: Floats,
        codes: Int32s,
        weights: Floats,
        target: int,
        counts: WrittenFloats,
        log_evidence: WrittenFloats,
    ) -> None: ...
    def contrast(
        self,
        schedule: object,
        theta: Floats,
        codes: Int32s,
        weights: Floats,
        target: int,
        counts: WrittenFloats,
        log_conditional: WrittenFloats,
    ) -> None: ...
    def information(
        self,
        schedule: object,
        theta: Floats,
        codes: Int32s,
        weights: Floats,
        target: int,
        matrix: WrittenFloats,
    ) -> None: ...

class Fragments(Protocol):
    """Rows with holes, taken apart into the fragments of a tree that they share."""

    def begin(self) -> Capsule: ...
    def take_apart(
        self,
        fragments: Capsule,
        rows: Int32s,
        labels: Integers,
        weights: Floats,
        tree: object,
        complete: WrittenFloats,
    ) -> int: ...
    def found(self, fragments: Capsule, n_classes: int) -> tuple[Any, ...]: ...
    def count(
        self,
        found: object,
        start: int,
        stop: int,
        tree: object,
        tables: Floats,
        logs: Floats,
        counts: WrittenFloats,
        sums: WrittenFloats,
    ) -> bool: ...
